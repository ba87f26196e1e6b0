"""`manage.py recount_rankings`: counts what the rankings add up anew, and says how much had not been right."""

from typing import Any

from django.core.management.base import BaseCommand

from evaluation.tallies import recount


class Command(BaseCommand):
    help = "Count the tallies of all rankings anew, with the server stopped."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"Counted anew; tallies that were not right: {recount()}.")
