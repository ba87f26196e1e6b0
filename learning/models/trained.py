"""Models that a training made, and how each did on each test set."""

from typing import Self

from django.db import models
from django.db.models import Q

from common.data.values import opaque_id
from learning.models.trainings import Kind, Run, Training
from learning.models.tranches import Tranche


class TrainedModelQuerySet(models.QuerySet["TrainedModel"]):
    def of(self, module: str) -> Self:
        return self.filter(module=module)


class TrainedModel(models.Model):
    """One model: an artefact in the file storage, with all that is known of where it came from."""

    class Status(models.TextChoices):
        CANDIDATE = "candidate"
        DEPLOYED = "deployed"
        RETIRED = "retired"
        REFUSED = "refused"

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    module = models.CharField(max_length=63)
    trainer = models.CharField(max_length=63, help_text="The name of the trainer that loads it.")
    training = models.ForeignKey(Training, models.PROTECT, related_name="models")
    run = models.OneToOneField(Run, models.PROTECT, related_name="model")
    parent = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="children", help_text="The model it continues."
    )
    kind = models.CharField(max_length=16, choices=Kind.choices)
    seed = models.PositiveIntegerField()
    tranches = models.ManyToManyField(Tranche, related_name="models", help_text="Those it learnt from.")
    train_examples = models.PositiveIntegerField()
    inputs = models.CharField(max_length=64, help_text="SHA-256 of all that it was made of.")
    file = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    bytes = models.PositiveBigIntegerField()
    code = models.CharField(max_length=100, help_text="The version of the code that trained it.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.CANDIDATE)
    created_at = models.DateTimeField()
    marked_at = models.DateTimeField(null=True, blank=True, help_text="When a person that it learnt from was erased.")

    objects = TrainedModelQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="model_newest_first"),
            models.Index(fields=["inputs"], name="model_of_inputs"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kind="rebiased") | Q(parent=None), name="model_rebiased_has_a_parent")
        ]

    def __str__(self) -> str:
        return f"{self.module} {self.kind} {self.public_id}"


class Tested(models.Model):
    """The predictions of a model for the test items of one tranche, kept as a file of lines."""

    model = models.ForeignKey(TrainedModel, models.CASCADE, related_name="tests")
    tranche = models.ForeignKey(Tranche, models.PROTECT, related_name="tests")
    n = models.PositiveIntegerField()
    correct = models.PositiveIntegerField()
    mean_score = models.FloatField(null=True, help_text="Null where there are no items.")
    latency_ms = models.FloatField(null=True, help_text="95 of 100 predictions took no longer.")
    file = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "tested"
        constraints = [
            models.UniqueConstraint(fields=["model", "tranche"], name="tested_once_per_tranche"),
            models.CheckConstraint(condition=Q(correct__lte=models.F("n")), name="tested_correct_of_n"),
        ]

    def __str__(self) -> str:
        return f"{self.model_id} on {self.tranche_id}"
