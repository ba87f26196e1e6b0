"""Commands as routing sees them."""

from typing import Any

from rest_framework.test import APIClient

from interaction.cases import find
from tests.builders import make_agent
from tests.interaction.live import NO, Agents, Worker, both, make_live_project
from tests.interaction.past import BUILD, DIG, make_past, past, post


def misread(worker: Worker, agent: Agents) -> None:
    """One command that the agent understood as another, and built for."""
    worker.send("command", id="c1", text="Dig a hole!")
    agent.send(worker, "parse", command="c1", form=BUILD, version="nsp-7")
    agent.send(worker, "objects", command="c1", phrase="a hole", voxels=[[1, 3, 1]])
    agent.send(worker, "blocks", changes=[[1, 5, 1, 57]])
    agent.carry_out(worker, "c1")
    worker.send("mark", command="c1", node="done", choice=NO)


def judge(worker: Worker) -> None:
    """Answer the other questions, each with its last choice."""
    while not worker.command().outcome:
        question = worker.said("question")[-1]
        last = question["choices"][-1]
        words = {"text": "it just stood there"} if last["text"] else {}
        worker.send("mark", command="c1", node=question["node"], choice=len(question["choices"]) - 1, **words)


def test_a_command_of_a_session_is_found_once_it_is_judged(db: None) -> None:
    worker, agent = both(make_live_project("living"))
    before = worker.now().last_seq
    misread(worker, agent)
    command = worker.command()
    assert find(command.project_id, command.public_id) is None
    judge(worker)
    case = find(command.project_id, command.public_id)
    assert case is not None
    command = worker.command()
    assert (case.project, case.command, case.worker) == (command.project, command.public_id, command.worker)
    assert (case.text, case.plain_text, case.fault) == ("Dig a hole!", "dig a hole", "")
    assert (case.outcome, case.at, case.path) == (command.outcome, command.judged_at, command.path)
    assert (case.form, case.truth, case.status) == (BUILD, None, "done")
    assert case.versions == {"agent": "agent-of-living", "parser": "nsp-7"}
    assert case.objects_found == [{"phrase": "a hole", "voxels": [[1, 3, 1]]}]
    assert case.form_in_words.lower().startswith("build")
    assert case.tree == worker.session.tree
    assert command.seq is not None
    assert command.seq > before


def test_its_scene_is_the_world_before_anything_was_done(db: None) -> None:
    worker, agent = both(make_live_project("living"))
    agent.send(worker, "blocks", changes=[[2, 5, 2, 57]])
    worker.send("pose", x=3, y=4, z=3, pitch=0, yaw=90)
    misread(worker, agent)
    judge(worker)
    command = worker.command()
    case = find(command.project_id, command.public_id)
    assert case is not None
    assert case.scene is not None
    scene = case.scene()
    blocks = scene.dense()
    assert (blocks[2, 5, 2], blocks[1, 5, 1]) == (57, 0)
    assert scene.player is not None
    assert (scene.player.x, scene.player.yaw) == (3, 90)


def test_a_posted_command_has_no_scene_and_may_have_its_truth(pipe: APIClient, db: None) -> None:
    make_agent("droid")
    project, other = make_past(), make_past("other")
    post(pipe, past(parse=BUILD, form=DIG, outcome="nlu_error", agent="droid", worker="p:1"), past("c-2"))
    case = find(project.pk, "c-1")
    assert case is not None
    assert (case.form, case.truth, case.scene, case.tree, case.status) == (BUILD, DIG, None, None, "")
    assert case.versions == {"agent": "droid"}
    assert case.worker is not None
    assert case.worker.identity == "p:1"
    unjudged = find(project.pk, "c-2")
    assert unjudged is not None
    assert (unjudged.outcome, unjudged.truth) == ("", None)
    assert find(project.pk, "c-3") is None
    assert find(other.pk, "c-1") is None


def test_a_parse_of_any_kind_can_be_told(pipe: APIClient, db: None) -> None:
    project = make_past()
    parses: list[Any] = [None, 7, "build", [], {"a": {"b": [1]}}]
    for number, parse in enumerate(parses):
        post(pipe, past(f"c-{number}", parse=parse, outcome="ok"))
        case = find(project.pk, f"c-{number}")
        assert case is not None
        assert case.form == parse
        assert case.form_in_words
