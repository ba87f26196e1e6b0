"""Base classes of the trainers of vision: masks are compared, and a loaded model answers."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from learning.trainers.protocol import Prediction
from lib.vision.model import Seen
from lib.voxels.mask import keys_of
from lib.voxels.overlap import iou

MOST_EXAMPLES = 20_000
WATCHED = 100
"""How many validation examples are looked at after each round."""


class Eye(Protocol):
    """Names voxels."""

    def see(self, scene: Mapping[str, Any], phrase: str) -> Seen:
        """The voxels that a phrase names."""


class EyeModel:
    """A loaded eye, as the protocol of trainers wants it."""

    def __init__(self, eye: Eye) -> None:
        self._eye = eye

    def predict(self, given: Sequence[Any]) -> list[Prediction]:
        return [Prediction(*self._eye.see(one["scene"], one["phrase"])) for one in given]


class MasksCompared:
    """Compares masks: one counts as right if it is the truth voxel by voxel; its score is the IoU."""

    def is_correct(self, value: Any, truth: Any) -> bool:
        """Whether both are the same voxels."""
        return self.score(value, truth) == 1.0

    def score(self, value: Any, truth: Any) -> float:
        """The intersection over union; 1 where both name nothing."""
        return iou(keys_of(value), keys_of(truth))
