"""The threads in which sockets query the database: a few threads, each of which keeps its connection.

Django's default puts all such queries of a process on one thread, so that one slow query stalls every session.
Channels' own wrapper opens a connection for each call where connections are not kept between requests.
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
"""SQLite has one writer at a time, and a thread that waits for its lock sleeps ever longer: one thread is faster."""
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="sessions")
_side = ThreadPoolExecutor(1, thread_name_prefix="sessions-side")


async def in_pool(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` on one of the threads. After a failed connection, the call is made once more with a new one.

    `work` must be safe to repeat where its transaction did not commit, as every append to the log is.
    """
    return await _in(_pool, partial(work, *args, **kwargs))


async def in_side_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same on a separate thread, for work that no message should wait for."""
    return await _in(_side, partial(work, *args, **kwargs))


async def _in(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(threads, partial(_run, work))


def _run(work: Callable[[], T]) -> T:
    try:
        return work()
    except (InterfaceError, DatabaseError):
        # A database server that went away closes its connections. Any other error would come again, so it is raised.
        if connection.is_usable():
            raise
        connection.close()
        return work()


def of_running_loop(known: dict[asyncio.AbstractEventLoop, T], make: Callable[[], T]) -> T:
    """The object that exists once for the running event loop; made if there is none yet.

    A process may run several loops, one after the other: the objects of closed loops are dropped from `known`.
    """
    loop = asyncio.get_running_loop()
    if loop not in known:
        for other in [one for one in known if one.is_closed()]:
            del known[other]
        known[loop] = make()
    return known[loop]
