"""Where consumers ask the database: a few threads of our own, each with a connection that it keeps.

Django's default puts all such calls of a process on one thread, so that one slow query stalls every session; and
Channels' own wrapper opens a connection for every call where none is kept between requests.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, InterfaceError, connection

P = ParamSpec("P")
T = TypeVar("T")
THREADS = 1 if connection.vendor == "sqlite" else 4
"""On SQLite one writes at a time, and who waits for its lock sleeps longer and longer: there they take turns."""
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="sessions")
_beside = ThreadPoolExecutor(1, thread_name_prefix="sessions-beside")


async def in_pool(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` on one of the threads; a connection that failed is thrown away, and the call is made once more.

    `work` must be safe to repeat where its transaction did not commit, as all that append to the log are.
    """
    return await _in(_pool, partial(work, *args, **kwargs))


async def beside_pool(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same, on a thread of its own: for what no message should have to wait for."""
    return await _in(_beside, partial(work, *args, **kwargs))


async def _in(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(threads, partial(_run, work))


def _run(work: Callable[[], T]) -> T:
    try:
        return work()
    except (InterfaceError, DatabaseError):
        # A server that went away takes its connections with it; anything else fails again, and travels then.
        if connection.is_usable():
            raise
        connection.close()
        return work()
