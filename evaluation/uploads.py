"""Uploads in parts. The address of a part is signed, so a client sends no header with it.

The parts come to this server, or where clients reach its bucket (`evaluation/bucket_files/direct_uploads.py`) go there.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import ModuleType
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.files.temp import NamedTemporaryFile
from django.core.signing import BadSignature, TimestampSigner
from django.db import transaction
from django.db.models import Q

from common.file_storage import new_file
from evaluation.models import Upload, UploadPart
from lib.faults import Conflict, Fault, Invalid, NotFound, TooLarge

_signer = TimestampSigner(salt="crosswalk.upload")
PART_ADDRESS_MAX_AGE_S = 24 * 3600
_CHUNK = 1024 * 1024
KEEP_UNFINISHED = timedelta(days=2)
"""How long an unfinished upload is kept after it began."""


def begin(*, filename: str, size: int, sha256: str = "", at: datetime, is_direct: bool = False) -> Upload:
    """Create the upload of a file that a client announces.

    Args:
        sha256: Empty: the client cannot tell, as a browser with a file that is larger than its memory. Then the length
            of each part is all that is checked.
        is_direct: Whether the client may be given addresses in the bucket. A browser would need the bucket's consent.

    Raises:
        TooLarge: the file has more bytes than a video may have.
    """
    if size > settings.VIDEO_MAX_BYTES:
        raise TooLarge(f"A video has at most {settings.VIDEO_MAX_BYTES} bytes here.")
    upload = Upload(filename=filename, bytes=size, sha256=sha256.lower(), created_at=at)
    if is_direct and getattr(default_storage, "direct_origin", False):
        _direct_uploads().begin(upload)
    upload.save()
    return upload


def upload_named(public_id: str) -> Upload:
    """The upload with this public id. Raises NotFound. 1 query."""
    found = Upload.objects.filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def parts_of(upload: Upload) -> list[dict[str, Any]]:
    """For each part its number and the signed address to send it to."""
    numbers = [*_lengths(upload)]
    if _goes_to_the_bucket(upload):
        urls = _direct_uploads().addresses(upload, len(numbers), seconds=PART_ADDRESS_MAX_AGE_S)
    else:
        urls = [_part_url(upload, number) for number in numbers]
    return [
        {"number": number, "url": url, "method": "PUT", "headers": {}}
        for number, url in zip(numbers, urls, strict=True)
    ]


def _lengths(upload: Upload) -> dict[int, int]:
    """How many bytes each part has, by its number."""
    count = -(-upload.bytes // settings.UPLOAD_PART_BYTES)
    return {
        number: min(settings.UPLOAD_PART_BYTES, upload.bytes - (number - 1) * settings.UPLOAD_PART_BYTES)
        for number in range(1, count + 1)
    }


def _direct_uploads() -> ModuleType:
    # The package for buckets takes long to load, and most servers have none.
    from evaluation.bucket_files import direct_uploads

    return direct_uploads


def _goes_to_the_bucket(upload: Upload) -> bool:
    return upload.state == Upload.State.OPEN and bool(upload.file)


def _part_url(upload: Upload, number: int) -> str:
    signed = _signer.sign(f"{upload.public_id}/{number}").rsplit(":", 2)
    path = f"{settings.UPLOADS_PATH}{upload.public_id}/parts/{number}/"
    return f"{settings.PUBLIC_URL}{path}?at={signed[1]}&signature={signed[2]}"


def check_part_address(public_id: str, number: int, *, at: str, signature: str) -> Upload:
    """The upload to which a part's signed address belongs.

    Raises:
        NotFound: the signature is wrong or too old, or the upload does not exist.
    """
    try:
        _signer.unsign(f"{public_id}/{number}:{at}:{signature}", max_age=PART_ADDRESS_MAX_AGE_S)
    except BadSignature:
        raise NotFound from None
    return upload_named(public_id)


def receive_part(*, upload: Upload, number: int, stream: BinaryIO) -> str:
    """Store one part; it replaces an earlier attempt at the same part.

    Returns:
        The part's ETag: its SHA-256.

    Raises:
        Conflict: the upload is complete.
        Invalid: the part does not have the length that this part must have.
    """
    if upload.state == Upload.State.COMPLETE:
        raise Conflict("This upload is complete; its parts cannot change.")
    wanted = _lengths(upload).get(number, 0)
    sha, got = hashlib.sha256(), 0
    with NamedTemporaryFile(suffix=".part") as spool:
        while chunk := stream.read(_CHUNK):
            got += len(chunk)
            if got > wanted:
                break
            sha.update(chunk)
            spool.write(chunk)
        if got != wanted:
            raise Invalid(f"Part {number} must have {wanted} bytes; {'more' if got > wanted else got} came.")
        spool.seek(0)
        etag = sha.hexdigest()
        with new_file(f"uploads/{upload.public_id}/{number}", File(spool)) as name:
            earlier = UploadPart.objects.filter(upload=upload, number=number).first()
            UploadPart.objects.update_or_create(upload=upload, number=number, defaults={"etag": etag, "file": name})
    if earlier and earlier.file != name:
        default_storage.delete(earlier.file)
    return etag


def complete(*, upload: Upload, parts: list[dict[str, Any]]) -> Upload:
    """Join the parts and check the whole file. Completing an upload again changes nothing.

    Raises:
        Invalid: a part is missing or has another ETag, or the SHA-256 of the whole is not the announced one.
        FilesUnavailable: the bucket refuses.
    """
    if upload.state == Upload.State.COMPLETE:
        return upload
    named = {part["number"]: part["etag"].strip('"') for part in parts}
    if _goes_to_the_bucket(upload):
        sha256 = _direct_uploads().join(upload, _lengths(upload), named)
        upload.state, upload.sha256 = Upload.State.COMPLETE, sha256
        upload.save(update_fields=["state", "sha256"])
        return upload
    kept = {part.number: part for part in upload.parts.order_by("number")}
    faults = []
    for number in _lengths(upload):
        if number not in kept:
            faults.append(Fault("#/parts", f"Part {number} has not arrived."))
        elif named.get(number) != kept[number].etag:
            faults.append(Fault("#/parts", f"Part {number} arrived with the ETag {kept[number].etag!r}."))
    if faults:
        raise Invalid(faults=faults)
    sha = hashlib.sha256()
    with NamedTemporaryFile(suffix=".whole") as whole:
        for chunk in _chunks(upload):
            sha.update(chunk)
            whole.write(chunk)
        if upload.sha256 and sha.hexdigest() != upload.sha256:
            raise Invalid.at("#/sha256", f"The whole file has the SHA-256 {sha.hexdigest()}, not the one announced.")
        whole.seek(0)
        with new_file(f"uploads/{upload.public_id}/whole", File(whole)) as upload.file:
            upload.state, upload.sha256 = Upload.State.COMPLETE, sha.hexdigest()
            upload.save(update_fields=["file", "state", "sha256"])
    for kept_part in kept.values():
        default_storage.delete(kept_part.file)
    return upload


def _chunks(upload: Upload) -> Iterator[bytes]:
    for part in upload.parts.order_by("number"):
        with default_storage.open(part.file, "rb") as file:
            yield from file.chunks(_CHUNK)


def keep_whole(
    *, filename: str, pieces: Iterable[bytes], sha256: str = "", at: datetime, source: str = "", source_etag: str = ""
) -> Upload:
    """Keep a file that is there as a whole; it is deleted in time unless an episode names it.

    Args:
        sha256: Empty: it is worked out.
        source, source_etag: Where it lies in a bucket, and its ETag there.

    Raises:
        TooLarge: it has more bytes than a video may have.
    """
    upload = Upload(filename=filename, sha256=sha256, created_at=at, source=source, source_etag=source_etag)
    with _stored(upload, pieces):
        upload.save()
    return upload


def fill(upload: Upload, pieces: Iterable[bytes]) -> None:
    """Complete an open upload without parts by these bytes.

    Raises:
        TooLarge: they are more than a video may have.
        Conflict: another process has completed the upload, or deleted it; nothing of these bytes is kept.
    """
    with _stored(upload, pieces):
        kept = {name: getattr(upload, name) for name in ("bytes", "sha256", "file", "state")}
        if not Upload.objects.filter(pk=upload.pk, state=Upload.State.OPEN).update(**kept):
            raise Conflict("This upload is no longer open.")


@contextmanager
def _stored(upload: Upload, pieces: Iterable[bytes]) -> Iterator[None]:
    """Store the bytes as the file of the upload and mark it complete; the block saves the row."""
    sha, count = hashlib.sha256(), 0
    with NamedTemporaryFile(suffix=".whole") as whole:
        for piece in pieces:
            count += len(piece)
            if count > settings.VIDEO_MAX_BYTES:
                raise TooLarge(f"A video has at most {settings.VIDEO_MAX_BYTES} bytes here.")
            sha.update(piece)
            whole.write(piece)
        whole.seek(0)
        with new_file(f"uploads/{upload.public_id}/whole", File(whole)) as upload.file:
            upload.bytes, upload.sha256 = count, upload.sha256 or sha.hexdigest()
            upload.state = Upload.State.COMPLETE
            yield


def name_upload(file: str) -> bool:
    """Note that an episode has this stored file; False if its upload is gone. Call it in the episode's transaction.

    Locks: the upload's row, so `forget_unused` waits for the commit.
    """
    return Upload.objects.filter(file=file).update(is_named=True) == 1


def forget_unused(at: datetime) -> int:
    """Delete unfinished and failed uploads, and complete ones that no episode has named in time; returns how many."""
    # An unfinished copy of a bucket's file waits for its job, maybe for days.
    copying = Q(state=Upload.State.OPEN) & ~Q(source="")
    is_late = Q(created_at__lt=at - timedelta(days=settings.UPLOAD_KEEP_DAYS))
    unfinished = ~Q(state=Upload.State.COMPLETE) & ~copying & Q(created_at__lt=at - KEEP_UNFINISHED)
    unused = Upload.objects.filter(unfinished | (Q(state=Upload.State.COMPLETE) | copying) & is_late, is_named=False)
    return sum(forget(pk) for pk in list(unused.values_list("pk", flat=True)))


def forget(pk: int) -> bool:
    """Delete the upload and then its files, unless an episode has named it meanwhile."""
    with transaction.atomic():
        # Of the two, whoever has the row first decides.
        upload = Upload.objects.select_for_update().filter(pk=pk, is_named=False).first()
        if upload is None:
            return False
        files = [*upload.parts.values_list("file", flat=True), *([upload.file] if upload.file else [])]
        is_open_in_bucket = _goes_to_the_bucket(upload)
        upload.delete()
    if is_open_in_bucket:
        _direct_uploads().drop(upload.file)
    for name in files:
        default_storage.delete(name)
    return True
