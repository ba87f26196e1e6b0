"""A command that went wrong goes all the way: judged live, reported, annotated elsewhere, and known to be misread."""

from typing import Any

import pytest

from annotation.models import Project
from annotation.review.adjudication import adjudicate
from commands.models import Command
from jobs import outbox
from routing.models import ErrorReport
from tests.support.builders import NOON, make_staff
from tests.support.commands import make_route, parse_project, run_jobs, tasks_of, voxel_project
from tests.support.sessions import NO, YES, Agents, LiveWorker, both

pytestmark = pytest.mark.django_db
UNDO = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "UNDO"}]}
STOP = {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "STOP"}]}


@pytest.fixture(autouse=True)
def _no_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test runs the jobs itself."""
    monkeypatch.setattr(outbox, "_send", lambda pk: None)


def judge(worker: LiveWorker, agent: Agents, name: str, text: str, *marks: tuple[str, int], **found: Any) -> Command:
    """A command that the agent takes for UNDO, answered like this."""
    worker.send("command", id=name, text=text)
    agent.send(worker, "parse", command=name, form=UNDO, version="m1")
    if found:
        agent.send(worker, "objects", command=name, **found)
    agent.carry_out(worker, name)
    for node, choice in marks:
        worker.send("mark", command=name, node=node, choice=choice)
    run_jobs()
    return worker.command()


def settle(project: Project, answer: dict[str, Any]) -> None:
    adjudicate(task=tasks_of(project)[0], answer=answer, reason="it is", by=make_staff("judge"), at=NOON)


def test_a_misread_command_is_repaired() -> None:
    words = parse_project()
    make_route(words, "*")
    worker, agent = both()
    command = judge(worker, agent, "c1", "stop it", ("done", NO), ("understood", NO))
    report = ErrorReport.objects.get()
    assert (report.outcome, report.command, report.state) == ("nlu_error", command, "routed")
    assert (command.form, command.text, command.worker) == (UNDO, "stop it", worker.hold.worker)
    assert report.scene is not None, "the world when it was given"
    right = judge(worker, agent, "c2", "Stop it!", ("done", YES))
    assert len(tasks_of(words)) == 1
    settle(words, {"form": STOP})
    for one in (command, right):
        one.refresh_from_db()
        assert (one.truth, one.is_misread) == (STOP, True)
    report.refresh_from_db()
    assert report.state == "annotated"
    later = judge(worker, agent, "c3", "stop it .", ("done", YES))
    later.refresh_from_db()
    assert later.is_misread, "what is known is known of each that says it"


def test_a_thing_that_was_not_found_is_marked() -> None:
    things = voxel_project()
    make_route(things, "vision_error")
    worker, agent = both()
    found = {"phrase": "the tower", "voxels": [[1, 1, 1]]}
    judge(worker, agent, "c1", "undo the tower", ("done", NO), ("understood", YES), ("object", NO), **found)
    report = ErrorReport.objects.get()
    assert (report.outcome, report.state) == ("vision_error", "routed")
    assert report.scene is not None
    payload = tasks_of(things)[0].payload
    assert (payload["phrase"], payload["agent_mask"]) == ("the tower", [[1, 1, 1]])
    assert payload["scene"] == report.scene.digest
