"""Live and posted commands as rows: what routing reads of them, and what only a session knows."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from commands.models import Command
from commands.readout import sentence_of
from interaction.models import LiveCommand
from interaction.repair import tree_and_scene
from routing.dispatch import command_of
from tests.support.builders import make_agent
from tests.support.commands import BUILD, DIG, make_past, past, post
from tests.support.sessions import NO, Agents, LiveWorker, both, make_live_project


def misread(worker: LiveWorker, agent: Agents) -> None:
    """One command that the agent understood as another, and built for."""
    worker.send("command", id="c1", text="Dig a hole!")
    agent.send(worker, "parse", command="c1", form=BUILD, version="nsp-7")
    agent.send(worker, "objects", command="c1", phrase="a hole", voxels=[[1, 3, 1]])
    agent.send(worker, "blocks", changes=[[1, 5, 1, 57]])
    agent.carry_out(worker, "c1")
    worker.send("mark", command="c1", node="done", choice=NO)


def judge(worker: LiveWorker) -> None:
    """Answer the other questions, each with its last choice."""
    while not worker.command().outcome:
        question = worker.said("question")[-1]
        last = question["choices"][-1]
        words = {"text": "it just stood there"} if last["text"] else {}
        worker.send("mark", command="c1", node=question["node"], choice=len(question["choices"]) - 1, **words)


def routed_as(command: Command) -> Command | None:
    """The command as a job of routing finds it."""
    return command_of(f"{command.project_id}:{command.public_id}")


def test_a_command_of_a_session_is_routed_once_it_is_judged(db: None) -> None:
    worker, agent = both(make_live_project("living"))
    before = worker.now().last_seq
    misread(worker, agent)
    live = worker.live()
    command = live.command
    assert routed_as(command) is None
    judge(worker)
    live, command = worker.live(), worker.command()
    assert routed_as(command) == command
    assert (command.assignment, command.worker, command.agent) == (worker.hold, worker.hold.worker, live.session.agent)
    assert (command.text, command.plain_text, command.fault) == ("Dig a hole!", "dig a hole", "")
    assert (command.form, command.truth, live.status) == (BUILD, None, "done")
    assert command.versions == {"agent": "agent-of-living", "parser": "nsp-7"}
    assert command.objects_found == [{"phrase": "a hole", "voxels": [[1, 3, 1]]}]
    assert sentence_of(command.form, text=command.text).lower().startswith("build")
    assert command.report.at == live.judged_at
    assert command.report.tree == tree_and_scene(command)[0] == worker.session.tree
    assert live.seq > before


def test_the_database_keeps_one_unjudged_command_a_session(db: None) -> None:
    worker, agent = both(make_live_project("living"))
    misread(worker, agent)
    second = Command.objects.create(
        project=worker.session.project, text="dance", at=worker.at, public_id="second", agent=worker.session.agent
    )
    named = {"command": second, "session": worker.session, "name": "c2", "seq": 99}
    with pytest.raises(IntegrityError), transaction.atomic():
        LiveCommand.objects.create(**named)
    judge(worker)
    LiveCommand.objects.create(**named)


def test_its_scene_is_the_world_before_anything_was_done(db: None) -> None:
    worker, agent = both(make_live_project("living"))
    agent.send(worker, "blocks", changes=[[2, 5, 2, 57]])
    worker.send("pose", x=3, y=4, z=3, pitch=0, yaw=90)
    misread(worker, agent)
    judge(worker)
    _, make_scene = tree_and_scene(worker.command())
    assert make_scene is not None
    scene = make_scene()
    blocks = scene.dense()
    assert (blocks[2, 5, 2], blocks[1, 5, 1]) == (57, 0)
    assert scene.player is not None
    assert (scene.player.x, scene.player.yaw) == (3, 90)


def test_a_posted_command_has_no_scene_and_may_have_its_truth(pipe: APIClient, db: None) -> None:
    make_agent("droid")
    project, other = make_past(), make_past("other")
    post(pipe, past(parse=BUILD, form=DIG, outcome="nlu_error", agent="droid", worker="p:1"), past("c-2"))
    command = command_of(f"{project.pk}:c-1")
    assert command is not None
    assert (command.form, command.truth, tree_and_scene(command)) == (BUILD, DIG, (None, None))
    assert command.versions == {"agent": "droid"}
    assert command.worker is not None
    assert command.worker.identity == "p:1"
    unjudged = command_of(f"{project.pk}:c-2")
    assert unjudged is not None
    assert (unjudged.outcome, unjudged.truth) == ("", None)
    assert command_of(f"{project.pk}:c-3") is None
    assert command_of(f"{other.pk}:c-1") is None


@pytest.mark.parametrize("parse", [None, 7, "build", [], {"a": {"b": [1]}}])
def test_a_parse_of_any_kind_has_a_sentence(parse: Any) -> None:
    assert sentence_of(parse, text="build a house")
