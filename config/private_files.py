"""The data folder, and the secrets that the server makes and keeps there, are for the account of the server alone."""

import fcntl
import logging
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

logger = logging.getLogger(__name__)

OTHERS = 0o077
"""The permissions of group and others."""
BUILDER_KEY = "builder_key"
"""The file of the API key of the built-in agent."""


def create_privately() -> None:
    """Let this process, and those that it starts, create files and folders that only their owner can open."""
    os.umask(OTHERS)


def private_paths() -> list[Path]:
    """The data folder, the folders and secrets in it, the anchor of the audit log, and an SQLite database.

    Nobody else can enter a closed folder, so what lies deeper is not listed.
    """
    # Here and not above: the keeper calls `create_privately` without Django.
    from django.conf import settings

    folder = Path(settings.DATA_DIR)
    database = settings.DATABASES["default"]
    paths = [folder, *(folder / name for name in ("files", "queue", "secret_key", BUILDER_KEY, "demo.json"))]
    paths.append(Path(settings.AUDIT_ANCHOR_DIR))
    if "sqlite" in str(database["ENGINE"]):
        paths += [Path(f"{database['NAME']}{ending}") for ending in ("", "-wal", "-shm", "-journal")]
    return paths


def close(paths: Iterable[Path]) -> None:
    """Take the permissions of others away from these files and folders, where they exist."""
    for path in paths:
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0
        if mode & OTHERS:
            try:
                path.chmod(mode & ~OTHERS)
            except PermissionError:
                # A volume that belongs to another account: its permissions are the operator's.
                logger.warning("data_folder.open_to_others", extra={"path": str(path), "mode": f"{mode:o}"})


def kept_secret(path: Path, *, prefix: str = "") -> str:
    """The text in this file; a new random one where the file is missing or empty.

    Processes that start at once get the same text: each but the first waits for the lock of the file. Only the owner
    can read the file.
    """
    if path.exists() and (kept := path.read_text()):
        return kept
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        kept = file.read()
        if not kept:
            kept = f"{prefix}{secrets.token_urlsafe(48)}"
            file.write(kept)
            file.flush()
            os.fsync(file.fileno())
        return kept
