"""Copying recordings from a bucket into uploads. A worker that dies loses at most the file that it was copying.

`begin_copies` makes the uploads, in the caller's transaction, and `copy_files` fills them in a background job.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from time import monotonic

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.db import transaction

from evaluation.bucket_files.imports import BucketFile, check_may_be_read, file_at, opened
from evaluation.models import Upload
from evaluation.uploads import fill, keep_whole
from jobs.models import Job
from jobs.outbox import Running, enqueue
from lib.faults import CrosswalkError, FilesUnavailable, Invalid, NotFound, TooLarge

logger = logging.getLogger(__name__)

COPY = "evaluation.copy_file"
"""The kind of the background job."""
MOST_FILES = 10_000
"""How many files one call of `begin_copies` takes."""
SMALL = 8 * 1024 * 1024
"""A file of at most so many bytes is copied while the request waits."""
REPORT_EVERY_S = 2.0
CRASHED = "copy_failed"
"""The problem code of a copy that failed for a reason which is not in its file."""
_CHUNK = 1024 * 1024


def begin_copies(files: Sequence[BucketFile], *, at: datetime) -> list[Upload]:
    """Make an open upload for each file, in their order, for `copy_files` to fill. 1 query for many; no request.

    Raises:
        TooLarge: a file has more bytes than a video may have, or there are more than `MOST_FILES`; none is begun.
        Invalid: the settings do not let a file be read; none is begun.
    """
    if len(files) > MOST_FILES:
        raise TooLarge(f"These are {len(files)} files. At most {MOST_FILES} are copied at once.")
    for file in files:
        check_may_be_read(file.address, pointer="#/address")
        _check_size(file)
    return Upload.objects.bulk_create(
        Upload(
            filename=_filename(file.address),
            bytes=file.bytes,
            source=file.address,
            source_etag=file.etag,
            created_at=at,
        )
        for file in files
    )


def copy_files(uploads: Iterable[Upload], *, on_bytes: Callable[[int], None]) -> Iterator[Upload]:
    """Copy files of a bucket one after another, and yield each upload when it is complete or has failed.

    After a crash call it again with the same uploads, freshly read: those that are complete or have failed are yielded
    as they are, and the others are copied. A file that is gone or too large fails alone (`problem_code`).

    Args:
        on_bytes: Called after each file, and every `REPORT_EVERY_S` within one, with the bytes of all uploads so far.
            What it raises ends the copying; the unfinished file begins anew next time.

    Raises:
        FilesUnavailable: the bucket refuses or does not answer. What was yielded stays; call it again later.
        Conflict: another process has completed the same upload meanwhile, or has deleted it.
    """
    before = 0
    for upload in uploads:
        if upload.state == Upload.State.OPEN:
            _copy(upload, before, on_bytes)
        before += upload.bytes
        on_bytes(before)
        yield upload


def _copy(upload: Upload, before: int, on_bytes: Callable[[int], None]) -> None:
    try:
        with opened(upload.source) as file:
            fill(upload, _counted(file.chunks(_CHUNK), before, on_bytes))
    except (FileNotFoundError, SuspiciousOperation):
        _fail(upload, Invalid(f"The bucket has no file {upload.source} any more."))
    except (Invalid, TooLarge) as refusal:
        _fail(upload, refusal)


def _counted(pieces: Iterable[bytes], before: int, on_bytes: Callable[[int], None]) -> Iterator[bytes]:
    told_at = monotonic()
    for piece in pieces:
        yield piece
        before += len(piece)
        if monotonic() - told_at >= REPORT_EVERY_S:
            on_bytes(before)
            told_at = monotonic()


def _fail(upload: Upload, refusal: CrosswalkError) -> None:
    upload.state, upload.problem_code, upload.problem_detail = Upload.State.FAILED, refusal.code, refusal.detail
    Upload.objects.filter(pk=upload.pk, state=Upload.State.OPEN).update(
        state=upload.state, problem_code=upload.problem_code, problem_detail=upload.problem_detail
    )


# One file, for the API -----------------------------------------------------------------------------------------------


def import_file(address: str, *, at: datetime) -> Upload:
    """Copy a small file at once, and begin the copy of a larger one in the background. 1 request before the copy.

    The same file (by its ETag) that was imported before, and that no episode has named yet, is answered again, and is
    kept as long as a new one. So a repeated request changes nothing, though the server died after the first.

    Raises:
        Invalid: the settings do not let this place be read, or there is no such file.
        TooLarge: it has more bytes than a video may have.
        FilesUnavailable: the bucket refuses.
    """
    file = file_at(address)
    _check_size(file)
    same = Upload.objects.filter(source=file.address, source_etag=file.etag, is_named=False)
    earlier = same.exclude(state=Upload.State.FAILED).order_by("pk").first()
    if earlier is not None and same.filter(pk=earlier.pk).update(created_at=at):
        return earlier
    if file.bytes > SMALL:
        with transaction.atomic():
            (upload,) = begin_copies([file], at=at)
            enqueue(COPY, str(upload.pk), unique_key=f"{COPY}:{upload.pk}")
        return upload
    try:
        with opened(address) as content:
            return keep_whole(
                filename=_filename(address),
                pieces=content.chunks(_CHUNK),
                at=at,
                source=address,
                source_etag=file.etag,
            )
    except FileNotFoundError:
        raise Invalid.at("#/address", f"The bucket has no file {address} any more.") from None


def import_named(public_id: str) -> Upload:
    """The upload with this public id that is a copy of a file in a bucket. Raises NotFound. 1 query."""
    found = Upload.objects.exclude(source="").filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def copy_in_background(running: Running) -> None:
    """Job handler. It may run again after a crash; it does nothing for a copy that is no longer open."""
    uploads = list(Upload.objects.filter(pk=running.subject))
    size = max(1, sum(upload.bytes for upload in uploads))
    for upload in copy_files(uploads, on_bytes=lambda done: running.report(done / size)):
        logger.info("import.copied", extra={"upload": upload.public_id, "state": upload.state})


def abandon(subject: str) -> None:
    """Mark the copy as failed when every attempt of its job has failed; staff see the job's error."""
    sentence = "The file could not be copied, and we could not find out why. Import it again."
    Upload.objects.filter(pk=subject, state=Upload.State.OPEN).update(
        state=Upload.State.FAILED, problem_code=CRASHED, problem_detail=sentence
    )


def progress(upload: Upload) -> tuple[float, CrosswalkError | None]:
    """How much of the copy is made, in 0..1, and why it waits, if it does. At most 1 query."""
    if upload.state == Upload.State.COMPLETE:
        return 1.0, None
    job = Job.objects.filter(kind=COPY, subject=str(upload.pk)).order_by("-pk").first()
    if job is None:
        return 0.0, None
    return job.progress, FilesUnavailable() if upload.state == Upload.State.OPEN and job.held_since else None


def _check_size(file: BucketFile) -> None:
    if file.bytes > settings.VIDEO_MAX_BYTES:
        raise TooLarge(
            f"{file.address} has {file.bytes} bytes. A video has at most {settings.VIDEO_MAX_BYTES} bytes here "
            "(CROSSWALK_VIDEO_MAX_MB)."
        )


def _filename(address: str) -> str:
    return address.rpartition("/")[2][:255]
