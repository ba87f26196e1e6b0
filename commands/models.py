"""Commands with their outcomes and true forms, and the corpora of accepted commands that new ones are compared with."""

from collections.abc import Mapping
from typing import Final, Self

from django.db import models
from django.db.models import Q

from agents.models import Agent
from annotation.models import Approval, Assignment, Project
from common.data.values import opaque_id
from workforce.models import Worker

WHY_DROPPED: Final[Mapping[str, str]] = {
    Approval.Decision.REJECTED: "The session in which it was given was rejected.",
    Approval.Decision.SOFTLY_REJECTED: "The session in which it was given was rejected softly: paid, but not counted.",
}


class CommandQuerySet(models.QuerySet["Command"]):
    def complete(self) -> Self:
        """Commands that nobody will judge any more: judged ones, and posted ones, which may come without an outcome."""
        return self.filter(~Q(outcome="") | Q(assignment=None))

    def with_decision(self) -> Self:
        """With the decision on their work, which `why_dropped` reads."""
        return self.select_related("assignment__annotation__approval")


class Command(models.Model):
    """One command, given live or posted. Facts that only a session has are in `interaction.models.LiveCommand`."""

    public_id = models.CharField(
        max_length=128, default=opaque_id, editable=False, help_text="A posted one has the id that was posted."
    )
    project = models.ForeignKey(Project, models.PROTECT, related_name="commands")
    assignment = models.ForeignKey(
        Assignment,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="commands",
        help_text="The assignment under which it was given; null: it was posted.",
    )
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, blank=True, related_name="commands")
    worker = models.ForeignKey(Worker, models.PROTECT, null=True, blank=True, related_name="commands")
    text = models.CharField(max_length=500)
    plain_text = models.CharField(
        max_length=500,
        default="",
        blank=True,
        editable=False,
        help_text="Without case, punctuation and markup; commands with equal plain text say the same.",
    )
    fault = models.CharField(max_length=32, default="", blank=True, help_text="Why it is no valid command.")
    digest = models.CharField(max_length=64, default="", blank=True, editable=False, help_text="Of what was posted.")
    at = models.DateTimeField(help_text="When it was given.")
    form = models.JSONField(null=True, blank=True, help_text="The agent's parse.")
    form_version = models.CharField(max_length=100, default="", blank=True, help_text="The version of its parser.")
    shadow_form = models.JSONField(null=True, blank=True, help_text="What a model made of it that did not act.")
    shadow_version = models.CharField(max_length=100, default="", blank=True, help_text="That model.")
    objects_found = models.JSONField(default=list, help_text="Phrases, and the voxels that the agent took them for.")
    path = models.JSONField(default=list, help_text="The worker's way through the decision tree.")
    outcome = models.CharField(max_length=63, default="", blank=True, help_text="Empty: it was not judged.")
    feedback = models.TextField(default="", blank=True)
    truth = models.JSONField(null=True, blank=True, help_text="The true form, once it is known.")
    is_misread = models.BooleanField(
        null=True, blank=True, help_text="Whether the agent's parse is another; null: the true form is not known."
    )
    means_other = models.BooleanField(
        null=True, blank=True, help_text="The same by their normal forms, however each is written."
    )

    objects = CommandQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["at"], name="command_by_time"),
            models.Index(fields=["project", "at"], name="command_of_project"),
            models.Index(fields=["project", "plain_text"], name="command_said_again"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["project", "public_id"], name="command_once_per_project"),
            models.CheckConstraint(
                condition=Q(assignment=None) | Q(agent__isnull=False, worker__isnull=False),
                name="command_given_live_names_both_sides",
            ),
            models.CheckConstraint(
                condition=Q(truth__isnull=True, is_misread=None) | Q(truth__isnull=False, is_misread__isnull=False),
                name="command_misread_by_its_truth",
            ),
            models.CheckConstraint(
                condition=Q(truth__isnull=False) | Q(means_other=None), name="command_means_other_than_its_truth"
            ),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the agent and its parser, as far as they are known; no query where the agent is loaded."""
        agent = self.agent.slug if self.agent else ""
        return {name: version for name, version in (("agent", agent), ("parser", self.form_version)) if version}

    @property
    def why_dropped(self) -> str:
        """Why the data of this command counts nowhere, as a sentence; "" where it counts. See `with_decision`."""
        annotation = getattr(self.assignment, "annotation", None) if self.assignment is not None else None
        return WHY_DROPPED[annotation.approval.decision] if annotation is not None and annotation.is_dropped else ""


class Corpus(models.Model):
    """One corpus, under the slug of the project that it began with."""

    slug = models.SlugField(max_length=63, unique=True)
    version = models.PositiveIntegerField(default=0, help_text="The number of its last command.")
    generation = models.PositiveIntegerField(default=0, help_text="Counts how often texts were taken out of it.")

    class Meta:
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.slug


class CorpusCommand(models.Model):
    """One command of a corpus: append-only, except that an erasure empties its text."""

    corpus = models.ForeignKey(Corpus, models.PROTECT, related_name="commands", db_index=False)
    number = models.PositiveIntegerField(help_text="1, 2, 3… within the corpus.")
    text = models.CharField(max_length=500, blank=True, help_text="Empty: it was erased.")
    command = models.ForeignKey(Command, models.SET_NULL, null=True, blank=True, related_name="in_corpora")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="corpus_command_number_once"),
            models.UniqueConstraint(
                fields=["corpus", "command"], condition=Q(command__isnull=False), name="corpus_command_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus_id}/{self.number}"
