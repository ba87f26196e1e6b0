"""Tranches, and the items that each of them keeps."""

from typing import Self

from django.db import models
from django.db.models import F, Q, TextChoices

from annotation.models import Annotation, Project, Task
from lib.splits import SPLITS
from workforce.models import Worker


class TrancheQuerySet(models.QuerySet["Tranche"]):
    def open(self) -> Self:
        return self.filter(status=Tranche.Status.OPEN)

    def closed(self) -> Self:
        return self.filter(status=Tranche.Status.CLOSED)

    def collected(self) -> Self:
        """Tranches whose items come from a project, and are not posted."""
        return self.filter(number__gt=0)


class Tranche(models.Model):
    """A batch of new data of one module. Tranche 0 is posted; each later one collects what a project's workers give.

    While a later tranche is open, its items are a query. Closing keeps them as rows, which never change.
    """

    class Status(TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    module = models.CharField(max_length=63)
    number = models.PositiveIntegerField()
    project = models.ForeignKey(
        Project, models.PROTECT, null=True, blank=True, related_name="tranches", help_text="Null: its items are posted."
    )
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.OPEN)
    opens_at = models.DateTimeField(null=True, blank=True, help_text="Truths that became known earlier are left out.")
    closes_at = models.DateTimeField(null=True, blank=True, help_text="When it closes by itself.")
    close_after = models.PositiveIntegerField(null=True, blank=True, help_text="With so many items it closes itself.")
    train = models.PositiveIntegerField(default=0)
    valid = models.PositiveIntegerField(default=0)
    test = models.PositiveIntegerField(default=0)
    sha256 = models.CharField(max_length=64, default="", blank=True, help_text="Of its items and truths, once closed.")
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = TrancheQuerySet.as_manager()

    class Meta:
        ordering = ["module", "number"]
        constraints = [
            models.UniqueConstraint(fields=["module", "number"], name="tranche_number_once_per_module"),
            models.CheckConstraint(
                condition=Q(number=0, project=None) | Q(number__gt=0, project__isnull=False),
                name="tranche_zero_is_posted",
            ),
            models.CheckConstraint(
                condition=Q(status="open", closed_at=None, sha256="")
                | (Q(status="closed", closed_at__isnull=False) & ~Q(sha256="")),
                name="tranche_closed_has_a_digest",
            ),
            models.CheckConstraint(
                condition=Q(opens_at=None) | Q(closes_at=None) | Q(closes_at__gt=F("opens_at")),
                name="tranche_closes_after_it_opens",
            ),
            models.CheckConstraint(condition=Q(close_after=None) | Q(close_after__gte=1), name="tranche_count_of_one"),
        ]

    def __str__(self) -> str:
        return f"{self.module}/{self.number}"


class ItemQuerySet(models.QuerySet["Item"]):
    def of(self, split: str) -> Self:
        return self.filter(split=split)

    def usable(self) -> Self:
        """Items whose words were not erased."""
        return self.filter(erased_at=None)


class Item(models.Model):
    """One item of a tranche with its truth. Immutable once the tranche is closed, except that an erasure empties it."""

    class Origin(TextChoices):
        POSTED = "posted", "posted with its truth"
        REFERENCE = "reference", "a reference, whose truth staff gave"
        ANNOTATED = "annotated", "annotated by workers"

    tranche = models.ForeignKey(Tranche, models.CASCADE, related_name="items")
    item = models.CharField(max_length=64, help_text="Equal for equal items of the module.")
    split = models.CharField(max_length=8, choices=[(name, name) for name in SPLITS])
    given = models.JSONField(null=True, help_text="What a model reads. Null: it was erased.")
    truth = models.JSONField(null=True, help_text="What it should answer. Null: it was erased.")
    origin = models.CharField(max_length=16, choices=Origin.choices)
    task = models.ForeignKey(Task, models.SET_NULL, null=True, blank=True, related_name="+")
    annotations = models.ManyToManyField(Annotation, related_name="items", help_text="The answers behind the truth.")
    authors = models.ManyToManyField(Worker, related_name="items", help_text="Who said it to an agent.")
    erased_at = models.DateTimeField(null=True, blank=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tranche", "item"], name="item_once_per_tranche"),
            models.CheckConstraint(condition=Q(split__in=SPLITS), name="item_has_a_split"),
        ]
        indexes = [models.Index(fields=["tranche", "split", "id"], name="item_of_split")]

    def __str__(self) -> str:
        return self.item[:12]
