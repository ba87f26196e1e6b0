"""Keep when each tally changed, and what programs outside were told of rankings. Tallies of today count as long told."""

from datetime import UTC, datetime

import django.utils.timezone
from django.db import migrations, models

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0008_chance_and_media")]

    operations = [
        migrations.CreateModel(
            name="ToldOfFeed",
            fields=[
                (
                    "feed",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="told",
                        serialize=False,
                        to="evaluation.feed",
                    ),
                ),
                (
                    "counts",
                    models.CharField(
                        default="", editable=False, help_text="Digest of what was ranked.", max_length=64
                    ),
                ),
                ("order", models.JSONField(default=list, help_text="Agents, best first; those of one rank together.")),
                (
                    "verdict",
                    models.BooleanField(help_text="Whether the raters are good enough to rank.", null=True),
                ),
                (
                    "complete",
                    models.JSONField(default=list, help_text="Agent and version of each run that is complete."),
                ),
            ],
        ),
        migrations.AddField("tally", "changed_at", models.DateTimeField(default=LONG_AGO, editable=False)),
        migrations.AlterField(
            "tally",
            "changed_at",
            models.DateTimeField(db_index=True, default=django.utils.timezone.now, editable=False),
        ),
    ]
