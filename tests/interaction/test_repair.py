"""A command that went wrong goes all the way: judged live, reported, annotated elsewhere, and known to be misread."""

from typing import Any

import pytest

from annotation.models import Project
from annotation.review.adjudication import adjudicate
from commands.models import Command
from routing.models import ErrorReport
from tests.support.builders import NOON, make_staff
from tests.support.commands import make_route, parse_project, run_jobs, tasks_of, voxel_project
from tests.support.sessions import MISUNDERSTOOD, NO, RIGHT, YES, Agents, LiveWorker, both, judged

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_messages")]
UNDO = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "UNDO"}]}
STOP = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "STOP"}]}


def routed(worker: LiveWorker, agent: Agents, name: str, text: str, marks: Any = RIGHT, **found: Any) -> Command:
    """A command that the agent takes for UNDO, judged and routed."""
    command = judged(worker, agent, name, text, marks, form=UNDO, **found)
    run_jobs()
    return command


def settle(project: Project, answer: dict[str, Any]) -> None:
    adjudicate(task=tasks_of(project)[0], answer=answer, reason="it is", by=make_staff("judge"), at=NOON)


def test_a_misread_command_is_repaired() -> None:
    words = parse_project()
    make_route(words, "*")
    worker, agent = both()
    command = routed(worker, agent, "c1", "stop it", MISUNDERSTOOD)
    report = ErrorReport.objects.get()
    assert (report.outcome, report.command, report.state) == ("nlu_error", command, "routed")
    assert (command.form, command.text, command.worker) == (UNDO, "stop it", worker.hold.worker)
    assert report.scene is not None, "the world when it was given"
    right = routed(worker, agent, "c2", "Stop it!")
    assert len(tasks_of(words)) == 1
    settle(words, {"form": STOP})
    for one in (command, right):
        one.refresh_from_db()
        assert (one.truth, one.is_misread) == (STOP, True)
    report.refresh_from_db()
    assert report.state == "annotated"
    later = routed(worker, agent, "c3", "stop it .")
    later.refresh_from_db()
    assert later.is_misread, "a true form is known for every command with these words"


def test_a_thing_that_was_not_found_is_marked() -> None:
    things = voxel_project()
    make_route(things, "vision_error")
    worker, agent = both()
    found = {"phrase": "the tower", "voxels": [[1, 1, 1]]}
    routed(worker, agent, "c1", "undo the tower", [("done", NO), ("understood", YES), ("object", NO)], **found)
    report = ErrorReport.objects.get()
    assert (report.outcome, report.state) == ("vision_error", "routed")
    assert report.scene is not None
    payload = tasks_of(things)[0].payload
    assert (payload["phrase"], payload["agent_mask"]) == ("the tower", [[1, 1, 1]])
    assert payload["scene"] == report.scene.digest
