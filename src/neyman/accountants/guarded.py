"""What is spent once: charged by one thread at a time, and never by a copy."""

from __future__ import annotations

import threading
from typing import Any, NoReturn

from neyman._answering import Answering
from neyman._errors import NeymanError

__all__ = ["Guarded"]


class Guarded(metaclass=Answering):
    """A budget of which there is one: looking whether a charge fits, and charging it, are one act under ``_lock``.

    A copy would spend the same budget a second time, and neither would know of the other's charges.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __copy__(self) -> NoReturn:
        self._refuse()

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        self._refuse()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        name = type(self).__name__
        raise NeymanError(
            f"{name} cannot be copied or pickled: each copy would spend the same budget once more. Hand the one object "
            "to all threads; save it with state_dict, and go on from that in one place only."
        )
