"""State dicts and saved files: round trips, and everything that must be refused."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import neyman as ny
from neyman.accountants.contents import contents
from neyman.accountants.records import STATE, encode


def sample() -> ny.Accountant:
    accountant = ny.Accountant(adjacency="remove", tolerance=1e-5)
    for sigma, rate, times in ((1.0, 0.01, 3), (0.8, 0.02, 2), (1.0, 0.01, 1)):
        for _ in range(times):
            accountant.step(noise_multiplier=sigma, sample_rate=rate)
    accountant.add(ny.compose([ny.Laplace(2.0), ny.DiscreteGaussian(3.0).poisson(0.5)]), 4)
    accountant.add(ny.Opaque(ny.GDP(0.1)))
    return accountant


def same(one: ny.Accountant, two: ny.Accountant) -> bool:
    return (one.history, one.adjacency, one.tolerance, len(one)) == (
        two.history,
        two.adjacency,
        two.tolerance,
        len(two),
    )


def test_state_dict_survives_json() -> None:
    state = json.loads(json.dumps(sample().state_dict()))
    assert state["schema"] == 1
    other = ny.Accountant()
    other.step(noise_multiplier=5.0, sample_rate=0.5)
    other.load_state_dict(state)
    assert same(other, sample())
    assert other.state_dict() == state
    assert other.get_epsilon(1e-5) == sample().get_epsilon(1e-5)
    other.step(noise_multiplier=1.0, sample_rate=0.01)
    assert len(other) == len(sample()) + 1


WRONG: list[tuple[str, object]] = [
    ("schema", 0), ("schema", 2), ("schema", True), ("schema", "1"), ("schema", 1.0), ("schema", None),
    ("adjacency", "both"), ("tolerance", 2.0), ("tolerance", "1e-6"), ("extra", 1),
    ("settings", None), ("settings", [1]), ("settings", [{"kind": "gaussian"}]),
    ("runs", None), ("runs", [1]), ("runs", [[0]]), ("runs", [[0, 0]]), ("runs", [[0, -1]]), ("runs", [[0, 1.5]]),
    ("runs", [[9, 1]]), ("runs", [[-1, 1]]), ("runs", [[True, 1]]), ("runs", [[0, 10**18], [0, 1]]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_malformed_states_are_refused_and_change_nothing(name: str, value: object) -> None:
    accountant = sample()
    with pytest.raises(ny.InvalidParameter):
        accountant.load_state_dict({**sample().state_dict(), name: value})
    assert same(accountant, sample())


def test_a_newer_state_says_so() -> None:
    with pytest.raises(ny.InvalidParameter, match="update this one"):
        ny.Accountant().load_state_dict({**sample().state_dict(), "schema": 7})
    with pytest.raises(ny.InvalidParameter, match="a dict that state_dict wrote"):
        ny.Accountant().load_state_dict([1])  # type: ignore[arg-type]
    missing = sample().state_dict()
    del missing["runs"]
    with pytest.raises(ny.InvalidParameter, match="made of"):
        ny.Accountant().load_state_dict(missing)
    twice = sample().state_dict()
    twice["settings"].append(twice["settings"][0])
    with pytest.raises(ny.InvalidParameter, match="not known yet"):
        ny.Accountant().load_state_dict(twice)


def test_mechanisms_without_a_dict_form_can_be_counted_but_not_written(tmp_path: Path) -> None:
    accountant = ny.Accountant()
    accountant.add(ny.Opaque(ny.account(ny.Gaussian(1.0))))
    assert accountant.guarantee().mu() == pytest.approx(1.0)
    with pytest.raises(ny.InvalidParameter):
        accountant.state_dict()
    with pytest.raises(ny.InvalidParameter):
        accountant.save(tmp_path / "state")
    assert list(tmp_path.iterdir()) == []


def test_saved_file_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "state"
    ny.Accountant().save(path)
    assert len(ny.Accountant.load(path)) == 0
    path.chmod(0o640)
    sample().save(str(path))
    assert path.stat().st_mode & 0o777 == 0o640
    assert same(ny.Accountant.load(path), sample())
    assert [file.name for file in tmp_path.iterdir()] == ["state"]
    found = ny.Accountant.recover(path)
    assert found.damage == ""
    assert same(found.accountant, sample())


def test_long_histories_are_written_in_pieces(tmp_path: Path) -> None:
    accountant = ny.Accountant()
    for i in range(3000):
        accountant.step(noise_multiplier=1.0 + i % 2, sample_rate=0.01)
    accountant.save(tmp_path / "long")
    assert same(ny.Accountant.load(tmp_path / "long"), accountant)
    assert ny.Accountant.recover(tmp_path / "long").records == 1 + 2 + 3 + 1


def test_every_changed_byte_is_refused(tmp_path: Path) -> None:
    """Also those that leave valid JSON behind; what is still readable is never more than what was written."""
    accountant = ny.Accountant()
    for sigma in (1.0, 2.0):
        accountant.step(noise_multiplier=sigma, sample_rate=0.01)
    accountant.save(tmp_path / "state")
    data = (tmp_path / "state").read_bytes()
    assert contents(data).damage == ""
    for at in range(len(data)):
        for flip in (0x01, 0x20, 0x80, data[at], data[at] ^ 0x30):
            if flip:
                found = contents(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
                assert found.damage
                assert found.ledger.total <= 2


def test_every_cut_and_every_appendix_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state"
    sample().save(path)
    data = path.read_bytes()
    for at in range(len(data)):
        assert contents(data[:at]).damage
    for more in (b"\n", b"\0", b"0", data, data[len(STATE) :], encode(99, {"runs": [[0, 1]]})):
        assert contents(data + more).damage


def test_the_error_says_what_was_still_readable(tmp_path: Path) -> None:
    path = tmp_path / "state"
    sample().save(path)
    data = path.read_bytes()
    path.write_bytes(data[:-3])
    with pytest.raises(ny.UnreadableState, match=r"ends too early.*6 records with 11 steps.*recover") as caught:
        ny.Accountant.load(path)
    assert (caught.value.records, caught.value.steps) == (6, 11)
    assert len(ny.Accountant.recover(path).accountant) == 11
    path.write_bytes(b"nothing of ours")
    for read in (ny.Accountant.load, ny.Accountant.recover):
        with pytest.raises(ny.UnreadableState, match="no file of an accountant"):
            read(path)


def written(*payloads: Any) -> bytes:
    return STATE + b"".join(encode(number, payload) for number, payload in enumerate(payloads))


OPENING = {"version": 1, "adjacency": "add", "tolerance": 1e-6}


@pytest.mark.parametrize(
    ("payloads", "reason"),
    [
        (({**OPENING, "version": 2}, {"end": 0}), "update this one"),
        (({**OPENING, "version": 0}, {"end": 0}), "version must be the whole number 1"),
        (({**OPENING, "version": True}, {"end": 0}), "version"),
        (({**OPENING, "more": 1}, {"end": 0}), "an opening"),
        (([], {"end": 0}), "version"),
        ((OPENING, {"end": 1}), "number of steps before it, 0"),
        ((OPENING, {"end": 0, "runs": []}), "number of steps"),
        ((OPENING, {"end": 0}, {"runs": []}), "absent after the end"),
        ((OPENING, {"runs": [[0, 1]]}, {"end": 1}), "one of the 0 settings"),
        ((OPENING, {}, {"end": 0}), "made of"),
        ((OPENING, {"what": 1}, {"end": 0}), "made of"),
        ((OPENING, 3, {"end": 0}), "a dict"),
    ],
)
def test_well_formed_nonsense_is_refused(payloads: Any, reason: str) -> None:
    assert reason in contents(written(*payloads)).damage
    assert contents(written(OPENING, {"end": 0})).damage == ""


def test_records_out_of_order_are_refused() -> None:
    one = encode(1, {"define": ny.Gaussian(1.0).to_dict()})
    two = encode(2, {"runs": [[0, 1]]})
    end = encode(3, {"end": 1})
    head = STATE + encode(0, OPENING)
    assert contents(head + one + two + end).damage == ""
    for wrong in ((two, one, end), (one, end), (one, one, two, end), (one, two, two, end)):
        assert "out of order" in contents(head + b"".join(wrong)).damage


def test_paths_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ny.InvalidParameter, match="not of a directory"):
        ny.Accountant().save(tmp_path)
    with pytest.raises(ny.InvalidParameter, match="the path of a file"):
        ny.Accountant().save(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        ny.Accountant.load(tmp_path / "absent")
    with pytest.raises(FileNotFoundError):
        ny.Accountant().save(tmp_path / "no" / "where")


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state"
    sample().save(path)

    def fail(*_: object) -> None:
        raise OSError("no space")

    for name in ("fsync", "replace", "write"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fail)
            with pytest.raises(OSError, match="no space"):
                ny.Accountant().save(path)
        assert same(ny.Accountant.load(path), sample())
        assert len(list(tmp_path.iterdir())) == 1


def test_numbers_too_long_to_write_out_are_refused_like_others() -> None:
    huge = 10**5000
    for change in ({"schema": huge}, {"tolerance": huge}, {"runs": [[0, huge]]}, {"runs": [[huge, 1]]}):
        with pytest.raises(ny.InvalidParameter, match="too long to write out"):
            ny.Accountant().load_state_dict({**sample().state_dict(), **change})
    with pytest.raises(ny.InvalidParameter, match="count must be a whole number"):
        ny.Accountant().add(ny.Gaussian(1.0), huge)
