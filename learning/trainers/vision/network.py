"""The trainer of paper 004's network. It needs PyTorch to train; a trained model answers without it."""

from collections.abc import Sequence

from learning.trainers.protocol import Example, Predictor, Settings, Told
from learning.trainers.vision.masks import MOST_EXAMPLES, EyeModel, MasksCompared
from learning.trainers.vision.network_settings import read_settings
from lib.extras import check_installed
from lib.faults import Invalid
from lib.vision.network import NetworkEye, Weights


class NetworkTrainer(MasksCompared):
    """Trains networks of 3D convolutions."""

    name = "network"
    module = "vision"
    extra = "torch"

    def fit(
        self,
        train: Sequence[Example],
        valid: Sequence[Example],
        *,
        seed: int,
        settings: Settings,
        start: bytes | None,
        told: Told,
    ) -> bytes:
        """The artefact of a network; see `Trainer.fit`. With the device `cuda` its bytes may differ from run to run."""
        before = Weights.of(start) if start else None
        chosen = read_settings(settings, before)
        check_installed(self.extra)
        if not 0 < len(train) <= MOST_EXAMPLES:
            raise Invalid(f"A network learns from 1 to {MOST_EXAMPLES} examples; there are {len(train)}.")
        # Loaded here: only a training needs it.
        from learning.trainers.vision.network_fitting import Fitting

        return Fitting(chosen, seed=seed, before=before).fit(train, valid, score=self.score, told=told).to_bytes()

    def load(self, artefact: bytes) -> Predictor:
        return EyeModel(NetworkEye(Weights.of(artefact)))
