"""A linear eye: from a scene and a phrase to the voxels that the phrase names, with numpy alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lib.files.model_file import NotAnArtefact, read, written
from lib.vision.pieces import Piece, crossed, pieces_of
from lib.voxels.mask import voxels_of
from lib.voxels.scene import read_scene

KIND = "crosswalk-vision-linear-1"
CHOSEN = 0.5
"""A piece is named if its chance reaches this."""
_MOST_FEATURES = 400_000


class Seen(NamedTuple):
    """The answer of a vision model.

    Attributes:
        voxels: [[x, y, z], …], empty if the phrase names nothing in the scene.
        score: The mean chance of the chosen pieces, or that no piece is meant.
    """

    voxels: list[list[int]]
    score: float


@dataclass(frozen=True)
class Weights:
    """All that a linear eye has learnt: a weight for each feature, and the constant before them."""

    features: Sequence[str]
    weights: np.ndarray
    constant: float

    def to_bytes(self) -> bytes:
        """The artefact that `Weights.of` reads."""
        arrays = {"weights": self.weights.astype(np.float32)}
        return written(KIND, {"features": list(self.features), "constant": float(self.constant)}, arrays)

    @classmethod
    def of(cls, artefact: bytes) -> "Weights":
        """The weights of an artefact.

        Raises:
            NotAnArtefact: it is none, or its parts do not fit together.
        """
        meta, arrays = read(artefact, KIND)
        names, constant = meta.get("features"), meta.get("constant")
        if not isinstance(names, list) or len(names) > _MOST_FEATURES or not all(isinstance(one, str) for one in names):
            raise NotAnArtefact("its features are not a list of texts.")
        if not isinstance(constant, int | float) or isinstance(constant, bool):
            raise NotAnArtefact("its constant is not a number.")
        if set(arrays) != {"weights"} or arrays["weights"].shape != (len(names),):
            raise NotAnArtefact("its weights do not fit its features.")
        return cls(names, arrays["weights"], float(constant))


class LinearEye:
    """Names voxels with learnt weights. It holds no state between phrases, so threads may share it."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._places = {name: place for place, name in enumerate(weights.features)}

    def see(self, scene: Mapping[str, Any], phrase: str) -> Seen:
        """The voxels that a phrase names.

        Raises:
            lib.faults.Invalid: the scene is not valid.
        """
        return self.choose(pieces_of(read_scene(scene)), phrase)

    def choose(self, pieces: Sequence[Piece], phrase: str) -> Seen:
        """The voxels of the pieces that a phrase names."""
        chances = [self.chance(crossed(phrase, piece.features)) for piece in pieces]
        chosen = [(piece, chance) for piece, chance in zip(pieces, chances, strict=True) if chance >= CHOSEN]
        if not chosen:
            return Seen([], 1 - max(chances, default=0.0))
        mask = np.unique(np.concatenate([piece.mask for piece, _ in chosen]))
        return Seen(voxels_of(mask), sum(chance for _, chance in chosen) / len(chosen))

    def chance(self, features: Sequence[str]) -> float:
        """The chance that a piece with these features is meant."""
        rows = [self._places[one] for one in features if one in self._places]
        margin = float(self.weights.weights[rows].sum()) + self.weights.constant
        return float(1 / (1 + np.exp(-np.clip(margin, -50, 50))))
