"""Tasks, and the truths of those that are references."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

from django.db import models
from django.db.models import F, Q

from annotation.models.projects import Project
from common.kept_query import AnyField, KeptQuery
from workforce.models import Worker


class TaskQuerySet(models.QuerySet["Task"]):
    def ordinary(self) -> Self:
        return self.filter(is_reference=False)

    def references(self) -> Self:
        return self.filter(is_reference=True)

    def posted(self) -> Self:
        """Tasks that pipelines posted, without the small tasks in which some of them are asked."""
        return self.filter(part_of=None)

    def without(self, assignments: models.QuerySet[Any], *, of: str = "pk", by: str = "task") -> Self:
        """Tasks for which none of these assignments exists; the index is walked in order, with one look-up a task.

        The query does not use NOT EXISTS: PostgreSQL makes an anti-join of that, and may read all assignments of the
        worker (or of everybody) before it returns one row: 18,054 pages for a claim, against 6.

        Args:
            of: The column of the task with which the assignments are compared.
            by: The column of the assignments.
        """
        found = f"without_{by}_{of}".replace("__", "_")
        return self.alias(**{found: one_of(assignments, of=of, by=by)}).filter(**{found: None})


R = TypeVar("R")


class FromPlace(Generic[R]):
    """The first tasks of a query, in the order of `shuffle` from a place in 0..1 on; after the last comes the first."""

    def __init__(self, make: "Callable[..., models.QuerySet[Task, R]]", *, most: int, **fields: AnyField) -> None:
        """
        Args:
            make, fields: As for `KeptQuery`.
            most: The number of tasks that are read at most.
        """
        fields["place"] = models.FloatField()
        self._most = most
        self._behind = KeptQuery(
            lambda place, **given: make(**given).order_by("shuffle").filter(shuffle__gte=place)[:most], **fields
        )
        self._before = KeptQuery(
            lambda place, **given: make(**given).order_by("shuffle").filter(shuffle__lt=place)[:most], **fields
        )

    def rows(self, place: float, **values: Any) -> list[R]:
        """The rows for these values. 1 query, 2 where the end is reached."""
        found = self._behind.rows(place=place, **values)
        if len(found) < self._most:
            found += self._before.rows(place=place, **values)[: self._most - len(found)]
        return found


def one_of(assignments: models.QuerySet[Any], *, of: str = "pk", by: str = "task") -> models.Subquery:
    """The id of any of these assignments of a task, null where there is none; `of` and `by` as for `without`."""
    return models.Subquery(assignments.filter(**{by: models.OuterRef(of)}).values("pk")[:1])


class Task(models.Model):
    """One unit of a project; idempotent by `key`. A reference is a task whose truth is known.

    `open` is true if the task may be claimed now. The index that keeps claims flat has this boolean as its predicate
    and not `slots_left`, so that on PostgreSQL the frequent slot updates stay heap-only.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        DONE = "done"
        UNJUDGEABLE = "unjudgeable"
        WITHDRAWN = "withdrawn"

    project = models.ForeignKey(Project, models.PROTECT, related_name="tasks")
    key = models.CharField(max_length=128)
    payload = models.JSONField()
    digest = models.CharField(max_length=64, editable=False, help_text="Of all that was posted, to tell a repeat.")
    priority = models.IntegerField(default=0)
    own_redundancy = models.PositiveIntegerField(null=True, blank=True, help_text="Null: the project's.")
    wanted = models.PositiveIntegerField(help_text="Annotations until done.")
    slots_left = models.PositiveIntegerField()
    open = models.BooleanField(default=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.OPEN)
    is_reference = models.BooleanField(default=False)
    truth_class = models.BooleanField(
        null=True,
        blank=True,
        editable=False,
        help_text="What the truth of a reference says as yes or no: both are served about equally.",
    )
    promoted_from = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="promotions",
        help_text="The task whose consensus became this reference's truth.",
    )
    is_whole = models.BooleanField(
        default=False, editable=False, help_text="Answered by its parts put together; nobody is given it itself."
    )
    part_of = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, editable=False, related_name="parts", help_text="Its whole."
    )
    reserved_for = models.ForeignKey(
        Worker,
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        db_index=False,
        help_text="Nobody else is given it.",
    )
    retired_at = models.DateTimeField(null=True, blank=True, editable=False, help_text="No longer served as a check.")
    shuffle = models.FloatField(editable=False, help_text="Random in 0..1: the place from which tasks are drawn.")
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = TaskQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                F("project"),
                F("priority").desc(),
                F("shuffle"),
                name="task_open",
                condition=Q(open=True, is_reference=False, reserved_for=None),
            ),
            models.Index(
                fields=["project", "truth_class", "shuffle"],
                name="task_open_reference",
                condition=Q(open=True, is_reference=True, reserved_for=None),
            ),
            models.Index(
                fields=["reserved_for", "project", "id"],
                name="task_reserved",
                condition=Q(open=True, reserved_for__isnull=False),
            ),
            models.Index(fields=["project", "is_reference", "status", "part_of"], name="task_of_project"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="task_key_once_per_project"),
            models.CheckConstraint(condition=Q(slots_left__gte=0), name="task_slots_not_negative"),
            models.CheckConstraint(condition=Q(wanted__gte=1), name="task_wants_at_least_one"),
            models.CheckConstraint(
                condition=Q(is_reference=True) | Q(slots_left__lte=F("wanted")),
                name="task_slots_within_wanted",
            ),
            models.CheckConstraint(condition=Q(is_whole=False) | Q(open=False), name="task_whole_is_never_open"),
            models.CheckConstraint(
                condition=Q(reserved_for=None) | Q(part_of__isnull=False), name="task_reserved_is_a_part"
            ),
            models.CheckConstraint(
                condition=Q(retired_at=None) | Q(is_reference=True, open=False),
                name="task_retired_is_a_closed_reference",
            ),
            models.CheckConstraint(
                condition=Q(open=False) | Q(slots_left__gt=0, status="open"), name="task_open_has_a_slot"
            ),
            models.CheckConstraint(
                condition=Q(status="open", closed_at=None) | (~Q(status="open") & Q(closed_at__isnull=False)),
                name="task_closed_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class Truth(models.Model):
    """The right answers of a reference task; any of several may be given."""

    task = models.OneToOneField(Task, models.CASCADE, primary_key=True, related_name="truth")
    answers = models.JSONField()
    tolerance_s = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(tolerance_s=None) | Q(tolerance_s__gte=0), name="truth_tolerance_not_negative"
            )
        ]

    def __str__(self) -> str:
        return f"truth of {self.task_id}"
