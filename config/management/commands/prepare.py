"""`manage.py prepare`: prepares the database; it runs before any process serves."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.offer.information_page import renew_information
from config.first_start import prepare_first_start


class Command(BaseCommand):
    help = "Migrate the database, make the table of the cache, the API key and the admin's password."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        prepare_first_start()
        # Information pages quote settings of pay, checks and retention, so they are renewed before the first request.
        renew_information(at=timezone.now())
