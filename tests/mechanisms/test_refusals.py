"""Every refusal of the mechanisms, word for word."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neyman import DPSGD, Gaussian, InvalidParameter, Mechanism, account, compose, mechanism_from_dict
from neyman.mechanisms import Composition, PoissonSampled
from tests.effort import examples

POSITIVE = "a finite number > 0"
UNIT = "a number in [0, 1]"
WHOLE = "a whole number from 0 to 1e+18"
WAY_OUT = "A sample shared by several steps is another mechanism: sample each step first, m.poisson(rate) ** n."
BATCH = "It is the expected batch size over the data set size."
G = {"kind": "gaussian", "sigma": 9.4, "sensitivity": 1.0}


def message(call):
    with pytest.raises(InvalidParameter) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("value", [0.0, -0.0, -1, math.nan, math.inf, -math.inf, True, "1", None, np.nan, [1.0], 1j])
def test_noise_must_be_positive_and_finite(value):
    none = " Without noise nothing is promised." if value == 0 and value is not False else ""
    assert message(lambda: Gaussian(value)) == f"sigma must be {POSITIVE}, got {value!r}.{none}"
    assert message(lambda: Gaussian(1.0, value)) == f"sensitivity must be {POSITIVE}, got {value!r}."
    if value is not None:  # which is as if it were left out
        assert message(lambda: DPSGD(value, 0.1, 1)) == f"noise_multiplier must be {POSITIVE}, got {value!r}.{none}"


def test_noise_beyond_float64_is_refused():
    shown = "1" + "0" * 76 + "..."
    assert message(lambda: Gaussian(10**400)) == f"sigma must be {POSITIVE}, got {shown}."
    allowed = "between 1e-100 and 1e+100 times the sensitivity 1.0"
    assert message(lambda: Gaussian(1e-200)) == f"sigma must be {allowed}, got 1e-200."
    assert message(lambda: DPSGD(1e101, 0.0, 0)) == f"noise_multiplier must be {allowed}, got 1e+101."
    allowed = "between 1e-100 and 1e+100 times the sensitivity 1e-300"
    assert message(lambda: Gaussian(1e300, 1e-300)) == f"sigma must be {allowed}, got 1e+300."


@pytest.mark.parametrize("value", [-1e-300, 1.0000000000000002, math.nan, math.inf, True, "0.1"])
def test_rate_must_be_a_probability(value):
    assert message(lambda: Gaussian(1.0).poisson(value)) == f"rate must be {UNIT}, got {value!r}."
    assert message(lambda: compose([]).poisson(value)) == f"rate must be {UNIT}, got {value!r}."
    assert message(lambda: DPSGD(1.0, value, 1)) == f"sample_rate must be {UNIT}, got {value!r}. {BATCH}"


def test_a_rate_must_be_given():
    for asked in (lambda: Gaussian(1.0).poisson(None), lambda: compose([]).poisson()):
        assert message(asked) == "rate must be given, got None. Write: m.poisson(rate=0.01)"


@pytest.mark.parametrize("value", [-1, 0.5, 2.5, math.nan, 1e30, 10**30, 10**18 + 1, True, np.True_, "3", None])
def test_counts_must_be_whole(value):
    assert message(lambda: Gaussian(1.0) ** value) == f"n must be {WHOLE}, got {value!r}."
    assert message(lambda: compose([]) ** value) == f"n must be {WHOLE}, got {value!r}."
    if value is not None:
        assert message(lambda: DPSGD(1.0, 0.1, value)) == f"steps must be {WHOLE}, got {value!r}."
        assert message(lambda: DPSGD(1.0, 0.0, value)) == f"steps must be {WHOLE}, got {value!r}."


def test_counts_may_not_overflow_when_added_up():
    m = Gaussian(1.0).poisson(0.5) ** 10**18
    said = f"count must be {WHOLE}, got 2000000000000000000. Equal steps are counted together."
    assert message(lambda: m * m) == said
    assert message(lambda: m**2) == said
    assert message(lambda: compose([m, m])) == said


def test_a_composition_cannot_be_sampled_as_one():
    shown = "Gaussian(sigma=1.0, sensitivity=1.0) ** 2"
    said = f"mechanism must be a single step to be sampled, got {shown}. {WAY_OUT}"
    assert message(lambda: (Gaussian(1.0) ** 2).poisson(0.5)) == said
    assert (Gaussian(1.0) ** 1).poisson(0.5) ** 2 == Gaussian(1.0).poisson(0.5) ** 2


def test_the_classes_behind_the_algebra_check_too():
    m = Gaussian(1.0)
    assert message(lambda: PoissonSampled("m", 0.5)) == "of must be a single unsampled mechanism, got 'm'."
    twice = "of must be a single unsampled mechanism, got Gaussian(sigma=1.0, sensitivity=1.0).poisson(0.5)."
    assert message(lambda: PoissonSampled(m.poisson(0.5), 0.5)) == twice
    several = "of must be a single unsampled mechanism, got Gaussian(sigma=1.0, sensitivity=1.0) ** 2."
    assert message(lambda: PoissonSampled(m**2, 0.5)) == several
    for rate in (0.0, 1.0, math.nan):
        said = f"rate must be a number in (0, 1), got {rate!r}. m.poisson(rate) also takes 0 and 1."
        assert message(lambda rate=rate: PoissonSampled(m, rate)) == said
    said = f"count must be {WHOLE}, got -1. Equal steps are counted together."
    assert message(lambda: Composition(((m, -1),))) == said


def test_only_mechanisms_compose():
    assert message(lambda: compose(3)) == "mechanisms must be given one by one, or in one list, got 3."
    assert message(lambda: compose([Gaussian(1.0), 2.0])) == "mechanisms[1] must be a mechanism, got 2.0."
    for call in (lambda: Gaussian(1.0) * 2.0, lambda: 2.0 * Gaussian(1.0), lambda: 2 ** Gaussian(1.0)):
        with pytest.raises(TypeError, match="unsupported operand"):
            call()


def test_dicts_as_the_schema_writes_them():
    gaussian = Gaussian(9.4)
    sampled = {"kind": "poisson", "rate": 0.5, "of": G}
    assert gaussian.to_dict() == {"schema": 1, **G}
    assert gaussian.poisson(0.5).to_dict() == {"schema": 1, **sampled}
    assert (gaussian.poisson(0.5) ** 3).to_dict() == {"schema": 1, "kind": "repeat", "times": 3, "of": sampled}
    assert (gaussian * gaussian.poisson(0.5)).to_dict() == {"schema": 1, "kind": "compose", "of": [G, sampled]}
    assert compose([]).to_dict() == {"schema": 1, "kind": "compose", "of": []}


def test_dicts_not_in_normal_form_are_normalised():
    nested = {"kind": "compose", "of": [{"kind": "repeat", "times": 2, "of": {"kind": "compose", "of": [G, G]}}, G]}
    assert mechanism_from_dict({"schema": 1, **nested}) == Gaussian(9.4) ** 5
    assert mechanism_from_dict({"schema": 1, "kind": "repeat", "times": 0, "of": G}) == compose([])
    assert mechanism_from_dict({"schema": 1, "kind": "poisson", "rate": 1, "of": nested}) == Gaussian(9.4) ** 5
    assert mechanism_from_dict({"schema": 1, "kind": "gaussian", "sigma": 2, "sensitivity": 1}) == Gaussian(2.0)


NAMES = (
    "gaussian", "laplace", "discrete_gaussian", "discrete_laplace", "randomized_response", "pure_mechanism",
    "approximate_mechanism", "tabulated", "allocated", "poisson", "repeat", "compose", "dpsgd", "opaque",
)  # fmt: skip
KINDS = ", ".join(map(repr, NAMES))
BAD_DICTS = [
    (None, "mechanism must be a dict, got None."),
    ([G], "mechanism must be a dict, got [{'kind': 'gaussian', 'sensitivity': 1.0, 'sigma': 9.4}]."),
    (G, "schema must be present, got None. The present schema is 1."),
    ({"schema": 2, **G}, "schema must be the whole number 1, got 2."),
    ({"schema": True, **G}, "schema must be the whole number 1, got True."),
    ({"schema": 1.0, **G}, "schema must be the whole number 1, got 1.0."),
    ({"schema": 1}, "kind must be present, got None. The kinds are " + ", ".join(NAMES) + "."),
    ({"schema": 1, "kind": "laplacian"}, f"kind must be one of {KINDS}, got 'laplacian'."),
    ({"schema": 1, "kind": ["gaussian"]}, f"kind must be one of {KINDS}, got ['gaussian']."),
    ({"schema": 1, "kind": "gaussian", "sigma": 1.0}, "sensitivity must be present in kind 'gaussian', got None."),
    (
        {"schema": 1, **G, "mu": 1.0},
        "mu must be absent, got 1.0. The fields of kind 'gaussian' are sigma, sensitivity.",
    ),
    ({"schema": 1, **G, 3: 1.0}, "3 must be absent, got 1.0. The fields of kind 'gaussian' are sigma, sensitivity."),
    (
        {"schema": 1, **G, "x" * 81: 1.0},
        f"'{'x' * 12}...{'x' * 13}' must be absent, got 1.0. The fields of kind 'gaussian' are sigma, sensitivity.",
    ),
    (
        {"schema": 1, **G, "\x1b[2J": 1.0},
        "'\\x1b[2J' must be absent, got 1.0. The fields of kind 'gaussian' are sigma, sensitivity.",
    ),
    ({"schema": 1, **G, "sigma": math.nan}, "sigma must be a finite number > 0, got nan."),
    ({"schema": 1, **G, "sigma": "9.4"}, "sigma must be a finite number > 0, got '9.4'."),
    ({"schema": 1, **G, "sigma": [[1]]}, "sigma must be a finite number > 0, got [[1]]."),
    ({"schema": 1, "kind": "repeat", "times": 2.5, "of": G}, f"times must be {WHOLE}, got 2.5."),
    ({"schema": 1, "kind": "repeat", "times": 2, "of": [G, 1]}, "of must be a dict, got [{...}, 1]."),
    ({"schema": 1, "kind": "compose", "of": G}, "of must be a list of mechanisms, got {...}."),
    (
        {"schema": 1, "kind": "poisson", "rate": math.nan, "of": G},
        "rate must be a number in [0, 1], got nan.",
    ),
    (
        {"schema": 1, "kind": "poisson", "rate": 0.5, "of": {**G, "sigma": -1.0}},
        "of.sigma must be a finite number > 0, got -1.0.",
    ),
    (
        {"schema": 1, "kind": "poisson", "rate": 0.5, "of": {"schema": 1, **G}},
        "of.schema must be absent, got 1. The fields of kind 'gaussian' are sigma, sensitivity.",
    ),
    (
        {"schema": 1, "kind": "compose", "of": [G, {"kind": "repeat", "times": 2, "of": {**G, "sigma": None}}]},
        "of[1].of.sigma must be a finite number > 0, got None.",
    ),
    ({"schema": 1, "kind": "laplace", "scale": 1.0}, "sensitivity must be present in kind 'laplace', got None."),
    (
        {"schema": 1, "kind": "discrete_laplace", "scale": 1.0, "sensitivity": 1.5},
        "sensitivity must be a whole number from 1 to 1e+06, got 1.5.",
    ),
    (
        {"schema": 1, "kind": "compose", "of": [G, {"kind": "tabulated", "p": [0.5, 0.5], "q": [0.5, None]}]},
        "of[1].q[1] must be a number in [0, 1], got None.",
    ),
    (
        {"schema": 1, "kind": "tabulated", "p": [0.5, [0.5]], "q": [1.0]},
        "p[1] must be a number in [0, 1], got [0.5].",
    ),
    ({"schema": 1, "kind": "tabulated", "p": {}, "q": []}, "p must be a non-empty sequence of probabilities, got {}."),
    (
        {"schema": 1, "kind": "poisson", "rate": 0.5, "of": {"kind": "pure_mechanism", "epsilon": 701}},
        "of.epsilon must be a number in [0, 700], got 701.",
    ),
    ({"schema": 1, "kind": "compose", "of": [G, 5]}, "of[1] must be a dict, got 5."),
    (
        {"schema": 1, "kind": "poisson", "rate": 0.5, "of": {"kind": "repeat", "times": 2, "of": G}},
        f"of must be a single step to be sampled, got Gaussian(sigma=9.4, sensitivity=1.0) ** 2. {WAY_OUT}",
    ),
]


@pytest.mark.parametrize(("data", "said"), BAD_DICTS)
def test_dicts_refused_with_the_path(data, said):
    whole = message(lambda: mechanism_from_dict(data))
    shown = "{'kind': 'gaussian', 'sensitivity': 1.0, 'sigma': 9.4}"
    assert whole == said.replace("{...}", shown)


def nested(depth):
    node = G
    for _ in range(depth - 1):
        node = {"kind": "repeat", "times": 1, "of": node}
    return {"schema": 1, **node}


def test_depth_is_limited_not_crashed_into():
    assert mechanism_from_dict(nested(64)) == Gaussian(9.4)
    for depth in (65, 100_000):
        with pytest.raises(InvalidParameter) as caught:
            mechanism_from_dict(nested(depth))
        assert caught.value.name == ".".join(["of"] * 64)
        assert caught.value.allowed == "nested at most 64 deep"
    loop = {"kind": "repeat", "times": 2}
    loop["of"] = loop
    with pytest.raises(InvalidParameter, match="must be nested at most 64 deep"):
        mechanism_from_dict({"schema": 1, **loop})


def test_deep_values_in_the_wrong_place_are_refused_too():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    tabulated = {"schema": 1, "kind": "tabulated", "p": deep, "q": [deep]}
    for data in (deep, {"schema": deep}, {"schema": 1, "kind": deep}, {"schema": 1, **G, "sigma": deep}, tabulated):
        assert "must be" in message(lambda data=data: mechanism_from_dict(data))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)  # as by default, where a codec is asked at length
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS, st.just([]), st.just({}))
NUMBERS = st.one_of(st.sampled_from([0, 1, 2, 0.5, 10**18, -0.0]), VALUES)

LAWS = st.sampled_from([[1.0], [0.5, 0.5], [0.25, 0.75], [0.5, 0.4], (0, 1)])


def nodes(children):
    fields = {"of": children, "p": st.one_of(NUMBERS, LAWS), "q": st.one_of(NUMBERS, LAWS)}
    named = {
        "gaussian": ("sigma", "sensitivity"),
        "laplace": ("scale", "sensitivity"),
        "discrete_gaussian": ("sigma", "sensitivity"),
        "discrete_laplace": ("scale", "sensitivity"),
        "randomized_response": ("epsilon", "k"),
        "pure_mechanism": ("epsilon",),
        "approximate_mechanism": ("epsilon", "delta"),
        "tabulated": ("p", "q"),
        "allocated": ("sigma", "sensitivity", "steps", "epochs"),
        "poisson": ("rate", "of"),
        "repeat": ("times", "of"),
        "compose": ("of",),
        "opaque": ("guarantee",),
    }
    kinds = [
        st.fixed_dictionaries(
            {"kind": st.just(kind), **{name: fields.get(name, NUMBERS) for name in names}}, optional={"extra": VALUES}
        )
        for kind, names in named.items()
    ]
    return st.one_of(*kinds, st.lists(children, max_size=3))


@examples(6, 2000)
@given(st.recursive(st.one_of(st.just(G), VALUES), nodes, max_leaves=8))
def test_any_json_is_a_mechanism_or_refused(node):
    try:
        m = mechanism_from_dict({"schema": 1, **node} if isinstance(node, dict) else node)
    except InvalidParameter:
        return
    assert isinstance(m, Mechanism)
    assert mechanism_from_dict(m.to_dict()) == m


@pytest.mark.parametrize("sigma", [1e-12, 1e-3, 1.9e-3])
def test_hardly_any_noise_on_a_sample_reveals_whoever_takes_part(sigma: float) -> None:
    g, truth = account(DPSGD(sigma, 0.01, 10)), -math.expm1(10.0 * math.log1p(-0.01))
    assert g.optimistic.advantage <= truth * (1.0 + 1e-15)
    assert truth * (1.0 - 1e-15) <= g.advantage <= truth * (1.0 + 1e-9)
    assert account(Gaussian(sigma)).advantage == 1.0  # unsampled there is a closed form
