"""What a setting gives away at least is no more than the regular engine certifies from above, and hardly less."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman.engines.batch.answering.least import least_delta, least_local_mu
from tests.effort import examples


@pytest.mark.parametrize(
    "setting", [(1.2252, 0.01, 10_000), (0.7516, 0.01, 1000), (9.4, 0.32768, 2000), (1.2, 0.1, 100)]
)
def test_it_is_hardly_less(setting: tuple[float, float, int]) -> None:
    g = ny.account(ny.DPSGD(*setting))
    for epsilon in (0.0, 1.0):
        assert g.delta(epsilon) * (1.0 - 1e-7) <= least_delta(*setting, epsilon) <= g.delta(epsilon)
    for alpha in (1e-10, 1e-4):
        power = ny.risk.tpr(g, fpr=alpha).value
        assert power == pytest.approx(ny.risk.tpr(ny.GDP(least_local_mu(*setting, alpha)), fpr=alpha).value, rel=1e-6)


@examples(12, 300)
@given(
    noise=st.floats(0.6, 20.0), log_rate=st.floats(-4.0, -0.01), log_steps=st.floats(1.5, 5.0),
    log_alpha=st.floats(-17.0, -1.7), epsilon=st.floats(0.0, 20.0),
)  # fmt: skip
def test_it_is_never_more(noise: float, log_rate: float, log_steps: float, log_alpha: float, epsilon: float) -> None:
    setting, alpha = (noise, 10.0**log_rate, round(10.0**log_steps)), 10.0**log_alpha
    g = ny.account(ny.DPSGD(*setting))
    assert least_delta(*setting, epsilon) <= g.delta(epsilon)
    least = least_local_mu(*setting, alpha)
    assert least == 0.0 or ny.risk.tpr(ny.GDP(least), fpr=alpha).value <= ny.risk.tpr(g, fpr=alpha).value * (
        1.0 + 1e-12
    )


@pytest.mark.parametrize("setting", [(0.1, 0.01, 1000), (1.0, 1.0, 1000), (1.0, 0.01, 3), (0.7, 1e-5, 1000)])
def test_what_no_line_serves_is_not_known(setting: tuple[float, float, int]) -> None:
    assert least_delta(*setting, 0.0) == least_local_mu(*setting, 1e-10) == 0.0


def test_what_is_asked_too_far_out_is_not_known() -> None:
    assert least_delta(1.0, 0.01, 1000, 301.0) == 0.0
    assert least_local_mu(1.0, 0.01, 1000, 1e-19) == least_local_mu(1.0, 0.01, 1000, 0.1) == 0.0
