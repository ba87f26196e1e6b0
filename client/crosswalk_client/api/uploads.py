"""`client.uploads`: files of any size in parts, which go on where they were cut off."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crosswalk_client.calls import Mode, Resource, call, pages
from crosswalk_client.errors import Conflict, Forbidden, Invalid, NotFound
from crosswalk_client.requests import Pages, Plan, Request, get, path_of, post, sent
from crosswalk_client.types import BucketFileAnswer, ImportAnswer

Progress = Callable[[int, int], None]
"""Is called with the bytes sent so far and all bytes of the file."""
KEPT_S = 20 * 3600
"""How long begun uploads are gone on with; the server's addresses of parts work for 24 hours."""
ASK_EVERY_S = 2.0
_CHUNK = 1024 * 1024


class Uploads(Resource[Mode]):
    @call
    def send(self, path: str | Path, *, progress: Progress | None = None, notes: Path | None = None) -> Plan[str]:
        """Send a file in parts; the id of the upload.

        Args:
            notes: A file in which the parts that were sent are noted. If the upload is cut off, calling this again
                with the same file and notes sends the remaining parts alone.
        """
        return upload(Path(path), progress=progress, notes=notes)

    @pages
    def in_bucket(self, prefix: str) -> Pages[BucketFileAnswer]:
        """The files whose address begins with the prefix, as `s3://recordings/run-7/`, that the server may copy."""
        return Pages(Request("GET", "imports/", {"prefix": prefix}))

    @call
    def copy(self, address: str, *, progress: Progress | None = None) -> Plan[ImportAnswer]:
        """Let the server copy a file of a bucket, and wait until its `upload` is complete.

        Raises:
            Invalid: the copy has failed.
        """
        return copied(address, progress=progress)

    @call
    def begin_copy(self, address: str) -> Plan[ImportAnswer]:
        """Let the server copy a file of a bucket; do not wait. The same file again gets the same `upload`."""
        return post("imports/", {"address": address})

    @call
    def copying(self, upload: str) -> Plan[ImportAnswer]:
        """How far the copy of a file in a bucket is."""
        return get(path_of("imports", upload))


def upload(path: Path, *, progress: Progress | None = None, notes: Path | None = None) -> Plan[str]:
    """The requests of an upload."""
    size, sha256 = path.stat().st_size, digest(path)
    kept = _read(notes, sha256)
    if kept is not None:
        try:
            return (yield from _rest(path, kept, progress, notes))
        except (NotFound, Forbidden, Invalid, Conflict):
            pass  # the server has forgotten it, or its addresses are too old: it begins anew
    begun = yield from post("uploads/", {"filename": path.name, "bytes": size, "sha256": sha256})
    fresh = {**begun, "sha256": sha256, "bytes": size, "begun_at": time.time(), "sent": {}}
    return (yield from _rest(path, fresh, progress, notes))


def copied(address: str, *, progress: Progress | None = None) -> Plan[ImportAnswer]:
    """The requests of a copy that is waited for."""
    found: ImportAnswer = yield from post("imports/", {"address": address})
    # An older server copies while the request waits, and its answer has no `state`.
    while found.get("state", "complete") == "copying":
        if progress is not None:
            progress(int(found["progress"] * found["bytes"]), found["bytes"])
        found = yield from sent(Request("GET", path_of("imports", found["upload"]), after_s=ASK_EVERY_S))
    if problem := found.get("problem"):
        raise Invalid(f"{address}: {problem['detail']}", code=problem["code"])
    if progress is not None:
        progress(found["bytes"], found["bytes"])
    return found


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            sha.update(chunk)
    return sha.hexdigest()


def _rest(path: Path, kept: dict[str, Any], progress: Progress | None, notes: Path | None) -> Plan[str]:
    """Send the parts that are missing, and complete the upload."""
    size, part_bytes = kept["bytes"], kept["part_bytes"]
    with path.open("rb") as file:
        for part in kept["parts"]:
            number = str(part["number"])
            if number not in kept["sent"]:
                file.seek((part["number"] - 1) * part_bytes)
                headers = {"Content-Type": "application/octet-stream", **part["headers"]}
                content = file.read(part_bytes)
                answer = yield Request(part["method"], part["url"], content=content, headers=headers)
                kept["sent"][number] = answer.headers.get("etag", "")
                _write(notes, kept)
            if progress is not None:
                progress(min(part["number"] * part_bytes, size), size)
    tags = [{"number": part["number"], "etag": kept["sent"][str(part["number"])]} for part in kept["parts"]]
    yield from post(path_of("uploads", kept["upload"], "complete"), {"parts": tags})
    if notes is not None:
        notes.unlink(missing_ok=True)
    return str(kept["upload"])


def _read(notes: Path | None, sha256: str) -> dict[str, Any] | None:
    """The notes of an earlier attempt with the same content that is not too old."""
    if notes is None:
        return None
    try:
        kept = json.loads(notes.read_text())
    except (OSError, ValueError):
        return None
    is_of_file = isinstance(kept, dict) and kept.get("sha256") == sha256
    return kept if is_of_file and time.time() - kept["begun_at"] < KEPT_S else None


def _write(notes: Path | None, kept: dict[str, Any]) -> None:
    if notes is not None:
        notes.parent.mkdir(parents=True, exist_ok=True)
        unfinished = notes.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(kept))
        unfinished.replace(notes)
