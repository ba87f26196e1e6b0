"""The pieces of a scene that a phrase may name: connected blocks of one kind, and holes, each with its features."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lib.vision.words import words_of
from lib.voxels.components import component_labels, touching_pairs
from lib.voxels.mask import Keys, keys_of
from lib.voxels.scene import Scene
from lib.voxels.surface import ground_level
from lib.voxels.table import AIR, PALETTE

Cells = npt.NDArray[np.int32]


class Piece(NamedTuple):
    """Voxels of one thing and one material, and what a model sees of them."""

    mask: Keys
    features: list[str]


def pieces_of(scene: Scene) -> list[Piece]:
    """The pieces of a scene, in the order of their first voxels.

    Blocks above the ground that touch at a corner, an edge or a face are one thing; of a thing with several materials
    each material is a piece. Air below the surface is a hole where it shares faces.
    """
    grid = scene.dense()
    ground = ground_level(grid)
    above = np.argwhere(grid[:, ground:] != AIR).astype(np.int32) + np.array([0, ground, 0], np.int32)
    below = np.argwhere(grid[:, :ground] == AIR).astype(np.int32)
    things = _parts(above, by_faces=False)
    largest = max((len(one) for one in things), default=0)
    found = []
    for thing in things:
        ids = grid[tuple(thing.T)]
        told = [*_shape(thing), f"size={'largest' if len(thing) == largest else 'smaller'}"]
        for material in np.unique(ids).tolist():
            cells = thing[ids == material]
            part = "whole" if len(cells) == len(thing) else "part"
            found.append(Piece(keys_of(cells), [*told, f"colour={PALETTE[material].word}", f"part={part}"]))
    found += [Piece(keys_of(hole), [*_shape(hole), "hole"]) for hole in _parts(below, by_faces=True)]
    return sorted(found, key=lambda piece: int(piece.mask[0]))


def crossed(phrase: str, features: Sequence[str]) -> list[str]:
    """The features of a piece beside a phrase: each feature alone, and with each word of the phrase."""
    return [*features, *(f"{word} {feature}" for word in words_of(phrase) for feature in features)]


def _parts(cells: Cells, *, by_faces: bool) -> list[Cells]:
    """Connected cells."""
    if not len(cells):
        return []
    labels = component_labels(cells, touching_pairs(cells, by_faces=by_faces))
    return [cells[labels == label] for label in np.unique(labels)]


def _shape(cells: Cells) -> list[str]:
    """The features of a thing's form: its sides, how full its box is, and how it grows or shrinks upwards."""
    sides = cells.max(axis=0) - cells.min(axis=0) + 1
    wide, narrow = sorted((int(sides[0]), int(sides[2])), reverse=True)
    high = int(sides[1])
    share = len(cells) / int(sides.prod())
    layers = np.bincount(cells[:, 1] - cells[:, 1].min())
    slope = "shrinks" if layers[-1] < layers[0] else "grows" if layers[-1] > layers[0] else "even"
    bulges = "bulges" if layers.max() > max(layers[0], layers[-1]) else "straight"
    thin = "flat" if high == 1 else "upright" if narrow == 1 else "thick"
    equal = "cubic" if wide == narrow == high else "square" if wide == narrow else "long"
    full = "full" if share == 1 else "most" if share > 0.6 else "some" if share > 0.3 else "little"
    tall = "tall" if high > wide else "low"
    told = [f"thin={thin}", f"equal={equal}", f"full={full}", f"slope={slope}", f"bulges={bulges}", f"tall={tall}"]
    return [*told, f"form={thin} {equal} {full} {slope} {bulges}", f"count={min(len(cells), 2)}"]
