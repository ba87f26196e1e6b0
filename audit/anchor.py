"""The anchor file: heads of the audit log's hash chain, kept outside the database.

Whoever can write to the database can compute the whole chain anew, or cut its end off. The heads in this file then no
longer fit. A line is added whenever events were sealed; nothing in the file is ever changed.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from django.conf import settings


class Head(NamedTuple):
    """The last event of the chain at some time: its number (0: the chain is empty) and its digest."""

    number: int
    digest: str

    def __str__(self) -> str:
        return f"{self.number}:{self.digest}"


class Anchors(NamedTuple):
    """The heads in the file; the numbers of the lines that are not heads; whether the file exists."""

    heads: list[Head]
    unreadable_lines: list[int]
    exists: bool


def anchor_file() -> Path:
    """The path of the file."""
    return Path(settings.AUDIT_ANCHOR_DIR) / "heads.jsonl"


@contextmanager
def locked() -> Iterator[None]:
    """Let one process or thread of those that share the folder seal and anchor at a time. Makes the folder."""
    folder = anchor_file().parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def add(head: Head, *, at: datetime) -> None:
    """Add a line for this head at the end of the file, which is readable by its owner alone. Call it `locked`."""
    path = anchor_file()
    line = json.dumps({"number": head.number, "digest": head.digest, "at": at.isoformat()}) + "\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def read() -> Anchors:
    """Every head in the file."""
    path = anchor_file()
    if not path.exists():
        return Anchors([], [], exists=False)
    with path.open(encoding="utf-8", errors="replace") as lines:
        return _parsed(lines)


def _parsed(lines: Iterable[str]) -> Anchors:
    heads, unreadable = [], []
    for place, line in enumerate(lines, 1):
        try:
            found = json.loads(line)
            heads.append(Head(int(found["number"]), str(found["digest"])))
        except (ValueError, TypeError, KeyError):
            unreadable.append(place)
    return Anchors(heads, unreadable, exists=True)


def last_number() -> int:
    """The number in the last line of the file; 0 if there is none. Reads the end of the file only."""
    path = anchor_file()
    if not path.exists():
        return 0
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 1024))
        heads = _parsed(file.read().decode(errors="replace").splitlines()[-1:]).heads
    return heads[-1].number if heads else 0
