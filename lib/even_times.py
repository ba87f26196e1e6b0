"""Answers that take equally long whatever the server has to do for each, so that their times tell nothing of it."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Sequence
from math import ceil
from threading import Lock

SHARE = 0.95
"""The share of answers whose own time is within the time that all of them take."""
REMEMBERED = 200
ENOUGH = 20
"""From so many times on, a key goes by its own; before, by those of all keys."""
FIRST_S = 0.01
"""The time that all take while fewer than `ENOUGH` times are known."""
MOST_S = 0.25
"""Nothing is held back longer: a server that is this slow shows the noise of its load, not what it does."""
KEYS = 1000


class EvenTimes:
    """Holds each answer back until the time that nearly all answers of its key take has passed.

    The time is the quantile `SHARE` of the newest `REMEMBERED` own times of a key, and follows the load of the server.

    Args:
        now, sleep: The clock, in seconds.
    """

    def __init__(
        self, now: Callable[[], float] = time.perf_counter, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.now, self._sleep = now, sleep
        self._lock = Lock()
        self._all: deque[float] = deque(maxlen=REMEMBERED)
        self._of: OrderedDict[Hashable, deque[float]] = OrderedDict()

    def hold_back(self, key: Hashable, *, since: float) -> None:
        """Wait until the time of this key has passed since the moment `since` of `now`. Call it without a lock."""
        own = self.now() - since
        with self._lock:
            mine = self._of.setdefault(key, deque(maxlen=REMEMBERED))
            self._of.move_to_end(key)
            if len(self._of) > KEYS:
                self._of.popitem(last=False)
            known = list(mine) if len(mine) >= ENOUGH else list(self._all)
            for times in (mine, self._all):
                times.append(own)
        left = time_of_all(known) - own
        if left > 0:
            self._sleep(left)


def time_of_all(known: Sequence[float]) -> float:
    """The time, in seconds, within which nearly all of these were done; at most `MOST_S`.

    >>> time_of_all([0.002] * 99 + [0.1]), time_of_all([]), time_of_all([9.0] * 30)
    (0.002, 0.01, 0.25)
    """
    if len(known) < ENOUGH:
        return FIRST_S
    return min(MOST_S, sorted(known)[ceil(SHARE * len(known)) - 1])
