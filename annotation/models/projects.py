"""Projects, the versions of their instructions, and the roles of staff accounts."""

from decimal import Decimal
from typing import Any, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from audit.log import Subject
from workforce.models import InformationPage, Qualification

LEASE_S = 15 * 60
"""The seconds for which a worker holds a task, where the project sets none."""
APPROVE_AFTER_S = 3 * 24 * 3600
"""The seconds after which work without a decision is approved, where the project sets none."""
REDUNDANCY, LEAST_ANNOTATIONS = 1, 2
REFERENCE_RATE = 0.1


class Method(models.TextChoices):
    """The method by which annotations become a consensus."""

    MAJORITY = "majority"
    WEIGHTED = "weighted"
    DAWID_SKENE = "dawid_skene"


class ProjectQuerySet(models.QuerySet["Project"]):
    def listed(self) -> Self:
        """The projects that lists show: those that are not archived."""
        return self.filter(archived_at=None)


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
    instruction_version = models.ForeignKey(
        "InstructionVersion",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="The present version of the instructions.",
    )
    redundancy = models.PositiveIntegerField(default=REDUNDANCY, validators=[MinValueValidator(1)])
    reference_rate = models.FloatField(default=REFERENCE_RATE, validators=[MinValueValidator(0), MaxValueValidator(1)])
    start_tasks = models.PositiveIntegerField(default=0, help_text="A worker's first tasks, at the rate below; 0: off.")
    start_reference_rate = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    lease_s = models.PositiveIntegerField(default=LEASE_S)
    limit_per_worker = models.PositiveIntegerField(null=True, blank=True)
    base_pay = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    budget = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    currency = models.CharField(max_length=3, default="USD")
    spent = models.DecimalField(max_digits=12, decimal_places=4, default=Decimal(0), editable=False)
    consent_page = models.ForeignKey(InformationPage, models.PROTECT, null=True, blank=True, related_name="+")
    qualification = models.ForeignKey(
        Qualification,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Passed before the first task.",
    )
    gates = models.JSONField(default=list, blank=True, help_text="Rules that warn or pause, as the API takes them.")
    consensus_method = models.CharField(max_length=16, choices=Method.choices, default=Method.MAJORITY)
    confidence_wanted = models.FloatField(
        null=True, blank=True, help_text="Null: a task is done at its redundancy, however sure or unsure."
    )
    least_annotations = models.PositiveIntegerField(
        default=LEAST_ANNOTATIONS, help_text="A task never closes earlier than this."
    )
    most_annotations = models.PositiveIntegerField(null=True, blank=True, help_text="How far an unsure task may grow.")
    two_person_review = models.BooleanField(default=False, help_text="A second reviewer confirms each adjudication.")
    approve_after_s = models.PositiveIntegerField(
        null=True,
        blank=True,
        default=APPROVE_AFTER_S,
        help_text="Work is approved by itself after so long; null: never.",
    )
    experiment = models.JSONField(
        null=True, blank=True, help_text="Arms that workers are drawn into, as the API has it."
    )
    settings = models.JSONField(default=dict, blank=True, help_text="What the tool lets a project choose.")
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.DRAFT)
    annotation_count = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True, blank=True, help_text="Since then hidden and not offered.")

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(archived_at=None) | ~Q(status="live"), name="project_archived_is_not_live"
            ),
            models.CheckConstraint(
                condition=Q(reference_rate__gte=0, reference_rate__lte=1),
                name="project_reference_rate_is_a_rate",
            ),
            models.CheckConstraint(
                condition=Q(start_reference_rate=None) | Q(start_reference_rate__gte=0, start_reference_rate__lte=1),
                name="project_start_reference_rate_is_a_rate",
            ),
            models.CheckConstraint(
                condition=Q(start_tasks=0) | Q(start_reference_rate__isnull=False), name="project_start_names_its_rate"
            ),
            models.CheckConstraint(
                condition=Q(confidence_wanted=None) | Q(confidence_wanted__gt=0.5, confidence_wanted__lt=1),
                name="project_confidence_between_half_and_one",
            ),
            models.CheckConstraint(condition=Q(least_annotations__gte=1), name="project_least_at_least_one"),
            models.CheckConstraint(
                condition=Q(most_annotations=None) | Q(most_annotations__gte=F("redundancy")),
                name="project_most_at_least_its_redundancy",
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

    @property
    def hides_references(self) -> bool:
        """False if references are served until none is left, so that every worker knows them."""
        return self.reference_rate < 1

    @property
    def serves_references(self) -> bool:
        """True if some of the tasks that workers get may be references."""
        return self.reference_rate > 0 or bool(self.start_tasks and self.start_reference_rate)

    @property
    def practice_payload(self) -> dict[str, Any]:
        """The payload of the project's own practice task; empty where it has none."""
        practice = self.settings.get("practice")
        return practice["payload"] if practice else {}

    @property
    def audit_subject(self) -> Subject:
        """The project as the audit log names it."""
        return Subject("project", self.slug)


class InstructionVersion(models.Model):
    """One version of a project's instructions; each annotation points at the one that its worker saw."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="instruction_versions")
    number = models.PositiveIntegerField(help_text="1, 2, 3… within the project.")
    pages = models.JSONField(help_text="Markdown pages, in order.")
    arm = models.CharField(max_length=63, default="", blank=True, help_text="Of the experiment; empty: for the rest.")
    by = models.CharField(max_length=200, help_text="The person or the key that wrote it.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="instruction_version_number_once_per_project")
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.project_id}"


class Picture(models.Model):
    """A picture in instructions; named by the digest of the file that was added, so it never changes.

    A job writes it again from its pixels; until then it is not shown.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        READY = "ready"
        REFUSED = "refused"

    digest = models.CharField(max_length=64, unique=True, editable=False)
    state = models.CharField(max_length=16, choices=State.choices, default=State.READY)
    problem = models.CharField(max_length=300, default="", blank=True, help_text="Why it was refused.")
    source = models.CharField(
        max_length=200, default="", blank=True, editable=False, help_text="The added file, while the picture waits."
    )
    file = models.CharField(max_length=200, default="", blank=True, editable=False, help_text="Its name in the store.")
    content_type = models.CharField(max_length=32, default="", blank=True)
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="picture_ready_has_a_file",
                condition=(Q(state="ready") & ~Q(file="") & Q(width__gt=0, height__gt=0))
                | (~Q(state="ready") & Q(file="")),
            )
        ]

    def __str__(self) -> str:
        return self.digest[:12]


class Membership(models.Model):
    """The role of a staff account: in one project, or everywhere."""

    class Role(models.TextChoices):
        VIEWER = "viewer"
        REVIEWER = "reviewer"
        ADMIN = "admin"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    project = models.ForeignKey(
        Project, models.CASCADE, null=True, blank=True, related_name="memberships", help_text="Empty: every project."
    )
    role = models.CharField(max_length=16, choices=Role.choices)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "project"], name="membership_once_per_project"),
            models.UniqueConstraint(fields=["user"], condition=Q(project=None), name="membership_once_everywhere"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role}"


class Invitation(models.Model):
    """A link by which one person makes a staff account of their own, once."""

    digest = models.CharField(max_length=64, unique=True, editable=False, help_text="Of the token in the link.")
    role = models.CharField(max_length=16, choices=Membership.Role.choices)
    project = models.ForeignKey(
        Project, models.CASCADE, null=True, blank=True, related_name="invitations", help_text="Empty: every project."
    )
    note = models.CharField(max_length=200, blank=True, help_text="Whom it is for, in the inviter's words.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    account = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="invitation"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(used_at=None) | Q(withdrawn_at=None), name="invitation_is_used_or_withdrawn"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="invitation_expires_after_it_is_made"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk}"
