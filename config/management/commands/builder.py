"""`manage.py builder`: runs the built-in agent, which connects to the gateway like every other agent."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from builder.program import run
from config.first_start import make_builder_key


class Command(BaseCommand):
    help = "Run the built-in agent until interrupted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", default=f"ws://127.0.0.1:{settings.PORT}", help="Of the server: ws:// or wss://.")
        parser.add_argument("--key", default="", help="An API key with the scope `agents`; else it makes its own.")
        parser.add_argument("--capacity", type=int, default=settings.BUILDER_CAPACITY, help="Sessions at a time.")

    def handle(self, *args: Any, **options: Any) -> None:
        run(options["url"], options["key"] or make_builder_key(at=timezone.now()), options["capacity"])
