"""`manage.py prepare`: prepares the database; it runs before any process serves."""

from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.offer.information_page import renew_information
from common.file_storage import FileStorage
from config.first_start import WeakCredential, prepare_first_start
from config.private_files import close, create_privately, private_paths
from jobs import identity
from lib.faults import ServerFault


class Command(BaseCommand):
    help = "Migrate the database, make the table of the cache, the folder of files, the first API key and admin."

    def handle(self, *args: Any, **options: Any) -> None:
        create_privately()
        close(private_paths())
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        if isinstance(files := storages["default"], FileStorage):
            files.make_folder()
        _check_direct_addresses()
        now = timezone.now()
        try:
            identity.make_first(at=now)
            prepare_first_start()
        except (ServerFault, WeakCredential) as error:
            raise CommandError(str(error)) from None
        # Information pages quote settings of pay, checks and retention, so they are renewed before the first request.
        renew_information(at=now)


def _check_direct_addresses() -> None:
    """Check that browsers may open the addresses in the bucket that they are sent to. It sends nothing.

    Raises:
        CommandError: the addresses begin otherwise than the settings say.
    """
    if settings.S3_DIRECT_ORIGIN:
        from common.bucket_storage import BucketStorage, WrongOrigin

        files = storages["default"]
        if isinstance(files, BucketStorage):
            try:
                files.direct_address("probe", seconds=60, content_type="video/mp4")
            except WrongOrigin as error:
                raise CommandError(str(error)) from None
