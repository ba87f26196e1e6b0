"""What grows: long logs, many voxels, long remarks. None makes a look, a hand-over or a question grow with it."""

import json
from unittest import mock

import pytest
from django.db import connection
from django.utils import timezone

from interaction.agents import matching
from interaction.models import Session
from interaction.session import ticks
from interaction.session.messages import MOST_VOXELS
from interaction.session.refusals import Refusal
from lib.voxels.scene import Pose
from tests.support.sessions import MINIMUM_S, both, judged

pytestmark = pytest.mark.django_db
LONGEST_REMARK = 4000


def test_the_look_of_each_second_reads_an_index() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL scans tables as small as these")
    moved = Session.objects.filter(moved_at__gt=timezone.now()).values_list("pk", "process_id", "last_seq")
    assert "session_moved" in moved.explain()


def test_handing_a_session_over_reads_the_last_pose_of_each_and_not_all() -> None:
    worker, agent = both()
    for n in range(30):
        worker.send("pose", x=n % 9, y=4, z=1, pitch=0, yaw=0)
        agent.send(worker, "pose", x=n % 9, y=4, z=2, pitch=0, yaw=0)
    with mock.patch("interaction.session.worlds.Pose", wraps=Pose) as read:
        given = matching.assignment_of(agent.process, worker.session.public_id)
    assert given is not None
    assert [given.world[who]["x"] for who in ("player", "agent")] == [29 % 9, 29 % 9]
    assert read.call_count == 2


def test_the_objects_of_one_command_are_bounded_together() -> None:
    worker, agent = both()
    worker.send("command", id="c1", text="destroy the house")
    voxels = [[x, y, z] for x in range(40) for y in range(20) for z in range(40)]
    agent.send(worker, "objects", command="c1", phrase="the house", voxels=voxels)
    with pytest.raises(Refusal, match=f"at most {MOST_VOXELS} voxels"):
        agent.send(worker, "objects", command="c1", phrase="the other house", voxels=voxels)
    # What it takes the same phrase for later takes the place of the earlier.
    agent.send(worker, "objects", command="c1", phrase="the house", voxels=voxels[:2])
    agent.send(worker, "objects", command="c1", phrase="the other house", voxels=voxels)
    found = worker.command().objects_found
    assert {one["phrase"]: len(one["voxels"]) for one in found} == {"the house": 2, "the other house": len(voxels)}
    assert len(json.dumps(found)) < 1_000_000


def test_the_longest_remark_in_any_script_can_be_handed_in() -> None:
    worker, agent = both()
    judged(worker, agent)
    worker.wait(MINIMUM_S)
    ticks.tick(at=worker.at)
    worker.send("reflect", usability=6, performance=4, feedback="語" * LONGEST_REMARK)
    worker.send("finish")
    assert worker.now().reason == "finished"
