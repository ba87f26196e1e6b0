"""A lock that threads take in the order in which they asked for it."""

from collections import deque
from threading import Lock


class FairLock:
    """A lock for one holder. `release` hands it to the thread that has waited longest.

    The locks of `threading` have no order: whoever releases one and asks again at once often gets it again, while the
    others wait.
    """

    def __init__(self) -> None:
        self._guard = Lock()
        self._is_held = False
        self._waiting: deque[Lock] = deque()

    def acquire(self, *, timeout_s: float) -> bool:
        """Wait for the lock; False if it did not come in time."""
        turn = Lock()
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return True
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=timeout_s):
            return True
        with self._guard:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
        # It was handed over between the end of the wait and this look.
        return True

    def release(self) -> None:
        """Hand the lock to the next thread that waits.

        Raises:
            RuntimeError: nobody holds it.
        """
        with self._guard:
            if not self._is_held:
                raise RuntimeError("The lock is not held.")
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False
