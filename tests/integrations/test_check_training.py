"""Each thing that silently breaks a guarantee has a rule, which sees it in plain numbers and in objects."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import neyman as ny
from neyman import InvalidParameter
from neyman.integrations.training_checks import check_training
from neyman.integrations.training_rules import RULES, Finding

SOUND = {
    "sampling": "poisson",
    "sample_rate": 0.01,
    "accounted_rate": 0.01,
    "uniform_bits": 24,
    "divided_by": "expected",
    "epochs": 3,
    "steps_per_epoch": 100,
    "accounted_steps": 300,
    "drop_last": False,
    "accumulation": 1,
    "world_size": 1,
    "noise_multiplier": 1.0,
    "accounted_noise": 1.0,
    "noise_std": 0.5,
    "max_grad_norm": 0.5,
    "clipped_to": 0.5,
    "adaptive_clipping": False,
    "seeded_noise": False,
    "counted": True,
    "skips_empty_batches": False,
    "mixing_layers": (),
}

BROKEN = [
    ("not-poisson", {"sampling": "shuffle"}),
    ("drop-last", {"drop_last": True, "sampling": None}),
    ("rate-mismatch", {"sample_rate": 0.0100001}),
    ("rate-mismatch", {"sample_rate": 0.005}),
    ("rate-resolution", {"sample_rate": 1e-6, "accounted_rate": 1e-6}),
    ("rate-resolution", {"uniform_bits": 10}),
    ("actual-batch-size", {"divided_by": "actual"}),
    ("too-few-steps", {"accounted_steps": 299}),
    ("too-few-steps", {"epochs": 3.001}),
    ("too-few-steps", {"steps": 301}),
    ("too-few-steps", {"steps_per_epoch": None, "accounted_steps": 299}),
    ("accumulation", {"accumulation": 2}),
    ("distributed", {"world_size": 4}),
    ("distributed", {"world_size": 4, "sharded": False}),
    ("not-counted", {"counted": False}),
    ("no-noise", {"noise_multiplier": 0.0, "accounted_noise": 0.0, "noise_std": 0.0}),
    ("less-noise", {"noise_multiplier": 0.9}),
    ("noise-scale", {"noise_std": 0.4}),
    ("clipping-mismatch", {"clipped_to": 1.0}),
    ("adaptive-clipping", {"adaptive_clipping": True}),
    ("seeded-noise", {"seeded_noise": True}),
    ("empty-batches", {"skips_empty_batches": True}),
    ("mixing-layers", {"mixing_layers": ("bn1",)}),
]


def with_change(change):
    merged = SOUND | change
    return {name: value for name, value in merged.items() if value is not None}


def codes(**given):
    return [finding.code for finding in check_training(**given)]


def test_a_sound_loop():
    assert check_training(**SOUND) == ()
    assert check_training() == ()
    assert (
        check_training(**with_change({"world_size": 4, "sharded": True, "noise_multiplier": 1.1, "noise_std": 0.55}))
        == ()
    )


@pytest.mark.parametrize(("code", "change"), BROKEN, ids=[f"{code} {change}" for code, change in BROKEN])
def test_one_thing_broken_is_one_finding(code, change):
    (finding,) = check_training(**with_change(change))
    assert isinstance(finding, Finding)
    assert finding.code == code
    for sentence in (finding.says, finding.do):
        assert sentence[0].isupper() or sentence[0].isdigit()
        assert sentence.endswith(".")
    assert str(finding) == f"{code}: {finding.says} {finding.do}"


def test_every_rule_is_broken_by_something():
    assert {code for code, _ in BROKEN} == {code for code, _ in RULES}
    assert len({code for code, _ in RULES}) == len(RULES)


@given(st.integers(1, 2**24 - 1), st.integers(1, 30))
def test_rates_that_the_bits_hold_are_fine(numerator, bits):
    rate = min(numerator, 2**bits - 1) / 2**bits
    assert check_training(sample_rate=rate, uniform_bits=bits) == () if rate else True


@given(st.floats(1e-9, 1.0, exclude_max=True))
def test_rates_of_24_bits(rate):
    real = math.ceil(rate * 2**24) / 2**24
    assert (codes(sample_rate=rate, uniform_bits=24) == ["rate-resolution"]) == (real > rate * 1.0001)


def test_steps_that_are_rounded_down():
    assert int(3 / (1 / 75)) == 224
    assert codes(sample_rate=1 / 75, epochs=3, accounted_steps=224) == ["too-few-steps"]
    assert check_training(steps_per_epoch=75, epochs=3, accounted_steps=225) == ()
    assert check_training(steps_per_epoch=10, epochs=0.3, accounted_steps=3) == ()


def test_both_directions_of_a_wrong_rate_are_told_apart():
    (more,) = check_training(sample_rate=0.02, accounted_rate=0.01)
    (less,) = check_training(sample_rate=0.01, accounted_rate=0.02)
    assert "gives away more than is stated" in more.says
    assert "is stated to give away more than it does" in less.says


class UniformWithReplacementSampler(SimpleNamespace):
    """By name, as Opacus has it."""


class RandomSampler:
    def __len__(self):
        return 1000


class AdaClipDPOptimizer(SimpleNamespace):
    """By name, as Opacus has it."""


def loader(sampler, **more):
    return SimpleNamespace(batch_sampler=sampler, **more)


def test_loaders():
    sampler = UniformWithReplacementSampler(sample_rate=0.02, steps=50)
    assert codes(data_loader=loader(sampler), accounted_rate=0.01) == ["rate-mismatch"]
    assert codes(data_loader=loader(SimpleNamespace(sampler=sampler)), epochs=2, accounted_steps=99) == [
        "too-few-steps"
    ]
    assert codes(data_loader=loader(SimpleNamespace(sampler=RandomSampler()), drop_last=True)) == [
        "not-poisson",
        "drop-last",
    ]
    assert codes(data_loader=loader(None)) == ["not-poisson"]
    assert (
        check_training(data_loader=loader(RandomSampler()), sampling="poisson") == ()
    )  # one's own sampler, vouched for


def optimizer(kind=SimpleNamespace, **more):
    return kind(**({"noise_multiplier": 1.0, "max_grad_norm": 1.0, "generator": None, "secure_mode": False} | more))


def test_optimizers():
    assert check_training(optimizer=optimizer()) == ()
    assert codes(optimizer=optimizer(AdaClipDPOptimizer)) == ["adaptive-clipping"]
    assert codes(optimizer=optimizer(generator=object())) == ["seeded-noise"]
    assert check_training(optimizer=optimizer(generator=object(), secure_mode=True)) == ()
    assert codes(optimizer=optimizer(world_size=2)) == ["distributed"]
    assert codes(optimizer=optimizer(step_hook=None)) == ["not-counted"]
    assert codes(optimizer=SimpleNamespace(optimizer=optimizer(noise_multiplier=0.0))) == ["no-noise"]
    assert codes(optimizer=optimizer(loss_reduction="sum"), divided_by="actual") == ["actual-batch-size"]


def test_hooks():
    accountant, sample_rate = ny.Accountant(), 0.01

    def hook(optim):
        accountant.step(noise_multiplier=optim.noise_multiplier, sample_rate=sample_rate)

    assert check_training(optimizer=optimizer(step_hook=hook), sample_rate=0.01) == ()
    assert codes(optimizer=optimizer(step_hook=hook), sample_rate=0.02) == ["rate-mismatch"]

    class Counter:
        def __init__(self):
            self.sample_rate = 0.01

        def step(self):
            pass

        def told(self, optim):
            self.step()

    assert codes(optimizer=optimizer(step_hook=Counter().told), sample_rate=0.02) == ["rate-mismatch"]
    assert codes(optimizer=optimizer(step_hook=print)) == ["not-counted"]


def test_accountants():
    accountant = ny.Accountant()
    assert check_training(accountant=accountant, sample_rate=0.5) == ()
    accountant.step(noise_multiplier=1.0, sample_rate=1.0)
    assert codes(accountant=accountant, sample_rate=0.5, noise_multiplier=0.5) == ["rate-mismatch", "less-noise"]
    accountant.add(ny.Laplace(1.0))
    assert check_training(accountant=accountant, sample_rate=0.5) == ()  # not a step of DP-SGD


REFUSALS = [
    ({"sample_rate": 1.5}, "sample_rate must be a number in [0, 1], got 1.5."),
    ({"accounted_rate": math.nan}, "accounted_rate must be a number in [0, 1], got nan."),
    ({"noise_multiplier": -1.0}, "noise_multiplier must be a finite number >= 0, got -1.0."),
    ({"max_grad_norm": 0.0}, "max_grad_norm must be a finite number > 0, got 0.0."),
    ({"steps": 1.5}, "steps must be a whole number from 0 to 1e+18, got 1.5."),
    ({"world_size": 0}, "world_size must be a whole number from 1 to 1e+09, got 0."),
    ({"counted": 1}, "counted must be True or False, got 1."),
    ({"divided_by": "batch"}, "divided_by must be one of 'expected', 'actual', 'sum', got 'batch'."),
    ({"sampling": True}, 'sampling must be "poisson", or what else is done, got True.'),
    ({"mixing_layers": "bn"}, "mixing_layers must be a tuple of names, got 'bn'."),
    ({"batch": 3}, "loop must be one of sampling, divided_by, mixing_layers, "),
    ({"optimizer": object()}, "optimizer must be an optimizer with a noise_multiplier, as DPOptimizer has"),
    ({"model": 3}, "model must be a module with named_modules(), got 3."),
    ({"accountant": 3}, "accountant must be an accountant with a history"),
]


@pytest.mark.parametrize(("given_", "message"), REFUSALS)
def test_refusals(given_, message):
    with pytest.raises(InvalidParameter) as caught:
        check_training(**given_)
    assert str(caught.value).startswith(message)
