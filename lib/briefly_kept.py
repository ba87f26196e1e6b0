"""A value that is costly to make, made at most once in a while however many ask for it."""

import time
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class BrieflyKept(Generic[T]):
    """Makes a value in one thread at a time, and gives the others what was made last.

    Args:
        make: Makes the value.
        keep_s: How long a value is given without making a new one.
        patience_s: How long a value may be given while the making of the next one hangs, and how long the first caller
            of all is waited for.
    """

    def __init__(self, make: Callable[[], T], *, keep_s: float, patience_s: float) -> None:
        self._make, self._keep_s, self._patience_s = make, keep_s, patience_s
        self._lock = Lock()
        self._made: tuple[float, T] | None = None

    def get(self) -> T | None:
        """The value; None where it is not made in time."""
        made = self._made
        if made is not None and _age(made) < self._keep_s:
            return made[1]
        if not self._lock.acquire(timeout=0 if made is not None else self._patience_s):
            return made[1] if made is not None and _age(made) < self._patience_s else None
        try:
            if self._made is None or _age(self._made) >= self._keep_s:
                self._made = (time.monotonic(), self._make())
            return self._made[1]
        finally:
            self._lock.release()

    def forget(self) -> None:
        """Make the value anew at the next call."""
        self._made = None


def _age(made: tuple[float, object]) -> float:
    return time.monotonic() - made[0]
