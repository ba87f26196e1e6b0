"""Zip files of parts with a manifest: written piece by piece, and checked before anything is read from them.

The first entry is `manifest.json`, `{"parts": [{"path", "bytes", "sha256"}, …]}`; it names every other entry. Equal
parts give equal bytes: no entry has a time.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from lib.faults import Invalid, TooLarge
from lib.strict_json import parse_json

MANIFEST = "manifest.json"
MOST_MANIFEST = 4 * 1024 * 1024
"""Bytes of a manifest."""
MOST_DIRECTORY = 4 * 1024 * 1024
"""Bytes of the directory at the end of a zip file, which is in memory as a whole."""
MOST_PARTS = 10_000
MOST_RATIO = 200
"""How many times as large as its compressed bytes a part may be."""
CHUNK = 1024 * 1024
_PATH = re.compile(r"[a-z0-9][a-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9._:-]{0,127})?(\.[a-z0-9]{1,8})?")
_WRITTEN = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can name."""


@dataclass(frozen=True)
class Part:
    """A part that is to be written; `pieces` are its `size` bytes."""

    path: str
    size: int
    sha256: str
    pieces: Iterable[bytes]

    @classmethod
    def of_text(cls, path: str, text: str) -> "Part":
        content = text.encode()
        return cls(path, len(content), hashlib.sha256(content).hexdigest(), [content])


# Writing -------------------------------------------------------------------------------------------------------------


class _Outgoing:
    """A file that can only be written to; what was written is taken from it."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def write(self, content: bytes) -> int:
        self._written.append(bytes(content))
        return len(content)

    def flush(self) -> None:
        """Nothing waits."""

    def take(self) -> bytes:
        taken, self._written = b"".join(self._written), []
        return taken


def zipped(parts: Sequence[Part], *, about: dict[str, Any]) -> Iterator[bytes]:
    """The bytes of a zip file with these parts; at most one piece of a part is in memory.

    Texts are compressed; videos, which are compressed already, are stored.

    Args:
        about: What the manifest says beside the parts.
    """
    listed = [{"path": one.path, "bytes": one.size, "sha256": one.sha256} for one in parts]
    manifest = Part.of_text(MANIFEST, json.dumps({**about, "parts": listed}, ensure_ascii=False, indent=1))
    out = _Outgoing()
    with zipfile.ZipFile(out, "w") as whole:  # type: ignore[call-overload]  # it writes, and no more
        for part in (manifest, *parts):
            entry = zipfile.ZipInfo(part.path, date_time=_WRITTEN)
            entry.file_size = part.size
            is_text = part.path.endswith(".json")
            entry.compress_type = zipfile.ZIP_DEFLATED if is_text else zipfile.ZIP_STORED
            with whole.open(entry, "w", force_zip64=part.size >= zipfile.ZIP64_LIMIT) as file:
                for piece in part.pieces:
                    file.write(piece)
                    yield out.take()
    yield out.take()


# Reading -------------------------------------------------------------------------------------------------------------


class _Incoming:
    """A file that refuses to be read in large pieces, as a zip file with a giant directory would have it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        found = self._file.read(MOST_DIRECTORY + 1 if size < 0 else min(size, MOST_DIRECTORY + 1))
        if len(found) > MOST_DIRECTORY:
            raise TooLarge("The directory of this zip file is too large.")
        return found


class PartFile:
    """A zip file whose manifest and entries agree. The content of a part is checked when it is read.

    Args:
        most_bytes: What all parts may have together.

    Raises:
        Invalid: it is no zip file of parts; an entry is not in the manifest, has a path that is none of ours, is
            encrypted, compressed in another way, or named twice.
        TooLarge: the parts are too many or too large, together or against their compressed bytes.
    """

    def __init__(self, file: IO[bytes], *, most_bytes: int) -> None:
        try:
            self._zip = zipfile.ZipFile(_Incoming(file))
            self._entries = _checked_entries(self._zip.infolist(), most_bytes)
            self.about = self._manifest()
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise Invalid(f"This is no zip file that can be read: {error}.") from None
        self._sums = {one["path"]: one for one in self.about["parts"]}
        unknown = sorted(self._entries.keys() ^ {MANIFEST, *self._sums})
        if unknown or len(self._sums) != len(self.about["parts"]):
            raise Invalid(f"The manifest and the entries of this file differ: {', '.join(unknown[:5])}.")

    def _manifest(self) -> dict[str, Any]:
        entry = self._entries.get(MANIFEST)
        if entry is None:
            raise Invalid(f"This zip file has no {MANIFEST}.")
        if entry.file_size > MOST_MANIFEST:
            raise TooLarge(f"{MANIFEST} has at most {MOST_MANIFEST} bytes.")
        found = parse_json(self._zip.read(entry))
        if not _is_manifest(found):
            raise Invalid(f"{MANIFEST} is not {{'parts': [{{'path', 'bytes', 'sha256'}}, …]}}.")
        return dict(found)

    @property
    def paths(self) -> list[str]:
        """The paths of all parts, in the order of the manifest."""
        return list(self._sums)

    def sha256_of(self, path: str) -> str:
        return str(self._sums[path]["sha256"])

    def pieces(self, path: str) -> Iterator[bytes]:
        """The bytes of a part.

        Raises:
            Invalid: at the end, if they are not those that the manifest names.
        """
        named, found, size = self._sums[path], hashlib.sha256(), 0
        try:
            with self._zip.open(self._entries[path]) as file:
                while piece := file.read(CHUNK):
                    found.update(piece)
                    size += len(piece)
                    yield piece
        except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise Invalid(f"{path} cannot be read: {error}.") from None
        if (size, found.hexdigest()) != (named["bytes"], named["sha256"]):
            raise Invalid(f"{path} has the SHA-256 {found.hexdigest()}, not the one in the manifest.")

    def text(self, path: str, *, most_bytes: int) -> str:
        """A part as text.

        Raises:
            Invalid: it is not there, is not what the manifest names, or is no UTF-8.
            TooLarge
        """
        if path not in self._sums:
            raise Invalid(f"This zip file has no {path}.")
        if self._entries[path].file_size > most_bytes:
            raise TooLarge(f"{path} has at most {most_bytes} bytes.")
        try:
            return b"".join(self.pieces(path)).decode()
        except UnicodeDecodeError:
            raise Invalid(f"{path} is not UTF-8.") from None


def _checked_entries(entries: Sequence[zipfile.ZipInfo], most_bytes: int) -> dict[str, zipfile.ZipInfo]:
    if len(entries) > MOST_PARTS:
        raise TooLarge(f"This zip file has {len(entries)} entries; at most {MOST_PARTS} are taken.")
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        # The name as it stands in the file: Python cuts it at a zero byte.
        if not _PATH.fullmatch(entry.orig_filename) or entry.orig_filename in found:
            raise Invalid(f"The entry {entry.orig_filename[:100]!r} has a name that is not taken, or has it twice.")
        if entry.flag_bits & 1 or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Invalid(f"The entry {entry.filename} is encrypted, or compressed in a way that is not taken.")
        if entry.file_size > MOST_RATIO * max(entry.compress_size, 1024):
            raise TooLarge(f"The entry {entry.filename} is over {MOST_RATIO} times as large as its compressed bytes.")
        found[entry.filename] = entry
    if sum(entry.file_size for entry in entries) > most_bytes:
        raise TooLarge(f"The parts of this zip file have more than {most_bytes} bytes together.")
    return found


def _is_manifest(found: Any) -> bool:
    parts = found.get("parts") if isinstance(found, dict) else None
    return isinstance(parts, list) and all(
        isinstance(one, dict)
        and isinstance(one.get("path"), str)
        and type(one.get("bytes")) is int
        and isinstance(one.get("sha256"), str)
        for one in parts
    )
