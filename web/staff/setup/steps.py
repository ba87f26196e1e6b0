"""The steps in which a draft is set up, and where each stands."""

from typing import NamedTuple

from django.urls import reverse

from annotation.models import Project


class Step(NamedTuple):
    """A step as the line above its page shows it."""

    name: str
    title: str
    address: str
    is_here: bool


NAMES = {
    "material": "Material",
    "words": "What workers read",
    "quality": "Quality",
    "money": "Money",
    "try": "Try it",
    "check": "Go live",
}
"""The steps after the first page, in their order."""


def steps_of(project: Project, here: str) -> list[Step]:
    """The steps of a draft; none for a project that has been live, which has its settings instead."""
    if project.status != Project.Status.DRAFT:
        return []
    return [Step(name, title, address_of(project, name), name == here) for name, title in NAMES.items()]


def address_of(project: Project, name: str) -> str:
    """The address of a step."""
    if name == "words":
        return reverse("staff-instructions", args=[project.slug])
    views = {"quality": "staff-setup-section", "money": "staff-setup-section"}
    if name in views:
        return reverse(views[name], args=[project.slug, name])
    return reverse(f"staff-setup-{name}", args=[project.slug])


def after(project: Project, here: str) -> str:
    """The address of the step that follows."""
    names = list(NAMES)
    return address_of(project, names[min(names.index(here) + 1, len(names) - 1)])
