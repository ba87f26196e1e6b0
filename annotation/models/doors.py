"""Doors: how the workers of a panel enter a project, and the browsers in which they did."""

from django.db import models
from django.db.models import Q

from annotation.models.projects import Project
from workforce.models import Worker


class Door(models.Model):
    """The settings of a panel for one project: which parameters of the address name worker, study and session, and
    where workers return to."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="doors")
    panel = models.SlugField(max_length=63, help_text="The platform of the workers who enter here.")
    is_open = models.BooleanField(default=True)
    worker_parameter = models.CharField(max_length=64)
    session_parameter = models.CharField(max_length=64)
    study_parameter = models.CharField(max_length=64, default="", blank=True)
    study = models.CharField(max_length=128, default="", blank=True, help_text="The one study that may enter.")
    done_url = models.URLField(max_length=500, default="", blank=True)
    left_url = models.URLField(max_length=500, default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "panel"], name="door_once_per_panel"),
            models.CheckConstraint(condition=~Q(panel="direct"), name="door_of_a_panel"),
            models.CheckConstraint(
                condition=~Q(worker_parameter="") & ~Q(session_parameter=""), name="door_names_worker_and_session"
            ),
            models.CheckConstraint(condition=Q(study="") | ~Q(study_parameter=""), name="door_study_has_a_parameter"),
        ]

    def __str__(self) -> str:
        return f"{self.panel} into {self.project_id}"


class Arrival(models.Model):
    """A session of a panel, bound to the browser of its first arrival. Both are kept as digests."""

    panel = models.SlugField(max_length=63)
    session = models.CharField(max_length=64, editable=False)
    browser = models.CharField(max_length=64, editable=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="arrivals")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="arrivals")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["panel", "session"], name="arrival_once_per_session")]

    def __str__(self) -> str:
        return f"arrival of {self.worker_id}"
