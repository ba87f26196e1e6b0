"""Error reports: from an outcome to a report, and what people and rules do with it.

`take` runs in the transaction that judged the command. It writes the report, where something went wrong, and the job
that will route the command: so a kill at any moment after it costs a delay, and never a report or a task twice.

People send a report elsewhere, merge it into another, dismiss it, or take it up again. Each of these is recorded, and
does nothing where it was done before. A report whose session is rejected is dismissed by itself (`reconsider`).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import Project
from annotation.work.posting import restore, withdraw
from audit.changes import changes
from audit.log import Subject, record
from commands.imports import CommandBody, import_commands
from commands.models import Command
from commands.privacy import ERASED
from lib.command_text import FAULTS
from lib.faults import Conflict, Invalid
from lib.trees.tree import OK
from routing.dispatch import MakeScene, ask_for, ask_for_all, fault_of, held, kept_scene, locked_report, send
from routing.models import ErrorReport, Sending
from routing.routes import asks_for_form, fault_of_target, may_match
from routing.states import renew_state, state_of
from routing.task_payloads import asked_of, why_nothing

State = ErrorReport.State
LONGEST_REASON = 2000
SUBJECT = "error_report"
"""The kind of subject that a report is in the audit log."""
RULE = "rule:data_dropped"
"""The actor in the audit log where a report is dismissed, or taken up again, since its session was decided on."""
_STANDING = ("why_dismissed", "merged_into", "is_dropped", "state", "state_at")
_A_PERSON_MAY_SEND = ("", "unsafe")
"""Faults of words that may be shown to annotators if a person who has read them allows it."""


def take(command: Command, *, tree: int | None, at: datetime) -> None:
    """Report and route one judged command. Call in the transaction that judged it; a repeat changes nothing.

    Args:
        tree: The primary key of the version that was asked after it; None for a posted command.
        at: When it was judged.

    Costs: 1 query where nothing went wrong and no route takes such commands; 5 more for a report, 3 for the job.
    """
    if is_error(command.outcome):
        ErrorReport.objects.get_or_create(command=command, defaults=_columns(command, tree=tree, at=at))
        ask_for(command)
    elif may_match(command.outcome):
        ask_for(command)


class Posted(NamedTuple):
    """How many commands were made, and how many were there already with equal content."""

    created: int
    unchanged: int


def post_commands(*, bodies: Sequence[CommandBody], at: datetime) -> Posted:
    """Import past commands, and report and route them like commands of a live session, in one transaction.

    Raises:
        Invalid, Conflict: as `commands.imports.import_commands`; nothing is made.
    """
    with transaction.atomic():
        imported = import_commands(bodies=bodies, at=at)
        _take_all(imported.made)
    return Posted(created=len(imported.made), unchanged=imported.unchanged)


def _take_all(commands: Sequence[Command]) -> None:
    """`take` for commands that were just made, with their projects locked. 1 query for each outcome, 4 more."""
    wrong = [command for command in commands if is_error(command.outcome)]
    ErrorReport.objects.bulk_create(
        ErrorReport(command=command, **_columns(command, tree=None, at=command.at)) for command in wrong
    )
    outcomes = {command.outcome for command in commands}
    wanted = {outcome for outcome in outcomes if is_error(outcome) or may_match(outcome)}
    ask_for_all([command for command in commands if command.outcome in wanted])


def is_error(outcome: str) -> bool:
    """True if a command of this outcome makes a report; "" is the outcome of a command that nobody judged."""
    return outcome not in ("", OK)


def _columns(command: Command, *, tree: int | None, at: datetime) -> dict[str, Any]:
    return {
        "project_id": command.project_id,
        "tree_id": tree,
        "outcome": command.outcome,
        "state": State.NEW if command.truth is None else State.ANNOTATED,
        "at": at,
        "state_at": at,
    }


# Acts of people ---------------------------------------------------------------------------------------------------


def reroute(*, report: ErrorReport, to: Project, scene: MakeScene | None, by: str, at: datetime) -> None:
    """Have the command of a report annotated in this project, without regard to routes.

    Args:
        scene: Makes the world of the command, where its report has none yet; None: there was no world.

    Raises:
        Invalid: the project repairs nothing.
        Conflict: the report is dismissed, its form is known, or there is nothing in it that can be asked there.
    """
    if reason := fault_of_target(to):
        raise Invalid.at("#/project", reason)
    command = _command_to_send(report, to)
    kept = None if asks_for_form(to) else kept_scene(report, scene, at=at)
    asked = asked_of(to, command, scene=kept, report=report.public_id)
    if not asked:
        raise Conflict(why_nothing(kept))
    with transaction.atomic():
        to = Project.objects.select_for_update().get(pk=to.pk)
        found = _locked(report)
        if found.state == State.DISMISSED:
            raise Conflict("This report is dismissed. Take it up again first.")
        before = Sending.objects.filter(to=to, command=command)
        if before.filter(task__isnull=False).exists():
            return
        shown = _shown(found)
        # The reasons why routes sent nothing hold no more.
        before.delete()
        rows = [send(to, command, one, route=None, report=found, at=at) for one in asked]
        _refuse_refused(rows, to)
        renew_state(found, at=at)
        _record("rerouted", found, shown, by=by, at=at, to=to.slug)


def _command_to_send(report: ErrorReport, to: Project) -> Command:
    """The command of a report that a person wants to send there.

    Raises:
        Conflict: nobody could answer it there, or need to.
    """
    command = Command.objects.select_related("project").get(pk=report.command_id)
    fault = fault_of(command)
    if fault == ERASED:
        raise Conflict("The words of this command were erased.")
    if fault not in _A_PERSON_MAY_SEND:
        raise Conflict(f"This is no command that can be annotated. {FAULTS.get(fault, fault)}")
    if command.truth is not None and asks_for_form(to):
        raise Conflict("The true form of this command is known already.")
    return command


def _refuse_refused(rows: Sequence[Sending], to: Project) -> None:
    if all(row.task is None for row in rows):
        raise Conflict(f"{to.title} does not take this command: {rows[0].detail}")


def dismiss(*, report: ErrorReport, reason: str, by: str, at: datetime) -> None:
    """Dismiss the report for a reason, which is kept. Tasks that were made are still answered, and their answers count.

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
        before = _shown(found)
        _dismiss(found, reason, into=None, at=at)
        _record("dismissed", found, before, by=by, at=at, reason=reason)


def merge(*, report: ErrorReport, into: ErrorReport, by: str, at: datetime) -> None:
    """Merge the report into another of the same error, which stays open; reports merged into the first move along.

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
        before, reason = _shown(found), _merged_into(kept)
        _dismiss(found, reason, into=kept, at=at)
        ErrorReport.objects.filter(merged_into=found).update(merged_into=kept, why_dismissed=reason)
        _record("merged", found, before, by=by, at=at, into=kept.public_id)


def reopen(*, report: ErrorReport, by: str, at: datetime) -> None:
    """Take a dismissed or merged report up again: its state is computed anew, and routes made since apply to it.

    Nothing is done where it is not dismissed.

    Raises:
        Conflict: its data is dropped.
    """
    command = Command.objects.with_decision().get(pk=report.command_id)
    with transaction.atomic():
        found = _locked(report)
        if found.state != State.DISMISSED:
            return
        if command.why_dropped:
            raise Conflict(f"{command.why_dropped} Overturn that decision first.")
        before = _shown(found)
        _take_up(found, is_known=command.truth is not None, at=at)
        _record("reopened", found, before, by=by, at=at)
        # The reasons why routes sent nothing then hold no more.
        Sending.objects.filter(command=command, task=None).delete()
        ask_for(command)


# Dropped data ------------------------------------------------------------------------------------------------------


def reconsider(*, command: int, at: datetime) -> None:
    """Bring reports and tasks of a command in line with whether its data counts.

    If the data is dropped, the report is dismissed and tasks that no other command needs are withdrawn; if it counts,
    both are taken up again. This reads the command as it is now, under its lock, so it may run as often and as late as
    it likes, and two runs at once end alike. Call after the commit of the decision.

    Locks: as in `dispatch`, the project that was sent to, then the report, then the command. Costs: some 6 queries, 10
    more for each project that it was sent to.
    """
    found = Command.objects.complete().filter(pk=command).first()
    if found is None:
        return
    with transaction.atomic():
        report = locked_report(found)
        # This waits for a sending that runs now; a later one sees the command as it is.
        now = held(found)
        if report is not None:
            _follow(report, now, at=at)
        if not now.why_dropped:
            ask_for(now)
    sent = Sending.objects.filter(command=found, task__isnull=False)
    for to in list(sent.order_by("to_id").values_list("to_id", flat=True).distinct()):
        _reconsider_in(to, found, at=at)


def _reconsider_in(project: int, command: Command, *, at: datetime) -> None:
    with transaction.atomic():
        to = Project.objects.select_for_update().get(pk=project)
        report = locked_report(command)
        is_dropped = bool(held(command).why_dropped)
        rows = Sending.objects.filter(to=to, command=command, task__isnull=False, is_dropped=not is_dropped)
        changed = list(rows.select_related("task").order_by("pk"))
        rows.update(is_dropped=is_dropped)
        for task in [row.task for row in changed if row.task is not None]:
            task.project = to
            if not is_dropped:
                restore(task=task, at=at)
            elif not Sending.objects.filter(task=task, is_dropped=False).exists():
                withdraw(task=task, at=at)
        if report is not None:
            renew_state(report, at=at, is_known=command.truth is not None)


def _follow(report: ErrorReport, command: Command, *, at: datetime) -> None:
    """Dismiss the report if the data of its command is dropped; take it up again if that was overturned.

    A report that a person dismissed stays dismissed. Call with report and command locked; a repeat changes nothing.
    """
    why, before = command.why_dropped, _shown(report)
    if not why and report.is_dropped:
        _take_up(report, is_known=command.truth is not None, at=at)
        _record("reopened", report, before, by=RULE, at=at)
    is_open = report.state != State.DISMISSED
    if why and (is_open or (report.is_dropped and report.why_dismissed != why)):
        report.is_dropped = True
        _dismiss(report, why, into=None, at=at)
        _record("dismissed", report, before, by=RULE, at=at, reason=why)


# Writing -----------------------------------------------------------------------------------------------------------


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
    # Lock the reports alone, not the rows that they name.
    return list(rows.select_for_update(of=("self",)).select_related("project").order_by("pk"))


def _shown(found: ErrorReport) -> dict[str, Any]:
    """The fields of a report that acts change, as the audit log shows them. 1 query, 2 where it is merged."""
    sent = Sending.objects.filter(command=found.command_id, task__isnull=False).order_by("to__slug")
    return {
        "state": str(found.state),
        "why_dismissed": found.why_dismissed,
        "merged_into": found.merged_into.public_id if found.merged_into else None,
        "sent_to": list(sent.values_list("to__slug", flat=True).distinct()),
    }


def _record(
    verb: str,
    found: ErrorReport,
    before: Mapping[str, Any],
    *,
    by: str,
    at: datetime,
    reason: str = "",
    **detail: str,
) -> None:
    subject = Subject(SUBJECT, found.public_id)
    record(
        verb=f"{SUBJECT}.{verb}",
        actor=by,
        subject=subject,
        project=found.project.slug,
        at=at,
        reason=reason,
        **detail,
        **changes(before, _shown(found)),
    )
