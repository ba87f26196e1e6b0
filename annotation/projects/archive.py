"""Archiving projects: an archived project is hidden from lists and offered to nobody, and can be put back.

After the grace, a nightly job deletes archived projects in which nobody ever worked. A project that holds work, money
or people stays archived for good, because answers, pay and the audit log refer to it.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, ProtectedError, Q

from annotation.models import Annotation, Assignment, Project
from annotation.projects.projects import show_project
from audit.changes import changes
from audit.log import record
from lib.number_words import number_of
from workforce.models import LedgerEntry

GRACE = timedelta(days=30)
"""How long an archived thing without any work can be put back, before it is deleted."""
RULE = "rule:archive"


def archive_project(*, project: Project, by: str, at: datetime) -> None:
    """Hide the project and offer it to nobody; a live one is paused. A repeat changes nothing."""
    _change(project, archived_at=at, by=by, at=at)


def restore_project(*, project: Project, by: str, at: datetime) -> None:
    """Put an archived project back. One that was live stays paused until somebody starts it. A repeat changes
    nothing."""
    _change(project, archived_at=None, by=by, at=at)


def _change(project: Project, *, archived_at: datetime | None, by: str, at: datetime) -> None:
    with transaction.atomic():
        found = Project.objects.select_for_update().get(pk=project.pk)
        if (found.archived_at is None) == (archived_at is None):
            return
        before = _state(found)
        found.archived_at = archived_at
        if found.is_live:
            found.status = Project.Status.PAUSED
        found.save(update_fields=["archived_at", "status"])
        record(
            verb="project.archived" if archived_at else "project.restored",
            actor=by,
            subject=found.audit_subject,
            project=found.slug,
            at=at,
            **changes(before, _state(found)),
        )


def _state(project: Project) -> dict[str, Any]:
    return {"archived": project.archived_at is not None, "status": project.status}


def what_archiving_a_project_does(project: Project) -> list[str]:
    """The consequences of archiving the project, in sentences with counts. 2 queries."""
    held = Assignment.objects.held().filter(task__project=project).aggregate(n=Count("worker", distinct=True))["n"]
    said = ["It is no longer in the lists, and no worker is given its tasks. Its page and its answers stay."]
    if project.is_live:
        said.append("It is live: it will be paused, and stay paused when it is put back.")
    if held:
        said.append(f"{held} {'person holds' if held == 1 else 'people hold'} a task and can still hand it in.")
    answers = Annotation.objects.filter(project=project).count()
    if answers:
        said.append(f"It has {number_of(answers, 'answer')}, so it is never deleted.")
    else:
        said.append(f"Nobody has worked in it: it is deleted after {GRACE.days} days, unless it is put back.")
    return said


def delete_unused_projects(at: datetime) -> int:
    """Delete the projects that were archived before the grace and in which nobody ever was; returns how many."""
    old = Project.objects.filter(archived_at__lt=at - GRACE, enrolments=None, annotation_count=0)
    return sum(_delete(pk, at=at) for pk in list(old.values_list("pk", flat=True)))


def _delete(pk: int, *, at: datetime) -> bool:
    """Delete the project with its tasks, unless anything refers to it that must stay."""
    try:
        with transaction.atomic():
            project = Project.objects.select_for_update().filter(pk=pk, archived_at__lt=at - GRACE).first()
            if project is None or _is_in_use(project):
                return False
            before = show_project(project)
            project.tasks.exclude(part_of=None).delete()
            project.tasks.all().delete()
            project.delete()
            record(
                verb="project.deleted",
                actor=RULE,
                subject=project.audit_subject,
                project=project.slug,
                at=at,
                **changes(before, {}),
            )
    except ProtectedError:
        return False
    return True


def _is_in_use(project: Project) -> bool:
    return (
        project.enrolments.exists()
        or LedgerEntry.objects.filter(account=project.slug).exists()
        or Assignment.objects.filter(Q(task__project=project) | Q(slot_of__project=project)).exists()
    )
