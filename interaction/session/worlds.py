"""The worlds of sessions: the world at the start, and at any event of the log."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.scene_store import scene_named
from interaction.models import Event, Session
from lib.voxels.generator import generated
from lib.voxels.generator_options import Options
from lib.voxels.scene import Pose, Scene, scene_of
from lib.voxels.table import AIR

Json = dict[str, Any]
SIZE = (40, 24, 40)
OPTIONS = Options(size=SIZE, ground_depth=4, shapes=(3, 5), gap=3)
SEED = 2022
EDGE, AHEAD = 6, 10
"""The worker starts at most EDGE blocks from the edge, the agent at most AHEAD blocks before the worker."""


@lru_cache(maxsize=16)
def default_world(number: int) -> Scene:
    """The world of a session that brings none: level ground with a few coloured things; each number makes another.

    The worker stands at the edge and faces the agent.
    """
    scene = generated(SEED, number, OPTIONS).scene
    taken = (scene.dense()[:, OPTIONS.ground_depth :] != AIR).any(axis=1)
    free = np.argwhere(~taken)
    edge = free[(free[:, 1] <= EDGE) & (np.abs(free[:, 0] - SIZE[0] // 2) <= SIZE[0] // 4)]
    # As far from all things as the edge allows, since a thing right before the eyes hides the rest.
    room = np.abs(edge[:, None] - np.argwhere(taken)).max(axis=2).min(axis=1)
    player = _stand(edge[room.argmax()], pitch=-5.0, yaw=0.0)
    away = np.abs(free - (player.x, player.z + AHEAD)).sum(axis=1)
    return replace(scene, agent=_stand(free[away.argmin()], pitch=0.0, yaw=180.0), player=player)


def _stand(column: npt.NDArray[np.int64], *, pitch: float, yaw: float) -> Pose:
    x, z = column.tolist()
    return Pose(float(x), float(OPTIONS.ground_depth), float(z), pitch, yaw)


def scene_at(session: Session, seq: int) -> Scene:
    """The world after event `seq`: the first world with all changes since. 4 queries at most."""
    first = scene_named(session.scene.digest)
    events = Event.objects.filter(session=session, seq__lte=seq)
    poses = events.filter(type="pose").order_by("-seq").values_list("body", flat=True)
    said = {role: poses.filter(role=role).first() for role in (Event.Role.AGENT, Event.Role.WORKER)}
    agent, player = said[Event.Role.AGENT], said[Event.Role.WORKER]
    now = replace(
        first, agent=Pose(**agent) if agent else first.agent, player=Pose(**player) if player else first.player
    )
    changes = events.filter(type__in=["blocks", "place", "destroy"]).order_by("seq").values_list("type", "body")
    return _changed(now, changes.iterator(chunk_size=500))


def _changed(scene: Scene, changes: Iterable[tuple[str, Json]]) -> Scene:
    """The scene after some events; the same object where there were none."""
    edits = {(x, y, z): block for kind, body in changes for x, y, z, block in changes_of(kind, body)}
    if not edits:
        return scene
    blocks = {
        (int(key >> 16), int(key >> 8 & 255), int(key & 255)): int(block)
        for key, block in zip(scene.keys, scene.ids, strict=True)
    }
    rows = np.array([[*place, block] for place, block in (blocks | edits).items()], dtype=np.int32).reshape(-1, 4)
    return scene_of(scene.size, rows, scene.agent, scene.player)


def changes_of(kind: str, body: Json) -> list[tuple[int, int, int, int]]:
    """The blocks that an event changes: x, y, z and id of each; id 0 is air.

    >>> changes_of("place", {"at": [1, 2, 3], "block": 57})
    [(1, 2, 3, 57)]
    """
    if kind == "blocks":
        return [(x, y, z, block) for x, y, z, block in body["changes"]]
    x, y, z = body["at"]
    return [(x, y, z, body.get("block", AIR))]
