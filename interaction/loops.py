"""What each event loop has one of: a process may run several, one after the other."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def of_running_loop(known: dict[asyncio.AbstractEventLoop, T], make: Callable[[], T]) -> T:
    """That of the running loop, made if it has none yet; those of loops that are closed are forgotten."""
    loop = asyncio.get_running_loop()
    if loop not in known:
        for other in [one for one in known if one.is_closed()]:
            del known[other]
        known[loop] = make()
    return known[loop]
