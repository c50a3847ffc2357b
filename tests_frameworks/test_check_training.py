"""What the linter sees in real objects of Opacus and PyTorch, and that a clean run is clean."""

import pytest
import torch
from opacus.accountants import RDPAccountant
from opacus.data_loader import DPDataLoader
from opacus.utils.batch_memory_manager import BatchMemoryManager
from opacus.validators import ModuleValidator
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, WeightedRandomSampler

import neyman as ny
from neyman.integrations.opacus import OpacusAccountant
from neyman.integrations.training_checks import check_training
from neyman.integrations.training_loop import read_loader
from tests_frameworks.digits import BATCHES, dataset, network, private, train

CLEAN = ()


def codes(**given):
    return [finding.code for finding in check_training(**given)]


def run(**options):
    engine, model, optimizer, loader = private(**options)
    return {"accountant": engine.accountant, "model": model, "optimizer": optimizer, "data_loader": loader}


@pytest.mark.parametrize("accountant", ["neyman", "rdp", "prv"])
def test_a_clean_run_is_clean(accountant):
    seen = run(accountant=accountant)
    assert check_training(**seen) == CLEAN
    train(seen["model"], seen["optimizer"], seen["data_loader"])
    assert check_training(**seen, epochs=4, accounted_steps=4 * BATCHES) == CLEAN


def test_batches_that_are_no_poisson_samples():
    (finding,) = check_training(**run(poisson_sampling=False), drop_last=False)
    assert finding.code == "not-poisson"
    assert "drawn by RandomSampler" in finding.says


def test_a_weighted_sampler():
    data = dataset()
    loader = DataLoader(data, batch_size=64, sampler=WeightedRandomSampler([1.0] * len(data), 10_000))
    seen = run()
    assert codes(data_loader=loader, optimizer=seen["optimizer"]) == ["not-poisson", "rate-mismatch"]


def test_a_stream_of_records():
    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(100))

    assert codes(data_loader=DataLoader(Stream(), batch_size=None)) == ["not-poisson"]


def test_a_dropped_batch():
    loader = DataLoader(dataset(), batch_size=64, drop_last=True)
    assert codes(data_loader=loader) == ["not-poisson", "drop-last"]
    assert check_training(data_loader=DPDataLoader.from_data_loader(loader)) == CLEAN  # which ignores it


def test_split_batches_are_still_poisson():
    seen = run()
    manager = BatchMemoryManager(
        data_loader=seen["data_loader"], max_physical_batch_size=16, optimizer=seen["optimizer"]
    )
    with manager as small:
        assert check_training(**(seen | {"data_loader": small})) == CLEAN


def test_another_rate_than_the_one_accounted_for():
    seen = run()
    other = DPDataLoader(dataset(), sample_rate=0.1)
    assert codes(**(seen | {"data_loader": other})) == ["rate-mismatch"]


def test_rates_that_float32_cannot_draw():
    class Long(TensorDataset):
        def __len__(self):
            return 100

    loader = DPDataLoader(Long(torch.zeros(100, 1)), sample_rate=1e-7)
    (finding,) = check_training(data_loader=loader)
    assert finding.code == "rate-resolution"
    assert "1.19209e-07" in finding.says  # 2^-23: two of the 2^24 values lie below the rate
    drawn = torch.rand(1 << 16, generator=torch.Generator().manual_seed(1)).double() * 2**24
    assert bool((drawn == drawn.round()).all())


@pytest.mark.parametrize("kind", [torch.float32, torch.float64], ids=str)
def test_the_bits_of_uniform_numbers(kind):
    usual = torch.get_default_dtype()
    torch.set_default_dtype(kind)
    try:
        bits = read_loader(DPDataLoader(dataset(), sample_rate=0.5))["uniform_bits"]
        drawn = torch.rand(1 << 16).double() * 2.0**bits
    finally:
        torch.set_default_dtype(usual)
    assert bool((drawn == drawn.round()).all())
    assert bool((drawn % 2 == 1).any())  # and of no coarser grid


def test_steps_that_epochs_do_not_hold():
    seen = run(batch=24)  # 75 batches
    assert codes(**seen, epochs=3, accounted_steps=int(3 / (1 / 75))) == ["too-few-steps"]


def test_a_hook_that_is_lost():
    seen = run()
    seen["optimizer"].attach_step_hook(lambda optimizer: None)
    assert codes(**seen) == ["not-counted"]
    seen["optimizer"].attach_step_hook(None)
    assert codes(**seen) == ["not-counted"]
    seen["optimizer"].attach_step_hook(seen["accountant"].get_optimizer_hook_fn(0.5))
    assert codes(**seen) == ["rate-mismatch"]


def test_less_noise_than_was_counted():
    seen = run(noise=1.0)
    train(seen["model"], seen["optimizer"], seen["data_loader"])
    seen["optimizer"].noise_multiplier = 0.5
    assert codes(**seen) == ["less-noise"]
    seen["optimizer"].noise_multiplier = 0.0
    assert codes(**seen) == ["no-noise", "less-noise"]
    seen["optimizer"].noise_multiplier = 2.0
    assert codes(**seen) == []


def test_ghost_clipping_with_a_norm_of_its_own():
    engine, model, optimizer, _, loader = private(grad_sample_mode="ghost")
    seen = {"model": model, "optimizer": optimizer, "data_loader": loader, "accountant": engine.accountant}
    assert check_training(**seen) == CLEAN
    optimizer.max_grad_norm = 0.5  # as a scheduler of the norm does
    assert codes(**seen) == ["clipping-mismatch"]


def test_adaptive_clipping():
    adaptive = {
        "target_unclipped_quantile": 0.5,
        "clipbound_learning_rate": 0.2,
        "max_clipbound": 10.0,
        "min_clipbound": 0.1,
        "unclipped_num_std": 5.0,
    }
    assert codes(**run(clipping="adaptive", **adaptive)) == ["adaptive-clipping"]


def test_layers_in_which_records_meet():
    model = nn.Sequential(nn.Linear(64, 8), nn.BatchNorm1d(8), nn.Linear(8, 10))
    (finding,) = check_training(model=model)
    assert finding.code == "mixing-layers"
    assert finding.says.startswith("In 1 the records")
    assert check_training(model=ModuleValidator.fix(model)) == CLEAN
    assert check_training(model=nn.InstanceNorm1d(4)) == CLEAN
    assert codes(model=nn.InstanceNorm1d(4, track_running_stats=True)) == ["mixing-layers"]
    assert codes(model=nn.Sequential(nn.SyncBatchNorm(4))) == ["mixing-layers"]
    assert check_training(model=network()) == CLEAN


def test_noise_of_known_seed():
    assert codes(**run(noise_generator=torch.Generator().manual_seed(0))) == ["seeded-noise"]


def test_accountants_of_either_kind():
    ours, theirs = ny.Accountant(), RDPAccountant()
    for accountant in (ours, theirs, OpacusAccountant()):
        accountant.step(noise_multiplier=1.0, sample_rate=0.5)
        assert codes(accountant=accountant, sample_rate=0.6, noise_multiplier=0.9) == ["rate-mismatch", "less-noise"]
