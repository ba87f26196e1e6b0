"""`manage.py serve` for commands that end in it: `manage.py` itself starts `config.serving`, without Django."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from config import serving


class Command(BaseCommand):
    help = serving.HELP
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        serving.add_arguments(parser)
        parser.add_argument("--announce", default="", help="Printed once the server answers.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replace this process, with the Django that it has loaded, by the keeper."""
        words = ["serve", "--host", options["host"], "--port", str(options["port"])]
        if options["announce"]:
            # Not among the arguments: every account of the machine can read those, and the demo's text has a password.
            pipe, end = os.pipe()
            os.write(end, options["announce"].encode())
            os.close(end)
            os.set_inheritable(pipe, True)
            words += ["--announce-from", str(pipe)]
        self.stdout.flush()
        os.execv(sys.executable, [sys.executable, str(settings.BASE_DIR / "manage.py"), *words])  # noqa: S606
