"""What a sweep asks of every setting: words such as "mu", "epsilon(1e-5)" and "optimistic.regret".

    quantity = ["optimistic."] word ["(" number ")"]

The words are those of ``neyman convert``. Without "optimistic." a quantity is on the safe side; with it, it is the
certified bound from the other side, so that the two enclose the truth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from neyman._errors import InvalidParameter
from neyman._validate import inside, not_negative, positive, probability
from neyman.guarantees import Guarantee

__all__ = ["WORDS", "Quantity", "quantities"]

_FORM = re.compile(r"(?P<side>optimistic\.)?(?P<word>[a-z_]+)(?:\((?P<at>[^()]*)\))?\Z")
_ABOVE, _BELOW = "upper bound: the truth is at most this", "lower bound: the truth is at least this"


def _floor(name: str, value: object) -> float:
    return inside(name, value, 0.0, 0.5)


@dataclass(frozen=True, slots=True)
class _Word:
    """One word: the verb it asks, the name and domain of its number, and whether the safe side is from below."""

    ask: Callable[[Guarantee, float], float]
    long_name: str
    place: str | None = None
    check: Callable[[str, object], float] | None = None
    usual: bool = False  # whether the number may be left out: it is then the floor of the sweep
    from_below: bool = False


WORDS: dict[str, _Word] = {
    "mu": _Word(lambda g, at: g.mu(at), "least mu of Gaussian DP above the floor", "floor", _floor, usual=True),
    "regret": _Word(lambda g, at: g.gdp(at).regret, "regret of stating mu alone", "floor", _floor, usual=True),
    "shortfall": _Word(
        lambda g, at: g.gdp(at).shortfall, "what the curve loses to mu below the floor", "floor", _floor, usual=True
    ),
    "tail_mu": _Word(lambda g, _: g.tail_mu, "mu with no floor"),
    "epsilon": _Word(lambda g, at: g.epsilon(at), "epsilon at delta", "delta", probability),
    "delta": _Word(lambda g, at: g.delta(at), "delta at epsilon", "epsilon", not_negative),
    "advantage": _Word(lambda g, _: g.advantage, "largest membership advantage, TPR - FPR"),
    "auc": _Word(lambda g, _: g.auc, "area under the ROC curve"),
    "tpr": _Word(lambda g, at: g.roc(at), "largest true positive rate at a false positive rate", "fpr", probability),
    "beta": _Word(
        lambda g, at: g.beta(at), "least false negative rate at a false positive rate", "alpha", probability,
        from_below=True,
    ),
    "fixed_point": _Word(lambda g, _: g.fixed_point, "error rate at which both kinds are equal", from_below=True),
    "bayes_error": _Word(
        lambda g, at: g.bayes_error(at), "least Bayes error at a prior", "prior", probability, from_below=True
    ),
    "renyi": _Word(lambda g, at: g.renyi(at), "Renyi divergence of an order", "order", positive),
    "rho": _Word(lambda g, _: g.zcdp(), "rho of zero-concentrated DP"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """One question: as it was written, its word, its number (None where there is none), and its side."""

    key: str
    word: str
    at: float | None
    optimistic: bool

    @classmethod
    def read(cls, text: object, floor: float) -> Quantity:
        """Read one quantity.

        Parameters
        ----------
        text : str
            In the form above.
        floor : float
            The number of "mu", "regret" and "shortfall" where none is written.

        Raises
        ------
        InvalidParameter
            If it has another form, its word is unknown, or its number is missing, too much or outside its domain.

        Examples
        --------
        >>> Quantity.read("optimistic.epsilon(1e-5)", 1e-10)
        Quantity(key='optimistic.epsilon(1e-5)', word='epsilon', at=1e-05, optimistic=True)
        """
        key = "".join(text.split()) if isinstance(text, str) else ""
        form = _FORM.match(key)
        if form is None or form["word"] not in WORDS:
            forms = ", ".join(f"{w}({k.place})" if k.place and not k.usual else w for w, k in WORDS.items())
            advice = 'Before any of them, "optimistic." asks for the bound from the other side.'
            raise InvalidParameter("quantity", text, f"one of {forms}", advice)
        word = WORDS[form["word"]]
        return cls(key, form["word"], _number(key, word, form["at"], floor), form["side"] is not None)

    @property
    def same(self) -> tuple[object, ...]:
        """What it asks, however it was written."""
        return self.word, self.at, self.optimistic

    @property
    def labels(self) -> dict[str, Any]:
        """Attributes of its variable: what it is, on which side, and where."""
        word = WORDS[self.word]
        side = _BELOW if word.from_below != self.optimistic else _ABOVE
        place = {} if word.place is None or self.at is None else {word.place: self.at}
        return {"long_name": word.long_name, "units": "1", "side": side, **place}

    def ask(self, guarantee: Guarantee) -> float:
        """Ask it of the guarantee on the safe side."""
        side = guarantee.optimistic if self.optimistic else guarantee
        return float(WORDS[self.word].ask(side, 0.0 if self.at is None else self.at))


def _number(key: str, word: _Word, written: str | None, floor: float) -> float | None:
    if word.place is None or word.check is None:
        if written is not None:
            raise InvalidParameter(f"quantity {key}", written, "without a number")
        return None
    if written is None and word.usual:
        return floor
    try:
        number: object = float(written or "")
    except ValueError:
        number = written
    return word.check(f"{word.place} of the quantity {key}", number)


def quantities(texts: object, floor: float) -> tuple[Quantity, ...]:
    """Read all quantities of a sweep: a string, or several in a sequence, no two of which ask the same.

    Raises
    ------
    InvalidParameter
        If there is none, one of them cannot be read, or two ask the same.
    """
    several: list[object] = [texts] if isinstance(texts, str) else list(texts) if isinstance(texts, Iterable) else []
    if not several:
        raise InvalidParameter("quantities", texts, 'a non-empty list of strings such as "mu" and "epsilon(1e-5)"')
    found = tuple(Quantity.read(text, floor) for text in several)
    for i, quantity in enumerate(found):
        if any(quantity.same == other.same for other in found[:i]):
            raise InvalidParameter("quantities", quantity.key, "asked once each")
    return found
