"""Error reports as JSON Lines, oldest first."""

from collections.abc import Iterator
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.models import Project
from common.data.complete_reads import complete_rows
from lib.faults import Invalid
from routing.models import ErrorReport, Sending


def report_rows(
    *, project: Project | None = None, state: str = "", outcome: str = "", since: str = ""
) -> Iterator[dict[str, Any]]:
    """Reports in the order in which they were made, after the report `since`; None and "" match any.

    Raises:
        Invalid: there is no such state, or no such report.
        StillWriting: reports that come before others are still being written.
    """
    rows = ErrorReport.objects.order_by("pk")
    if state and state not in ErrorReport.State.values:
        raise Invalid.at("#/state", f"A report is one of {', '.join(ErrorReport.State.values)}.")
    if since:
        after = ErrorReport.objects.filter(public_id=since).values_list("pk", flat=True).first()
        if after is None:
            raise Invalid.at("#/since", "There is no such report.")
        rows = rows.filter(pk__gt=after)
    wanted = {"project": project, "state": state, "outcome": outcome}
    rows = rows.filter(**{name: value for name, value in wanted.items() if value})
    return (_row(report) for report in _with_task(complete_rows(rows)).iterator(chunk_size=1000))


def _with_task(rows: QuerySet[ErrorReport]) -> QuerySet[ErrorReport]:
    """Add the key of the first task of each report, and the digest of its scene."""
    sent = Sending.objects.filter(report=OuterRef("pk"), task__isnull=False).order_by("pk")
    known = rows.annotate(task_key=Subquery(sent.values("task__key")[:1]))
    return known.select_related("command", "scene").defer("scene__packed")


def _row(report: Any) -> dict[str, Any]:
    """One line; `phrase` is that of the first object that the command names."""
    phrases = [one["phrase"] for one in report.command.objects_found if one.get("phrase")]
    return {
        "report": report.public_id,
        "command": report.command.public_id,
        "outcome": report.outcome,
        "phrase": phrases[0] if phrases else None,
        "scene": report.scene.digest if report.scene else None,
        "parse": report.command.form,
        "state": report.state,
        "task": report.task_key,
    }
