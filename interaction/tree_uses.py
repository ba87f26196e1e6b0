"""Which live projects of sessions ask which tree, for the pages of trees."""

from collections.abc import Sequence

from annotation.arms import arms_of
from annotation.models import Project
from interaction.tool import interaction


def projects_by_tree(slugs: Sequence[str]) -> dict[str, list[Project]]:
    """The live projects whose sessions ask each of these trees, in any arm of an experiment too. 1 query."""
    found: dict[str, list[Project]] = {slug: [] for slug in slugs}
    for project in Project.objects.filter(tool=interaction.name, status=Project.Status.LIVE):
        named = {project.settings.get("tree"), *(arm.settings.get("tree") for arm in arms_of(project))}
        for slug, asking in found.items():
            if slug in named:
                asking.append(project)
    return found
