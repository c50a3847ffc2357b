"""Arguments by the words that other libraries and papers have for them, each with the names it may mean here."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

__all__ = ["NO_PART", "WORDS", "option_meant"]

WORDS: dict[str, tuple[str, ...]] = {
    # of the noise
    "sigma": ("noise_multiplier", "sigma"),
    "noise_multiplier": ("noise_multiplier", "sigma", "scale"),
    "noise": ("noise_multiplier", "sigma", "scale"),
    "noise_scale": ("noise_multiplier", "sigma", "scale"),
    "noise_std": ("noise_multiplier", "sigma"),
    "std": ("noise_multiplier", "sigma"),
    "stddev": ("noise_multiplier", "sigma"),
    "standard_deviation": ("noise_multiplier", "sigma"),
    "z": ("noise_multiplier",),
    "multiplier": ("noise_multiplier",),
    "scale": ("scale", "sigma", "noise_multiplier"),
    "b": ("scale", "batch_size"),
    "variance": ("sigma",),
    "l2_sensitivity": ("sensitivity",),
    "l1_sensitivity": ("sensitivity",),
    "sens": ("sensitivity",),
    # of the schedule
    "q": ("sample_rate", "rate"),
    "p": ("sample_rate", "rate"),
    "rate": ("sample_rate", "rate"),
    "sampling_rate": ("sample_rate", "rate"),
    "sampling_probability": ("sample_rate", "rate"),
    "sampling_prob": ("sample_rate", "rate"),
    "sample_ratio": ("sample_rate", "rate"),
    "subsampling_rate": ("sample_rate", "rate"),
    "t": ("steps", "order", "n"),
    "num_steps": ("steps",),
    "n_steps": ("steps",),
    "iterations": ("steps",),
    "iters": ("steps",),
    "num_iterations": ("steps",),
    "updates": ("steps",),
    "compositions": ("steps",),
    "num_compositions": ("steps",),
    "max_steps": ("steps",),
    "epoch": ("epochs",),
    "num_epochs": ("epochs",),
    "n_epochs": ("epochs",),
    "e": ("epochs",),
    "batch": ("batch_size",),
    "bs": ("batch_size",),
    "lot_size": ("batch_size",),
    "minibatch_size": ("batch_size",),
    "n": ("dataset_size", "n"),
    "num_examples": ("dataset_size",),
    "num_samples": ("dataset_size",),
    "num_records": ("dataset_size",),
    "n_samples": ("dataset_size",),
    "number_of_examples": ("dataset_size",),
    "data_size": ("dataset_size",),
    "size": ("dataset_size",),
    # of the promise
    "eps": ("epsilon", "value"),
    "epsilon": ("epsilon", "value", "epsilons"),
    "target_epsilon": ("epsilon", "value"),
    "target_eps": ("epsilon", "value"),
    "max_epsilon": ("epsilon", "value"),
    "target_delta": ("delta", "deltas"),
    "delta": ("delta", "deltas"),
    "target_mu": ("mu", "value"),
    "mu": ("mu", "value"),
    "gdp": ("mu", "value"),
    "zcdp": ("rho",),
    "advantage": ("advantage", "value"),
    "tv": ("advantage", "value"),
    "regret": ("regret", "value"),
    **dict.fromkeys(("tpr", "power", "limit", "at_most", "error", "max", "divergence", "x", "success"), ("value",)),
    "value": ("value", "success"),
    **dict.fromkeys(("prior", "pi", "base_rate"), ("prior", "membership_prior", "baseline")),
    "kappa": ("baseline",),
    "acc": ("accuracy",),
    "fpr": ("alpha", "fpr"),
    "alpha": ("alpha", "fpr", "order", "orders"),
    "alphas": ("alphas", "orders"),
    "order": ("order",),
    # of the way
    "neighbouring": ("adjacency",),
    "neighboring": ("adjacency",),
    "neighboring_relation": ("adjacency",),
    "relation": ("adjacency",),
    "tol": ("tolerance",),
    "precision": ("tolerance",),
    "eps_error": ("tolerance",),
    "mechanism": ("mechanism", "subject", "make"),
    "guarantee": ("guarantee", "subject", "mechanism"),
}
NO_PART = (
    "lr", "learning_rate", "max_grad_norm", "clip", "clipping_norm", "l2_norm_clip", "max_grad", "optimizer", "loss",
    "momentum", "microbatches", "num_microbatches", "model", "seed", "orders", "alphas", "accountant",
)  # fmt: skip

_OPTIONS = {  # of neighbours
    **dict.fromkeys(
        ("replaceone", "substitute", "substitution", "bounded", "swap", "changeone", "replacement"), "replace"
    ),
    **dict.fromkeys(("unbounded", "addremove", "addorremoveone", "both", "addremoveone", "symmetric"), "add_or_remove"),
    **dict.fromkeys(("addone", "zeroout"), "add"),
    **dict.fromkeys(("removeone", "drop", "leaveoneout"), "remove"),
}


def option_meant(asked: object, options: Sequence[str]) -> str:
    """Return which of the options is meant; "" where nobody could tell.

    Examples
    --------
    >>> option_meant("REPLACE_ONE", ("add", "replace")), option_meant("Add-or-remove", ("add_or_remove",))
    ('replace', 'add_or_remove')
    """
    if not isinstance(asked, str):
        return ""
    word = _plain(asked)
    found = next((one for one in options if _plain(one) == word), None) or _OPTIONS.get(word, "")
    if found in options:
        return found
    return next(iter(get_close_matches(asked.strip().lower(), options, 1, 0.8)), "")


def _plain(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum())
