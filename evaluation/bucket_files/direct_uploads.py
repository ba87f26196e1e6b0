"""Uploads whose parts clients send to the bucket itself. The rows are those of all uploads; the bucket knows the parts.

An upload of this kind has a `file` from its beginning, under which the bucket keeps it; any other one only at its end.
"""

import hashlib
import logging
from typing import Any

from django.core.files.storage import default_storage

from common.bucket_parts import Part, begin_parts, drop_parts, join_parts, part_addresses, parts_there
from common.bucket_storage import BucketStorage, WrongOrigin
from evaluation.models import Upload
from lib.faults import Fault, FilesUnavailable, Invalid

logger = logging.getLogger(__name__)
_CHUNK = 1024 * 1024


def begin(upload: Upload) -> bool:
    """Let the upload's parts go to the bucket; False if it refuses, so that they go through the server.

    Sets `upload.file`; the caller saves the row.
    """
    name = f"uploads/{upload.public_id}/whole"
    try:
        begin_parts(_bucket(), name)
        parts_there(_bucket(), name)
        part_addresses(_bucket(), name, 1, seconds=60)
    except (FilesUnavailable, FileNotFoundError, WrongOrigin) as error:
        logger.warning("uploads.not_direct", extra={"cause": str(error)})
        return False
    upload.file = name
    return True


def addresses(upload: Upload, count: int, *, seconds: int) -> list[str]:
    """The address in the bucket for each part."""
    return part_addresses(_bucket(), upload.file, count, seconds=seconds)


def join(upload: Upload, wanted: dict[int, int], named: dict[int, str]) -> str:
    """Join the parts and check the whole file. If it was joined before, it is only checked.

    Args:
        wanted: The bytes that each part must have.
        named: The ETag of each part, as the client was told by the bucket.

    Returns:
        The SHA-256 of the whole.

    Raises:
        Invalid: a part is missing, has another length or another ETag, or the whole is not what was announced. In the
            last case nothing of the upload is kept.
        FilesUnavailable: the bucket refuses.
    """
    storage = _bucket()
    try:
        there = {part.number: part for part in parts_there(storage, upload.file)}
        if faults := _faults(wanted, there, named):
            raise Invalid(faults=faults)
        join_parts(storage, upload.file, [there[number] for number in sorted(wanted)])
    except FileNotFoundError:
        # An earlier attempt joined it, and died before it could say so.
        if not storage.exists(upload.file):
            raise Invalid("The bucket has dropped this upload. Begin another one.") from None
    sha = hashlib.sha256()
    with storage.open(upload.file, "rb") as file:
        for chunk in file.chunks(_CHUNK):
            sha.update(chunk)
    if upload.sha256 and sha.hexdigest() != upload.sha256:
        storage.delete(upload.file)
        upload.delete()
        raise Invalid.at(
            "#/sha256",
            f"The whole file has the SHA-256 {sha.hexdigest()}, not the one announced. Nothing of it is kept: begin "
            "another upload.",
        )
    return sha.hexdigest()


def _faults(wanted: dict[int, int], there: dict[int, Part], named: dict[int, str]) -> list[Fault]:
    faults = []
    for number, length in sorted(wanted.items()):
        part = there.get(number)
        if part is None:
            faults.append(Fault("#/parts", f"Part {number} has not arrived."))
        elif part.bytes != length:
            faults.append(Fault("#/parts", f"Part {number} must have {length} bytes; {part.bytes} came."))
        elif named.get(number) != part.etag:
            faults.append(Fault("#/parts", f"Part {number} arrived with the ETag {part.etag!r}."))
    return faults


def drop(name: str) -> None:
    """Remove what the bucket has of an upload that was not completed."""
    drop_parts(_bucket(), name)


def _bucket() -> BucketStorage:
    found: Any = default_storage
    return found  # type: ignore[no-any-return]
