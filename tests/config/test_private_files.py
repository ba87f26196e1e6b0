"""Only the account of the server can open the data folder and the files in it."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage, storages
from django.db import connection

from config.private_files import close, private_paths


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_what_an_earlier_release_left_open_is_closed(tmp_path: Path) -> None:
    folder, file = tmp_path / "files", tmp_path / "crosswalk.sqlite3"
    folder.mkdir()
    folder.chmod(0o775)
    file.touch()
    file.chmod(0o644)
    for _ in range(2):
        close([folder, file, tmp_path / "not there"])
        assert (mode(folder), mode(file)) == (0o700, 0o600)


def test_the_database_and_the_secrets_are_among_what_is_closed(settings: Any) -> None:
    names = {path.name for path in private_paths()}
    assert {"files", "queue", "secret_key", "builder_key", "audit"} <= names
    if connection.vendor == "sqlite":
        database = Path(settings.DATABASES["default"]["NAME"]).name
        assert {database, f"{database}-wal", f"{database}-shm"} <= names


def test_a_folder_of_another_account_is_named_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(self: Path, mode: int) -> None:
        raise PermissionError

    tmp_path.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", refuse)
    close([tmp_path])
    assert "data_folder.open_to_others" in caplog.text


def test_stored_files_are_for_their_owner_and_static_files_for_everybody(db: None, tmp_path: Path) -> None:
    default_storage.save("deep/video.mp4", ContentFile(b"x"))
    stored = Path(default_storage.path("deep/video.mp4"))
    assert (mode(stored), mode(stored.parent)) == (0o600, 0o700)
    static = storages["staticfiles"]
    assert isinstance(static, StaticFilesStorage)
    assert (static.file_permissions_mode, static.directory_permissions_mode) == (0o644, 0o755)
