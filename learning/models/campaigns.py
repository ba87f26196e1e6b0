"""Campaigns, and the iterations that each of them has gone through."""

from typing import Self

from django.db import models
from django.db.models import Q

from annotation.models import Project
from learning.models.deployments import GateVerdict
from learning.models.trained import TrainedModel
from learning.models.trainings import Training
from learning.models.tranches import Tranche
from routing.models import Route


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def under_way(self) -> Self:
        return self.filter(status__in=UNDER_WAY)


class Campaign(models.Model):
    """A wish to go through the learning loop by itself: sessions, annotation, training, gate, deployment, and again."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        RUNNING = "running"
        WAITING = "waiting", "waiting for a person"
        DONE = "done"
        STOPPED = "stopped"

    slug = models.SlugField(max_length=63, unique=True)
    project = models.ForeignKey(
        Project, models.PROTECT, related_name="campaigns", help_text="Where the sessions take place."
    )
    modules = models.JSONField(help_text="The modules that learn, in order.")
    sessions = models.PositiveIntegerField(help_text="Wanted in each iteration.")
    budget = models.DecimalField(max_digits=12, decimal_places=4)
    currency = models.CharField(max_length=3)
    routes = models.ManyToManyField(
        Route, blank=True, related_name="+", help_text="Their projects annotate. None: all routes of the project."
    )
    redundancy = models.PositiveIntegerField(null=True, blank=True, help_text="Of the projects that annotate.")
    threshold = models.FloatField(
        null=True, blank=True, help_text="The confidence at which these projects settle a task early."
    )
    close_after = models.PositiveIntegerField(help_text="A tranche closes with so many items.")
    gate = models.JSONField(default=dict, help_text="How many seeds are trained, and when a person is asked.")
    most_iterations = models.PositiveIntegerField(null=True, blank=True)
    no_gain = models.PositiveIntegerField(
        null=True, blank=True, help_text="It ends after so many iterations in a row that deployed nothing."
    )
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.DRAFT)
    ended_because = models.TextField(default="", blank=True)
    spent_before = models.JSONField(
        default=dict, help_text="What each of its projects had spent at the start, by primary key."
    )
    spent = models.DecimalField(
        max_digits=12, decimal_places=4, null=True, blank=True, help_text="By its end, once it has ended."
    )
    by = models.CharField(max_length=200, help_text="Who put it.")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["-created_at", "-id"], name="campaign_newest_first")]
        constraints = [
            models.UniqueConstraint(
                fields=["project"], condition=Q(status__in=("running", "waiting")), name="campaign_one_under_way"
            ),
            models.CheckConstraint(
                condition=Q(status="draft", started_at=None, ended_at=None)
                | Q(status__in=("running", "waiting"), started_at__isnull=False, ended_at=None)
                | Q(status__in=("done", "stopped"), started_at__isnull=False, ended_at__isnull=False),
                name="campaign_has_the_times_of_its_status",
            ),
            models.CheckConstraint(
                condition=Q(sessions__gte=1, close_after__gte=1, budget__gte=0), name="campaign_wants_something"
            ),
            models.CheckConstraint(
                condition=Q(most_iterations__isnull=False) | Q(no_gain__isnull=False), name="campaign_has_a_stop_rule"
            ),
        ]

    def __str__(self) -> str:
        return self.slug


UNDER_WAY = (Campaign.Status.RUNNING, Campaign.Status.WAITING)


class IterationQuerySet(models.QuerySet["Iteration"]):
    def unfinished(self) -> Self:
        return self.exclude(step=Iteration.Step.ENDED)


class Iteration(models.Model):
    """One turn of the loop for one module: where it is, and what it brought."""

    class Step(models.TextChoices):
        COLLECTING = "collecting"
        TRAINING = "training"
        JUDGING = "judging"
        ASKING = "asking", "asking a person"
        ENDED = "ended"

    class Outcome(models.TextChoices):
        DEPLOYED = "deployed"
        KEPT = "kept", "kept as a candidate"
        NO_DATA = "no_data", "no new data"
        FAILED = "failed", "training failed"
        STOPPED = "stopped"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="iterations")
    number = models.PositiveIntegerField()
    module = models.CharField(max_length=63)
    step = models.CharField(max_length=16, choices=Step.choices, default=Step.COLLECTING)
    tranche = models.ForeignKey(Tranche, models.PROTECT, related_name="+")
    sessions_until = models.PositiveIntegerField(help_text="The project has had so many sessions at its end.")
    training = models.ForeignKey(Training, models.PROTECT, null=True, blank=True, related_name="+")
    model = models.ForeignKey(TrainedModel, models.PROTECT, null=True, blank=True, related_name="+")
    verdict = models.ForeignKey(GateVerdict, models.PROTECT, null=True, blank=True, related_name="+")
    outcome = models.CharField(max_length=16, choices=Outcome.choices, default="", blank=True)
    reason = models.TextField(default="", blank=True, help_text="Why a person is asked, or what they said.")
    spent_before = models.DecimalField(max_digits=12, decimal_places=4, help_text="By the campaign at its start.")
    spent = models.DecimalField(
        max_digits=12, decimal_places=4, null=True, blank=True, help_text="From its start to its end."
    )
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = IterationQuerySet.as_manager()

    class Meta:
        ordering = ["campaign", "number", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number", "module"], name="iteration_once_per_module"),
            models.CheckConstraint(
                condition=Q(step="ended", ended_at__isnull=False) & ~Q(outcome="")
                | ~Q(step="ended") & Q(ended_at=None, outcome=""),
                name="iteration_ended_has_an_outcome",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}/{self.number} {self.module}"
