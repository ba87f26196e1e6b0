"""The identity that the database and the storage of files share, and the refusal to work where theirs differ.

A process with the settings of one installation's database and of another's files would find no file of the first and
leave its own among those of the second. So both carry one random text, written at the first start.
"""

import secrets
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, default_storage

from jobs.models import Installation
from lib.faults import FilesUnavailable, ServerFault

FILE = "identity"
"""The storage name of the file with the identity."""


class IdentityDiffers(ServerFault):
    """The database and the files belong to two installations."""

    title = "The files belong to another database"
    sentence = (
        "The database has the identity {database}, and the files at {place} have {files}: they do not belong together. "
        "Correct CROSSWALK_DATA_DIR, CROSSWALK_S3_BUCKET or DATABASE_URL. If you have put these files beside this "
        "database on purpose, run `manage.py adopt_files`."
    )


def check() -> None:
    """Check that the database and the files belong together. 1 query, and reads one small file.

    Raises:
        IdentityDiffers: they do not; or one of them has no identity.
        FilesUnavailable: the storage does not answer.
    """
    kept = Installation.objects.first()
    database, files = kept.identity if kept else "", files_identity()
    if database != files:
        raise IdentityDiffers(database=database or "none", files=files or "none", place=place())


def files_identity(storage: Storage = default_storage) -> str:
    """The identity of a storage of files; "" if it has none.

    Raises:
        FilesUnavailable: the storage does not answer.
    """
    try:
        with storage.open(FILE) as file:
            return bytes(file.read(64)).decode(errors="replace").strip()
    except FileNotFoundError:
        return ""
    except Exception as error:
        # Each kind of storage has errors of its own.
        raise FilesUnavailable from error


def place() -> str:
    """The place of the files, in words for people."""
    return str(getattr(default_storage, "location", "") or getattr(default_storage, "bucket_name", ""))


def make_first(*, at: datetime) -> None:
    """Write the identity at the first start, into the database and then into the storage; a repeat changes nothing.

    Raises:
        IdentityDiffers, FilesUnavailable: as `check`.
    """
    files, kept = files_identity(), Installation.objects.first()
    if kept is None and not files:
        kept, _ = Installation.objects.get_or_create(pk=1, defaults={"identity": secrets.token_hex(16)})
    # Not written yet: a first start was broken off between the two.
    if kept is not None and kept.stored_at is None and files in {"", kept.identity}:
        _write(kept, at=at)
    check()


def adopt(*, at: datetime) -> str:
    """Let the files belong to this database from now on; returns the identity."""
    kept, _ = Installation.objects.get_or_create(pk=1, defaults={"identity": secrets.token_hex(16)})
    _write(kept, at=at)
    return kept.identity


def _write(kept: Installation, *, at: datetime) -> None:
    default_storage.delete(FILE)
    default_storage.save(FILE, ContentFile(f"{kept.identity}\n".encode()))
    kept.stored_at = at
    kept.save(update_fields=["stored_at"])
