"""Generated scenes as files that training reads: lines of JSON, or NumPy arrays. Pure."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.voxels.generator import Generated


def as_lines(scenes: Iterable[Generated]) -> Iterator[bytes]:
    """One line of JSON an example: key, scene, phrase, answer, objects."""
    for one in scenes:
        for row in one.rows():
            yield json.dumps(row, separators=(",", ":")).encode() + b"\n"


def as_arrays(scenes: Iterable[Generated]) -> dict[str, NDArray[Any]]:
    """S scenes with E examples, as `numpy.savez` takes them.

    Returns:
        number (S,): the numbers of the scenes; blocks (S, x, y, z), uint8 ids, 0 is air; agent and player (S, 5): x,
        y, z, pitch, yaw; key and phrase (E,): text; scene (E,): the place of its scene in `blocks`; mask (E, x, y, z):
        True where the object is, nowhere for a phrase that means nothing there.
    """
    found = list(scenes)
    examples = [(place, example) for place, one in enumerate(found) for example in one.examples]
    blocks = np.array([one.scene.dense() for one in found])
    masks = np.zeros((len(examples), *blocks.shape[1:]), np.bool_)
    for mask, (_, example) in zip(masks, examples, strict=True):
        if example.voxels is not None:
            mask[tuple(example.voxels.T)] = True
    return {
        "number": np.array([one.number for one in found], np.int64),
        "blocks": blocks,
        "agent": np.array([one.scene.agent for one in found], np.float64),
        "player": np.array([one.scene.player for one in found], np.float64),
        "key": np.array([key for one in found for key in one.keys]),
        "phrase": np.array([example.phrase for _, example in examples]),
        "scene": np.array([place for place, _ in examples], np.int64),
        "mask": masks,
    }
