"""Recordings that lie in a bucket already: the server copies them, from the places that its settings name alone."""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.core.exceptions import SuspiciousOperation

from evaluation.models import Upload
from evaluation.uploads import forget, keep_whole
from lib.faults import Invalid

if TYPE_CHECKING:
    from common.bucket_storage import BucketStorage

SCHEME = "s3://"
_CHUNK = 1024 * 1024


class BucketFile(NamedTuple):
    """A file in a bucket: its address, as `s3://recordings/run-7/lid-0.mp4`, and its size."""

    address: str
    bytes: int


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


def import_file(address: str, *, at: datetime) -> Upload:
    """Copy a file from a bucket; the complete upload, which an episode then names.

    Raises:
        Invalid: the settings do not let this place be read, or there is no such file.
        TooLarge: it has more bytes than a video may have.
        FilesUnavailable: the bucket refuses.
    """
    bucket, key = _place(address, pointer="#/address")
    storage = _storage(bucket)
    try:
        # The storage resolves `..`, which would lead out of the place that may be read.
        if storage.key(key) != key:
            raise FileNotFoundError
        with storage.open(key, "rb") as file:
            copied = keep_whole(filename=key.rpartition("/")[2][:255], pieces=file.chunks(_CHUNK), at=at)
    except (FileNotFoundError, SuspiciousOperation):
        raise Invalid.at("#/address", f"The bucket has no file {address}.") from None
    return _copied_before(copied, at=at) or copied


def _copied_before(copied: Upload, *, at: datetime) -> Upload | None:
    """An earlier copy of the same file that no episode has named yet, in whose favour this one is given up.

    A request that is repeated after the server died leaves one copy, not two; it is kept as long as a new one. Of two
    requests at once only the later one gives up its copy.
    """
    same = Upload.objects.filter(state=Upload.State.COMPLETE, is_named=False, filename=copied.filename)
    found = same.filter(sha256=copied.sha256, pk__lt=copied.pk).order_by("pk").first()
    if found is None or not same.filter(pk=found.pk).update(created_at=at):
        return None
    forget(copied.pk)
    return found


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
