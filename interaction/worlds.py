"""The worlds of sessions: where one begins, and how it stood at any event of the log."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.voxels.generator import generated
from annotation.voxels.generator_options import Options
from annotation.voxels.scene import Pose, Scene, scene_of
from annotation.voxels.store import scene_named
from annotation.voxels.table import AIR
from interaction.blocks import changes_of
from interaction.models import Event, Session

Json = dict[str, Any]
SIZE = (40, 24, 40)
MEADOW = Options(size=SIZE, ground_depth=4, shapes=(3, 5), gap=3)
SEED = 2022
EDGE, AHEAD = 6, 10
"""The worker begins at most so far from the edge, the agent so far ahead of them, in blocks."""


@lru_cache(maxsize=16)
def meadow(number: int) -> Scene:
    """The world of a session that brings none: level ground with a few coloured things, another for each number.

    The worker looks over it from its edge, at the agent.
    """
    scene = generated(SEED, number, MEADOW).scene
    taken = (scene.dense()[:, MEADOW.ground_depth :] != AIR).any(axis=1)
    free = np.argwhere(~taken)
    edge = free[(free[:, 1] <= EDGE) & (np.abs(free[:, 0] - SIZE[0] // 2) <= SIZE[0] // 4)]
    # As far from everything as the edge allows: what stands right before one's eyes hides the rest.
    room = np.abs(edge[:, None] - np.argwhere(taken)).max(axis=2).min(axis=1)
    player = _stand(edge[room.argmax()], pitch=-5.0, yaw=0.0)
    away = np.abs(free - (player.x, player.z + AHEAD)).sum(axis=1)
    return replace(scene, agent=_stand(free[away.argmin()], pitch=0.0, yaw=180.0), player=player)


def _stand(column: npt.NDArray[np.int64], *, pitch: float, yaw: float) -> Pose:
    x, z = column.tolist()
    return Pose(float(x), float(MEADOW.ground_depth), float(z), pitch, yaw)


def scene_at(session: Session, seq: int) -> Scene:
    """The world as it was after event `seq`: what it began with, and all changes since. 4 queries at most."""
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
    """The scene after some events; itself where there were none."""
    edits = {(x, y, z): block for kind, body in changes for x, y, z, block in changes_of(kind, body)}
    if not edits:
        return scene
    blocks = {
        (int(key >> 16), int(key >> 8 & 255), int(key & 255)): int(block)
        for key, block in zip(scene.keys, scene.ids, strict=True)
    }
    rows = np.array([[*place, block] for place, block in (blocks | edits).items()], dtype=np.int32).reshape(-1, 4)
    return scene_of(scene.size, rows, scene.agent, scene.player)
