"""Random mechanisms of every kind that a dict can hold."""

import math

from hypothesis import strategies as st

from neyman import (
    ApproximateMechanism,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    PureMechanism,
    RandomizedResponse,
    Tabulated,
    compose,
)

positives = st.floats(1e-30, 1e30)
rates = st.one_of(st.sampled_from([0.0, 5e-324, 0.01, 0.5, math.nextafter(1.0, 0.0), 1.0]), st.floats(0.0, 1.0))
counts = st.integers(0, 10**17)
sensitivities = st.sampled_from([1.0, 2.0, 0.3])
wholes = st.one_of(st.sampled_from([1, 2]), st.integers(1, 30))
scales = st.one_of(st.sampled_from([1.0, 2.0]), st.floats(0.1, 1e3))
epsilons = st.one_of(st.sampled_from([0.0, -0.0, 1.0]), st.floats(0.0, 700.0))
laws = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any).map(lambda w: [x / sum(w) for x in w])

gaussians = st.builds(Gaussian, st.one_of(st.sampled_from([1.0, 2.0]), positives), sensitivities)
additive = st.one_of(
    gaussians,
    st.builds(Laplace, scales, sensitivities),
    st.builds(DiscreteGaussian, scales, wholes),
    st.builds(DiscreteLaplace, scales, wholes),
)
black_boxes = st.one_of(
    st.builds(RandomizedResponse, epsilons, st.integers(2, 4)),
    st.builds(PureMechanism, epsilons),
    st.builds(ApproximateMechanism, epsilons, st.one_of(st.just(0.0), st.floats(0.0, 0.999))),
    st.builds(Tabulated, laws, laws),
)
singles = st.one_of(additive, black_boxes)
steps = st.one_of(singles, st.builds(Mechanism.poisson, singles, rates))
mechanisms = st.lists(st.tuples(steps, counts), max_size=4).map(lambda parts: compose(m**n for m, n in parts))
