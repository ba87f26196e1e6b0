"""Decision trees in versions: each change is a new version, since a marking names the version that was answered."""

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from lib.trees import tree as trees
from lib.trees.parser import read_tree


class Tree(models.Model):
    """A decision tree under its name; its questions are in its versions."""

    slug = models.SlugField(max_length=63, unique=True)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.slug


class TreeVersionQuerySet(models.QuerySet["TreeVersion"]):
    def newest(self) -> Self:
        """The last version of each tree."""
        later = TreeVersion.objects.filter(tree=OuterRef("tree"), number__gt=OuterRef("number"))
        return self.filter(~Exists(later))


class TreeVersion(models.Model):
    """One version of a tree, written once (a trigger refuses changes), so that old answers can be walked again."""

    tree = models.ForeignKey(Tree, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the tree.")
    content = models.JSONField(help_text="As it was put.")
    digest = models.CharField(max_length=64, editable=False, help_text="Of the content with every default spelled out.")
    by = models.CharField(max_length=200, help_text="Who put it, as the audit log names them.")
    created_at = models.DateTimeField()

    objects = TreeVersionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tree", "number"], name="tree_version_once_per_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="tree_version_number_from_one"),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"

    def read(self) -> trees.Tree:
        """The tree as an object that can be walked."""
        return read_tree(self.content)
