"""Fitting a network with PyTorch. Imported only where a training begins.

The phrases of a scene share what the convolutions see of it. Each batch is mirrored and turned about the vertical by
chance: the network does not see from where somebody looks, so such a scene is as good an example.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from learning.trainers.protocol import Example, Progress, Told
from learning.trainers.vision.masks import WATCHED
from learning.trainers.vision.network_settings import NetworkSettings
from lib.canonical_json import digest
from lib.faults import Invalid
from lib.vision.network import (
    BLOCK_KINDS,
    BLOCK_SIZE,
    EPSILON,
    LAYERS,
    MOST_CELLS,
    NetworkEye,
    Weights,
    cut,
)
from lib.vision.words import TEXT_SIZE, phrase_vector
from lib.voxels.scene import read_scene

RATE, FURTHER_RATE = 2e-3, 5e-4
BATCH = 8
"""Scenes of one step."""
NAMED_WEIGHT = 3.0
"""How much more a voxel counts that is named: most are not."""


class Shown(NamedTuple):
    """A scene with its phrases.

    Attributes:
        grid: Block ids, shape (x, y, z).
        texts: The vectors of its phrases, shape (n, TEXT_SIZE).
        masks: The voxels that each of them names, shape (n, x, y, z).
    """

    grid: npt.NDArray[np.uint8]
    texts: npt.NDArray[np.float32]
    masks: npt.NDArray[np.bool_]

    def seen_from(self, axes: tuple[int, ...], *, is_turned: bool) -> "Shown":
        """The same scene, mirrored along these axes, and with x and z in each other's place if it is turned."""
        grid, masks = np.flip(self.grid, axes), np.flip(self.masks, tuple(axis + 1 for axis in axes))
        return (
            Shown(grid.swapaxes(0, 2), self.texts, masks.swapaxes(1, 3))
            if is_turned
            else Shown(grid, self.texts, masks)
        )


class Fitting:
    """One training of a network."""

    def __init__(self, settings: NetworkSettings, *, seed: int, before: Weights | None) -> None:
        """
        Args:
            before: The network to continue.

        Raises:
            Invalid: the device is not there.
        """
        if settings.device == "cuda" and not torch.cuda.is_available():
            raise Invalid("PyTorch sees no accelerator here; leave out the device.")
        # Equal sums on every machine need one thread and the same algorithms.
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self._settings, self._chance = settings, np.random.default_rng(seed)
        self._rate = FURTHER_RATE if before else RATE
        reach, hidden = settings.kernel // 2, settings.hidden
        layers: list[Any] = []
        for number in range(LAYERS):
            entering = hidden if number else BLOCK_SIZE
            layers += [
                nn.Conv3d(entering, hidden, settings.kernel, padding=reach, bias=False),
                nn.BatchNorm3d(hidden, eps=EPSILON),
                nn.ReLU(),
            ]
        self._blocks = nn.Embedding(BLOCK_KINDS, BLOCK_SIZE)
        self._voxels = nn.Sequential(*layers)
        self._text = nn.Linear(TEXT_SIZE, hidden)
        self._constant = nn.Parameter(torch.zeros(1))
        if before is not None:
            self._begin_with(before)
        for part in (self._blocks, self._voxels, self._text):
            part.to(settings.device)
        self._constant.data = self._constant.data.to(settings.device)

    def fit(
        self,
        train: Sequence[Example],
        valid: Sequence[Example],
        *,
        score: Callable[[Any, Any], float],
        told: Told,
    ) -> Weights:
        """The network of the round that was best on `valid`; without these of the last round.

        Raises:
            Invalid: no example has a scene that a network can see.
        """
        scenes = scenes_of(train)
        if not scenes:
            raise Invalid(f"A network sees scenes whose blocks lie within {MOST_CELLS:,} cells; none is so small.")
        parts = (self._blocks, self._voxels, self._text)
        learnt = [*(one for part in parts for one in part.parameters()), self._constant]
        optimizer = torch.optim.AdamW(learnt, lr=self._rate)
        best, best_score = self._weights(), -1.0
        rounds = self._settings.rounds
        for number in range(1, rounds + 1):
            for group in optimizer.param_groups:
                # Smaller steps towards the end.
                group["lr"] = self._rate * max(0.05, 1 - (number - 1) / rounds)
            losses = [self._step(batch, optimizer) for batch in self._batches(scenes)]
            found = self._weights()
            seen = _mean_score(NetworkEye(found), valid[:WATCHED], score)
            if seen is None or seen >= best_score:
                best, best_score = found, seen if seen is not None else best_score
            told(Progress(number / rounds, number, mean(losses), seen))
        return best

    def _batches(self, scenes: Sequence[Shown]) -> Iterator[list[Shown]]:
        order = self._chance.permutation(len(scenes))
        for first in range(0, len(scenes), BATCH):
            yield [scenes[place] for place in order[first : first + BATCH]]

    def _step(self, batch: Sequence[Shown], optimizer: Any) -> float:
        """One step on these scenes; the mean loss of their phrases."""
        mirrored = tuple(axis for axis in (0, 2) if self._chance.random() < 0.5)
        is_turned = bool(self._chance.random() < 0.5)
        by_size: dict[tuple[int, ...], list[Shown]] = defaultdict(list)
        for one in batch:
            by_size[one.grid.shape].append(one.seen_from(mirrored, is_turned=is_turned))
        optimizer.zero_grad()
        total, phrases = 0.0, sum(len(one.texts) for one in batch)
        for same in by_size.values():
            loss = self._loss(same) / phrases
            loss.backward()
            total += float(loss.detach())
        optimizer.step()
        return total

    def _loss(self, scenes: Sequence[Shown]) -> Any:
        """The sum over the phrases: cross entropy of the voxels, and one minus the overlap (Dice)."""
        device = self._settings.device
        grids = np.stack([one.grid for one in scenes]).astype(np.int64)
        masks = np.concatenate([one.masks for one in scenes])
        named = torch.from_numpy(masks.astype(np.float32)).to(device)
        texts = torch.from_numpy(np.concatenate([one.texts for one in scenes])).to(device)
        owners = torch.repeat_interleave(torch.tensor([len(one.texts) for one in scenes])).to(device)
        seen = self._voxels(self._blocks(torch.from_numpy(grids).to(device)).movedim(-1, 1))
        margins = torch.einsum("nhxyz,nh->nxyz", seen[owners], self._text(texts)) + self._constant
        entropy = functional.binary_cross_entropy_with_logits(
            margins, named, pos_weight=torch.tensor(NAMED_WEIGHT, device=device), reduction="none"
        ).mean(dim=(1, 2, 3))
        chances = torch.sigmoid(margins)
        common = (chances * named).sum(dim=(1, 2, 3))
        both = chances.sum(dim=(1, 2, 3)) + named.sum(dim=(1, 2, 3))
        return (entropy + 1 - (2 * common + 1) / (both + 1)).sum()

    # To and from numpy ------------------------------------------------------------------------------------------------

    def _weights(self) -> Weights:
        convolutions, norms = self._voxels[::3], self._voxels[1::3]
        return Weights(
            threshold=self._settings.threshold,
            blocks=_array(self._blocks.weight),
            # PyTorch has the channels first.
            kernels=[_array(one.weight.permute(2, 3, 4, 1, 0)) for one in convolutions],
            norms=np.stack([np.stack([_array(part) for part in _norm_parts(one)]) for one in norms]),
            projection=_array(self._text.weight.T),
            bias=_array(self._text.bias),
            constant=_array(self._constant),
        )

    def _begin_with(self, before: Weights) -> None:
        with torch.no_grad():
            self._blocks.weight.copy_(_tensor(before.blocks))
            for one, kernel in zip(self._voxels[::3], before.kernels, strict=True):
                one.weight.copy_(_tensor(kernel).permute(4, 3, 0, 1, 2))
            for one, parts in zip(self._voxels[1::3], before.norms, strict=True):
                for tensor, array in zip(_norm_parts(one), parts, strict=True):
                    tensor.copy_(_tensor(array))
            self._text.weight.copy_(_tensor(before.projection).T)
            self._text.bias.copy_(_tensor(before.bias))
            self._constant.copy_(_tensor(before.constant))


def scenes_of(examples: Sequence[Example]) -> list[Shown]:
    """The scenes of the examples with their phrases; without those that are too large for a network."""
    grouped: dict[str, list[Example]] = defaultdict(list)
    for one in examples:
        grouped[digest(one.given["scene"])].append(one)
    found = []
    for group in grouped.values():
        grid, corner = cut(read_scene(group[0].given["scene"]))
        if not 0 < grid.size <= MOST_CELLS:
            continue
        masks = np.zeros((len(group), *grid.shape), np.bool_)
        for mask, one in zip(masks, group, strict=True):
            places = np.array(one.truth, np.int64).reshape(-1, 3) - corner
            # A worker may mark air beside the blocks, which is outside of what a network sees.
            inside = ((places >= 0) & (places < grid.shape)).all(axis=1)
            mask[tuple(places[inside].T)] = True
        found.append(Shown(grid, np.stack([phrase_vector(one.given["phrase"]) for one in group]), masks))
    return found


def _mean_score(eye: NetworkEye, valid: Sequence[Example], score: Callable[[Any, Any], float]) -> float | None:
    scores = [score(eye.see(one.given["scene"], one.given["phrase"]).voxels, one.truth) for one in valid]
    return mean(scores) if scores else None


def _norm_parts(norm: Any) -> tuple[Any, Any, Any, Any]:
    return norm.weight, norm.bias, norm.running_mean, norm.running_var


def _array(tensor: Any) -> npt.NDArray[np.float32]:
    found: npt.NDArray[np.float32] = np.array(tensor.detach().cpu().numpy(), np.float32)
    return found


def _tensor(array: npt.NDArray[np.float32]) -> Any:
    return torch.from_numpy(np.array(array, np.float32))
