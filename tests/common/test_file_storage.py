"""A file is stored whole or not at all."""

import resource
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from common.file_storage import FileStorage
from common.server_faults import is_full
from lib.faults import FilesUnavailable


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_that_the_system_cuts_off_leaves_no_part_of_itself(tmp_path: Path) -> None:
    storage = FileStorage(location=tmp_path)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, usual[1]))
    try:
        with pytest.raises(OSError) as refused:
            storage.save("episodes/a/source", ContentFile(b"0" * 1_000_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert is_full(refused.value)
    assert _files(tmp_path) == []
    assert storage.save("episodes/a/source", ContentFile(b"whole")) == "episodes/a/source"
    assert _files(tmp_path) == ["episodes/a/source"]
    assert (tmp_path / "episodes/a/source").read_bytes() == b"whole"


def test_two_files_of_one_name_are_both_kept(tmp_path: Path) -> None:
    storage = FileStorage(location=tmp_path)
    names = {storage.save("a", ContentFile(content)) for content in (b"1", b"2")}
    assert {(tmp_path / name).read_bytes() for name in names} == {b"1", b"2"}


def test_a_storage_whose_folder_is_gone_does_not_make_another(tmp_path: Path) -> None:
    storage = FileStorage(location=tmp_path / "gone")
    with pytest.raises(FilesUnavailable):
        storage.save("a", ContentFile(b"1"))
    assert not (tmp_path / "gone").exists()
