"""Folders for the files of one piece of work. What a killed process left is found by its lock and removed."""

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK = ".lock"
"""The file that a process holds locked while it uses the folder; the system frees the lock when the process dies."""


@contextmanager
def scratch_folder(root: Path) -> Iterator[Path]:
    """A new folder below `root`, removed at the end of the block."""
    with _held(root):
        folder = Path(tempfile.mkdtemp(dir=root))
        lock = (folder / _LOCK).open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
    with lock:
        try:
            yield folder
        finally:
            shutil.rmtree(folder)


def remove_abandoned(root: Path) -> int:
    """Remove the folders below `root` whose process has died; returns how many. Those in use stay."""
    removed = 0
    with _held(root):
        for folder in root.iterdir():
            if folder.is_dir() and not _is_used(folder / _LOCK):
                shutil.rmtree(folder)
                removed += 1
    return removed


@contextmanager
def _held(root: Path) -> Iterator[None]:
    """Hold the root's own lock: while a folder is made it has no lock yet."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_used(lock: Path) -> bool:
    try:
        with lock.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
