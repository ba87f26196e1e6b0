"""From an outcome to a report, and on to its tasks: `take` is the one way in.

`take` runs in the transaction that judged the command. It writes the report, where something went wrong, and the job
that will route the command: so a kill at any moment after it costs a delay, and never a report or a task twice.

What people do with a report afterwards is here too: send it elsewhere, merge it into another, dismiss it, take it up
again. Each is recorded, and does nothing where it was done before.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import Project
from audit.log import Subject, record
from common.errors import Conflict, Invalid
from routing import cases
from routing.cases import Case
from routing.models import ErrorReport, Sending
from routing.payloads import asked_of, why_nothing
from routing.routes import PARSE, fault_of_target, may_match
from routing.sending import ERASED, ask_for, ask_for_all, fault_of, scene_of, send, sendings_of
from routing.states import renew_state, state_of
from routing.trees.tree import OK
from routing.wording import FAULTS

State = ErrorReport.State
LONGEST_REASON = 2000
SUBJECT = "error_report"
"""What the audit log calls a report."""
RULE = "rule:data_dropped"
"""Who dismisses reports of sessions whose data is dropped, and takes them up again."""
_STANDING = ("why_dismissed", "merged_into", "is_dropped", "state", "state_at")
_A_PERSON_MAY_SEND = ("", "unsafe")
"""Faults of words that may be shown to annotators if a person who has read them says so."""


def take(case: Case) -> None:
    """Report and route one judged command. Call in the transaction that judged it; a repeat changes nothing.

    Costs: 1 query where nothing went wrong and no route takes such commands; 5 more for a report, 3 for the job.
    """
    if is_error(case.outcome):
        _report(case)
        ask_for(project=case.project.pk, command=case.command)
    elif may_match(case.outcome):
        ask_for(project=case.project.pk, command=case.command)


def take_all(cases: Sequence[Case]) -> None:
    """The same for many that came together, with their projects locked. 1 query for each kind of outcome, 4 more."""
    _report_all([case for case in cases if is_error(case.outcome)])
    wanted = {outcome for outcome in {case.outcome for case in cases} if is_error(outcome) or may_match(outcome)}
    ask_for_all([(case.project.pk, case.command) for case in cases if case.outcome in wanted])


def is_error(outcome: str) -> bool:
    """Whether a command of this outcome makes a report; "" is that of one that nobody judged."""
    return outcome not in ("", OK)


def _report(case: Case) -> None:
    ErrorReport.objects.get_or_create(project=case.project, command=case.command, defaults=_columns(case))


def _report_all(cases: Sequence[Case]) -> None:
    named = ErrorReport.objects.filter(
        project__in={case.project for case in cases}, command__in=[case.command for case in cases]
    )
    there = set(named.values_list("project", "command")) if cases else set()
    ErrorReport.objects.bulk_create(
        ErrorReport(project=case.project, command=case.command, **_columns(case))
        for case in cases
        if (case.project.pk, case.command) not in there
    )


def _columns(case: Case) -> dict[str, Any]:
    """What a report has of its command, but for its name."""
    return {
        "worker": case.worker,
        "agent": case.agent,
        "tree": case.tree,
        "outcome": case.outcome,
        "path": list(case.path),
        "feedback": case.feedback,
        "text": case.text[:500],
        "status": case.status,
        "why_failed": case.why_failed[:200],
        "form": case.form,
        "form_in_words": case.form_in_words,
        "versions": dict(case.versions),
        "objects_found": list(case.objects_found),
        "state": State.NEW if case.truth is None else State.ANNOTATED,
        "at": case.at,
        "state_at": case.at,
    }


# What people do ----------------------------------------------------------------------------------------------------


def reroute(*, report: ErrorReport, to: Project, by: str, at: datetime) -> None:
    """Have the command of a report annotated in this project, whatever the routes say.

    Raises:
        Invalid: the project repairs nothing.
        Conflict: the report is dismissed, its form is known, or there is nothing in it that can be asked there.
    """
    if reason := fault_of_target(to):
        raise Invalid.at("#/project", reason)
    case = _case_to_send(report, to)
    scene = None if to.tool == PARSE else scene_of(case, report, at=at)
    asked = asked_of(to, case, scene=scene, report=report.public_id)
    if not asked:
        raise Conflict(why_nothing(scene))
    with transaction.atomic():
        to = Project.objects.select_for_update().get(pk=to.pk)
        found = _locked(report)
        if found.state == State.DISMISSED:
            raise Conflict("This report is dismissed. Take it up again first.")
        before = sendings_of(case, to)
        if before.filter(task__isnull=False).exists():
            return
        # A route's reason why it sent nothing holds no more.
        before.delete()
        rows = [send(to, case, one, route=None, report=found, at=at) for one in asked]
        _refuse_refused(rows, to)
        renew_state(found, at=at)
        _record("rerouted", found, by=by, at=at, to=to.slug)


def _case_to_send(report: ErrorReport, to: Project) -> Case:
    """The command of a report that a person wants to send there.

    Raises:
        Conflict: nobody could answer it there, or need to.
    """
    case = cases.case_of(report.project_id, report.command)
    if case is None:
        raise Conflict("The command of this report is not there any more.")
    fault = fault_of(case)
    if fault == ERASED:
        raise Conflict("The words of this command were erased.")
    if fault not in _A_PERSON_MAY_SEND:
        raise Conflict(f"This is no command that can be annotated. {FAULTS.get(fault, fault)}")
    if case.truth is not None and to.tool == PARSE:
        raise Conflict("The true form of this command is known already.")
    return case


def _refuse_refused(rows: Sequence[Sending], to: Project) -> None:
    if all(row.task is None for row in rows):
        raise Conflict(f"{to.title} does not take this command: {rows[0].detail}")


def dismiss(*, report: ErrorReport, reason: str, by: str, at: datetime) -> None:
    """Let the report be, for a reason that is kept. What was sent is still answered, and its answer still counts.

    Raises:
        Invalid: there is no reason.
        Conflict: it was dismissed for another reason.
    """
    reason = reason.strip()
    if not reason or len(reason) > LONGEST_REASON:
        raise Invalid.at("#/reason", f"Say why, in {LONGEST_REASON} characters at most.")
    with transaction.atomic():
        found = _locked(report)
        if found.state == State.DISMISSED:
            if found.why_dismissed == reason:
                return
            raise Conflict(f"This report is dismissed already: {found.why_dismissed}")
        _dismiss(found, reason, into=None, at=at)
        _record("dismissed", found, by=by, at=at, reason=reason)


def merge(*, report: ErrorReport, into: ErrorReport, by: str, at: datetime) -> None:
    """Say that the report tells of the same as another, which is kept; what was merged into it goes along.

    Raises:
        Conflict: they are the same report, or one of them is dismissed or merged already.
    """
    if report.pk == into.pk:
        raise Conflict("A report cannot be merged into itself.")
    with transaction.atomic():
        locked = {one.pk: one for one in _lock(ErrorReport.objects.filter(pk__in=[report.pk, into.pk]))}
        found, kept = locked[report.pk], locked[into.pk]
        if found.merged_into_id == kept.pk:
            return
        if found.state == State.DISMISSED:
            raise Conflict("This report is dismissed or merged already. Take it up again first.")
        if kept.state == State.DISMISSED:
            raise Conflict("The other report is dismissed or merged itself. Merge into one that is open.")
        reason = _merged_into(kept)
        _dismiss(found, reason, into=kept, at=at)
        ErrorReport.objects.filter(merged_into=found).update(merged_into=kept, why_dismissed=reason)
        _record("merged", found, by=by, at=at, into=kept.public_id)


def reopen(*, report: ErrorReport, by: str, at: datetime) -> None:
    """Take a dismissed or merged report up again: it stands where it would stand, and routes that came since apply.

    Where it is not dismissed nothing is done.

    Raises:
        Conflict: its data is dropped.
    """
    case = cases.case_of(report.project_id, report.command)
    with transaction.atomic():
        found = _locked(report)
        if found.state != State.DISMISSED:
            return
        if case is not None and case.dropped:
            raise Conflict(f"{case.dropped} Overturn that decision first.")
        _take_up(found, is_known=case is not None and case.truth is not None, at=at)
        _record("reopened", found, by=by, at=at)
        # Why a route sent nothing then holds no more.
        Sending.objects.filter(project=found.project_id, command=found.command, task=None).delete()
        ask_for(project=found.project_id, command=found.command)


def follow(*, report: ErrorReport, case: Case, at: datetime) -> None:
    """Dismiss the report if the data of its command is dropped; take it up again if that was overturned.

    What a person had dismissed stays dismissed. Call with report and command locked; a repeat changes nothing.
    """
    if not case.dropped and report.is_dropped:
        _take_up(report, is_known=case.truth is not None, at=at)
        _record("reopened", report, by=RULE, at=at)
    is_open = report.state != State.DISMISSED
    if case.dropped and (is_open or (report.is_dropped and report.why_dismissed != case.dropped)):
        report.is_dropped = True
        _dismiss(report, case.dropped, into=None, at=at)
        _record("dismissed", report, by=RULE, at=at, reason=case.dropped)


def _take_up(found: ErrorReport, *, is_known: bool, at: datetime) -> None:
    found.why_dismissed, found.merged_into, found.is_dropped = "", None, False
    found.state, found.state_at = state_of(found, is_known=is_known), at
    found.save(update_fields=_STANDING)


def _dismiss(found: ErrorReport, reason: str, *, into: ErrorReport | None, at: datetime) -> None:
    found.why_dismissed, found.merged_into = reason, into
    found.state, found.state_at = State.DISMISSED, at
    found.save(update_fields=_STANDING)


def _merged_into(kept: ErrorReport) -> str:
    return f"Merged into {kept.public_id}."


def _locked(report: ErrorReport) -> ErrorReport:
    return _lock(ErrorReport.objects.filter(pk=report.pk))[0]


def _lock(rows: QuerySet[ErrorReport]) -> list[ErrorReport]:
    # Of the reports alone: what they name is locked by others.
    return list(rows.select_for_update(of=("self",)).select_related("project").order_by("pk"))


def _record(verb: str, found: ErrorReport, *, by: str, at: datetime, reason: str = "", **detail: str) -> None:
    subject = Subject(SUBJECT, found.public_id)
    record(
        verb=f"{SUBJECT}.{verb}",
        actor=by,
        subject=subject,
        project=found.project.slug,
        at=at,
        reason=reason,
        **detail,
    )
