"""Error reports as JSON Lines, oldest first."""

from collections.abc import Iterator
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.models import Project
from common.arrivals import arrived
from common.errors import Invalid
from routing.models import ErrorReport, Sending


def report_rows(
    *, project: Project | None = None, state: str = "", outcome: str = "", since: str = ""
) -> Iterator[dict[str, Any]]:
    """Reports in the order in which they were made, after the report `since`; None and "" ask for any.

    Raises:
        Invalid: there is no such state, or no such report.
        StillArriving: reports that come before others are still being written.
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
    return (_row(report) for report in _with_task(arrived(rows)).iterator(chunk_size=1000))


def _with_task(rows: QuerySet[ErrorReport]) -> QuerySet[ErrorReport]:
    """With the key of the first task that each became, and the digest of its scene."""
    sent = Sending.objects.filter(report=OuterRef("pk"), task__isnull=False).order_by("pk")
    known = rows.annotate(task_key=Subquery(sent.values("task__key")[:1]))
    return known.select_related("scene").defer("scene__packed")


def _row(report: Any) -> dict[str, Any]:
    """Of the objects that it names, the phrase of the first."""
    phrases = [one["phrase"] for one in report.objects_found if one.get("phrase")]
    return {
        "report": report.public_id,
        "command": report.command,
        "outcome": report.outcome,
        "phrase": phrases[0] if phrases else None,
        "scene": report.scene.digest if report.scene else None,
        "parse": report.form,
        "state": report.state,
        "task": report.task_key,
    }
