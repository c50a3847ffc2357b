"""The errors a user can meet: one root, each carrying the data its message is made of."""

from __future__ import annotations

__all__ = [
    "BudgetExceeded",
    "FileInUse",
    "InvalidParameter",
    "MissingPackage",
    "NeymanError",
    "NotCertified",
    "UnknownArgument",
    "UnreadableState",
    "more",
]


class NeymanError(Exception):
    """Root of every error this package raises on purpose.

    A traceback ends with the address of its page, a note of one line: ``More: neyman help TOPIC``, which prints the
    page without a network. ``topic`` is that of the kind unless a finer one is known.

    Examples
    --------
    >>> error = NotCertified("mu", 1.0, 2.0, "this is an example", topic="tolerance")
    >>> error.topic, error.__notes__
    ('tolerance', ['More: neyman help tolerance'])
    """

    topic: str = "errors"

    def __init__(self, *said: object, topic: str = "") -> None:
        super().__init__(*said)
        if topic:
            self.topic = topic
        self.add_note(more(self.topic))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._made_from(), vars(self).copy()

    def _made_from(self) -> tuple[object, ...]:
        return self.args


def more(topic: str) -> str:
    """Return the last line of what is said of an error: where more of it stands."""
    return f"More: neyman help {topic}"


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
    topic : str
        A finer page than that of the kind: see ``NeymanError``.

    Examples
    --------
    >>> print(InvalidParameter("sigma", -1.0, "a finite number > 0"))
    sigma must be a finite number > 0, got -1.0.
    """

    topic = "invalid-parameter"

    def __init__(self, name: str, value: object, allowed: str, advice: str = "", *, topic: str = "") -> None:
        self.name = name
        self.value = value
        self.allowed = allowed
        self.advice = advice
        text = f"{name} must be {allowed}, got {_shown(value)}."
        super().__init__(f"{text} {advice}" if advice else text, topic=topic)

    def called(self, name: str) -> InvalidParameter:
        """Return the same of an argument by another name: a path in a file, an option."""
        return InvalidParameter(name, self.value, self.allowed, self.advice, topic=self.topic)

    def _made_from(self) -> tuple[object, ...]:
        return self.name, self.value, self.allowed, self.advice


class UnknownArgument(InvalidParameter, TypeError):
    """An argument goes by another name, or is missing; the message ends with the line to write instead.

    A ``TypeError`` as well, which is what Python raises of itself. The fields are those of ``InvalidParameter``.

    Examples
    --------
    >>> import neyman as ny
    >>> try:
    ...     ny.Gaussian(scale=2.0)
    ... except TypeError as error:
    ...     print(error)
    scale must be named sigma, got 2.0. Write: ny.Gaussian(sigma=2.0)
    """

    topic = "unknown-argument"


class NotCertified(NeymanError):
    """A value could not be certified to the tolerance asked for.

    ``lower`` and ``upper`` are the best certified bracket that was reached: still true, only wider than asked.
    """

    topic = "not-certified"

    def __init__(self, quantity: str, lower: float, upper: float, reason: str, *, topic: str = "") -> None:
        self.quantity = quantity
        self.lower = lower
        self.upper = upper
        self.reason = reason
        # all digits: fewer could put the truth outside, or make two ends look like one
        super().__init__(
            f"{quantity} is certified only to lie in [{_all_digits(lower)}, {_all_digits(upper)}]: {reason}.",
            topic=topic,
        )

    def _made_from(self) -> tuple[object, ...]:
        return self.quantity, self.lower, self.upper, self.reason


class BudgetExceeded(NeymanError):
    """Spending would overdraw the privacy budget; nothing was spent.

    ``unit`` is what is counted ("mu" or "rho"), ``cost`` what was asked for (rounded up), ``remaining`` what is left
    of ``budget`` (rounded down), ``advice`` the way out.
    """

    topic = "budget-exceeded"

    def __init__(self, unit: str, cost: float, remaining: float, budget: float, advice: str = "") -> None:
        self.unit = unit
        self.cost = cost
        self.remaining = remaining
        self.budget = budget
        self.advice = advice
        left = f"{unit} = {remaining!r} is left of the budget {unit} = {budget!r}"
        text = f"Spending {unit} = {cost!r} would overdraw: {left}. Nothing was spent."
        super().__init__(f"{text} {advice}" if advice else text)

    def _made_from(self) -> tuple[object, ...]:
        return self.unit, self.cost, self.remaining, self.budget, self.advice


class UnreadableState(NeymanError):
    """A file of an accountant is damaged, cut short, of another kind or of another version; nothing was read from it.

    ``path`` is the file, ``reason`` what is wrong, ``records`` and ``steps`` how much before the damage is intact.
    """

    topic = "unreadable-state"

    def __init__(self, path: str, reason: str, records: int = 0, steps: int = 0, advice: str = "") -> None:
        self.path = path
        self.reason = reason
        self.records = records
        self.steps = steps
        self.advice = advice
        text = f"{path} cannot be trusted: {reason}. Still readable: {records} records with {steps} steps."
        super().__init__(f"{text} {advice}" if advice else text)

    def _made_from(self) -> tuple[object, ...]:
        return self.path, self.reason, self.records, self.steps, self.advice


class FileInUse(NeymanError):
    """Another accountant, in this process or in another, has the file open; ``path`` is the file."""

    topic = "file-in-use"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"{path} is in use by another accountant: two that write to one file would each miss the other's steps. "
            "Close that one first, or give each its own file."
        )

    def _made_from(self) -> tuple[object, ...]:
        return (self.path,)


class MissingPackage(NeymanError, ImportError):
    """A package that is not installed with neyman unless it is asked for; the message says how."""

    topic = "missing-package"


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python does not write out whole numbers of many thousand digits
        text = f"a {type(value).__name__} too long to write out"
    return text if len(text) <= 80 else text[:77] + "..."


def _all_digits(value: float) -> str:
    return repr(float(value) + 0.0).removesuffix(".0")  # 0, never -0
