"""Workers of the voxel annotator in tests: they claim, mark and hand in over HTTP, from masks that they believe."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rest_framework.test import APIClient

from annotation.models import Project, Task
from annotation.tasks import post_tasks
from tests.annotation.tools.parsers import claim, hand_in
from tests.builders import NOON, make_project, make_worker, token_for

Json = dict[str, Any]
Answer = Callable[[Json], Json]
"""What a worker answers to a payload."""
GROUND, RED, BLUE = 9, 60, 57
ASSISTANT = {"x": 1.0, "y": 1.0, "z": 4.0, "pitch": -10.0, "yaw": 180.0}
PERSON = {"x": 4.0, "y": 1.0, "z": 4.0, "pitch": 0.0, "yaw": -150.0}
TOWER = [[1, 1, 1], [1, 2, 1], [1, 3, 1]]
"""Where the red tower of `scene` stands."""


def scene(**changes: Any) -> Json:
    """A flat world of 6 x 5 x 6: a red tower of three, one blue block."""
    ground = [[x, 0, z, GROUND] for x in range(6) for z in range(6)]
    blocks = [*ground, *([*place, RED] for place in TOWER), [4, 1, 2, BLUE]]
    return {"size": [6, 5, 6], "blocks": sorted(blocks), "agent": ASSISTANT, "player": PERSON, **changes}


def make_voxels_project(slug: str = "", **changes: Any) -> Project:
    return make_project(slug, tool="voxels", **{"settings": {}, **changes})


def post_phrases(project: Project, phrases: Mapping[str, str], **rest: Any) -> list[Task]:
    """One task a phrase about the same scene, by key."""
    return post(project, {key: {"scene": scene(), "phrase": phrase} for key, phrase in phrases.items()}, **rest)


def post(project: Project, payloads: Mapping[str, Json], **rest: Any) -> list[Task]:
    bodies: list[Any] = [{"key": key, "payload": payload, **rest} for key, payload in payloads.items()]
    post_tasks(project=project, bodies=bodies, at=NOON)
    return list(Task.objects.filter(project=project, key__in=payloads).order_by("pk"))


def work(project: Project, name: str, answer: Answer, *, most: int = 10_000) -> int:
    """Have a worker answer whatever they are given; how many tasks that was."""
    client = client_for(project, name)
    for done in range(most):
        held = claim(client)
        if held is None:
            return done
        given = hand_in(client, held["assignment"], answer(held["payload"]))
        assert given.status_code == 201, given.content
    return most


def client_for(project: Project, name: str) -> APIClient:
    token = token_for(project, make_worker(name))
    return APIClient(headers={"authorization": f"Bearer {token}"})


def marks(voxels: Sequence[Sequence[int]] | None) -> Json:
    """The answer that says this mask; None: it is not there."""
    return {"absent": True} if voxels is None else {"voxels": [list(voxel) for voxel in voxels]}
