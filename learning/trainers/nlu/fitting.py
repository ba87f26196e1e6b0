"""How scikit-learn fits the two models of a linear parser, anew or on from an earlier parser."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

from learning.trainers.nlu.matrices import (
    REST,
    Learnt,
    counted,
    features_of_tokens,
    hinge,
    numbers_of,
    tf_idf_of,
    tokens_of_kinds,
    vocabulary,
)
from learning.trainers.nlu.settings import LinearSettings
from learning.trainers.protocol import Example, Progress, Told
from lib.faults import Invalid
from lib.logical_form.spans import MOST_TOKENS
from lib.nlu.features import character_runs, word_runs
from lib.nlu.parser import IsWhole, LearntParser, Weights

AT_A_TIME = 32
"""How many skeletons are fitted between two reports."""
WATCHED = 200
"""How many validation examples a report looks at."""
LEAST_FOR_CERTAINTY = 40
"""With fewer validation examples, scores come from `USUAL_CERTAINTY`."""
USUAL_CERTAINTY = (-0.4, 1.2, 1.2, 0.25, -0.5)


class Fitting:
    """One fitting of a parser.

    Args:
        is_correct: Compares a predicted form with the truth.
        is_whole: Decides which forms the parser may answer; by default the valid ones of the present grammar.
    """

    def __init__(
        self,
        *,
        settings: LinearSettings,
        seed: int,
        told: Told,
        is_correct: Callable[[Any, Any], bool],
        is_whole: IsWhole | None = None,
    ) -> None:
        self._settings = settings
        self._seed = seed
        self._told = told
        self._is_correct = is_correct
        self._is_whole = is_whole
        self._step = 0

    def fitted(self, train: Sequence[Example], valid: Sequence[Example], _: bytes = b"") -> Weights:
        """The weights of a parser that learnt from `train` alone.

        Raises:
            Invalid: too few examples have a skeleton that others have too.
        """
        learnt = self._resampled(train)
        skeletons = self._frequent(learnt)
        if len(skeletons) < 2:
            raise Invalid(f"A parser needs commands with two kinds of meaning at least; these have {len(skeletons)}.")
        words = vocabulary((word_runs(one.text) for one in learnt), self._settings.most_runs)
        characters = vocabulary((character_runs(one.text) for one in learnt), self._settings.most_runs)
        surroundings, kinds, hole_weights, hole_bias = self._fit_holes(learnt)
        word_counts = counted([word_runs(one.text) for one in learnt], words)
        character_counts = counted([character_runs(one.text) for one in learnt], characters)
        idfs = [TfidfTransformer(sublinear_tf=True).fit(part) for part in (word_counts, character_counts)]
        seen = hstack([idfs[0].transform(word_counts), idfs[1].transform(character_counts)]).tocsr()
        weights = np.zeros((seen.shape[1], len(skeletons)), dtype=np.float16)
        bias = np.full(len(skeletons), -10.0, dtype=np.float32)
        found = Weights(
            words=words,
            characters=characters,
            surroundings=surroundings,
            skeletons=skeletons,
            kinds=kinds,
            arrays={
                "word_idf": idfs[0].idf_.astype(np.float32),
                "character_idf": idfs[1].idf_.astype(np.float32),
                "skeleton_weights": weights,
                "skeleton_bias": bias,
                "hole_weights": hole_weights,
                "hole_bias": hole_bias,
            },
            certainty=USUAL_CERTAINTY,
        )
        truths = numbers_of(learnt, skeletons)
        watched = valid[:WATCHED]
        total = 0.0
        for first in range(0, len(skeletons), AT_A_TIME):
            members = range(first, min(first + AT_A_TIME, len(skeletons)))
            total += _fit_skeletons(seen, truths, members, self._settings.strength, weights, bias)
            share = 0.2 + 0.75 * members.stop / len(skeletons)
            self._tell(share, total / members.stop, self._share_right(found, watched))
        return self._certain(found, valid)

    def continued(self, train: Sequence[Example], valid: Sequence[Example], start: bytes) -> Weights:
        """The weights of the parser `start` after a few small steps on `train`. It keeps its runs and skeletons.

        Raises:
            Invalid: `start` is no parser, or has none of the skeletons of `train`.
        """
        before = Weights.of(start)
        known = set(before.skeletons)
        learnt = [one for one in self._resampled(train) if one.parts.skeleton in known]
        if not learnt:
            raise Invalid("No example has a skeleton that the earlier parser knows.")
        arrays = {name: np.array(part, dtype=np.float64) for name, part in before.arrays.items()}
        seen = tf_idf_of(learnt, before)
        truths = numbers_of(learnt, before.skeletons)
        skeleton = self._further(
            "hinge", range(len(before.skeletons)), arrays["skeleton_weights"].T, arrays["skeleton_bias"]
        )
        around = counted(features_of_tokens(learnt), before.surroundings)
        is_of_kind = tokens_of_kinds(learnt, before.kinds)
        rng = np.random.default_rng(self._seed)
        found = before
        for number in range(self._settings.further_rounds):
            order = rng.permutation(len(learnt))
            skeleton.partial_fit(seen[order], truths[order])
            for column in range(len(before.kinds)):
                self._one_more(around, is_of_kind[:, column], arrays, column)
            arrays["skeleton_weights"], arrays["skeleton_bias"] = skeleton.coef_.T, skeleton.intercept_
            found = _with(before, arrays)
            loss = hinge(skeleton.decision_function(seen), truths, range(len(before.skeletons)))
            share = 0.95 * (number + 1) / self._settings.further_rounds
            self._tell(share, loss / len(before.skeletons), self._share_right(found, valid[:WATCHED]))
        return self._certain(found, valid)

    # Parts of both ------------------------------------------------------------------------------------------------

    def _resampled(self, train: Sequence[Example]) -> list[Learnt]:
        """The examples with their forms taken apart; drawn with replacement unless the seed is 0."""
        chosen = list(range(len(train)))
        if self._seed:
            chosen = np.random.default_rng(self._seed).integers(0, len(train), len(train)).tolist() if train else []
        learnt = {place: Learnt.of(train[place]) for place in sorted(set(chosen))}
        return [learnt[place] for place in chosen if 0 < len(learnt[place].tokens) <= MOST_TOKENS]

    def _frequent(self, learnt: Sequence[Learnt]) -> list[str]:
        """The skeletons that enough examples have, the most frequent ones first."""
        # An example that was drawn twice is still one.
        counts = Counter(skeleton for _, skeleton in {(one.item, one.parts.skeleton) for one in learnt})
        frequent = [(-count, skeleton) for skeleton, count in counts.items() if count >= self._settings.least_seen]
        return [skeleton for _, skeleton in sorted(frequent)[: self._settings.most_skeletons]]

    def _fit_holes(self, learnt: Sequence[Learnt]) -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
        """The features of tokens, the kinds of holes, and the weights with which one speaks for the other."""
        surroundings = vocabulary(features_of_tokens(learnt), 3 * self._settings.most_runs)
        kinds = sorted({kind for one in learnt for kind in one.parts.kinds})
        around = counted(features_of_tokens(learnt), surroundings)
        is_of_kind = tokens_of_kinds(learnt, kinds)
        weights = np.zeros((len(surroundings), len(kinds)), dtype=np.float16)
        bias = np.zeros(len(kinds), dtype=np.float32)
        for column in range(len(kinds)):
            model = SGDClassifier(
                loss="log_loss",
                alpha=self._settings.smoothing,
                max_iter=self._settings.rounds,
                tol=None,
                random_state=self._seed,
            )
            model.fit(around, is_of_kind[:, column])
            weights[:, column], bias[column] = model.coef_[0], model.intercept_[0]
            if column % 8 == 7:
                self._tell(0.2 * (column + 1) / len(kinds), None, None)
        return surroundings, kinds, weights, bias

    def _further(self, loss: str, classes: Sequence[int], weights: np.ndarray, bias: np.ndarray) -> SGDClassifier:
        """A model that goes on from these weights, shape (classes, features), by small steps."""
        model = SGDClassifier(
            loss=loss,
            alpha=1e-7,
            learning_rate="constant",
            eta0=self._settings.further_step,
            random_state=self._seed,
            shuffle=False,
        )
        # scikit-learn takes first weights only with all classes in the first examples; so they are set after these.
        model.partial_fit(csr_matrix((1, weights.shape[1])), [classes[0]], classes=list(classes))
        model.coef_, model.intercept_ = np.ascontiguousarray(weights), np.array(bias)
        return model

    def _one_more(self, around: csr_matrix, is_of_kind: np.ndarray, arrays: dict[str, np.ndarray], column: int) -> None:
        """One more round of the model of one kind of hole."""
        model = self._further(
            "log_loss", (0, 1), arrays["hole_weights"][None, :, column], arrays["hole_bias"][[column]]
        )
        model.partial_fit(around, is_of_kind.astype(int))
        arrays["hole_weights"][:, column], arrays["hole_bias"][column] = model.coef_[0], model.intercept_[0]

    def _certain(self, weights: Weights, valid: Sequence[Example]) -> Weights:
        """The weights, with scores that say how often such a form is right on validation examples."""
        parser = LearntParser(weights, self._is_whole)
        evidence, right = [], []
        for example in valid:
            reading = parser.read(example.given)
            if reading.evidence is not None:
                evidence.append(reading.evidence)
                right.append(self._is_correct(reading.form, example.truth))
        if len(evidence) >= LEAST_FOR_CERTAINTY and len(set(right)) == 2:
            model = LogisticRegression(C=1.0, max_iter=500).fit(np.array(evidence), right)
            certainty = (float(model.intercept_[0]), *(float(one) for one in model.coef_[0]))
            weights = replace(weights, certainty=certainty)
        self._tell(1.0, None, sum(right) / len(valid) if valid else None)
        return weights

    def _share_right(self, weights: Weights, valid: Sequence[Example]) -> float | None:
        parser = LearntParser(weights, self._is_whole)
        right = [self._is_correct(parser.read(one.given).form, one.truth) for one in valid]
        return sum(right) / len(right) if right else None

    def _tell(self, share: float, loss: float | None, valid: float | None) -> None:
        self._step += 1
        self._told(Progress(share=share, step=self._step, loss=loss, valid=valid))


def _fit_skeletons(
    seen: csr_matrix, truths: np.ndarray, members: range, strength: float, weights: np.ndarray, bias: np.ndarray
) -> float:
    """Fit these skeletons, each against all other examples, and write their columns; returns their loss."""
    among = np.where(np.isin(truths, members), truths, REST)
    model = LinearSVC(C=strength, random_state=0).fit(seen, among)
    # With two classes there is one row, for the second of them.
    rows = model.coef_ if len(model.classes_) > 2 else np.vstack([-model.coef_, model.coef_])
    starts = model.intercept_ if len(model.classes_) > 2 else np.concatenate([-model.intercept_, model.intercept_])
    for row, number in enumerate(model.classes_):
        if number != REST:
            weights[:, number], bias[number] = rows[row], starts[row]
    columns = slice(members.start, members.stop)
    return hinge(seen @ weights[:, columns].astype(float) + bias[columns], truths, members)


def _with(before: Weights, arrays: dict[str, np.ndarray]) -> Weights:
    kept = {name: arrays[name].astype(part.dtype) for name, part in before.arrays.items()}
    return replace(before, arrays=kept)
