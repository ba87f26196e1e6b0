"""Addresses of staff pages for rows of the apps below, which know no address themselves."""

from collections.abc import Callable, Mapping

from django.urls import reverse

from annotation.models import Task
from annotation.review.queue import Subject, SubjectKind
from commands.models import Command
from interaction.models import LiveCommand


def task_page(task: int) -> str:
    """The page on which a task is reviewed."""
    return reverse("staff-review-task", args=[task])


def pause_page(action: int) -> str:
    """The page on which a pause is decided."""
    return reverse("staff-review-pause", args=[action])


def command_page(task: Task) -> str:
    """The page of a command. The task comes with its project; a task that is one step leads to its whole command."""
    return reverse("staff-command", args=[task.project.slug, task.part_of_id or task.pk])


def command_address(command: Command) -> str | None:
    """The page of the session in which the command was given; None for a posted one. No query where it is loaded."""
    live: LiveCommand | None = getattr(command, "live", None)
    return None if live is None else reverse("staff-session", args=[live.session.public_id])


_PAGES: Mapping[SubjectKind, Callable[[int | str], str]] = {
    "task": lambda pk: reverse("staff-review-task", args=[pk]),
    "pause": lambda pk: reverse("staff-review-pause", args=[pk]),
    "flagged-text": lambda pk: f"{reverse('staff-flagged-texts')}#text-{pk}",
    "episode": lambda external_id: reverse("staff-episode", args=[external_id]),
}


def page_of(subject: Subject) -> str:
    """The page on which a subject of the review queue is decided."""
    return _PAGES[subject.kind](subject.id)
