"""Files on a disk of this machine: each is stored whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage

from lib.faults import FilesUnavailable

INCOMING = ".incoming"
"""The folder, inside the storage, of files that are still being written."""


class FileStorage(FileSystemStorage):
    """Django's storage in a folder, without half-written files.

    Django's own leaves a part of a file under the file's name when the disk is full or the process is killed. Here the
    bytes go into a file of another name first, which a rename then brings to its place.
    """

    def make_folder(self) -> None:
        """Make the folder of all files, if it is not there."""
        Path(self.location).mkdir(parents=True, exist_ok=True)

    def names(self) -> Iterator[tuple[str, int]]:
        """The name and size of each stored file; half-written ones too."""
        root = Path(self.location)
        for folder, inside, files in os.walk(root):
            inside.sort()
            for file in sorted(files):
                path = Path(folder) / file
                yield path.relative_to(root).as_posix(), path.stat().st_size

    def _save(self, name: str, content: "File[Any]") -> str:
        incoming = Path(self.location) / INCOMING
        try:
            # The storage's own folder is made by `manage.py prepare` alone. If it is gone, a new one in its place would
            # hide that, and take files that are not found again.
            incoming.mkdir(exist_ok=True)
        except FileNotFoundError as error:
            raise FilesUnavailable from error
        with tempfile.NamedTemporaryFile(dir=incoming, delete=False) as file:
            whole = Path(file.name)
            try:
                for chunk in content.chunks():
                    file.write(chunk if isinstance(chunk, bytes) else chunk.encode())
                file.flush()
            except BaseException:
                whole.unlink(missing_ok=True)
                raise
        try:
            return str(super()._save(name, _Whole(whole)))  # type: ignore[misc]  # the stubs leave it out
        finally:
            # It is still there if it could not be moved.
            whole.unlink(missing_ok=True)


class _Whole(File):  # type: ignore[type-arg]  # Django's own has no parameters
    """A file that `FileSystemStorage` moves instead of copying it."""

    def __init__(self, path: Path) -> None:
        super().__init__(None, name=path.name)
        self._path = path

    def temporary_file_path(self) -> str:
        return str(self._path)


@contextmanager
def new_file(name: str, content: "File[Any]") -> Iterator[str]:
    """Store a file and yield its name in the storage; the file is deleted again if the block fails to name it in a row.

    Put the transaction inside the block, so that a commit that fails counts too.
    """
    stored = default_storage.save(name, content)
    try:
        yield stored
    except BaseException:
        default_storage.delete(stored)
        raise
