"""The journal of what was posted from this account, so that a command that was cut off goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from pathlib import Path
from typing import Any

from crosswalk_client.cli.posting.plan import Post


class Journal:
    """The posts to one server that it has answered. It may be used by several threads.

    A post is known by its data and by its files' paths, sizes and times: a file that changes is posted again.
    """

    def __init__(self, url: str) -> None:
        folder = state_folder() / hashlib.sha256(url.encode()).hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._uploads = folder / "uploads"
        self._path = folder / "posted.txt"
        self._done = set(self._path.read_text().split()) if self._path.exists() else set()
        self._lock = threading.Lock()

    def has(self, post: Post) -> bool:
        return _mark(post) in self._done

    def add(self, post: Post) -> None:
        mark = _mark(post)
        with self._lock, self._path.open("a") as file:
            file.write(f"{mark}\n")
            self._done.add(mark)

    def notes(self, post: Post) -> Path:
        """Where the parts of this post's upload are noted."""
        return self._uploads / f"{_mark(post)}.json"


def state_folder() -> Path:
    folder = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(folder) / "crosswalk"


def _mark(post: Post) -> str:
    files = [path for path in (post.video, post.trajectory) if isinstance(path, Path)]
    facts: list[Any] = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    if isinstance(post.video, str):
        facts.append((post.video, post.bytes))
    return hashlib.sha256(json.dumps([post.data, facts], sort_keys=True).encode()).hexdigest()
