"""`manage.py sign_in_code`: prints a code with which a staff account may sign in although too many attempts failed."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from web.staff.sign_in.records import note_code
from web.staff.sign_in.second_factor import SignInCodes


class Command(BaseCommand):
    help = "Print a code, good for an hour, that goes with the password while somebody else's attempts lock an account."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="The user name of the account.")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        account = User.objects.filter(username=name, is_staff=True, is_active=True).first()
        if account is None:
            raise CommandError(f"There is no active staff account {name}.")
        note_code(account)
        self.stdout.write(SignInCodes().make_token(account))
