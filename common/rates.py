"""Limits on how often something may happen, counted exactly: by all processes together where there is Redis.

The algorithm is GCRA, the generic cell rate algorithm: for each key one time is kept, at which all that was taken will
be refilled. A key is allowed `most` at once, and after that one each `period_s / most` seconds. Without Redis each
process counts by itself; the embedded installation has one web process. Django's cache does not serve for this: its
table drops the oldest rows when it is full, and two requests that read and write a counter at once count as one.
"""

import logging
import math
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings

from lib.faults import TooManyRequests

if TYPE_CHECKING:
    import redis

logger = logging.getLogger(__name__)
_PREFIX = "crosswalk.rates:"
_REDIS_AWAY_S = 10.0
"""For how long a process counts by itself after Redis failed, so that no request waits for it."""
_PRUNE_ABOVE = 10_000
_ROUNDING_S = 1e-5
"""Times are sums of fractions, so the last of `most` may be late by what was rounded."""
_TAKE = """
local now = redis.call('TIME')
now = tonumber(now[1]) + tonumber(now[2]) / 1000000
local full_at = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + tonumber(ARGV[1])
local wait = full_at - now - tonumber(ARGV[2])
if wait > tonumber(ARGV[3]) then return string.format('%.6f', wait) end
if ARGV[4] == '1' then
  redis.call('SET', KEYS[1], string.format('%.6f', full_at), 'PX', math.ceil((full_at - now) * 1000) + 1)
end
return '0'
"""


class Rate(NamedTuple):
    """At most `most` in `period_s` seconds."""

    most: int
    period_s: float


def a_minute(most: int) -> Rate:
    return Rate(most, 60.0)


def take(rate: Rate, key: str) -> int:
    """Take one from what the key may do.

    Returns:
        0 if it is allowed; otherwise after how many whole seconds the next one is, and nothing is taken.
    """
    return _counters.wait_s(rate, key, is_taken=True)


def check(rate: Rate, key: str, *, refusal: str) -> None:
    """Take one from what the key may do.

    Raises:
        TooManyRequests: it has none left; with the sentence `refusal`, and how long to wait.
    """
    if wait := take(rate, key):
        raise TooManyRequests(f"{refusal} Wait for {{wait}} seconds.", wait=wait)


def look(rate: Rate, key: str) -> int:
    """Return what `take` would return; nothing is taken."""
    return _counters.wait_s(rate, key, is_taken=False)


class Counters:
    """The counters of one process; those in Redis are shared by all."""

    def __init__(self, *, redis_url: str) -> None:
        self._redis_url = redis_url
        self._lock = threading.Lock()
        self._full_at: dict[str, float] = {}
        self._prune_above = _PRUNE_ABOVE
        self._redis: redis.Redis | None = None
        self._redis_away_until = 0.0

    def wait_s(self, rate: Rate, key: str, *, is_taken: bool) -> int:
        if self._redis_url and time.monotonic() >= self._redis_away_until:
            # Only where Redis is used.
            import redis

            try:
                return self._in_redis(rate, key, is_taken)
            except redis.exceptions.RedisError as error:
                logger.warning("rates.not_shared", extra={"error": str(error)})
                self._redis_away_until = time.monotonic() + _REDIS_AWAY_S
        return self._in_memory(rate, key, is_taken)

    def _in_memory(self, rate: Rate, key: str, is_taken: bool) -> int:
        now = time.monotonic()
        with self._lock:
            full_at = max(self._full_at.get(key, 0.0), now) + rate.period_s / rate.most
            wait_s = full_at - now - rate.period_s
            if wait_s > _ROUNDING_S:
                return math.ceil(wait_s)
            if is_taken:
                self._full_at[key] = full_at
                self._prune(now)
        return 0

    def _prune(self, now: float) -> None:
        if len(self._full_at) <= self._prune_above:
            return
        # A key that is refilled equals a key that was never seen, so no counter that matters is ever dropped.
        self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
        self._prune_above = max(_PRUNE_ABOVE, 2 * len(self._full_at))

    def _in_redis(self, rate: Rate, key: str, is_taken: bool) -> int:
        if self._redis is None:
            import redis

            self._redis = redis.Redis.from_url(self._redis_url, socket_timeout=1, socket_connect_timeout=1)
        values = (rate.period_s / rate.most, rate.period_s, _ROUNDING_S, int(is_taken))
        # Its types are those of the asynchronous client too.
        wait_s: Any = self._redis.eval(_TAKE, 1, _PREFIX + key, *map(str, values))
        return math.ceil(float(wait_s))


_counters = Counters(redis_url=settings.REDIS_URL)
