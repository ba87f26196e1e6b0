"""The linear eye: a baseline that needs no accelerator. It chooses among the connected pieces of a scene.

It is not the network of paper 004 (`network.py`). It cannot cut a thing that touches another of the same material, and
knows only the words that it was taught.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean

import numpy as np

from learning.trainers.protocol import Example, Predictor, Progress, Settings, Told
from learning.trainers.vision.masks import MOST_EXAMPLES, WATCHED, EyeModel, MasksCompared
from lib.canonical_json import escaped
from lib.extras import check_installed
from lib.faults import Fault, Invalid
from lib.vision.model import LinearEye, Weights
from lib.vision.pieces import Piece, crossed, pieces_of
from lib.voxels.mask import keys_of
from lib.voxels.scene import read_scene

_BOUNDS: Mapping[str, tuple[float, float]] = {"rounds": (1, 200), "further_rounds": (1, 200)}
_ROUNDS, _FURTHER_ROUNDS = 30, 5
_STEP, _FURTHER_STEP = 0.05, 0.01
_LEAST_FOUND = 2


class LinearEyeTrainer(MasksCompared):
    """Trains linear eyes."""

    name = "linear"
    module = "vision"
    extra = "vision"

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
        """The artefact of an eye; see `Trainer.fit`."""
        rounds = _rounds(settings, continues=start is not None)
        check_installed(self.extra)
        # Loaded here: only a training needs it.
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import SGDClassifier

        if not 0 < len(train) <= MOST_EXAMPLES:
            raise Invalid(f"An eye learns from 1 to {MOST_EXAMPLES} examples; there are {len(train)}.")
        rng = np.random.default_rng(seed)
        chosen = rng.integers(0, len(train), len(train)).tolist() if seed else range(len(train))
        rows, meant = _pieces([train[place] for place in chosen])
        before = Weights.of(start) if start else None
        names = list(before.features) if before else _frequent(rows)
        if not names or len(set(meant)) < 2:
            raise Invalid("An eye needs phrases that name a piece of their scene, and pieces that are not named.")
        places = {name: place for place, name in enumerate(names)}
        columns = [[places[one] for one in row if one in places] for row in rows]
        ends = np.cumsum([0, *map(len, columns)]).astype(np.int32)
        flat = np.array([place for row in columns for place in row], dtype=np.int32)
        seen = csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(names)))
        model = SGDClassifier(
            loss="log_loss",
            alpha=1e-5,
            learning_rate="constant",
            eta0=_FURTHER_STEP if before else _STEP,
            shuffle=False,
            random_state=seed,
        )
        truth = np.array(meant, dtype=int)
        model.partial_fit(csr_matrix((1, len(names))), [0], classes=[0, 1])
        model.coef_ = np.array(before.weights if before else np.zeros(len(names)), dtype=float).reshape(1, -1)
        model.intercept_ = np.array([before.constant if before else 0.0])
        found = before
        watched = [(pieces_of(read_scene(one.given["scene"])), one) for one in valid[:WATCHED]]
        for number in range(1, rounds + 1):
            order = rng.permutation(len(rows))
            model.partial_fit(seen[order], truth[order])
            found = Weights(names, model.coef_[0].copy(), float(model.intercept_[0]))
            loss = float(np.logaddexp(0, np.where(truth == 1, -1, 1) * model.decision_function(seen)).mean())
            told(Progress(number / rounds, number, loss, self._mean_score(found, watched)))
        assert found is not None  # noqa: S101 - there is a first round
        return found.to_bytes()

    def load(self, artefact: bytes) -> Predictor:
        return EyeModel(LinearEye(Weights.of(artefact)))

    def _mean_score(self, weights: Weights, watched: Sequence[tuple[list[Piece], Example]]) -> float | None:
        eye = LinearEye(weights)
        scores = [self.score(eye.choose(pieces, one.given["phrase"]).voxels, one.truth) for pieces, one in watched]
        return mean(scores) if scores else None


def _rounds(settings: Settings, *, continues: bool) -> int:
    """How often each example is seen.

    Raises:
        Invalid: a setting is unknown or out of its bounds.
    """
    faults = []
    for name, value in settings.items():
        low, high = _BOUNDS.get(name, (1, 0))
        if type(value) is not int or not low <= value <= high:
            faults.append(
                Fault(f"#/{escaped(name)}", "There are rounds and further_rounds, whole numbers from 1 to 200.")
            )
    if faults:
        raise Invalid(faults=faults)
    known = {"rounds": _ROUNDS, "further_rounds": _FURTHER_ROUNDS, **settings}
    return int(known["further_rounds" if continues else "rounds"])


def _pieces(examples: Sequence[Example]) -> tuple[list[list[str]], list[bool]]:
    """The features of every piece of every example's scene, and whether most of the piece is meant."""
    rows, meant = [], []
    for example in examples:
        truth = keys_of(example.truth)
        for piece in pieces_of(read_scene(example.given["scene"])):
            rows.append(crossed(example.given["phrase"], piece.features))
            meant.append(2 * np.intersect1d(piece.mask, truth, assume_unique=True).size > piece.mask.size)
    return rows, meant


def _frequent(rows: Sequence[Sequence[str]]) -> list[str]:
    counts = Counter(one for row in rows for one in set(row))
    return sorted(one for one, count in counts.items() if count >= _LEAST_FOUND)
