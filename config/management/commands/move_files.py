"""`manage.py move_files`: copies all files into a bucket or into a folder, and goes on where it was stopped."""

from pathlib import Path
from typing import Any

from django.core.files.storage import storages
from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.bucket_storage import BucketStorage
from common.file_storage import FileStorage
from common.moved_files import AnyStorage, How, Moved, move_files
from jobs import identity
from lib.faults import FilesUnavailable


class Command(BaseCommand):
    help = (
        "Copy all files from where the settings keep them to bucket:NAME or folder:PATH. Each copy is read back and "
        "compared. Run it while the server works, then again with the server stopped, then change the settings."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", help="bucket:NAME or folder:PATH")
        parser.add_argument("--replace", action="store_true", help="replace other files of the same name")
        parser.add_argument("--verify", action="store_true", help="read and compare files that are there already")
        parser.add_argument("--remove", action="store_true", help="remove each file here once both were compared")
        parser.add_argument("--threads", type=int, default=4, help="how many files are copied at once (4)")

    def handle(self, *args: Any, **options: Any) -> None:
        source, target = storages["default"], _target(options["target"])
        if not isinstance(source, BucketStorage | FileStorage):
            raise CommandError("The settings keep files in neither a folder nor a bucket.")
        how = How(
            replaces=options["replace"],
            verifies=options["verify"],
            removes=options["remove"],
            threads=max(1, options["threads"]),
        )
        try:
            _check(source, target)
            moved = move_files(source, target, how, self._tell)
        except FilesUnavailable as error:
            raise CommandError(f"{error} Cause: {error.__cause__}") from error
        for fault in moved.faults[:20]:
            self.stderr.write(fault)
        if moved.faults:
            raise CommandError(f"{len(moved.faults)} files were not copied; run the same again. {_said(moved)}")
        self.stdout.write(f"All files are in {options['target']}. {_said(moved)}")

    def _tell(self, moved: Moved) -> None:
        self.stdout.write(_said(moved))
        self.stdout.flush()


def _said(moved: Moved) -> str:
    removed = f", {moved.removed} removed here" if moved.removed else ""
    return f"Copied {moved.copied} ({moved.bytes} bytes), {moved.there} were there{removed}."


def _target(text: str) -> AnyStorage:
    kind, _, name = text.partition(":")
    if kind == "bucket" and name:
        return BucketStorage(bucket_name=name)
    if kind == "folder" and name:
        folder = FileStorage(location=Path(name).absolute())
        folder.make_folder()
        return folder
    raise CommandError(f"{text!r} is neither bucket:NAME nor folder:PATH.")


def _check(source: AnyStorage, target: AnyStorage) -> None:
    """Check that the target is empty or belongs to the same installation.

    Raises:
        CommandError: it has the files of another one, or is the source.
    """
    ours, theirs = (identity.files_identity(storage) for storage in (source, target))
    if theirs not in {"", ours}:
        raise CommandError(f"The target has files of another installation ({theirs}); ours is {ours or 'none'}.")
    if _place(source) == _place(target):
        raise CommandError("The settings keep the files there already.")


def _place(storage: AnyStorage) -> tuple[str, str]:
    if isinstance(storage, BucketStorage):
        return "bucket", str(storage.bucket_name)
    return "folder", str(Path(storage.location).resolve())
