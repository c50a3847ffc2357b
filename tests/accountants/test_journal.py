"""Journals: nothing lost, nothing twice, one owner; every cut and every changed byte."""

import copy
import json
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

import neyman as ny
from neyman.accountants import files
from neyman.accountants.contents import contents

ROOT = Path(__file__).parents[2]


def steps(accountant: ny.Accountant, *noises: float) -> None:
    for noise in noises:
        accountant.step(noise_multiplier=noise, sample_rate=0.01)


def begun(path: Path, *noises: float) -> bytes:
    with ny.Accountant.journalled(path) as accountant:
        steps(accountant, *noises)
    return path.read_bytes()


def python(*arguments: object) -> str:
    """Run the interpreter on this tree, and return what it says."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_steps_outlive_the_accountant(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with ny.Accountant.journalled(path, adjacency="remove", tolerance=1e-5) as accountant:
        steps(accountant, 1.0, 1.0, 2.0)
        accountant.add(ny.Laplace(1.0), 10)
        before = accountant.history
    with ny.Accountant.journalled(path) as accountant:
        assert accountant.history == before
        assert (accountant.adjacency, accountant.tolerance, accountant.dropped) == ("remove", 1e-5, 0)
        steps(accountant, 1.0)
        expected = accountant.get_epsilon(1e-5)
    loaded = ny.Accountant.load(path)
    assert len(loaded) == 14
    assert loaded.get_epsilon(1e-5) == expected
    steps(loaded, 1.0)
    assert len(ny.Accountant.load(path)) == 14  # what was loaded does not write
    loaded.save(tmp_path / "saved")
    assert len(ny.Accountant.load(tmp_path / "saved")) == 15


@pytest.mark.parametrize(("kills", "durable"), [pytest.param(15, "durable", marks=pytest.mark.slow), (15, "fast")])
def test_killed_at_random(tmp_path: Path, kills: int, durable: str) -> None:
    seen = json.loads(python("-m", "tests.accountants.killed", tmp_path / "run", kills, 1, durable))
    assert seen["kills"] == kills
    assert seen["steps"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("durable", ["durable", "fast"])
def test_killed_at_random_two_hundred_times(tmp_path: Path, durable: str) -> None:
    seen = json.loads(python("-m", "tests.accountants.killed", tmp_path / "run", 200, time.time_ns(), durable))
    assert seen["kills"] == 200


def test_a_record_cut_short_anywhere_is_dropped_and_the_rest_kept(tmp_path: Path) -> None:
    path = tmp_path / "run"
    whole = begun(path, 1.0, 2.0, 2.0)
    ends = [contents(whole[:at]).end for at in range(len(whole) + 1)]
    opening = min(end for end in ends if contents(whole[:end]).terms is not None)
    for at in range(len(whole)):
        found = contents(whole[:at])
        if at < opening:
            assert found.damage
            continue
        assert found.damage == ""
        assert found.torn == (found.end < at)
        if at % 9 == 0:
            path.write_bytes(whole[:at])
            with ny.Accountant.journalled(path) as accountant:
                assert len(accountant) == found.ledger.total
                assert accountant.dropped == at - found.end
                steps(accountant, 3.0)
            assert len(ny.Accountant.load(path)) == found.ledger.total + 1


def test_every_changed_byte_is_refused(tmp_path: Path) -> None:
    whole = begun(tmp_path / "run", 1.0, 1.0)
    for at in range(len(whole)):
        for flip in (0x01, 0x20, 0x80, whole[at]):
            found = contents(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
            assert found.damage
            assert found.ledger.total <= 2


def test_what_cannot_be_the_start_of_a_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run"
    whole = begun(path, 1.0)
    for tail in (
        b"\n",
        b"\0",
        b"\0" * 43,
        b"xyz",
        b"00000010 1",
        b"00000010 0000000000000001 ",
        b"00000010-",
        b"0000001A ",
    ):
        path.write_bytes(whole + tail)
        with pytest.raises(ny.UnreadableState, match=r"no record begins here.*2 records with 1 steps"):
            ny.Accountant.journalled(path)
    path.write_bytes(whole + b"00000010 0000000000000002 00000000")
    with ny.Accountant.journalled(path) as accountant:
        assert (len(accountant), accountant.dropped) == (1, 34)


def test_damage_is_refused_with_what_is_intact_and_recovered_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "run"
    whole = begun(path, 1.0, 1.0, 1.0, 1.0)
    path.write_bytes(whole[:-5] + b"?" + whole[-4:])
    for read in (ny.Accountant.journalled, ny.Accountant.load):
        with pytest.raises(ny.UnreadableState, match=r"checksum.*4 records with 3 steps.*recover") as caught:
            read(path)
        assert (caught.value.records, caught.value.steps) == (4, 3)
    assert pickle.loads(pickle.dumps(caught.value)).steps == 3
    found = ny.Accountant.recover(path)
    assert (len(found.accountant), found.records) == (3, 4)
    assert "checksum" in found.damage
    assert path.read_bytes() != whole  # untouched
    found.accountant.save(tmp_path / "recovered")
    path.write_bytes(b"")
    with pytest.raises(ny.UnreadableState, match="no file of an accountant"):
        ny.Accountant.journalled(path)
    found.accountant.save(path)
    with pytest.raises(ny.UnreadableState, match="not a journal"):
        ny.Accountant.journalled(path)


def test_the_second_is_refused_in_this_process_and_in_another(tmp_path: Path) -> None:
    path = tmp_path / "run"
    other = subprocess.Popen(
        [sys.executable, "-c", (
            "import sys, neyman as ny\n"
            "for path in map(str.strip, sys.stdin):\n"
            "    try:\n"
            "        with ny.Accountant.journalled(path): print('free', flush=True)\n"
            "    except ny.FileInUse as e: print(e.path, flush=True)\n"
        )],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def told() -> str:
        assert other.stdin is not None
        assert other.stdout is not None
        print(path, file=other.stdin, flush=True)
        return other.stdout.readline().strip()

    with other, ny.Accountant.journalled(path) as accountant:
        steps(accountant, 1.0)
        for read in (ny.Accountant.journalled, ny.Accountant.load, ny.Accountant.recover):
            with pytest.raises(ny.FileInUse, match="in use by another accountant"):
                read(path)
        assert told() == str(path)
        accountant.compact()
        with pytest.raises(ny.FileInUse):
            ny.Accountant.journalled(path)
        steps(accountant, 1.0)
        with pytest.raises(ny.InvalidParameter, match="a journal"):
            accountant.save(path)
        accountant.close()
        assert told() == "free"
    assert len(ny.Accountant.load(path)) == 2


def test_a_fork_has_no_part_in_the_journal(tmp_path: Path) -> None:
    """A child neither writes nor keeps the lock when its parent is gone."""
    script = tmp_path / "forking.py"
    script.write_text(
        "import os, sys, time\nimport neyman as ny\n"
        "a = ny.Accountant.journalled(sys.argv[1])\n"
        "a.step(noise_multiplier=1.0, sample_rate=0.01)\n"
        "if os.fork() == 0:\n"
        "    said = 'nothing'\n"
        "    try: a.step(noise_multiplier=1.0, sample_rate=0.01)\n"
        "    except ny.NeymanError as e: said = str(e)\n"
        "    open(sys.argv[2], 'w').write(said)\n"
        "    os.close(1); os.close(2); time.sleep(3)\n"
        "    os._exit(0)\n"
        "while not os.path.exists(sys.argv[2]): time.sleep(0.01)\n"
        "os._exit(0)\n"  # as abruptly as if it were killed
    )
    python(script, tmp_path / "run", tmp_path / "said")
    with ny.Accountant.journalled(tmp_path / "run") as accountant:  # while the child still sleeps
        assert len(accountant) == 1
    assert "forked" in (tmp_path / "said").read_text()


def test_compacting_says_the_same_in_less(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with ny.Accountant.journalled(path) as accountant:
        steps(accountant, *[1.0] * 30, 2.0)
        before, size = accountant.history, path.stat().st_size
        path.chmod(0o640)
        accountant.compact()
        assert path.stat().st_size < size / 4
        assert path.stat().st_mode & 0o777 == 0o640
        steps(accountant, 2.0, 3.0)
    with ny.Accountant.journalled(path) as accountant:
        assert accountant.history == (*before[:-1], (before[-1][0], 2), (ny.Gaussian(3.0).poisson(0.01), 1))
    assert len(list(tmp_path.iterdir())) == 1
    ny.Accountant().compact()  # nothing to do


@pytest.mark.parametrize("broken", ["write", "fsync", "fstat"])
def test_after_a_failed_append_the_journal_must_be_opened_again(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    accountant = ny.Accountant.journalled(path)
    steps(accountant, 1.0, 1.0)

    def fail(*_: object) -> int:
        raise OSError("no space")

    with monkeypatch.context() as patch:
        patch.setattr(os, broken, fail)
        with pytest.raises(OSError, match="no space"):
            steps(accountant, 1.0)
    for use in (lambda: steps(accountant, 1.0), accountant.guarantee, accountant.compact):
        with pytest.raises(ny.NeymanError, match="Open it again"):
            use()
    with ny.Accountant.journalled(path) as again:
        assert len(again) == (3 if broken == "fsync" else 2)  # after a failed fsync the record was written, and counts
        steps(again, 1.0)


@pytest.mark.parametrize("broken", ["write", "fsync", "replace"])
def test_compacting_that_fails_loses_nothing(tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    accountant = ny.Accountant.journalled(path)
    steps(accountant, 1.0, 1.0)

    def fail(*_: object) -> int:
        raise OSError("no space")

    with monkeypatch.context() as patch:
        patch.setattr(os, broken, fail)
        with pytest.raises(OSError, match="no space"):
            accountant.compact()
    with ny.Accountant.journalled(path) as again:
        assert len(again) == 2
        again.compact()
    assert len(ny.Accountant.load(path)) == 2


def test_interrupted_between_disk_and_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    accountant = ny.Accountant.journalled(path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(accountant._ledger, "note", interrupt)
        with pytest.raises(KeyboardInterrupt):
            steps(accountant, 1.0)
    with pytest.raises(ny.NeymanError, match="interrupted"):
        steps(accountant, 1.0)
    assert len(ny.Accountant.load(path)) == 1


def test_a_journal_moved_changed_or_deleted_under_its_accountant_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "run"
    for meddle in (
        path.unlink,
        lambda: path.rename(tmp_path / "elsewhere"),
        lambda: path.write_bytes(path.read_bytes() + b"0"),
        lambda: path.write_bytes(b""),
    ):
        path.unlink(missing_ok=True)
        accountant = ny.Accountant.journalled(path)
        steps(accountant, 1.0)
        meddle()
        with pytest.raises(ny.NeymanError, match="moved, deleted or changed"):
            steps(accountant, 1.0)


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    begun(path, 1.0)
    with pytest.raises(ny.InvalidParameter, match="adjacency must be 'add_or_remove'"):
        ny.Accountant.journalled(path, adjacency="add")
    with pytest.raises(ny.InvalidParameter, match="tolerance must be 1e-06"):
        ny.Accountant.journalled(path, tolerance=1e-3)
    with pytest.raises(ny.InvalidParameter, match="durable"):
        ny.Accountant.journalled(path, durable=1)  # type: ignore[arg-type]
    with pytest.raises(ny.InvalidParameter, match="the path of a file"):
        ny.Accountant.journalled(tmp_path)
    with ny.Accountant.journalled(path) as accountant:
        for copying in (copy.deepcopy, pickle.dumps):
            with pytest.raises(ny.NeymanError, match="cannot be copied"):
                copying(accountant)
        with pytest.raises(ny.NeymanError, match="only be added to"):
            accountant.load_state_dict(accountant.state_dict())
        with pytest.raises(ny.InvalidParameter):
            accountant.add(ny.Opaque(ny.account(ny.Gaussian(1.0))))  # no dict form: not counted, nothing written
        with pytest.raises(ny.InvalidParameter):
            accountant.step(noise_multiplier=-1.0, sample_rate=0.01)
        steps(accountant, 1.0)
        assert len(accountant) == 2
    with pytest.raises(ny.NeymanError, match="it was closed"):
        steps(accountant, 1.0)
    assert accountant.get_advantage() == ny.account(ny.DPSGD(1.0, 0.01, 2)).advantage  # reading is no writing
    accountant.close()
    monkeypatch.setattr(files, "_fcntl", None)
    for name in ("run", "new"):
        with pytest.raises(ny.NeymanError, match="does not have"):
            ny.Accountant.journalled(tmp_path / name)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("successor", [True, False])
def test_compacting_overwrites_no_other_journal(tmp_path: Path, successor: bool) -> None:
    path = tmp_path / "run.journal"
    with ny.Accountant.journalled(path) as accountant:
        steps(accountant, 1.0)
        path.rename(tmp_path / "aside")
        kept = begun(path, 2.0, 3.0) if successor else b""
        with pytest.raises(ny.NeymanError, match="moved, deleted or changed"):
            accountant.compact()
        with pytest.raises(ny.NeymanError, match="Open it again"):
            steps(accountant, 1.0)
    assert (path.read_bytes() if path.exists() else b"") == kept


def test_an_old_copy_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening and locking, the owner compacts, counts on and leaves."""
    path = tmp_path / "run.journal"
    begun(path, 1.0)
    real = files.lock

    def late(descriptor: int, where: Path, shared: bool = False) -> None:
        with ny.Accountant.journalled(path) as owner:
            owner.compact()
            steps(owner, 2.0)
        real(descriptor, where, shared)

    monkeypatch.setattr("neyman.accountants.contents.lock", late)
    with pytest.raises(ny.FileInUse):
        ny.Accountant.load(path)
    monkeypatch.undo()
    assert len(ny.Accountant.load(path)) == 2
