"""Candidates: situations out of which scenarios may be made."""

from django.db import models
from django.db.models import Q

from evaluation.models.episodes import Episode
from evaluation.models.suites import Scenario, Suite


class Candidate(models.Model):
    """A situation that was harvested for a suite: a continuation, a live command or an error report.

    A person takes it, in words of their own, or refuses it. The words of a command stay in the command alone, so
    that no copy is left here when they are erased there.
    """

    class Source(models.TextChoices):
        CONTINUATION = "continuation"
        COMMAND = "command"
        REPORT = "report", "error report"

    class State(models.TextChoices):
        WAITING = "waiting"
        TAKEN = "taken"
        REFUSED = "refused"

    suite = models.ForeignKey(Suite, models.CASCADE, related_name="candidates")
    kind = models.CharField(max_length=16, choices=Source.choices)
    source = models.CharField(max_length=160, help_text="The id of the continuation, the command or the report.")
    is_failure = models.BooleanField(help_text="The agent failed there; else it succeeded.")
    episode = models.ForeignKey(
        Episode, models.SET_NULL, null=True, blank=True, related_name="+", help_text="The video that shows it."
    )
    state = models.CharField(max_length=16, choices=State.choices, default=State.WAITING)
    scenario = models.ForeignKey(Scenario, models.SET_NULL, null=True, blank=True, related_name="candidates")
    reason = models.TextField(default="", blank=True)
    decided_by = models.CharField(max_length=200, default="", blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["suite", "state", "id"], name="candidate_of_suite")]
        constraints = [
            models.UniqueConstraint(fields=["suite", "kind", "source"], name="candidate_once_per_source"),
            models.CheckConstraint(
                condition=Q(state="waiting", decided_at=None) | (~Q(state="waiting") & Q(decided_at__isnull=False)),
                name="candidate_decided_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.source}"
