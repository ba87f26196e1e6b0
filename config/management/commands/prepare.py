"""`manage.py prepare`: what must have happened before any process serves."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from config.first_start import prepare_first_start


class Command(BaseCommand):
    help = "Migrate the database, and make the API key and the admin's password that the environment names."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        prepare_first_start()
