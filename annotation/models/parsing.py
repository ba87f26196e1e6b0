"""The parse of a command: chains of small questions, and the small tasks that ask them."""

from django.db import models
from django.db.models import Q

from annotation.models.tasks import Task
from workforce.models import Worker


class Chain(models.Model):
    """One walk through the questions of a command: the one that all workers share, or a worker's own.

    The shared chain of a command asks by consensus; where each worker answers the whole command, it begins the chains
    of the workers. `record` has the answers so far, by the keys of the steps; the form follows from it.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        DONE = "done"
        UNKNOWN = "unknown"
        LEFT = "left"

    task = models.ForeignKey(Task, models.CASCADE, related_name="chains")
    worker = models.ForeignKey(Worker, models.PROTECT, null=True, blank=True, related_name="+")
    record = models.JSONField(default=dict)
    hints = models.JSONField(
        default=dict, help_text="Answers that were taken out of the record and may fit again, by step."
    )
    with_guess = models.BooleanField(default=False, help_text="It began with a guess, not with a blank page.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.OPEN)
    sent_back = models.PositiveIntegerField(default=0, help_text="How often a step was asked again.")
    moved_at = models.DateTimeField(help_text="When its last step was answered.")

    class Meta:
        indexes = [
            models.Index(
                fields=["moved_at"], condition=Q(status="open", worker__isnull=False), name="chain_waiting_for_one"
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["task", "worker"], name="chain_once_per_worker"),
            models.UniqueConstraint(fields=["task"], condition=Q(worker=None), name="chain_shared_once"),
            models.CheckConstraint(
                condition=Q(with_guess=False) | Q(worker__isnull=False), name="chain_with_guess_is_of_a_worker"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} by {self.worker_id or 'all'}"


class Guess(models.Model):
    """A guess of a command's form, which workers are asked to accept or to correct.

    It is the agent's parse, if that is valid. A reference without one gets a made guess, see
    `annotation.tools.parse.guesses`.
    """

    task = models.OneToOneField(Task, models.CASCADE, primary_key=True, related_name="guess")
    record = models.JSONField(help_text="The answers that give its form, by step.")
    parse_is_wrong = models.BooleanField(
        null=True, help_text="Whether the agent's parse of a reference is wrong; null where it has none, and for tasks."
    )

    def __str__(self) -> str:
        return f"guess of {self.task_id}"


class Step(models.Model):
    """The question of a small task: one step of a chain, in the round after the step was sent back so many times."""

    task = models.OneToOneField(Task, models.CASCADE, primary_key=True, related_name="step")
    chain = models.ForeignKey(Chain, models.CASCADE, related_name="steps")
    key = models.TextField(help_text="PATH#PART: its node in the form, and what of it is asked.")
    round = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["chain", "round", "key"], name="step_once_per_round")]

    def __str__(self) -> str:
        return self.key
