"""A world that is made once for a file of tests, because it costs more than they do: each gets it as it was made."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Generic, TypeVar

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker

T = TypeVar("T")


@dataclass(frozen=True)
class Made(Generic[T]):
    """What was made, and the folder with the files that were stored for it."""

    original: T
    files: Path

    def again(self, copy: Callable[[T], T] = deepcopy) -> T:
        """For one test, whose own savepoint undoes what it does to the rows: the objects and files are copies."""
        if self.files.exists():
            copytree(self.files, default_storage.path(""), dirs_exist_ok=True)
        return copy(self.original)


@contextmanager
def made_once(make: Callable[[], T], blocker: DjangoDbBlocker, folder: Path) -> Iterator[Made[T]]:
    """Make it in a transaction around those of the tests, with files and a cache of its own as each test has them."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder / "files"}}
    storages = {**settings.STORAGES, "default": files}
    cache = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": str(folder)}
    around = transaction.atomic()
    with blocker.unblock():
        around.__enter__()
    try:
        with blocker.unblock(), override_settings(STORAGES=storages, CACHES={"default": cache}):
            original = make()
        yield Made(original, folder / "files")
    finally:
        with blocker.unblock():
            transaction.set_rollback(True)
            around.__exit__(None, None, None)
