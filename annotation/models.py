"""Projects offer tasks; workers hold them as assignments and answer with annotations; answers become a consensus."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from common.values import opaque_id
from workforce.models import InformationPage, Worker


class Project(models.Model):
    """One offer of work: a tool, instructions, redundancy, reference rate, lease, pay."""

    class Status(models.TextChoices):
        DRAFT = "draft"
        LIVE = "live"
        PAUSED = "paused"
        CLOSED = "closed"

    slug = models.SlugField(max_length=63, unique=True)
    title = models.CharField(max_length=200)
    tool = models.CharField(max_length=32, help_text="The name of a registered tool.")
    instructions = models.JSONField(default=list, help_text="Markdown pages, in order.")
    redundancy = models.PositiveIntegerField(default=1, validators=[MinValueValidator(1)])
    reference_rate = models.FloatField(default=0.1, validators=[MinValueValidator(0), MaxValueValidator(1)])
    lease_s = models.PositiveIntegerField(default=900)
    limit_per_worker = models.PositiveIntegerField(null=True, blank=True)
    base_pay = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    budget = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    currency = models.CharField(max_length=3, default="USD")
    spent = models.DecimalField(max_digits=12, decimal_places=4, default=Decimal(0), editable=False)
    consent_page = models.ForeignKey(InformationPage, models.PROTECT, null=True, blank=True, related_name="+")
    settings = models.JSONField(default=dict, blank=True, help_text="What the tool lets a project choose.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.DRAFT)
    annotation_count = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(reference_rate__gte=0, reference_rate__lte=1),
                name="project_reference_rate_is_a_rate",
            ),
            models.CheckConstraint(condition=Q(redundancy__gte=1), name="project_redundancy_at_least_one"),
            models.CheckConstraint(condition=Q(lease_s__gte=1), name="project_lease_at_least_a_second"),
            models.CheckConstraint(
                condition=Q(base_pay=None) | Q(base_pay__gte=0), name="project_base_pay_not_negative"
            ),
            models.CheckConstraint(condition=Q(budget=None) | Q(budget__gte=0), name="project_budget_not_negative"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_live(self) -> bool:
        return self.status == self.Status.LIVE


class TaskQuerySet(models.QuerySet["Task"]):
    def ordinary(self) -> Self:
        return self.filter(is_reference=False)

    def references(self) -> Self:
        return self.filter(is_reference=True)


class Task(models.Model):
    """One unit of a project; idempotent by `key`. A reference is a task whose truth is known.

    `open` says whether it may be claimed now, and carries the index that keeps claims flat: its predicate is this
    boolean and not `slots_left`, so that on PostgreSQL the frequent slot updates stay heap-only.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        DONE = "done"
        UNJUDGEABLE = "unjudgeable"

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
    shuffle = models.FloatField(editable=False, help_text="Random in 0..1: where references are drawn from.")
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = TaskQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                F("project"),
                F("priority").desc(),
                F("id"),
                name="task_open",
                condition=Q(open=True, is_reference=False),
            ),
            models.Index(
                fields=["project", "shuffle"],
                name="task_open_reference",
                condition=Q(open=True, is_reference=True),
            ),
            models.Index(fields=["project", "is_reference", "status"], name="task_of_project"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="task_key_once_per_project"),
            models.CheckConstraint(condition=Q(slots_left__gte=0), name="task_slots_not_negative"),
            models.CheckConstraint(condition=Q(wanted__gte=1), name="task_wants_at_least_one"),
            models.CheckConstraint(
                condition=Q(is_reference=True) | Q(slots_left__lte=F("wanted")),
                name="task_slots_within_wanted",
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
    """The known answers of a reference task: several may be right."""

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


class Enrolment(models.Model):
    """A worker in a project: where they are in its tasks, and what they did and earned there."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="enrolments")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="enrolments")
    cursor_priority = models.IntegerField(null=True, editable=False, help_text="Null: at the start.")
    cursor_task = models.BigIntegerField(default=0, editable=False)
    submitted = models.PositiveIntegerField(default=0)
    earned = models.DecimalField(max_digits=12, decimal_places=4, default=Decimal(0))
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "worker"], name="enrolment_once_per_project")]

    def __str__(self) -> str:
        return f"{self.worker_id} in {self.project_id}"


class WorkToken(models.Model):
    """A worker's key to one project; only its digest is kept."""

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
        """What keeps a task from coming back to its worker."""
        return self.exclude(status__in=[Assignment.Status.RELEASED, Assignment.Status.EXPIRED])

    def overdue(self, *, at: datetime) -> Self:
        return self.held().filter(lease_expires_at__lte=at)

    def current(self, *, at: datetime) -> Self:
        return self.held().filter(lease_expires_at__gt=at)


class Assignment(models.Model):
    """A worker's hold on a task; holds the state, never the answer."""

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
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="assignments")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.CLAIMED)
    claimed_at = models.DateTimeField()
    lease_expires_at = models.DateTimeField()
    draft = models.JSONField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=32, choices=Problem.choices, default="", blank=True)
    problem_text = models.TextField(default="", blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["lease_expires_at"], condition=Q(status="claimed"), name="assignment_lease"),
            models.Index(fields=["worker"], condition=Q(status="claimed"), name="assignment_held_by"),
            models.Index(fields=["task", "worker"], name="assignment_of_task_and_worker"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "worker"],
                condition=~Q(status__in=["released", "expired"]),
                name="assignment_once_per_worker",
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
    def standing(self) -> Self:
        """Not replaced by a later one."""
        return self.filter(superseded_by=None)

    def on_references(self) -> Self:
        return self.filter(task__is_reference=True)

    def on_tasks(self) -> Self:
        return self.filter(task__is_reference=False)


class Annotation(models.Model):
    """The submitted answer, immutable; `score` against the truth where the task is a reference."""

    public_id = models.CharField(max_length=32, unique=True, default=opaque_id, editable=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="annotations")
    number = models.PositiveIntegerField(help_text="1, 2, 3… within the project, in the order of commit.")
    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="annotation")
    task = models.ForeignKey(Task, models.PROTECT, related_name="annotations")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="annotations")
    answer = models.JSONField()
    score = models.FloatField(null=True, blank=True)
    claimed_at = models.DateTimeField()
    submitted_at = models.DateTimeField()
    active_s = models.FloatField(null=True, blank=True)
    superseded_by = models.OneToOneField("self", models.PROTECT, null=True, blank=True, related_name="supersedes")

    objects = AnnotationQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["worker", "project"], name="annotation_of_worker")]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="annotation_number_once_per_project"),
            models.CheckConstraint(
                condition=Q(score=None) | Q(score__gte=0, score__lte=1), name="annotation_score_is_a_fraction"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id


class Consensus(models.Model):
    """The aggregated answer of a task, once it has the annotations that it wanted."""

    class Method(models.TextChoices):
        MAJORITY = "majority"

    task = models.OneToOneField(Task, models.CASCADE, primary_key=True, related_name="consensus")
    answer = models.JSONField()
    method = models.CharField(max_length=32, choices=Method.choices)
    confidence = models.FloatField()
    annotations = models.PositiveIntegerField()
    settled_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "consensus"
        constraints = [
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="consensus_confidence_is_a_fraction"
            )
        ]

    def __str__(self) -> str:
        return f"consensus of {self.task_id}"

    def as_answer(self) -> dict[str, Any]:
        """The answer with how many annotations it rests on."""
        return {**self.answer, "annotations": self.annotations}
