"""Work in projects: enrolments, tokens, assignments, annotations, approvals."""

from datetime import datetime
from decimal import Decimal
from typing import Self

from django.db import models
from django.db.models import F, Q

from annotation.models.projects import InstructionVersion, Project
from annotation.models.tasks import Task
from common.data.values import opaque_id
from workforce.models import Worker


class Enrolment(models.Model):
    """A worker in a project: the place in its queue of tasks, the number of answers, the earnings."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="enrolments")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="enrolments")
    cursor_priority = models.IntegerField(
        null=True, editable=False, help_text="Of the last task, whose equals come next. Null: the highest comes next."
    )
    reference_share = models.FloatField(
        null=True,
        editable=False,
        help_text="The share of the project's rates at which the references last. Null: to be computed.",
    )
    gates_due = models.PositiveIntegerField(
        null=True, editable=False, help_text="The number of answers after which the gates look next."
    )
    many_returns_at = models.DateTimeField(
        null=True, editable=False, help_text="When a claim was last refused after too many returns."
    )
    submitted = models.PositiveIntegerField(default=0)
    earned = models.DecimalField(max_digits=12, decimal_places=4, default=Decimal(0))
    arm = models.CharField(
        max_length=63, default="", blank=True, help_text="Of the project's experiment; drawn at random, once."
    )
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["project", "arm"], name="enrolment_of_arm")]
        constraints = [
            models.UniqueConstraint(fields=["project", "worker"], name="enrolment_once_per_project"),
            models.CheckConstraint(
                condition=Q(reference_share=None) | Q(reference_share__gte=0, reference_share__lte=1),
                name="enrolment_reference_share_is_a_share",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} in {self.project_id}"


class WorkToken(models.Model):
    """A worker's key to one project; only its digest is stored."""

    enrolment = models.ForeignKey(Enrolment, models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"token of {self.enrolment_id}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def held(self) -> Self:
        return self.filter(status=Assignment.Status.CLAIMED)

    def binding(self) -> Self:
        """Assignments that keep a task from being served to its worker again."""
        return self.exclude(status__in=[Assignment.Status.RELEASED, Assignment.Status.EXPIRED])

    def returned(self) -> Self:
        """Assignments that ended without an answer."""
        status = Assignment.Status
        return self.filter(status__in=[status.RELEASED, status.REPORTED, status.EXPIRED])

    def taking_slots(self) -> Self:
        """Assignments that use a slot of `slot_of`: held, handed in by a worker whose answers count, or shown as a
        reference whose slot is not free yet."""
        counting = Q(status=Assignment.Status.SUBMITTED, task=F("slot_of"))
        counting &= ~Q(worker__weighting=Worker.Weighting.NONE) & ~Q(annotation__is_dropped=True)
        return self.filter(Q(status=Assignment.Status.CLAIMED) | counting | Q(slot_free_at__isnull=False))

    def overdue(self, *, at: datetime) -> Self:
        return self.held().filter(lease_expires_at__lte=at)

    def current(self, *, at: datetime) -> Self:
        return self.held().filter(lease_expires_at__gt=at)


class Assignment(models.Model):
    """A worker's hold on a task; it stores the state, never the answer."""

    class Status(models.TextChoices):
        CLAIMED = "claimed"
        SUBMITTED = "submitted"
        RELEASED = "released"
        REPORTED = "reported"
        EXPIRED = "expired"

    class Problem(models.TextChoices):
        VIDEO_BROKEN = "video_broken"
        INSTRUCTION_UNCLEAR = "instruction_unclear"
        AMBIGUOUS = "ambiguous"
        OTHER = "other"

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    # The index of task and worker together serves it.
    task = models.ForeignKey(Task, models.PROTECT, related_name="assignments", db_index=False)
    slot_of = models.ForeignKey(
        Task,
        models.PROTECT,
        null=True,
        editable=False,
        related_name="slots",
        db_index=False,
        help_text="The task whose slot is taken: the task itself, or the one in whose place a reference is shown. "
        "Null: the slot of that one was given back.",
    )
    slot_free_at = models.DateTimeField(
        null=True, editable=False, help_text="When the slot is given back, after an answer to a reference or a report."
    )
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="assignments")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.CLAIMED)
    claimed_at = models.DateTimeField()
    lease_expires_at = models.DateTimeField()
    instruction_version = models.ForeignKey(
        InstructionVersion,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The instructions at the claim.",
    )
    shows_guess = models.BooleanField(
        default=False, help_text="The worker is served a guess of the answer with the task. Drawn at the claim."
    )
    draft = models.JSONField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=32, choices=Problem.choices, default="", blank=True)
    problem_text = models.TextField(default="", blank=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When a reviewer had dealt with the report.")

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["lease_expires_at"], condition=Q(status="claimed"), name="assignment_lease"),
            models.Index(fields=["worker"], condition=Q(status="claimed"), name="assignment_held_by"),
            models.Index(fields=["task", "worker"], name="assignment_of_task_and_worker"),
            models.Index(fields=["slot_of", "worker"], name="assignment_of_slot_and_worker"),
            models.Index(
                fields=["slot_free_at"], condition=Q(slot_free_at__isnull=False), name="assignment_slot_to_free"
            ),
            models.Index(
                fields=["worker", "slot_of"], condition=Q(slot_free_at__isnull=False), name="assignment_slot_waiting"
            ),
            models.Index(
                fields=["worker", "closed_at"],
                condition=Q(status__in=["released", "reported", "expired"]),
                name="assignment_returned",
            ),
            # With the time: the queue groups by task and looks at no row.
            models.Index(
                fields=["task", "closed_at"],
                condition=Q(status="reported", seen_at=None),
                name="assignment_report_waiting",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "worker"],
                condition=~Q(status__in=["released", "expired"]),
                name="assignment_once_per_worker",
            ),
            models.UniqueConstraint(
                fields=["slot_of", "worker"],
                condition=~Q(status__in=["released", "expired"]),
                name="assignment_one_slot_per_worker",
            ),
            models.CheckConstraint(
                condition=Q(slot_of__isnull=False) | ~Q(status="claimed") & Q(slot_free_at=None),
                name="assignment_held_takes_a_slot",
            ),
            models.CheckConstraint(
                condition=Q(slot_free_at=None) | Q(status__in=["submitted", "reported"]),
                name="assignment_slot_waits_after_its_end",
            ),
            models.CheckConstraint(
                condition=Q(status="claimed", closed_at=None) | (~Q(status="claimed") & Q(closed_at__isnull=False)),
                name="assignment_closed_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(status="reported") & ~Q(problem="") | ~Q(status="reported") & Q(problem=""),
                name="assignment_reported_has_a_problem",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    def is_current(self, *, at: datetime) -> bool:
        return self.status == self.Status.CLAIMED and self.lease_expires_at > at


class AnnotationQuerySet(models.QuerySet["Annotation"]):
    def current(self) -> Self:
        """Annotations that no later one has replaced."""
        return self.filter(superseded_by=None)

    def counting(self) -> Self:
        """Current annotations that were not dropped, of workers whose answers were not dropped either."""
        return self.current().filter(is_dropped=False).exclude(worker__weighting=Worker.Weighting.NONE)

    def undecided(self) -> Self:
        """Annotations that were neither approved nor rejected yet."""
        return self.filter(is_decided=False)

    def on_references(self) -> Self:
        return self.filter(task__is_reference=True, task__retired_at=None)

    def scored(self) -> Self:
        """Current answers to references that count. In the order of a worker's history an index contains them all."""
        return self.current().filter(score__isnull=False)

    def on_tasks(self) -> Self:
        return self.filter(task__is_reference=False)


class Annotation(models.Model):
    """The submitted answer, immutable; `score` against the truth where the task is a reference.

    A correction is another annotation, which supersedes the first and takes its assignment.
    """

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="annotations")
    number = models.PositiveIntegerField(help_text="1, 2, 3… within the project, in the order of commit.")
    assignment = models.OneToOneField(
        Assignment, models.PROTECT, null=True, related_name="annotation", help_text="Null: a correction has it."
    )
    task = models.ForeignKey(Task, models.PROTECT, related_name="annotations")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="annotations")
    answer = models.JSONField()
    score = models.FloatField(null=True, blank=True)
    claimed_at = models.DateTimeField()
    submitted_at = models.DateTimeField()
    active_s = models.FloatField(null=True, blank=True)
    instruction_version = models.ForeignKey(
        InstructionVersion,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The instructions its worker saw.",
    )
    with_guess = models.BooleanField(
        default=False, help_text="Given with a guess of the answer in view, so it makes no truth."
    )
    is_decided = models.BooleanField(
        default=False, help_text="Approved or rejected, as an approval says; or superseded, so that nobody decides."
    )
    is_dropped = models.BooleanField(default=False, help_text="Rejected: it counts in nothing.")
    # One to one, by a constraint below: the index of a unique column would hold every answer under its null, and SQLite
    # would walk all of them for each query of standing answers.
    superseded_by = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="supersedes", db_index=False
    )
    first_id = models.CharField(
        max_length=32,
        default="",
        blank=True,
        editable=False,
        help_text="Of a correction: the public id of the first answer, under which the ledger has the pay.",
    )

    objects = AnnotationQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["worker", "project"], name="annotation_of_worker"),
            models.Index(fields=["project", "submitted_at"], name="annotation_by_time"),
            # A worker's answers to references alone, oldest first: few beside all that they hand in.
            models.Index(
                fields=["worker", "project", "number"],
                condition=Q(score__isnull=False),
                name="annotation_scored",
            ),
            # The right answers to each reference. `superseded_by` stands in the index too, as `is_decided` below.
            models.Index(
                fields=["task", "score", "superseded_by"],
                condition=Q(score__isnull=False, superseded_by=None),
                name="annotation_scored_of_task",
            ),
            # The few that wait for a decision, and the few that were decided against their worker. `is_decided` stands
            # in the index too: SQLite looks at it again, and would read each row to count a million.
            models.Index(
                fields=["project", "submitted_at", "id", "is_decided"],
                condition=Q(is_decided=False),
                name="annotation_undecided",
            ),
            models.Index(fields=["worker", "project"], condition=Q(is_dropped=True), name="annotation_dropped"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="annotation_number_once_per_project"),
            models.UniqueConstraint(
                fields=["superseded_by"],
                condition=Q(superseded_by__isnull=False),
                name="annotation_supersedes_one",
            ),
            models.CheckConstraint(
                condition=Q(score=None) | Q(score__gte=0, score__lte=1), name="annotation_score_is_a_fraction"
            ),
            models.CheckConstraint(
                condition=Q(assignment__isnull=False) | Q(superseded_by__isnull=False),
                name="annotation_current_has_its_assignment",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def pay_id(self) -> str:
        """The public id under which the ledger has the pay: that of the first answer, however often it was
        corrected."""
        return self.first_id or self.public_id


class Approval(models.Model):
    """The decision of a person, or of the project's rule, on an annotation: once, and for good.

    Rejected work is not paid, and softly rejected work is; the answers of both no longer count.
    """

    class Decision(models.TextChoices):
        APPROVED = "approved"
        REJECTED = "rejected"
        SOFTLY_REJECTED = "softly_rejected"

    annotation = models.OneToOneField(Annotation, models.PROTECT, related_name="approval")
    decision = models.CharField(max_length=16, choices=Decision.choices)
    reason = models.TextField(default="", blank=True, help_text="Shown to the worker.")
    by = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["at"], name="approval_by_time")]
        constraints = [
            models.CheckConstraint(
                condition=Q(decision="approved") | ~Q(reason=""), name="approval_rejects_with_reason"
            )
        ]

    def __str__(self) -> str:
        return self.decision
