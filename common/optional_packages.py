"""Libraries load optional packages whenever they are installed, also where nothing uses what these would add."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


def hide(*names: str) -> None:
    """Let every later import of these modules fail as if they were not installed. One that is loaded stays."""
    for name in names:
        # Python raises ModuleNotFoundError for a module that is None here.
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]


@contextmanager
def hidden(*names: str) -> Iterator[None]:
    """Hide these modules from the imports of the block, and from no later ones."""
    absent = [name for name in names if name not in sys.modules]
    hide(*absent)
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]
