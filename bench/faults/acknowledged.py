"""A file outside of the server that holds each acknowledged act, one JSON object a line."""

import json
import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

Line = dict[str, Any]


class Acknowledged:
    """A file of lines, each of which is on the disk before the next request is sent.

    Attributes:
        count: The number of operations in the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.kinds: Counter[str] = Counter()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._lock = threading.Lock()

    def note(self, kind: str, **what: Any) -> None:
        """Add an operation that was acknowledged."""
        line = json.dumps({"kind": kind, **what}).encode() + b"\n"
        with self._lock:
            os.write(self._file, line)
            self.count += 1
            self.kinds[kind] += 1

    def close(self) -> None:
        os.close(self._file)

    def lines(self, kind: str) -> list[Line]:
        found = (json.loads(line) for line in self.path.read_text().splitlines())
        return [line for line in found if line["kind"] == kind]
