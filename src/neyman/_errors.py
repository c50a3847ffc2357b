"""The errors a user can meet: one root, each carrying the data its message is made of."""

from __future__ import annotations

__all__ = ["BudgetExceeded", "InvalidParameter", "NeymanError", "NotCertified"]


class NeymanError(Exception):
    """Root of every error this package raises on purpose."""


class InvalidParameter(NeymanError, ValueError):
    """An argument lies outside its domain.

    Parameters
    ----------
    name : str
        The argument, as the caller spells it.
    value : object
        What was received.
    allowed : str
        What is allowed, as a phrase that completes "<name> must be ...".
    advice : str
        The way out, a whole sentence; may be empty.

    Examples
    --------
    >>> raise InvalidParameter("sigma", -1.0, "a finite number > 0")
    Traceback (most recent call last):
        ...
    neyman._errors.InvalidParameter: sigma must be a finite number > 0, got -1.0.
    """

    def __init__(self, name: str, value: object, allowed: str, advice: str = "") -> None:
        self.name = name
        self.value = value
        self.allowed = allowed
        self.advice = advice
        text = f"{name} must be {allowed}, got {_shown(value)}."
        super().__init__(f"{text} {advice}" if advice else text)

    def __reduce__(self) -> tuple[type[InvalidParameter], tuple[str, object, str, str]]:
        return type(self), (self.name, self.value, self.allowed, self.advice)


class NotCertified(NeymanError):
    """A value could not be certified to the tolerance asked for.

    ``lower`` and ``upper`` are the best certified bracket that was reached: still true, only wider than asked.
    """

    def __init__(self, quantity: str, lower: float, upper: float, reason: str) -> None:
        self.quantity = quantity
        self.lower = lower
        self.upper = upper
        self.reason = reason
        super().__init__(f"{quantity} is certified only to lie in [{lower:.9g}, {upper:.9g}]: {reason}.")

    def __reduce__(self) -> tuple[type[NotCertified], tuple[str, float, float, str]]:
        return type(self), (self.quantity, self.lower, self.upper, self.reason)


class BudgetExceeded(NeymanError):
    """Spending would overdraw the privacy budget; nothing was spent."""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
