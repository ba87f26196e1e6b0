"""Recordings that lie in a bucket already: which there are, and from which places the settings let them be read."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.files import File

from lib.faults import Invalid

if TYPE_CHECKING:
    from common.bucket_storage import BucketStorage

SCHEME = "s3://"


class BucketFile(NamedTuple):
    """A file in a bucket: its address, as `s3://recordings/run-7/lid-0.mp4`, its size, and its ETag if known."""

    address: str
    bytes: int
    etag: str = ""


def files_below(prefix: str, *, after: str = "", most: int) -> list[BucketFile]:
    """The files whose address begins with the prefix, in order of their addresses.

    Args:
        prefix: As `s3://recordings/run-7/`.
        after: Only those behind this address.
        most: How many at most.

    Raises:
        Invalid: the settings do not let this place be read.
        FilesUnavailable: the bucket refuses.
    """
    bucket, key = _place(prefix, pointer="#/prefix")
    last = _place(after, pointer="#/after")[1] if after else ""
    # A bucket compares letters: without the slash it would list what only begins with the name of the place.
    inside = key if _may_read(bucket, f"{key}x") else f"{key}/"
    found = _files(bucket, inside, last)
    return list(islice(found, most))


def _files(bucket: str, prefix: str, last: str) -> Iterator[BucketFile]:
    for name, size in _storage(bucket).names(prefix, after=last):
        if not name.endswith("/"):
            yield BucketFile(f"{SCHEME}{bucket}/{name}", size)


def file_at(address: str) -> BucketFile:
    """The file with this address, with its ETag. 1 request.

    Raises:
        Invalid: the settings do not let this place be read, or there is no such file.
        FilesUnavailable: the bucket refuses.
    """
    bucket, key = _place(address, pointer="#/address")
    try:
        head = _storage(bucket).head(_plain(bucket, key))
    except (FileNotFoundError, SuspiciousOperation):
        raise Invalid.at("#/address", f"The bucket has no file {address}.") from None
    return BucketFile(address, int(head["ContentLength"]), str(head["ETag"]).strip('"'))


def opened(address: str) -> "AbstractContextManager[File[Any]]":
    """The content of the file with this address, to be read.

    Raises:
        Invalid: the settings do not let this place be read.
        FileNotFoundError, SuspiciousOperation: there is no such file.
        FilesUnavailable: the bucket refuses.
    """
    bucket, key = _place(address, pointer="#/address")
    found: File[Any] = _storage(bucket).open(_plain(bucket, key), "rb")
    return found


def check_may_be_read(address: str, *, pointer: str) -> None:
    """Raises Invalid, at this pointer, where the settings do not let the address be read."""
    _place(address, pointer=pointer)


def _plain(bucket: str, key: str) -> str:
    """The key, if it has no `..`: the storage resolves these, which would lead out of the place that may be read."""
    if _storage(bucket).key(key) != key:
        raise FileNotFoundError(key)
    return key


def _place(address: str, *, pointer: str) -> tuple[str, str]:
    """The bucket and the key of an address that may be read."""
    bucket, _, key = address.removeprefix(SCHEME).partition("/")
    if not address.startswith(SCHEME) or not _may_read(bucket, key):
        raise Invalid.at(pointer, "Files are taken from the places that CROSSWALK_S3_IMPORTS names, and this is none.")
    return bucket, key


def _may_read(bucket: str, key: str) -> bool:
    """Whether the key is a place that the settings name, or lies in one: `videos` has no `videos-private/1.mp4`."""
    allowed = [place.removeprefix(SCHEME).partition("/") for place in settings.S3_IMPORTS]
    folders = [prefix.rstrip("/") + "/" if prefix else "" for named, _, prefix in allowed if named == bucket]
    return any(f"{key}/".startswith(folder) for folder in folders)


@cache
def _storage(bucket: str) -> "BucketStorage":
    # The package for buckets takes long to load, and most servers have none.
    from common.bucket_storage import BucketStorage

    return BucketStorage(bucket_name=bucket)
