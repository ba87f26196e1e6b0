"""Copying all files from one storage to another; a copy that is stopped goes on where it stopped."""

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.core.files.storage import Storage

from common.bucket_storage import BucketStorage, reason
from common.file_storage import FileStorage

AnyStorage = BucketStorage | FileStorage
_CHUNK = 1024 * 1024
_AT_ONCE = 500
_PASSING = (".incoming/", ".probe/")
"""Where names of files begin that are not kept: half-written ones, and those of the health check."""


@dataclass
class Moved:
    """The result of a copy.

    Attributes:
        copied: How many files were copied now, and compared afterwards.
        there: How many files the target had already.
        bytes: The size of the copied files.
        removed: How many files were removed from the source.
        faults: Sentences for files that were not copied.
    """

    copied: int = 0
    there: int = 0
    bytes: int = 0
    removed: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class How:
    """The options of a copy.

    Attributes:
        replaces: Whether a file of the target that is another one of the same name is replaced.
        verifies: Whether files that both places have with the same size are read and compared too.
        removes: Whether a file is removed from the source once both copies were read and are the same.
        threads: How many files are copied at once.
    """

    replaces: bool = False
    verifies: bool = False
    removes: bool = False
    threads: int = 4


def move_files(source: AnyStorage, target: AnyStorage, how: How, progress: Callable[[Moved], object]) -> Moved:
    """Copy each file of the source that the target has not.

    Args:
        progress: Is called after every few hundred files.

    A file is in the target whole or not at all, so a file of the same size that is there is taken as copied, unless
    `how` says to read both.
    """
    moved, there = Moved(), dict(_kept(target))

    def one(file: tuple[str, int]) -> tuple[str, int, bool, str]:
        name, size = file
        try:
            is_new = _copy(source, target, name, size, there.get(name), how)
        except Exception as error:
            return name, size, False, f"{name}: {_words(error)}"
        return name, size, is_new, ""

    with ThreadPoolExecutor(how.threads) as threads:
        files = _kept(source)
        while batch := list(islice(files, _AT_ONCE)):
            for _, size, is_new, fault in threads.map(one, batch):
                if fault:
                    moved.faults.append(fault)
                    continue
                moved.copied += is_new
                moved.bytes += size * is_new
                moved.there += not is_new
                moved.removed += how.removes
            progress(moved)
    return moved


def _kept(storage: AnyStorage) -> Iterator[tuple[str, int]]:
    return (found for found in storage.names() if not found[0].startswith(_PASSING))


def _copy(source: AnyStorage, target: AnyStorage, name: str, size: int, found: int | None, how: How) -> bool:
    """Copy one file and compare the copy; False if the target had it.

    Raises:
        ValueError: the target has another file of this name, or the copy came out different.
    """
    if found is not None:
        reads = how.verifies or how.removes
        if found == size and (not reads or _sha256(source, name) == _sha256(target, name)):
            if how.removes:
                source.delete(name)
            return False
        if not how.replaces:
            raise ValueError("the target has another file of this name; --replace replaces it")
        target.delete(name)
    with source.open(name, "rb") as file:
        stored = target.save(name, file)
    if stored != name or _sha256(source, name) != _sha256(target, name):
        target.delete(stored)
        raise ValueError("the copy has another SHA-256 than the file, and was deleted")
    if how.removes:
        source.delete(name)
    return True


def _sha256(storage: Storage, name: str) -> str:
    sha = hashlib.sha256()
    with storage.open(name, "rb") as file:
        while chunk := file.read(_CHUNK):
            sha.update(chunk)
    return sha.hexdigest()


def _words(error: Exception) -> str:
    if isinstance(error, ValueError):
        return str(error)
    cause: Any = error.__cause__
    return f"{error} ({reason(cause)})" if cause else f"{type(error).__name__}: {error}"
