"""The interfaces of trainers and models, the same for every module."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Settings = Mapping[str, Any]
"""The settings of a training that a person chooses, as JSON. A trainer refuses names that it does not know."""


class Example(NamedTuple):
    """One item with its truth.

    Attributes:
        item: Identifies the item; equal for equal items.
        given: What a model reads: for `nlu` the text of a command; for `vision` {"scene": …, "phrase": …}.
        truth: What it should answer: for `nlu` the logical form; for `vision` the voxels of the phrase, [[x, y, z], …].
    """

    item: str
    given: Any
    truth: Any


class Prediction(NamedTuple):
    """A model's answer, and how sure the model is of it.

    Attributes:
        score: In [0, 1]; higher is surer.
    """

    value: Any
    score: float


class Progress(NamedTuple):
    """How far a training is.

    Attributes:
        share: Done so far, in [0, 1]; never falls.
        step: Counts the reports of one training from 1.
        loss: On training examples; None while it is not known.
        valid: Share of correct answers (or mean score) on validation examples; None while it is not known.
    """

    share: float
    step: int
    loss: float | None
    valid: float | None


Told = Callable[[Progress], None]
"""Receives each progress. An error that it raises ends the training: so a training is cancelled."""


class Predictor(Protocol):
    """A loaded model."""

    def predict(self, given: Sequence[Any]) -> list[Prediction]:
        """One prediction for each of what is given, in order."""


class Trainer(Protocol):
    """Makes models of one module from examples.

    Attributes:
        name: Names the trainer among those of its module.
        module: The part of the agent that its models are for, such as `nlu`.
        extra: What `CROSSWALK_EXTRAS` must name so that it can train; empty if nothing.
    """

    name: str
    module: str
    extra: str

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
        """The artefact of a model that learnt from `train`. The same arguments give the same bytes.

        Args:
            valid: Chooses between models, where the trainer has a choice. It is never learnt from.
            seed: For a trainer without chance of its own, it resamples `train`; 0 takes `train` as it is.
            start: The artefact to continue from; the model then keeps its vocabulary and classes.

        Raises:
            lib.faults.ExtraMissing: the extra of this trainer is not installed.
            lib.faults.Invalid: `settings`, `start` or the examples are not fit for this trainer.
        """

    def load(self, artefact: bytes) -> Predictor:
        """The model of an artefact. The caller has compared the hash.

        Raises:
            lib.faults.Invalid: the artefact is not one of this trainer, or is altered.
        """

    def is_correct(self, value: Any, truth: Any) -> bool:
        """Whether a prediction counts as right."""

    def score(self, value: Any, truth: Any) -> float:
        """How right a prediction is, in [0, 1]: 1 or 0 where there is nothing between, else for example the IoU."""
