"""The tool `interaction`: tasks made as workers come, worlds kept once, settings needed to go live."""

from typing import Any
from unittest import mock

import pytest
from rest_framework.test import APIClient

from annotation.tool_registry import tool_named
from annotation.work.claims import claim_next
from annotation.work.posting import TaskBody, post_tasks
from interaction.agents import matching
from lib.voxels.scene import Pose, read_scene
from tests.support.builders import NOON, claim, make_agent, make_enrolment, make_worker
from tests.support.sessions import both, come_in, make_live_project, process_of

pytestmark = pytest.mark.django_db
WORLD = {"size": [8, 8, 8], "blocks": [[x, 0, z, 8] for x in range(8) for z in range(8)]}
POSE = {"x": 1, "y": 1, "z": 1, "pitch": 0, "yaw": 0}


def body(**changes: Any) -> dict[str, Any]:
    return {"tool": "interaction", "title": "Live", "instructions": ["Talk to it."], "status": "live", **changes}


@pytest.mark.parametrize("world", [{}, {"world": {**WORLD, "agent": POSE, "player": POSE}}], ids=["default", "posted"])
def test_posted_tasks_with_keys_like_those_of_made_ones_do_not_stop_a_claim(world: dict[str, Any]) -> None:
    project = make_live_project()
    payload = {"agent": project.settings["agent"], **world}
    post_tasks(project=project, bodies=[TaskBody(key="session-2", payload=payload)], at=NOON)
    holds = [claim(project, make_worker()) for _ in range(3)]
    assert len({hold.task.key for hold in holds}) == 3


def test_tasks_are_made_as_workers_come_up_to_the_sessions() -> None:
    project = make_live_project(sessions=2)
    holds = [claim(project, make_worker()) for _ in range(2)]
    assert len({hold.task.key for hold in holds}) == 2
    assert claim_next(enrolment=make_enrolment(project), at=NOON) is None
    assert claim(project, holds[0].worker) == holds[0]
    assert project.tasks.count() == 2


def test_a_worker_is_given_the_world_and_the_agents_abilities() -> None:
    hold = claim(make_live_project(capabilities=["Build: build a cube"]), make_worker())
    shown = tool_named("interaction").present(hold.task, hold=hold.public_id)
    assert set(shown) == {"world", "agent", "capabilities", "minimum_s", "blocks"}
    assert shown["capabilities"] == ["Build: build a cube"]
    scene = read_scene(shown["world"])
    assert scene.keys.size > 1000
    assert scene.player is not None
    assert scene.agent is not None


def test_posted_worlds_come_before_made_ones(pipe: APIClient) -> None:
    project = make_live_project("posted")
    task = {"key": "mine", "payload": {"agent": project.settings["agent"], "world": WORLD}}
    assert pipe.post(f"/api/v1/projects/{project.slug}/tasks/", {"tasks": [task]}).status_code == 200
    worker = come_in(project)
    assert worker.hold.task.key == "mine"
    assert (worker.session.scene.size_x, worker.session.scene.blocks) == (8, 64)
    wrong = {"key": "other", "payload": {"agent": "nobody", "world": {**WORLD, "blocks": [[9, 0, 0, 8]]}}}
    answer = pipe.post(f"/api/v1/projects/{project.slug}/tasks/", {"tasks": [wrong]})
    pointers = [fault["pointer"] for fault in answer.json()["errors"]]
    assert answer.status_code == 422
    assert pointers == ["#/tasks/0/payload/world/blocks/0", "#/tasks/0/payload/agent"]


def test_a_project_goes_live_only_with_agent_sessions_and_tree(pipe: APIClient) -> None:
    make_live_project()
    make_agent("mine")
    draft = pipe.put("/api/v1/projects/hit/", body(status="draft"), format="json")
    assert draft.status_code == 201
    live = pipe.put("/api/v1/projects/hit/", body(), format="json")
    assert live.status_code == 422
    assert [fault["pointer"] for fault in live.json()["errors"]] == [
        "#/settings/agent",
        "#/settings/sessions",
        "#/settings/tree",
    ]
    whole = {"agent": "mine", "sessions": 3, "tree": "default"}
    assert pipe.put("/api/v1/projects/hit/", body(settings=whole), format="json").status_code == 200
    for name, value in (("agent", "nobody"), ("tree", "no-tree"), ("sessions", 0), ("minimum_s", -1), ("prompts", 3)):
        answer = pipe.put("/api/v1/projects/hit/", body(settings={**whole, name: value}), format="json")
        assert answer.status_code == 422, name
        assert answer.json()["errors"][0]["pointer"].startswith(f"#/settings/{name}")
    unknown = pipe.put("/api/v1/projects/hit/", body(settings={**whole, "colour": "red"}), format="json")
    assert unknown.json()["code"] == "unknown_field"


def test_an_agents_process_is_given_the_world_as_it_is_now() -> None:
    worker, agent = both()
    worker.send("place", at=[1, 10, 1], block=46)
    agent.send(worker, "blocks", changes=[[2, 10, 2, 47], [1, 10, 1, 0]])
    for n in range(3):
        agent.send(worker, "pose", x=n, y=4, z=2, pitch=0, yaw=0)
        worker.send("pose", x=3, y=4, z=n, pitch=10, yaw=20)
    with mock.patch("interaction.session.worlds.Pose", wraps=Pose) as read:
        given = matching.assignment_of(agent.process, worker.session.public_id)
    assert given is not None
    assert read.call_count == 2, "only the last pose of each is read"
    blocks = {tuple(block[:3]): block[3] for block in given.world["blocks"]}
    assert blocks[2, 10, 2] == 47
    assert (1, 10, 1) not in blocks
    assert given.world["player"] == {"x": 3.0, "y": 4.0, "z": 2.0, "pitch": 10.0, "yaw": 20.0}
    assert given.world["agent"]["x"] == 2.0
    assert (given.have, given.last_cseq) == (worker.now().last_seq, 4)


def test_a_command_under_way_is_told_again_with_the_world_before_it() -> None:
    worker, agent = both()
    before = worker.send("command", id="c1", text="build a cube").seq - 1
    agent.send(worker, "status", command="c1", state="received")
    agent.send(worker, "blocks", changes=[[2, 10, 2, 47]])
    given = matching.assignment_of(agent.process, worker.session.public_id)
    assert given is not None
    assert given.have == before
    assert [2, 10, 2, 47] not in given.world["blocks"]


def test_a_process_of_another_agent_is_given_nothing() -> None:
    worker, _ = both()
    stranger = process_of(make_agent("stranger"))
    assert matching.sessions_of(stranger.process) == {}
    assert matching.assignment_of(stranger.process, worker.session.public_id) is None
