"""The published JSON Schema: it takes what ``to_dict`` writes (see test_algebra) and refuses what people get wrong."""

import jsonschema
import pytest

from neyman import InvalidParameter, mechanism_from_dict
from neyman.mechanisms import serialise
from neyman.mechanisms.serialise import json_schema

VALIDATOR = jsonschema.Draft202012Validator(json_schema())

G = {"kind": "gaussian", "sigma": 9.4, "sensitivity": 1.0}
L = {"kind": "laplace", "scale": 2.0, "sensitivity": 1.0}
RIGHT = [
    {"schema": 1, **G},
    {**L, "schema": 1},
    {"schema": 1, "kind": "compose", "of": []},
    {"schema": 1, "kind": "compose", "of": [G, {"kind": "repeat", "times": 0, "of": {"kind": "compose", "of": [L]}}]},
    {"schema": 1, "kind": "poisson", "rate": 0, "of": {"kind": "tabulated", "p": [1], "q": [1.0]}},
    {"schema": 1, "kind": "approximate_mechanism", "epsilon": 0, "delta": 0},
    {"schema": 1, "kind": "repeat", "times": 2.0, "of": G},  # whole, as JSON Schema has it
    {"schema": 1, "dataset_size": 60000, **G},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "sample_rate": 0.01, "steps": 10},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "sample_rate": 0.01, "dataset_size": 100, "epochs": 0.5},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1, "batch_size": 5, "dataset_size": 100, "epochs": 3},
    {"schema": 1, "kind": "compose", "of": [G, {"kind": "dpsgd", "noise_multiplier": 1, "sample_rate": 1, "steps": 0}]},
]
WRONG = [
    G,
    [],
    None,
    {"schema": 2, **G},
    {"schema": True, **G},
    {"schema": 1},
    {"schema": 1, "kind": "laplacian", "scale": 1.0},
    {"schema": 1, "kind": "gaussian", "sigma": 9.4},
    {"schema": 1, **G, "mu": 1.0},
    {"schema": 1, **G, "sigma": 0},
    {"schema": 1, **G, "sigma": "9.4"},
    {"schema": 1, **G, "sigma": True},
    {"schema": 1, **G, "sigma": None},
    {"schema": 1, **G, "sigma": float("inf")},
    {"schema": 1, **L, "sensitivity": -1},
    {"schema": 1, "kind": "discrete_gaussian", "sigma": 1.0, "sensitivity": 0},
    {"schema": 1, "kind": "discrete_gaussian", "sigma": 0.01, "sensitivity": 1},
    {"schema": 1, "kind": "discrete_laplace", "scale": 1.0, "sensitivity": 1.5},
    {"schema": 1, "kind": "randomized_response", "epsilon": 1.0, "k": 1},
    {"schema": 1, "kind": "pure_mechanism", "epsilon": 701},
    {"schema": 1, "kind": "approximate_mechanism", "epsilon": 1.0, "delta": 1},
    {"schema": 1, "kind": "tabulated", "p": [], "q": []},
    {"schema": 1, "kind": "tabulated", "p": [1.5], "q": [1]},
    {"schema": 1, "kind": "poisson", "rate": 1.5, "of": G},
    {"schema": 1, "kind": "poisson", "rate": 0.5, "of": {"schema": 1, **G}},
    {"schema": 1, "kind": "repeat", "times": -1, "of": G},
    {"schema": 1, "kind": "repeat", "times": 1.5, "of": G},
    {"schema": 1, "kind": "repeat", "times": 2, "of": [G]},
    {"schema": 1, "kind": "compose", "of": G},
    {"schema": 1, "kind": "compose", "of": [G, {**L, "scale": -1}]},
    {"schema": 1, "dataset_size": 0, **G},
    {"schema": 1, "kind": "compose", "of": [{"dataset_size": 10, **G}]},
    {"schema": 1, "kind": "dpsgd", "sample_rate": 0.01, "steps": 10},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "sample_rate": 0.01},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "sample_rate": 0.01, "steps": None},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "sample_rate": 0.01, "steps": 10, "epochs": 1},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "sample_rate": 0.01, "batch_size": 1, "steps": 10},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "batch_size": 512, "steps": 10},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "batch_size": 5, "dataset_size": 9.5, "steps": 10},
    {"schema": 1, "kind": "dpsgd", "noise_multiplier": 1.1, "q": 0.01, "steps": 10},
]


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("data", RIGHT)
def test_what_the_reader_takes(data):
    mechanism_from_dict(data)
    VALIDATOR.validate(data)


@pytest.mark.parametrize("data", WRONG, ids=str)
def test_what_the_reader_refuses(data):
    with pytest.raises(InvalidParameter):
        mechanism_from_dict(data)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(data)


def test_both_know_the_same_kinds_and_fields():
    definitions = json_schema()["$defs"]
    assert definitions["kind"]["properties"]["kind"]["enum"] == list(serialise._KINDS)
    assert definitions["kind"]["oneOf"] == [{"$ref": f"#/$defs/{kind}"} for kind in serialise._KINDS]
    for kind, (names, _) in serialise._KINDS.items():
        assert definitions[kind]["required"] == list(names)
        known = ["dataset_size"] if kind == "dpsgd" else []  # the others are said in one way of two
        assert list(definitions[kind]["properties"]) == ["kind", *names, *known]
