"""`manage.py keep_campaign SLUG --to FILE`: keep a campaign that has ended as a file, as the demo ships one."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from demo.loop import archive
from learning.campaigns.plans import campaign_named
from learning.models.campaigns import UNDER_WAY
from lib.faults import NotFound


class Command(BaseCommand):
    help = (
        "Write a campaign that has ended into a file: its items, trainings, models, verdicts and commands, without the "
        "sessions, answers and workers behind them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", help="The slug.")
        parser.add_argument("--to", type=Path, required=True, help="A zip file.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            campaign = campaign_named(options["campaign"])
        except NotFound as error:
            raise CommandError(f"There is no campaign {options['campaign']!r}.") from error
        if campaign.status in UNDER_WAY or campaign.ended_at is None:
            raise CommandError("This campaign has not ended.")
        size = archive.write(campaign, options["to"])
        self.stdout.write(f"{options['to']}: {size:,} bytes")
