"""Boxes known by a guarantee alone are mechanisms like any other: algebra, dicts, the JSON Schema, spec files."""

import copy
import json
import math
import pickle

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import neyman as ny
from neyman import GDP, InvalidParameter, Opaque, account, mechanism_from_dict
from neyman.mechanisms.serialise import json_schema
from tests.effort import examples

VALIDATOR = jsonschema.Draft202012Validator(json_schema())

RUN = CliRunner()


def message(call):
    with pytest.raises(InvalidParameter) as caught:
        call()
    return str(caught.value)


GIVEN = [
    (GDP(0.7), {"kind": "gdp", "mu": 0.7}),
    (ny.PureDP(1.0), {"kind": "pure_dp", "epsilon": 1.0}),
    (ny.ApproximateDP(1.0, 1e-6), {"kind": "approximate_dp", "epsilon": 1.0, "delta": 1e-6}),
    (ny.ZCDP(0.5), {"kind": "zcdp", "rho": 0.5}),
    (ny.RDP([2.0, 8.0], [1.0, 3.0]), {"kind": "rdp", "orders": [2.0, 8.0], "epsilons": [1.0, 3.0]}),
    (
        ny.Tradeoff([0.0, 0.25, 1.0], [1.0, 0.25, 0.0]),
        {"kind": "tradeoff", "alphas": [0.0, 0.25, 1.0], "betas": [1.0, 0.25, 0.0]},
    ),
    (ny.Profile([0.0, 1.0], [0.4, 0.1]), {"kind": "profile", "epsilons": [0.0, 1.0], "deltas": [0.4, 0.1]}),
]
NAMES = {name: getattr(ny, name) for name in ny.__all__}
boxes = st.builds(
    Opaque,
    st.one_of(
        st.sampled_from([g for g, _ in GIVEN]),
        st.builds(ny.PureDP, st.floats(0.0, 700.0)),
    ),
    st.sampled_from([None, "add_or_remove", "add", "replace"]),
)
steps = st.one_of(boxes, st.builds(lambda b, q: b.poisson(q), boxes, st.floats(0.0, 1.0)), st.just(ny.Gaussian(2.0)))


@pytest.mark.parametrize(("guarantee", "words"), GIVEN, ids=lambda value: repr(value)[:20])
def test_the_dict_of_a_box(guarantee, words):
    box = Opaque(guarantee)
    assert box.to_dict() == {"schema": 1, "kind": "opaque", "guarantee": words}
    assert mechanism_from_dict(box.to_dict()) == box
    VALIDATOR.validate(box.to_dict())
    stated = Opaque(guarantee, "replace")
    assert stated.to_dict()["guarantee"] == {**words, "adjacency": "replace"}
    assert stated != box


@examples(4, 200)
@given(
    st.lists(st.tuples(steps, st.integers(0, 10**6)), max_size=4).flatmap(
        lambda x: st.tuples(st.just(x), st.permutations(x))
    )
)
def test_boxes_obey_the_algebra(both):
    parts, shuffled = both
    m = ny.compose(step**n for step, n in parts)
    other = ny.compose([])
    for step, n in shuffled:
        other = step ** (n - n // 2) * other * step ** (n // 2)
    pasted = eval(repr(m), NAMES)
    read = mechanism_from_dict(json.loads(json.dumps(m.to_dict(), allow_nan=False)))
    VALIDATOR.validate(m.to_dict())
    for same in (other, pasted, read, pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert same == m
        assert hash(same) == hash(m)
        assert repr(same) == repr(m)


def test_equal_boxes_are_counted_together():
    m = Opaque(ny.ZCDP(0.5)) * ny.Gaussian(1.0) * Opaque(ny.ZCDP(0.5))
    assert m == Opaque(ny.ZCDP(0.5)) ** 2 * ny.Gaussian(1.0)
    assert m.losses() == (ny.Gaussian(1.0) * Opaque(ny.ZCDP(0.5)) ** 2).losses()
    g, h = account(ny.Gaussian(1.0)), account(ny.Gaussian(1.0))
    assert Opaque(g) == Opaque(h) != Opaque(account(ny.Gaussian(1.0), "replace"))  # what was accounted for, and how
    assert len((Opaque(g) * Opaque(h) * Opaque(g)).parts) == 1
    assert account(Opaque(g) * Opaque(h) * Opaque(g)).mu() == pytest.approx(math.sqrt(3.0), rel=1e-12)


def test_computed_guarantees_have_no_dict():
    said = message(lambda: Opaque(account(ny.Gaussian(1.0))).to_dict())
    assert said.startswith("guarantee must be a given guarantee to become a dict, got <ComposedGuarantee: ")
    assert said.endswith("Write the mechanism that it was computed from in its place.")


KINDS = "'gdp', 'pure_dp', 'approximate_dp', 'zcdp', 'rdp', 'tradeoff', 'profile'"
BAD = [
    (5, "guarantee must be a dict, got 5."),
    ({}, f"guarantee.kind must be present, got None. The kinds are {KINDS.replace(chr(39), '')}."),
    ({"kind": "ldp"}, f"guarantee.kind must be one of {KINDS}, got 'ldp'."),
    ({"kind": "zcdp"}, "guarantee.rho must be present in kind 'zcdp', got None."),
    (
        {"kind": "zcdp", "rho": 1.0, "xi": 0.0},
        "guarantee.xi must be absent, got 0.0. The fields of kind 'zcdp' are rho.",
    ),
    ({"kind": "zcdp", "rho": -1.0}, "guarantee.rho must be a number in [0, 1e+12], got -1.0."),
    ({"kind": "gdp", "mu": True}, "guarantee.mu must be a finite number >= 0, got True."),
    (
        {"kind": "gdp", "mu": 1.0, "adjacency": "swap"},
        (
            "guarantee.adjacency must be one of 'add_or_remove', 'add', 'remove', 'replace', got 'swap'. "
            "Did you mean 'replace'?"
        ),
    ),
]


@pytest.mark.parametrize(("node", "said"), BAD, ids=str)
def test_dicts_refused_with_the_path(node, said):
    data = {"schema": 1, "kind": "compose", "of": [{"kind": "opaque", "guarantee": node}]}
    assert message(lambda: mechanism_from_dict(data)) == f"of[0].{said}"
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(data)


def test_boxes_in_spec_files(tmp_path):
    from neyman.cli.main import app

    m = Opaque(ny.PureDP(0.5)) ** 3 * ny.DPSGD(1.0, 0.01, 10)
    spec = tmp_path / "boxes.json"
    spec.write_text(json.dumps(m.to_dict()))
    done = RUN.invoke(app, ["account", str(spec), "--json"])
    assert done.exit_code == 0, done.output
    assert mechanism_from_dict(json.loads(done.stdout)["mechanism"]) == m
    spec = tmp_path / "boxes.yaml"
    spec.write_text("schema: 1\nkind: opaque\nguarantee: {kind: zcdp, rho: -1}\n")
    said = str(RUN.invoke(app, ["account", str(spec)]).exception)
    assert said == f"SPEC {spec}: guarantee.rho must be a number in [0, 1e+12], got -1."
