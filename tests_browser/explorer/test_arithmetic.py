"""The arithmetic of the table's page by itself, against exact numbers: lines, outward texts, numbers as written."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pytest

_PARTS = ("rationals.js", "stops.js", "envelope.js", "server.js", "table.js")
_LINES = """cases => cases.map(([pairs, alpha]) => {
  const envelope = new Envelope(pairs);
  return [envelope.beta(alpha), envelope.detected(alpha), envelope.equal];
})"""
_TEXTS = "numbers => numbers.map(one => [upward(one), downward(one)])"
_FRACTIONS = """texts => texts.map(rational).map(one => one && [String(one.over), String(one.under)])"""


@pytest.fixture(scope="module")
def asked(browser: Any) -> Iterator[Callable[..., Any]]:
    """Ask an expression of the parts of the page; some words of them may be changed before."""
    page = browser.new_page()

    def ask(expression: str, value: object, **changed: str) -> Any:
        source = "\n".join((files("neyman.explorer") / "page" / name).read_text(encoding="utf-8") for name in _PARTS)
        for name, number in changed.items():
            declared = next(line for line in source.splitlines() if line.startswith(f"const {name} = "))
            source = source.replace(declared, f"const {name} = {number};")
        return page.evaluate(f"value => {{ {source}\nreturn ({expression})(value); }}", value)

    yield ask
    page.close()


def _cases(draw: random.Random, many: int) -> list[tuple[list[tuple[str, str]], float]]:
    def pair() -> tuple[str, str]:
        epsilon = draw.choice([0.0, draw.random(), 10 ** draw.uniform(-4, 2.9)])
        delta = draw.choice([0.5 * draw.random(), 10 ** draw.uniform(-16, -1)])
        return f"{epsilon:.4g}", f"{delta:.4g}"

    def alpha() -> float:
        return draw.choice([0.0, 1.0, draw.random(), 10 ** draw.uniform(-16, 0), 1 - 10 ** draw.uniform(-15, 0)])

    return [([pair() for _ in range(draw.randint(1, 3))], alpha()) for _ in range(many)]


def _exactly(pairs: list[tuple[str, str]], alpha: float | Decimal) -> tuple[Decimal, Decimal]:
    """Beta of the lines, and where both errors are equal."""
    at, beta, equal = Decimal(alpha), Decimal(0), Decimal(0)
    for epsilon, delta in pairs:
        e, left = Decimal(epsilon), 1 - Decimal(delta)
        beta = max(beta, left - e.exp() * at, (-e).exp() * (left - at))
        equal = max(equal, left / (1 + e.exp()))
    return beta, equal


def _wrong(cases: Any, found: Any) -> int:
    """How many of the answers are not on the safe side."""
    wrong = 0
    for (pairs, alpha), (beta, detected, equal) in zip(cases, found, strict=True):
        exact_beta, exact_equal = _exactly(pairs, alpha)
        wrong += Decimal(beta) > exact_beta or Decimal(detected) < 1 - exact_beta or Decimal(equal) > exact_equal
        assert exact_beta - Decimal(beta) < Decimal("1e-8")  # e^eps (1 + 1e-12 eps) alpha, where eps is large
        assert exact_equal - Decimal(equal) < Decimal("1e-11")
    return wrong


def test_lines_are_on_the_safe_side(asked: Callable[..., Any]):
    cases = _cases(random.Random(24), 4_000)
    with localcontext() as context:
        context.prec = 60
        assert _wrong(cases, asked(_LINES, cases)) == 0


@pytest.mark.parametrize("name", ["RELATIVE", "ABSOLUTE"])
def test_each_room_for_rounding_is_needed(asked: Callable[..., Any], name: str):
    cases = _cases(random.Random(24), 4_000)
    with localcontext() as context:
        context.prec = 60
        assert _wrong(cases, asked(_LINES, cases, **{name: "0"})) > 0


def test_texts_are_rounded_outward(asked: Callable[..., Any]):
    draw = random.Random(1)
    corners = [0.0, 1.0, 0.9999, 0.99995, 0.99999999, 1e-12, 0.1, 0.3]
    numbers = [10 ** draw.uniform(-13, 3) for _ in range(5000)] + corners
    for number, (up, down) in zip(numbers, asked(_TEXTS, numbers), strict=True):
        room = Fraction(number) * Fraction(1, 10**15)  # a text and its float: far less than what the numbers allow for
        assert Fraction(up) >= Fraction(number) - room
        assert Fraction(down) <= Fraction(number) + room
        assert Fraction(up) - Fraction(down) <= Fraction(number) / 1000 + room
        assert len(up.split("e")[0].replace(".", "").strip("0")) <= 4


def test_numbers_are_read_to_their_last_digit(asked: Callable[..., Any]):
    draw = random.Random(2)
    plain = [f"{draw.randint(0, 10 ** draw.randint(1, 30))}.{draw.randint(0, 10**20)}" for _ in range(500)]
    powers = [f"{draw.randint(1, 999)}e{draw.randint(-300, 300)}" for _ in range(200)]
    percent = [f"{draw.randint(0, 10**6)}.{draw.randint(0, 99)}%" for _ in range(200)]
    quotients = [f"{draw.randint(0, 10**9)}/{draw.randint(1, 10**9)}" for _ in range(200)]
    texts = [*plain, *powers, *percent, *quotients]
    for text, found in zip(texts, asked(_FRACTIONS, texts), strict=True):
        expected = Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        assert Fraction(int(found[0]), int(found[1])) == expected


def test_what_is_no_number_is_none(asked: Callable[..., Any]):
    odd = ["", " ", ".", "-", "e5", "1e", "1e9999", "nan", "inf", "0x10", "1_000", "1,000", "٣", "1" * 65]
    texts = [*odd, "1/0", "1/-2", "1/2/3", "1/", "%"]
    assert asked(_FRACTIONS, texts) == [None] * len(texts)


def test_the_corners_lie_on_the_safe_side_and_so_does_what_lies_between(asked: Callable[..., Any]):
    cases = _cases(random.Random(25), 300)
    with localcontext(prec=60):
        for (pairs, _), corners in zip(
            cases, asked("cases => cases.map(([pairs]) => new Envelope(pairs).corners)", cases), strict=True
        ):
            alpha, tpr = ([Decimal(number) for number in corners[name]] for name in ("alpha", "tpr"))
            assert (alpha[0], alpha[-1], tpr[-1]) == (0, 1, 1)
            assert alpha == sorted(alpha)
            for i in range(1, len(alpha)):
                for part in (Decimal(0), Decimal("0.01"), Decimal("0.5"), Decimal("0.99"), Decimal(1)):
                    at = alpha[i - 1] + part * (alpha[i] - alpha[i - 1])
                    least, _ = _exactly(pairs, at)
                    drawn = tpr[i - 1] + part * (tpr[i] - tpr[i - 1])
                    assert 1 - least <= drawn <= (1 - least) * (1 + Decimal("1e-9")) + Decimal("1e-12")


_RUN = {"kind": "dpsgd", "noise_multiplier": "1", "sample_rate": "0.01", "steps": "1000", "sampling": "poisson"}
_FOREIGN: list[tuple[dict[str, Any], str]] = [
    ({"ask": "solve", "settings": _RUN, "free": "scale", "target": {"name": "tpr", "value": "0.3"}}, "no axis scale"),
    (
        {"ask": "solve", "settings": {"kind": "laplace", "scale": "1", "count": "1"}, "free": "scale",
         "target": {"name": "tpr", "value": "0.3"}}, "not laplace",
    ),
    ({"ask": "solve", "settings": _RUN, "free": "steps", "target": {"name": "posterior", "value": "0.9"}}, "posterior"),
    ({"ask": "promise", "settings": {"kind": "dpsgd"}}, "noise_multiplier must be"),
    ({"ask": "promise", "settings": {"kind": "gaussian", "noise_multiplier": "1"}}, "not gaussian"),
    ({"ask": "compare", "settings": _RUN, "other": {"kind": "laplace", "scale": "1"}}, "not laplace"),
    ({"ask": "toString", "settings": _RUN}, "does not answer toString"),
    ({"ask": "report", "settings": _RUN}, "needs the engine"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "said"), _FOREIGN)
def test_what_a_table_does_not_hold_is_refused(
    asked: Callable[..., Any], table: dict[str, Any], question: dict[str, Any], said: str
):
    found = asked("([table, question]) => new TableEngine(table).answer(question)", [table, {"v": 1, **question}])
    assert found["ok"] is False
    assert said in found["error"]
    assert "in this table" in found["allowed"] or "neyman explore" in found["advice"]
