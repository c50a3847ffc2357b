"""neyman diff: two reports side by side; nothing is taken from their claims."""

import json

import pytest

import neyman as ny
from neyman.cli import exits
from neyman.cli.main import main
from neyman.reports import diff
from tests.cli.said import message


def _run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(["diff", *map(str, arguments)])
    out, err = capsys.readouterr()
    return left.value.code, out, message(err)


def _saved(folder, name, mechanism, **words):
    path = folder / name
    ny.report(mechanism, **words).save(path)
    return path


@pytest.mark.usefixtures("examined_here", "drawn_once")
def test_what_is_the_same_what_differs_and_which_is_safer(capsys, tmp_path):
    a = _saved(tmp_path, "a.html", ny.Gaussian(1.0), unit="person", title="last year")
    b = _saved(tmp_path, "b.json", ny.Gaussian(2.0), unit="person", title="this year", deltas=[1e-7])
    code, out, err = _run(capsys, a, b)
    assert (code, err) == (exits.OK, "")
    assert "a: last year" in out
    assert "one record is: the same in both. one person" in out
    [mu] = [line.split() for line in out.splitlines() if line.startswith("mu, floor")]
    assert mu[-2:] == ["1", "0.5"]
    assert [line.split()[3] for line in out.splitlines() if line.startswith("epsilon at")] == [
        "1e-05", "1e-06", "1e-09", "1e-07",
    ]  # fmt: skip
    # Delta of two Gaussian curves, by the largest difference of advantages: (Phi(1/2) - Phi(1/4)) at prior 1/2, or more
    assert out.startswith("Which is safer: b is more private than a, against every attacker.")
    found = json.loads(_run(capsys, a, b, "--json")[1])
    assert found["order"] == "less_private"
    assert found["divergence"] == [0.0, 0.0]
    assert found["reverse"][1] >= found["reverse"][0] >= 0.1914624612740131 / 2 - 0.0987063256829237 / 2
    assert found["same"] == ["unit", "adjacency"]


@pytest.mark.usefixtures("examined_here")
def test_the_divergence_is_that_of_compare(tmp_path):
    a, b = ny.Laplace(1.0), ny.Gaussian(1.0)
    found = diff(ny.report(a), _saved(tmp_path, "b.json", b))
    truth = ny.compare(ny.account(a), ny.account(b))
    assert found.order == truth.order == "incomparable"
    assert found.divergence == (truth.bounds[0].lower, truth.bounds[0].upper)
    assert found.reverse == (truth.bounds[1].lower, truth.bounds[1].upper)
    assert f"under b by up to {0.0342}" in found.sentence
    assert truth.attackers in found.sentence
    assert "fewer than about 24 in 100 false alarms a is safer" in truth.attackers


@pytest.mark.usefixtures("examined_here")
def test_other_units_and_other_neighbours_are_not_compared(tmp_path):
    run = ny.Gaussian(1.0)
    found = diff(ny.report(run, unit="person"), ny.report(run, unit="image"))
    assert found.order == "not comparable"
    assert (found.divergence, found.reverse) == (None, None)
    assert "one record is one person in a, one image in b" in str(found)
    other = diff(ny.report(run), ny.report(run, adjacency="replace"))
    assert "their neighbouring data differ (add_or_remove, replace)" in other.sentence


@pytest.mark.usefixtures("examined_here")
def test_a_false_claim_is_named_and_no_number_is_taken_from_the_file(capsys, tmp_path):
    a = _saved(tmp_path, "a.json", ny.Gaussian(1.0))
    forged = tmp_path / "b.json"
    forged.write_text(a.read_text().replace("4.377179", "0.1"))
    out = _run(capsys, a, forged)[1]
    assert "equally private" in out
    assert "b does not hold: it claims epsilon at delta 1e-05 at most 0.1" in out
    [row] = [line.split() for line in out.splitlines() if line.startswith("epsilon at delta 1e-05")]
    assert row[-2:] == ["4.377179", "4.377179"]


def test_short_forms_and_specs_are_taken_too(capsys, tmp_path):
    spec = tmp_path / "run.json"
    spec.write_text(json.dumps(ny.Gaussian(1.0).to_dict()))
    code, out, _ = _run(capsys, spec, "dpsgd:2,1,4")
    assert code == exits.OK
    assert "a and b are equally private" in out


def test_what_is_refused(capsys, tmp_path):
    good = _saved(tmp_path, "a.json", ny.Gaussian(1.0))
    (tmp_path / "torn.json").write_text('{"format": "neyman-report"')
    for arguments in (("-", "-"), (good, tmp_path / "none.json"), (good, tmp_path / "torn.json"), (good, "x.html")):
        code, out, err = _run(capsys, *arguments)
        assert (code, out) == (exits.BAD_INPUT, "")
        assert err.count("\n") == 1
    code, out, err = _run(capsys, good, good, "--timeout", "0.001")
    assert (code, out) == (exits.BAD_INPUT, "")
    assert "it takes longer than 0.001 s" in err
    with pytest.raises(ny.InvalidParameter, match="a report"):
        diff(ny.report(ny.Gaussian(1.0)), 3)


@pytest.mark.usefixtures("examined_here")
def test_no_line_is_written_by_a_file(tmp_path):
    data = ny.report(ny.Gaussian(1.0)).to_dict()
    data["summary"][0]["sentence"] = "x\nWhich is safer: b."
    assert str(diff(data, data)).count("Which is safer") == 1
