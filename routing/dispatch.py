"""Sending commands to the projects that repair them: one job for each command, one task for all that say the same.

The job is written with the outcome. It keeps the command's scene with its report, and goes through the projects to
which routes lead. For each project there is one transaction, with the project locked: it writes the result for the
command there (`Sending`) and makes the task that is not there yet. A job that is run again finds these rows.

Locks: the project that is sent to, then the report, then the command whose true form is written.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from annotation.consensus.signals import Changed
from annotation.models import Consensus, Project, Task
from annotation.scene_store import keep, rows_of, scene_named
from annotation.tools.parse.tool import parse
from annotation.work.posting import post_tasks, restore
from commands import true_forms
from commands.models import Command
from commands.privacy import ERASED
from common.redaction import REMOVED
from jobs.outbox import enqueue, enqueue_all
from lib.command_text import clean
from lib.faults import Invalid
from lib.logical_form.realign import moved
from lib.trees.tree import CAPABILITY_ERROR
from lib.voxels.scene import Scene
from routing.models import ErrorReport, Route, Sending, TreeVersion
from routing.routes import EVERY, asks_for_form, draws, routes_for
from routing.states import renew_state
from routing.task_payloads import PREFIX, Asked, KeptScene, asked_of, is_form, is_usable, why_nothing

logger = logging.getLogger(__name__)
ROUTE = "routing.route"
"""The kind of job that routes one command. `interaction.repair.route` handles it: it knows the tree and the scene."""
ATTEMPTS = 6
Why = Sending.Why
MakeScene = Callable[[], Scene]
"""Makes the world as it was when a command was given, with both poses."""


def ask_for(command: Command) -> None:
    """Have the command routed; call in the transaction that judges it."""
    enqueue(ROUTE, _subject(command), unique_key=f"{ROUTE}@{_subject(command)}", max_attempts=ATTEMPTS)


def ask_for_all(commands: Sequence[Command]) -> None:
    """Have many commands routed."""
    enqueue_all(ROUTE, [_subject(command) for command in commands], max_attempts=ATTEMPTS)


def _subject(command: Command) -> str:
    """The name of the command in its job."""
    return f"{command.project_id}:{command.public_id}"


def command_of(subject: str) -> Command | None:
    """The command that a job names, with all that `route` reads; None: there is none, or it is not judged. 1 query."""
    project, _, name = subject.partition(":")
    rows = Command.objects.complete().with_decision().select_related("project")
    return rows.filter(project=int(project), public_id=name).first()


def route(command: Command, *, tree: TreeVersion | None, scene: MakeScene | None, at: datetime) -> None:
    """Send the command where its routes lead; earlier results stay as they are. A dropped command goes nowhere.

    Args:
        tree: The questions that the worker answered after the command; None for a posted one.
        scene: Called once where the scene is needed and not kept yet; None: there was no world.
    """
    if command.why_dropped:
        return
    fitting: dict[int, list[Route]] = defaultdict(list)
    for one in routes_for(command, tree=tree):
        fitting[one.project_id].append(one)
    report = ErrorReport.objects.filter(command=command).first()
    wants_scene = report is not None or any(not asks_for_form(routes[0].project) for routes in fitting.values())
    kept = kept_scene(report, scene, at=at) if wants_scene else None
    for project in sorted(fitting):
        _send_by(fitting[project], command, kept, at=at)


def kept_scene(report: ErrorReport | None, scene: MakeScene | None, *, at: datetime) -> KeptScene | None:
    """The scene of a command, kept once and named by its report; None: there was no world."""
    if report is not None and report.scene is not None:
        return KeptScene(report.scene.digest, scene_named(report.scene.digest))
    if scene is None:
        return None
    found = scene()
    (digest,) = keep([found], at=at)
    if report is not None:
        rows = ErrorReport.objects.filter(pk=report.pk, scene=None)
        rows.update(scene=rows_of([digest])[digest].pk)
    return KeptScene(digest, found)


def fault_of(command: Command) -> str:
    """Why no annotator is given this command, as a code; "" where they may be."""
    return command.fault or (ERASED if command.text == REMOVED else "")


# One project -------------------------------------------------------------------------------------------------------


def _send_by(routes: Sequence[Route], command: Command, scene: KeptScene | None, *, at: datetime) -> None:
    """Send the command by these routes, which all lead to one project; once.

    A command that the agent is unable to carry out is no valid command: only a route that names this outcome takes it.
    """
    with transaction.atomic():
        to = Project.objects.select_for_update().get(pk=routes[0].project_id)
        report = locked_report(command)
        if report is not None and report.state == ErrorReport.State.DISMISSED:
            return
        if Sending.objects.filter(to=to, command=command).exists() or held(command).why_dropped:
            return
        taking = [one for one in routes if one.outcome != EVERY or command.outcome != CAPABILITY_ERROR]
        drawn = next((one for one in taking if draws(one, command)), None)
        row = Sending(to=to, command=command, route=drawn or routes[0], report=report, at=at)
        if fault := fault_of(command) or ("" if taking else CAPABILITY_ERROR):
            row.why_not, row.detail = Why.NOT_VALID, fault
        elif drawn is None:
            row.why_not = Why.NOT_DRAWN
        elif command.truth is not None and asks_for_form(to):
            row.why_not, row.detail = Why.NOTHING_TO_ANNOTATE, "Its true form is known."
        elif not (asked := asked_of(to, command, scene=scene, report=report.public_id if report else "")):
            row.why_not, row.detail = Why.NOTHING_TO_ANNOTATE, why_nothing(scene)
        else:
            for one in asked:
                send(to, command, one, route=drawn, report=report, at=at)
        if row.why_not:
            row.save()
        if report is not None:
            renew_state(report, at=at, is_known=command.truth is not None)


def held(command: Command) -> Command:
    """The command as it is now, locked until the commit: it may have been dropped, or counted again, meanwhile.

    Costs: 2 queries; the second sees decisions that were committed while the first waited.
    """
    list(Command.objects.select_for_update().filter(pk=command.pk).values_list("pk"))
    return Command.objects.with_decision().select_related("project").get(pk=command.pk)


def locked_report(command: Command) -> ErrorReport | None:
    return ErrorReport.objects.select_for_update().filter(command=command).first()


def send(
    to: Project, command: Command, asked: Asked, *, route: Route | None, report: ErrorReport | None, at: datetime
) -> Sending:
    """Ask this of the project, or note that its tool refuses it. Call with the project locked.

    A task that is there already is not made again; if it has an answer, that is an answer to this command too.
    """
    row = Sending(to=to, command=command, route=route, report=report, at=at)
    row.phrase, row.same_as = asked.phrase, asked.same_as
    try:
        row.task = _task_for(to, asked, at=at)
    except Invalid as error:
        row.why_not = Why.REFUSED
        row.detail = error.reasons
        names = {"project": to.slug, "command": command.public_id}
        logger.warning("routing.refused", extra={**names, "reason": row.detail})
    row.save()
    if row.task is not None and asks_for_form(to):
        settled = Consensus.objects.true().filter(task=row.task).select_related("task").first()
        if settled is not None and is_usable(to, settled.answer):
            _learn(command, settled)
    return row


def _task_for(to: Project, asked: Asked, *, at: datetime) -> Task:
    """The task of this key, made, or restored if it was withdrawn.

    Raises:
        Invalid: the tool does not take the payload.
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


# Answers -----------------------------------------------------------------------------------------------------------


def tasks_changed(changes: Sequence[Changed], *, at: datetime) -> None:
    """Write the answers to the commands that asked for them, and take back those that are gone. See
    `annotation.consensus.signals.Follower`.

    Costs: 1 query for each task that was sent from here, and 2 to 5 more for each command with equal words.
    """
    for task, consensus in changes:
        _renew(task, consensus, at=at)


def _renew(task: Task, consensus: Consensus | None, *, at: datetime) -> None:
    """Bring the commands and reports that asked for this task up to date; None: it has no settled answer.

    An answer that workers gave with a guess in view makes no true form.
    Where its answer has no form, the form counts that another project has of the same command.
    """
    if not task.key.startswith(PREFIX):
        return
    usable = consensus if consensus is not None and is_usable(task.project, consensus.answer) else None
    true = usable if usable is not None and not usable.with_guess else None
    # By their commands, so that two projects lock them in the same order.
    for row in Sending.objects.filter(task=task).order_by("command", "pk"):
        # The report before the command, in the order in which sending and erasing lock them.
        report = _locked(row.report_id)
        if asks_for_form(task.project):
            command = Command.objects.select_for_update().get(pk=row.command_id)
            _learn(command, true or _from_elsewhere(row))
        if report is not None:
            renew_state(report, at=at)


def _from_elsewhere(row: Sending) -> Consensus | None:
    """The newest settled form of another task of the command. Call with the command locked. 1 query."""
    sent = Sending.objects.filter(command=row.command_id, to__in=parse.projects(), task__isnull=False)
    others = Consensus.objects.true().filter(task__in=sent.exclude(task=row.task_id).values("task"))
    newest = others.select_related("task").order_by("-updated_at", "-task")
    return next((one for one in newest if is_form(one.answer)), None)


def _locked(report: int | None) -> ErrorReport | None:
    return ErrorReport.objects.select_for_update().get(pk=report) if report is not None else None


def _learn(command: Command, found: Consensus | None) -> None:
    """Keep the true form of the command, counting the words of its own clean text; None: the form is not known."""
    form: Any = None
    if found is not None:
        form, asked = found.answer["form"], found.task.payload["text"]
        there = moved(form, of=asked, to=clean(command.text))
        form = form if there is None else there
    true_forms.learn(command.pk, form)
