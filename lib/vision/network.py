"""The network of paper 004 (appendix B.1): four 3D convolutions over the blocks of a scene, and a frozen text encoder.

A voxel is named where the product of its features and of the projected text is great enough. Here a learnt network
answers, with numpy alone; `learning/trainers/vision/network_fitting.py` makes it learn. It sees a scene cut to the box
of its blocks, so air around them costs nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from lib.files.model_file import NotAnArtefact, read, written
from lib.vision.model import Seen
from lib.vision.words import TEXT_SIZE, phrase_vector
from lib.voxels.mask import keys_of, voxels_of
from lib.voxels.scene import Scene, read_scene

Floats = npt.NDArray[np.float32]
KIND: Final = "crosswalk-vision-network-1"
LAYERS: Final = 4
BLOCK_KINDS, BLOCK_SIZE = 256, 8
"""Block ids, and the length of the vector of one."""
KERNELS = (3, 5, 7)
MOST_HIDDEN = 256
MOST_CELLS = 2**18
"""Of the box around the blocks of a scene. In a larger one the network sees nothing."""
EPSILON = 1e-5
"""Added to the variances of the batch normalisation."""
_KERNEL_NAMES = [f"kernel_{number}" for number in range(LAYERS)]


@dataclass(frozen=True, eq=False)
class Weights:
    """All that a network has learnt, all of it float32.

    Attributes:
        threshold: A voxel is named if its probability is greater.
        blocks: The vectors of the block ids, shape (BLOCK_KINDS, BLOCK_SIZE).
        kernels: Of each layer, shape (k, k, k, from, to), where k is odd.
        norms: Of each layer the scale, shift, mean and variance of its batch normalisation, shape (LAYERS, 4, hidden).
        projection: From the vector of a phrase, shape (TEXT_SIZE, hidden); `bias`: added to it, shape (hidden,).
        constant: Added to every product, shape (1,).
    """

    threshold: float
    blocks: Floats
    kernels: Sequence[Floats]
    norms: Floats
    projection: Floats
    bias: Floats
    constant: Floats

    @property
    def kernel(self) -> int:
        return int(self.kernels[0].shape[0])

    @property
    def hidden(self) -> int:
        return int(self.bias.shape[0])

    def to_bytes(self) -> bytes:
        """The artefact that `Weights.of` reads."""
        meta = {"kernel": self.kernel, "hidden": self.hidden, "threshold": self.threshold}
        named = {name: getattr(self, name) for name in ("blocks", "norms", "projection", "bias", "constant")}
        arrays = {**named, **dict(zip(_KERNEL_NAMES, self.kernels, strict=True))}
        return written(KIND, meta, {name: array.astype("<f4") for name, array in arrays.items()})

    @classmethod
    def of(cls, artefact: bytes) -> "Weights":
        """The weights of an artefact.

        Raises:
            NotAnArtefact: it is none, or its parts do not fit together.
        """
        meta, arrays = read(artefact, KIND)
        kernel, hidden, threshold = (meta.get(name) for name in ("kernel", "hidden", "threshold"))
        if kernel not in KERNELS or type(hidden) is not int or not 1 <= hidden <= MOST_HIDDEN:
            raise NotAnArtefact("its kernel or its hidden size is out of bounds.")
        if not isinstance(threshold, float) or not 0 < threshold < 1:
            raise NotAnArtefact("its threshold is not between 0 and 1.")
        shapes = shapes_of(kernel, hidden)
        if {name: array.shape for name, array in arrays.items()} != shapes:
            raise NotAnArtefact("its arrays are not those of such a network.")
        kernels = [arrays.pop(name) for name in _KERNEL_NAMES]
        if (arrays["norms"][:, 3] < 0).any():
            raise NotAnArtefact("it has negative variances.")
        return cls(threshold=threshold, kernels=kernels, **arrays)


def shapes_of(kernel: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays of an artefact, by their names."""
    sides = (kernel, kernel, kernel)
    kernels = {name: (*sides, hidden if number else BLOCK_SIZE, hidden) for number, name in enumerate(_KERNEL_NAMES)}
    return {
        **kernels,
        "blocks": (BLOCK_KINDS, BLOCK_SIZE),
        "norms": (LAYERS, 4, hidden),
        "projection": (TEXT_SIZE, hidden),
        "bias": (hidden,),
        "constant": (1,),
    }


class NetworkEye:
    """Names voxels with a learnt network. It holds no state between phrases, so threads may share it."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        # The normalisation becomes a part of each convolution.
        self._layers = []
        for kernel, (scale, shift, mean, variance) in zip(weights.kernels, weights.norms, strict=True):
            factor = scale / np.sqrt(variance + np.float32(EPSILON))
            self._layers.append((kernel * factor, shift - mean * factor))

    def see(self, scene: Mapping[str, Any], phrase: str) -> Seen:
        """The voxels that a phrase names.

        Raises:
            lib.faults.Invalid: the scene is not valid.
        """
        grid, corner = cut(read_scene(scene))
        if not 0 < grid.size <= MOST_CELLS:
            return Seen([], 0.0)
        chances = self.chances(grid, phrase)
        places = np.argwhere(chances > self.weights.threshold)
        if not len(places):
            return Seen([], 1 - float(chances.max()))
        return Seen(voxels_of(keys_of(places + corner)), float(chances[tuple(places.T)].mean()))

    def chances(self, grid: npt.NDArray[np.uint8], phrase: str) -> Floats:
        """The probability that the phrase names a voxel, for each cell of a grid of block ids."""
        seen = self.weights.blocks[grid]
        for kernel, shift in self._layers:
            seen = np.maximum(convolved(seen, kernel) + shift, 0)
        text = phrase_vector(phrase) @ self.weights.projection + self.weights.bias
        margins = np.clip(seen @ text + self.weights.constant, -50, 50)
        found: Floats = (1 / (1 + np.exp(-margins))).astype(np.float32)
        return found


def cut(scene: Scene) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The ids in the box around the blocks of a scene, and the place of its first cell; nothing for a scene of air."""
    places = np.stack([scene.keys >> 16, scene.keys >> 8 & 255, scene.keys & 255], axis=1).astype(np.int64)
    if not len(places):
        return np.zeros((0, 0, 0), np.uint8), np.zeros(3, np.int64)
    corner = places.min(axis=0)
    grid = np.zeros(places.max(axis=0) - corner + 1, np.uint8)
    grid[tuple((places - corner).T)] = scene.ids
    return grid, corner


def convolved(volume: Floats, kernel: Floats) -> Floats:
    """The volume, shape (x, y, z, from), under the kernel, shape (k, k, k, from, to); outside of it are zeros.

    Costs: k times the memory of the volume.
    """
    side, entering, leaving = kernel.shape[0], kernel.shape[3], kernel.shape[4]
    reach = side // 2
    x, y, z, _ = volume.shape
    padded = np.pad(volume, ((reach, reach),) * 3 + ((0, 0),))
    # The neighbours along z stand beside each other, so that one product serves all of them.
    rows = np.ascontiguousarray(sliding_window_view(padded, side, axis=2).swapaxes(3, 4))
    found = np.zeros((x * y * z, leaving), np.float32)
    for dx in range(side):
        for dy in range(side):
            near = rows[dx : dx + x, dy : dy + y].reshape(-1, side * entering)
            found += near @ kernel[dx, dy].reshape(side * entering, leaving)
    return found.reshape(x, y, z, leaving)
