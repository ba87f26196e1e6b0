"""Small worlds built by hand, and the parts of forms that speak of them."""

from typing import Any

import numpy as np

from annotation.logical_form import Form
from annotation.voxels.generator import Generated
from annotation.voxels.scene import Pose
from annotation.voxels.shapes import Voxels
from annotation.voxels.table import PALETTE
from interaction.builder.world import World

GROUND = 4
"""The y on which one stands."""
WOOL = {one.word: one.id for one in PALETTE.values() if one.name.endswith("Wool")}
WORKER = Pose(10.0, GROUND, 2.0, -10.0, 0.0)
"""Looks along +z: left is +x."""
AGENT = Pose(4.0, GROUND, 4.0, 0.0, 90.0)
"""Looks along +x: its own left is -z."""


def world_with(
    *things: tuple[str, Voxels, tuple[int, int, int]], worker: Pose = WORKER, agent: Pose = AGENT, size: int = 24
) -> World:
    """A flat world with these things: colour of the wool, shape, the least corner."""
    grid = np.zeros((size, 16, size), np.uint8)
    grid[:, : GROUND - 1], grid[:, GROUND - 1] = 9, 8
    for colour, voxels, corner in things:
        grid[tuple((voxels + np.array(corner)).T)] = WOOL[colour]
    return World(grid, agent, worker)


def world_of(made: Generated) -> World:
    """The world of a generated scene; quicker than over JSON."""
    agent, player = made.scene.agent, made.scene.player
    assert agent is not None
    assert player is not None
    return World(made.scene.dense(), agent, player)


def looking_at(x: float, z: float, *, down: float = -10.0) -> Pose:
    """The worker at their place, turned to a column."""
    yaw = float(np.degrees(np.arctan2(x - WORKER.x, z - WORKER.z)))
    return WORKER._replace(yaw=yaw, pitch=down)


def cells(voxels: Voxels, corner: tuple[int, int, int]) -> frozenset[tuple[int, int, int]]:
    """Where a shape is that has its least corner there."""
    return frozenset((x, y, z) for x, y, z in (voxels + np.array(corner)).tolist())


class Said:
    """A command in words, and spans of it.

    >>> Said("the red cube").named("cube")
    {'pred_text': 'has_name', 'obj_text': [0, [2, 2]]}
    """

    def __init__(self, text: str) -> None:
        self.tokens = text.split()

    def span(self, words: str) -> list[Any]:
        """Where these words stand first."""
        wanted = words.split()
        starts = range(len(self.tokens) - len(wanted) + 1)
        start = next(one for one in starts if self.tokens[one : one + len(wanted)] == wanted)
        return [0, [start, start + len(wanted) - 1]]

    def clause(self, predicate: str, words: str) -> Form:
        return {"pred_text": predicate, "obj_text": self.span(words)}

    def named(self, words: str) -> Form:
        return self.clause("has_name", words)

    def coloured(self, words: str) -> Form:
        return self.clause("has_colour", words)

    def filters(self, *clauses: Form, **more: Any) -> Form:
        """Filters with all these clauses."""
        return {**({"where_clause": {"AND": list(clauses)}} if clauses else {}), **more}

    def thing(self, *clauses: Form, **more: Any) -> Form:
        """A reference object with all these clauses."""
        return {"filters": self.filters(*clauses, **more)}


def who(name: str) -> Form:
    """A reference to SPEAKER, AGENT or SPEAKER_LOOK."""
    return {"special_reference": {"fixed_value": name}}


def nearest(name: str, polarity: str = "MIN") -> Form:
    """The selector for what is nearest to somebody, or farthest."""
    extent = {"source": {"reference_object": who(name)}}
    return {"return_quantity": ranking(polarity, {"linear_extent": extent})}


def ranking(polarity: str, attribute: Any) -> Form:
    return {"argval": {"polarity": polarity, "quantity": {"attribute": attribute}}}
