"""Scenes of voxel worlds, each kept once, and the tasks that show them."""

from django.db import models
from django.db.models import Q

from annotation.models.tasks import Task


class KeptScene(models.Model):
    """A scene, named by the digest of its content: it never changes, and is kept once however many tasks show it."""

    digest = models.CharField(max_length=64, unique=True, editable=False, help_text="SHA-256 of what it holds.")
    packed = models.BinaryField(help_text="As lib/voxels/scene.py packs it.")
    size_x = models.PositiveIntegerField()
    size_y = models.PositiveIntegerField()
    size_z = models.PositiveIntegerField()
    blocks = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(size_x__gte=1, size_y__gte=1, size_z__gte=1), name="keptscene_has_a_size"
            ),
        ]

    def __str__(self) -> str:
        return self.digest[:12]


class SceneTask(models.Model):
    """A task shows a scene and, where workers look for something in it, with these words."""

    task = models.OneToOneField(Task, models.CASCADE, primary_key=True, related_name="scene_task")
    scene = models.ForeignKey(KeptScene, models.PROTECT, related_name="scene_tasks")
    phrase = models.CharField(max_length=200, blank=True, help_text="Empty: something is to be named.")

    class Meta:
        indexes = [models.Index(fields=["scene", "phrase"], name="scenetask_of_scene")]

    def __str__(self) -> str:
        return f"{self.task_id}: {self.phrase or 'to be named'}"
