"""Sending commands to where they are repaired: a job for each command, and one task for all that say the same.

The job is written with the outcome. It asks for the command, keeps its scene with the report, and goes through the
projects to which routes lead. For each project there is one transaction, with the project locked: it writes what became
of the command there (`Sending`) and makes the task that is not there yet. A job that is run again finds what it wrote.

Locks: the project that is sent to, then the report, then the command that is told of its form.
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.models import Consensus, Project, Task
from annotation.tasks import post_tasks
from annotation.voxels.store import keep, rows_of, scene_named
from annotation.withdrawing import restore
from common.errors import Invalid
from common.mentions import REMOVED
from jobs.outbox import Running, enqueue, enqueue_all
from routing import cases
from routing.cases import Case
from routing.models import ErrorReport, Route, Sending
from routing.payloads import PREFIX, Asked, KeptScene, asked_of, is_usable, why_nothing
from routing.routes import EVERY, PARSE, VOXELS, draws, routes_for
from routing.spans import moved
from routing.states import renew_state
from routing.trees.tree import CAPABILITY_ERROR
from routing.wording import clean

logger = logging.getLogger(__name__)
ROUTE = "routing.route"
"""The kind of job that routes one command."""
ATTEMPTS = 6
ERASED = "erased"
"""The fault of a command whose words were taken out."""
Why = Sending.Why


def ask_for(*, project: int, command: str) -> None:
    """Have the command routed; call in the transaction that judges it."""
    name = f"{project}:{command}"
    enqueue(ROUTE, name, unique_key=f"{ROUTE}@{name}", max_attempts=ATTEMPTS)


def ask_for_all(named: Sequence[tuple[int, str]]) -> None:
    """The same for many commands at once, each with its project."""
    enqueue_all(ROUTE, [f"{project}:{command}" for project, command in named], max_attempts=ATTEMPTS)


def run(running: Running) -> None:
    """The job. Its key is freed first: who asks from now on may want what this run does not see any more."""
    running.free_key()
    project, _, command = running.subject.partition(":")
    case = cases.case_of(int(project), command)
    if case is None:
        logger.warning("routing.no_such_command", extra={"project": project, "command": command})
        return
    route(case, at=timezone.now())


def route(case: Case, *, at: datetime) -> None:
    """Send the command where its routes lead; what was done before stays as it is. What is dropped goes nowhere."""
    if case.dropped:
        return
    fitting: dict[int, list[Route]] = defaultdict(list)
    for one in routes_for(case):
        fitting[one.project_id].append(one)
    report = ErrorReport.objects.filter(project=case.project, command=case.command).first()
    wants_scene = report is not None or any(routes[0].project.tool == VOXELS for routes in fitting.values())
    scene = scene_of(case, report, at=at) if wants_scene else None
    for project in sorted(fitting):
        _send_by(fitting[project], case, scene, at=at)


def scene_of(case: Case, report: ErrorReport | None, *, at: datetime) -> KeptScene | None:
    """The world as it was when the command was given, kept once, and named by the report; None: there was none."""
    if report is not None and report.scene is not None:
        return KeptScene(report.scene.digest, scene_named(report.scene.digest))
    if case.scene is None:
        return None
    found = case.scene()
    (digest,) = keep([found], at=at)
    if report is not None:
        rows = ErrorReport.objects.filter(pk=report.pk, scene=None)
        rows.update(scene=rows_of([digest])[digest].pk)
    return KeptScene(digest, found)


def fault_of(case: Case) -> str:
    """Why no annotator is given this command, as a code; "" where they may be."""
    return case.fault or (ERASED if case.text == REMOVED else "")


# One project -------------------------------------------------------------------------------------------------------


def _send_by(routes: Sequence[Route], case: Case, scene: KeptScene | None, *, at: datetime) -> None:
    """What these routes, which all lead to one project, make of the command; once.

    What the agent is unable to do is no valid command: only a route that names this outcome takes it.
    """
    with transaction.atomic():
        to = Project.objects.select_for_update().get(pk=routes[0].project_id)
        report = locked_report(case)
        if report is not None and report.state == ErrorReport.State.DISMISSED:
            return
        if sendings_of(case, to).exists() or held(case).dropped:
            return
        taking = [one for one in routes if one.outcome != EVERY or case.outcome != CAPABILITY_ERROR]
        drawn = next((one for one in taking if draws(one, project=case.project.pk, command=case.command)), None)
        row = _row(to, case, route=drawn or routes[0], report=report, at=at)
        if fault := fault_of(case) or ("" if taking else CAPABILITY_ERROR):
            row.why_not, row.detail = Why.NOT_VALID, fault
        elif drawn is None:
            row.why_not = Why.NOT_DRAWN
        elif case.truth is not None and to.tool == PARSE:
            row.why_not, row.detail = Why.NOTHING_TO_ANNOTATE, "Its true form is known."
        elif not (asked := asked_of(to, case, scene=scene, report=report.public_id if report else "")):
            row.why_not, row.detail = Why.NOTHING_TO_ANNOTATE, why_nothing(scene)
        else:
            for one in asked:
                send(to, case, one, route=drawn, report=report, at=at)
        if row.why_not:
            row.save()
        if report is not None:
            renew_state(report, at=at, is_known=case.truth is not None)


def held(case: Case) -> Case:
    """The command as it is now, locked until the commit: it may have been dropped, or taken up again, meanwhile.

    Costs: 2 queries.
    """
    cases.hold(case.project.pk, case.command)
    return cases.case_of(case.project.pk, case.command) or case


def locked_report(case: Case) -> ErrorReport | None:
    return ErrorReport.objects.select_for_update().filter(project=case.project, command=case.command).first()


def sendings_of(case: Case, to: Project) -> Any:
    return Sending.objects.filter(to=to, project=case.project, command=case.command)


def send(
    to: Project, case: Case, asked: Asked, *, route: Route | None, report: ErrorReport | None, at: datetime
) -> Sending:
    """Ask this of the project, or note that it takes no such thing. Call with the project locked.

    What was asked before is not asked again; if its answer is there, it is an answer to this command too.
    """
    row = _row(to, case, route=route, report=report, at=at)
    row.phrase, row.same_as = asked.phrase, asked.same_as
    try:
        row.task = _task_for(to, asked, at=at)
    except Invalid as error:
        row.why_not = Why.REFUSED
        row.detail = " ".join(fault.detail for fault in error.faults) or error.detail
        logger.warning("routing.refused", extra={"project": to.slug, "command": case.command, "reason": row.detail})
    row.save()
    if row.task is not None and to.tool == PARSE:
        settled = Consensus.objects.settled().filter(task=row.task).select_related("task").first()
        if settled is not None and is_usable(to.tool, settled.answer):
            _tell(row, settled, case.text, at=at)
    return row


def _row(to: Project, case: Case, *, route: Route | None, report: ErrorReport | None, at: datetime) -> Sending:
    return Sending(
        route=route,
        to=to,
        project=case.project,
        command=case.command,
        worker=case.worker,
        report=report,
        at=at,
    )


def _task_for(to: Project, asked: Asked, *, at: datetime) -> Task:
    """Raises:
    Invalid: the tool does not take it.
    """
    there = Task.objects.filter(project=to, key=asked.key)
    found = there.first()
    if found is None:
        post_tasks(project=to, bodies=[asked.body()], at=at)
        found = there.get()
    elif found.status == Task.Status.WITHDRAWN:
        found.project = to
        restore(task=found, at=at)
    return found


# What it came to ---------------------------------------------------------------------------------------------------


def settled(task: Task, consensus: Consensus) -> None:
    """Tell of an answer whoever has the commands that asked for it. For `annotation.settling.on_settled`.

    Costs: 1 query; for each command that says the same 2 to 5 more.
    """
    _renew(task, consensus, at=consensus.updated_at)


def unsettled(task: Task, at: datetime) -> None:
    """Take back what was told of an answer that is there no more. For `annotation.settling.on_unsettled`.

    Costs: as `settled`.
    """
    _renew(task, None, at=at)


def _renew(task: Task, consensus: Consensus | None, *, at: datetime) -> None:
    """Bring up to date whatever asked for this task; None: it has no settled answer.

    Where its answer says no form, the form counts that another project has of the same command.
    """
    if not task.key.startswith(PREFIX):
        return
    tool = task.project.tool
    usable = consensus if consensus is not None and is_usable(tool, consensus.answer) else None
    # By their commands, in which two projects have the same order.
    for row in Sending.objects.filter(task=task).order_by("project", "command", "pk"):
        # The report before the command that is told of, as whoever sends or erases locks them.
        report = _locked(row.report_id)
        if tool == PARSE:
            cases.hold(row.project_id, row.command)
            _tell(row, usable or _from_elsewhere(row), None, at=at)
        if report is not None:
            renew_state(report, at=at)


def _from_elsewhere(row: Sending) -> Consensus | None:
    """The newest form that another task of the command has settled on. Call with the command held. 1 query."""
    sent = Sending.objects.filter(project=row.project_id, command=row.command, to__tool=PARSE, task__isnull=False)
    others = Consensus.objects.settled().filter(task__in=sent.exclude(task=row.task_id).values("task"))
    newest = others.select_related("task").order_by("-updated_at", "-task")
    return next((one for one in newest if is_usable(PARSE, one.answer)), None)


def _locked(report: int | None) -> ErrorReport | None:
    return ErrorReport.objects.select_for_update().get(pk=report) if report is not None else None


def _tell(row: Sending, found: Consensus | None, text: str | None, *, at: datetime) -> None:
    """Say what the true form of the command is, counting the words of its own clean text; None: it is not known."""
    form = None
    if found is not None:
        form, asked = found.answer["form"], found.task.payload["text"]
        if text is None:
            case = cases.case_of(row.project_id, row.command)
            text = case.text if case else asked
        there = moved(form, of=asked, to=clean(text))
        form = form if there is None else there
    cases.learned(row.project_id, row.command, form, at)
