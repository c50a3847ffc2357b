"""``neyman-check``: exit codes, files that mean harm, limits, what it imports."""

from __future__ import annotations

import ast
import io
import json
import random
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from neyman_check.claims.references import REFERENCES
from neyman_check.claims.statements import QUANTITIES
from neyman_check.cli import main
from neyman_check.errors import Unreadable
from neyman_check.reading import LARGEST, parsed
from tests.check.making import (
    forked_proof,
    gaussian_proof,
    laplace_proof,
    lined_proof,
    listed_proof,
    mixed_proof,
    named,
    path_proof,
    sampled_proof,
    veiled_proof,
)  # fmt: skip
from tests.check.test_mutations import altered

SRC = Path(__file__).parents[2] / "src"


def small(start="true", make=gaussian_proof):
    """The first statement that is true, or false."""
    data = make()
    data["statements"] = [one for one in data["statements"] if one["id"].startswith(start)][:1]
    return data


@pytest.fixture
def run(tmp_path, capsys):
    def call(content, *options):
        path = tmp_path / "proof.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        code = main([str(path), *options])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_proved(run):
    code, out, err = run(small(make=sampled_proof))
    assert (code, err) == (0, "")
    assert "1 of 1 statements are proved, 0 refuted." in out
    assert "Arb in python-flint" in out


def test_refuted_and_not_proved(run):
    assert run(small("false"))[0] == 1
    data = small(make=sampled_proof)
    data["places"] = []
    code, out, _ = run(data, "--quiet")
    assert code == 3
    assert "not proved (no delta was asked for" in out
    data["statements"] = []
    assert run(data)[0] == 3  # nothing is proved of nothing


HOSTILE = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe{}",
    "a list": b"[1, 2]",
    "a number": b"12",
    "nested": b"[" * 200_000 + b"]" * 200_000,
    "nested objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "brackets alone": b"[" * 2_000_000,
    "twice": b'{"format": "neyman-proof", "format": "neyman-proof"}',
    "NaN": b'{"format": NaN}',
    "Infinity": b'{"bits": -Infinity}',
    "long whole number": b'{"bits": ' + b"9" * 5000 + b"}",
    "huge float": b'{"bits": 1e999999}',
    "another format": b'{"format": "other"}',
    "too large": b" " * (LARGEST + 1),
    "control characters": b'{"format": "\\u001b[31m"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name):
    from neyman_check import check

    with pytest.raises(Unreadable) as refused:
        check(parsed(HOSTILE[name]))
    assert len(str(refused.value)) < 400


def test_hostile_files_on_the_command_line(run, tmp_path, capsys):
    for name in ("nested", "not UTF-8", "empty", "control characters"):
        code, out, err = run(HOSTILE[name])
        assert (code, out) == (2, "")
        assert err.startswith("neyman-check: ")
        assert err.count("\n") == 1
        assert "\x1b" not in err
    assert main([str(tmp_path)]) == 2
    assert main([str(tmp_path / "none.json")]) == 2
    assert main([str(tmp_path / "none.json"), "--seconds", "nan"]) == 2
    assert "nan" not in capsys.readouterr().out


def deep_mechanism(depth):
    node = {"kind": "gaussian", "sigma": 1.0, "sensitivity": 1.0}
    for _ in range(depth):
        node = {"kind": "compose", "of": [node]}
    return {**small(), "mechanism": {"schema": 1, **node}}


def test_a_deep_mechanism():
    from neyman_check import check

    assert check(deep_mechanism(60))[0].verdict == "proved"
    with pytest.raises(Unreadable, match="nested"):
        check(deep_mechanism(70))


def test_standard_input(monkeypatch, capsys):
    class Input:
        buffer = io.BytesIO(json.dumps(small()).encode())

    monkeypatch.setattr(sys, "stdin", Input)
    assert main(["-"]) == 0
    assert "1 of 1" in capsys.readouterr().out


def test_limits_of_the_child(run):
    """A table too long for the memory, many outcomes for the time: nothing is proved, nothing crashes."""
    data = small()
    data["bits"] = 1024
    law = [1 / 4096] * 4096
    part = {"kind": "tabulated", "p": law, "q": [1 / 8192, 3 / 8192] * 2048}
    data["mechanism"] = {"schema": 1, "kind": "compose", "of": [part] * 30}
    code, out, err = run(data, "--megabytes", "100")
    assert code == 3
    assert "given up" in err or "not proved" in out
    data = small(make=gaussian_proof) | {"bits": 1024}
    step = {"kind": "repeat", "times": 999, "of": {"kind": "pure_mechanism", "epsilon": 0.001}}
    normal = {"kind": "gaussian", "sigma": 1.0, "sensitivity": 1.0}
    data["mechanism"] = {"schema": 1, "kind": "compose", "of": [step, normal]}
    data["places"] = [
        {"direction": way, "epsilon": i / 1e4, "line": None} for way in ("remove", "add") for i in range(60)
    ]
    code, out, err = run(data, "--seconds", "1")
    assert code == 3
    assert "given up" in err


def test_what_it_imports():
    """In a process of its own: nothing of the engines, no NumPy, no SciPy."""
    code = "import sys, neyman_check.cli; print(sorted({m.split('.')[0] for m in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(SRC)}, check=True
    )
    found = set(ast.literal_eval(done.stdout))
    assert "flint" in found
    assert not found & {"numpy", "scipy", "neyman", "neyman_papers"}


def test_the_module_is_the_command(tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(small()))
    done = subprocess.run(
        [sys.executable, "-m", "neyman_check", str(path)],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SRC)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


# ------------------------------------------------------------------------------------------------ the schema

SCHEMA = json.loads(files("neyman_check").joinpath("proof-1.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("make", [
    gaussian_proof, sampled_proof, laplace_proof, listed_proof, mixed_proof, lined_proof, veiled_proof, path_proof,
    forked_proof,
])  # fmt: skip
def test_the_schema_knows_real_proofs(make):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    VALIDATOR.validate(make())


def test_the_schema_knows_the_same_words():
    statement = SCHEMA["$defs"]["statement"]["properties"]
    assert statement["quantity"]["enum"] == list(QUANTITIES)
    assert statement["given"]["properties"]["reference"]["enum"] == list(REFERENCES)
    assert {name for _, given in QUANTITIES.values() for name in given} | {"at", "order", "touching", "inside"} == set(
        statement["given"]["properties"]
    )


def known_items():
    """A validator that does not look again at an item of a list which it has found to be of the same schema."""
    known, look = set(), jsonschema.Draft202012Validator.VALIDATORS["items"]

    def items(validator, schema, instance, parent):
        told = repr(schema)
        for item in instance if isinstance(instance, list) else ():
            if (told, repr(item)) not in known:
                errors = list(look(validator, schema, [item], parent))
                yield from errors
                if not errors:
                    known.add((told, repr(item)))

    return jsonschema.validators.extend(jsonschema.Draft202012Validator, {"items": items})(SCHEMA)


def test_what_the_schema_refuses_is_unreadable():
    """What is read is of the schema: a mutant that breaks it is refused."""
    from neyman_check.form import read

    validator = known_items()  # nearly all of a mutant is as it was
    for seed in range(300):
        data = altered(sampled_proof() if seed % 3 else mixed_proof("lines"), random.Random(seed))
        try:
            proof = read(json.loads(json.dumps(data)) if seed % 2 else data)
        except (Unreadable, ValueError):
            continue
        if (
            isinstance(proof.mechanism, dict)
            and {"schema", "kind"} <= proof.mechanism.keys()
            and proof.mechanism["schema"] == 1
        ):
            validator.validate(data)


def test_names_of_statements():
    assert len(named([], "true")) == 0


def test_more_steps_than_are_counted(run):
    """Nested repeats multiply."""
    step = {"kind": "repeat", "times": 10**18, "of": {"kind": "repeat", "times": 100, "of": {
        "kind": "randomized_response", "epsilon": 0.0, "k": 2}}}  # fmt: skip
    code, out, err = run(small() | {"mechanism": {"schema": 1, **step}})
    assert (code, err) == (3, "")
    assert "more than 10^18 steps" in out


def test_another_encoding(run):
    code, _, err = run(json.dumps(small()).encode("utf-16"))
    assert code == 2
    assert "no JSON" in err
