"""Routes: which outcome of a command becomes a task of which project, and the tasks that each command became."""

from django.db import models
from django.db.models import Q

from agents.models import Agent
from annotation.models import Project, Task
from commands.models import Command
from routing.models.reports import ErrorReport
from routing.models.trees import Tree


class Route(models.Model):
    """The project that commands of one outcome are sent to; the outcome `*` takes all valid commands, marked or not."""

    slug = models.SlugField(max_length=63, unique=True)
    outcome = models.CharField(max_length=63, help_text="Of the decision tree, or * for every valid command.")
    project = models.ForeignKey(Project, models.PROTECT, related_name="routes_here", help_text="Where the tasks go.")
    rate = models.FloatField(default=1.0, help_text="The share of commands that it takes, drawn at random.")
    tree = models.ForeignKey(Tree, models.PROTECT, null=True, blank=True, related_name="+")
    agents = models.ManyToManyField(Agent, blank=True, related_name="+", help_text="None: of any agent.")
    sources = models.ManyToManyField(Project, blank=True, related_name="+", help_text="None: of any project.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(rate__gte=0, rate__lte=1), name="route_rate_is_a_rate"),
            models.CheckConstraint(condition=~Q(outcome__in=["", "ok"]), name="route_of_an_error_or_of_all"),
        ]

    def __str__(self) -> str:
        return self.slug


class Sending(models.Model):
    """The result of sending one command to one project, by a route or a person: a task, or a reason why none."""

    class Why(models.TextChoices):
        """Why no task was made."""

        NOT_DRAWN = "not_drawn"
        NOT_VALID = "not_valid"
        NOTHING_TO_ANNOTATE = "nothing_to_annotate"
        REFUSED = "refused"

    route = models.ForeignKey(
        Route, models.SET_NULL, null=True, blank=True, related_name="sendings", help_text="Null: a person sent it."
    )
    to = models.ForeignKey(Project, models.PROTECT, related_name="+")
    command = models.ForeignKey(Command, models.PROTECT, related_name="sendings")
    phrase = models.CharField(max_length=200, default="", blank=True, help_text="Where one of its objects is meant.")
    report = models.ForeignKey(ErrorReport, models.PROTECT, null=True, blank=True, related_name="sendings")
    same_as = models.CharField(max_length=64, default="", blank=True, help_text="Equal: one task is enough for both.")
    task = models.ForeignKey(Task, models.PROTECT, null=True, blank=True, related_name="sendings")
    is_dropped = models.BooleanField(
        default=False, help_text="The data of its session is dropped: it asks for its task no more."
    )
    why_not = models.CharField(max_length=32, choices=Why.choices, default="", blank=True)
    detail = models.TextField(default="", blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["to", "same_as"], name="sending_said_again"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["to", "command", "phrase"], name="sending_once_per_command"),
            models.CheckConstraint(
                condition=Q(task=None) & ~Q(why_not="") | Q(task__isnull=False, why_not=""),
                name="sending_made_a_task_or_says_why_not",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.command_id} to {self.to_id}"
