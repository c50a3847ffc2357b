"""What a paper says of a guarantee, and the BibTeX of what it rests on."""

from __future__ import annotations

from neyman._version import __version__
from neyman.mechanisms import Gaussian, Mechanism, PoissonSampled
from neyman.numerics.exact.decimals import outward
from neyman.numerics.exact.short_exact import setting
from neyman.showing.headline import brief
from neyman.showing.summary import Summary

__all__ = ["BIBTEX", "citation"]

_NEIGHBOURS = {
    "add_or_remove": "that differ by one record added or removed",
    "add": "that differ by one record added",
    "remove": "that differ by one record removed",
    "replace": "that differ by one record exchanged for another",
}
_SOFTWARE = f"""\
@misc{{neyman,
  title = {{neyman: certified differential-privacy guarantees}},
  author = {{{{The maintainers of neyman}}}},
  year = {{2026}},
  version = {{{__version__}}},
  note = {{Python package, Apache-2.0}},
}}"""
_DONG = """\
@article{dong2022gaussian,
  title = {Gaussian differential privacy},
  author = {Dong, Jinshuo and Roth, Aaron and Su, Weijie J.},
  journal = {Journal of the Royal Statistical Society Series B: Statistical Methodology},
  volume = {84},
  number = {1},
  pages = {3--37},
  year = {2022},
}"""
_KAISSIS = """\
@inproceedings{kaissis2024beyond,
  title = {Beyond the Calibration Point: Mechanism Comparison in Differential Privacy},
  author = {Kaissis, Georgios and Kolek, Stefan and Balle, Borja and Hayes, Jamie and Rueckert, Daniel},
  booktitle = {Proceedings of the 41st International Conference on Machine Learning},
  year = {2024},
  note = {arXiv:2406.08918},
}"""
_GOMEZ = """\
@misc{gomez2025gaussian,
  title = {Gaussian {DP} for Reporting Differential Privacy Guarantees in Machine Learning},
  author = {Gomez, Juan Felipe and Kulynych, Bogdan and Kaissis, Georgios and Calmon, Flavio P. and Hayes, Jamie
            and Balle, Borja and Honkela, Antti},
  year = {2025},
  note = {arXiv:2503.10945},
}"""
BIBTEX = "\n\n".join((_SOFTWARE, _DONG, _KAISSIS, _GOMEZ))
"""The software, mu, the divergence that regret is, and regret with the procedure of reporting."""

_REGRET = r"\citep{kaissis2024beyond,gomez2025gaussian}"


def citation(answer: Summary) -> str:
    r"""Return a sentence or two for a paper, with the BibTeX of what they cite.

    Examples
    --------
    >>> import neyman as ny
    >>> print(citation(ny.account(ny.Gaussian(1.0)).summary()).split("@")[0].strip())
    The mechanism satisfies 1-GDP \citep{dong2022gaussian}, with a regret
    \citep{kaissis2024beyond,gomez2025gaussian} of at most ..., and $(\varepsilon \le 4.378, \delta = 10^{-5})$-DP, for
    neighbouring data sets that differ by one record added or removed. Every number is a certified upper bound, computed
    with neyman ... \citep{neyman}.
    """
    report, head, parts = answer.report, answer.headline, list[str]()
    if head.report == "mu" and report is not None:
        parts.append(
            f"{head.number} \\citep{{dong2022gaussian}}, with a regret {_REGRET} of at most {outward(report.regret, 3)}"
        )
    elif head.report == "stated":
        parts.append(f"the guarantee that was stated, \\texttt{{{head.number.replace('_', chr(92) + '_')}}}")
    elif head.report == "epsilon" and answer.pure is not None:
        parts.append(_pair(answer.pure, 0.0))
    parts += [
        _pair(found.upper, delta)
        for delta, found in zip(answer.deltas, answer.epsilons, strict=True)
        if found.upper < float("inf")
    ][: 1 if head.report == "mu" else None]
    sampled = answer.mechanism is not None and any(isinstance(s, PoissonSampled) for s, _ in answer.mechanism.parts)
    batches = " Batches are Poisson samples." if sampled else ""
    if not parts:
        return f"No finite promise of the mechanism is certified.\n\n{BIBTEX}"
    said = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"
    if head.report != "mu" and report is not None and report.mu < float("inf"):
        batches = (
            f" Stating $\\mu \\le {outward(report.mu, 4)}$ alone \\citep{{dong2022gaussian}} would have a regret "
            f"{_REGRET} of {outward(report.regret, 3)}.{batches}"
        )
    neighbours = _NEIGHBOURS[answer.guarantee.adjacency]
    return (
        f"{_run(answer.mechanism)} satisfies {said}, for neighbouring data sets {neighbours}."
        f"{batches} Every number is a certified upper bound, computed with neyman {__version__} "
        f"\\citep{{neyman}}.\n\n{BIBTEX}"
    )


def _run(mechanism: Mechanism | None) -> str:
    """What was run, for the beginning of a sentence: in numbers where it is one kind of step of DP-SGD."""
    if mechanism is not None and len(mechanism.parts) == 1:
        (step, times), of = mechanism.parts[0], mechanism.dataset_size
        if isinstance(step, PoissonSampled) and isinstance(step.of, Gaussian):
            noise, rate = setting(step.of.sigma / step.of.sensitivity, up=True), setting(step.rate, up=False, of=of)
            steps = f"${times}$ steps" if times > 1 else "one step"
            return f"DP-SGD with noise multiplier {_number(noise)}, sample rate {_number(rate)} and {steps}"
    return "The mechanism"


def _number(text: str) -> str:
    """A number as LaTeX sets it, and what is said of it."""
    number, *said = text.split(" ", 1)
    return " ".join([f"${number}$", *said])


def _pair(epsilon: float, delta: float) -> str:
    """A promise as LaTeX sets it."""
    mantissa, _, exponent = brief(delta).partition("e")
    power = f"10^{{{exponent}}}"
    small = mantissa if not exponent else power if mantissa == "1" else f"{mantissa} \\times {power}"
    return f"$(\\varepsilon \\le {outward(epsilon, 4)}, \\delta = {small})$-DP"
