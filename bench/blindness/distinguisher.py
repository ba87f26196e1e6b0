"""The distinguisher: a classifier that is trained on some projects and tried on others.

Its figure is the AUC inside trials: the chance that a reference of a trial is ranked above an ordinary unit of the same
trial; 0.5 is blind. Differences between projects, which a worker cannot use, do not count.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bench.blindness.features import Floats, Known, ranked

FOLDS = 5
RESAMPLES = 1000
Bools = npt.NDArray[np.bool_]


class Sample(NamedTuple):
    """The units of one trial: ranked features, shape (units, features), labels, and the number of the project."""

    project: int
    features: Floats
    is_reference: Bools


class Score(NamedTuple):
    """An AUC with its 95 % bootstrap interval over projects; `n` references in so many trials gave it.

    Everything is NAN where no trial has both kinds of units.
    """

    auc: float
    low: float
    high: float
    n: int
    trials: int


class Piece(NamedTuple):
    """The AUC inside one trial, and its weight."""

    project: int
    auc: float
    weight: float
    references: int


def samples_of(known: Sequence[tuple[int, Known]], names: Sequence[str]) -> list[Sample]:
    """The trials as samples with the same features in the same order; a feature that a trial lacks is 0."""
    found = []
    for project, one in known:
        values = np.full((len(one.contents), len(names)), np.nan)
        for column, name in enumerate(names):
            if name in one.names:
                values[:, column] = one.values[:, one.names.index(name)]
        found.append(Sample(project, ranked(values), one.is_reference))
    return found


def names_in(known: Sequence[tuple[int, Known]]) -> list[str]:
    """The features that any of the trials has."""
    return list(dict.fromkeys(name for _, one in known for name in one.names))


# AUC inside trials -------------------------------------------------------------------------------------------------


def auc_of(scores: Floats, is_reference: Bools) -> float:
    """The chance that a reference has a higher score than an ordinary unit, ties counted half.

    >>> auc_of(np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, False, True, False]))
    1.0
    """
    positive = int(is_reference.sum())
    negative = len(is_reference) - positive
    return float((rankdata(scores)[is_reference].sum() - positive * (positive + 1) / 2) / (positive * negative))


def piece_of(project: int, scores: Floats, is_reference: Bools) -> Piece | None:
    """The AUC inside a trial, with the weight of van Elteren; None if it has units of one kind only."""
    positive = int(is_reference.sum())
    negative = len(is_reference) - positive
    if not positive or not negative:
        return None
    weight = positive * negative / (positive + negative + 1)
    return Piece(project, auc_of(scores, is_reference), weight, positive)


def scored(pieces: Sequence[Piece], *, seed: int = 1) -> Score:
    """The weighted mean of the pieces, and its interval by resampling projects."""
    if not pieces:
        return Score(np.nan, np.nan, np.nan, 0, 0)
    projects = sorted({piece.project for piece in pieces})
    sums = np.zeros((len(projects), 2))
    for piece in pieces:
        sums[projects.index(piece.project)] += (piece.auc * piece.weight, piece.weight)
    drawn = np.random.default_rng(seed).integers(len(projects), size=(RESAMPLES, len(projects)))
    resampled = sums[drawn].sum(axis=1)
    low, high = np.quantile(resampled[:, 0] / resampled[:, 1], [0.025, 0.975])
    whole = sums.sum(axis=0)
    return Score(
        auc=float(whole[0] / whole[1]),
        low=float(low),
        high=float(high),
        n=sum(piece.references for piece in pieces),
        trials=len(pieces),
    )


# Classifiers -------------------------------------------------------------------------------------------------------


def distinguished(samples: Sequence[Sample]) -> Score:
    """The AUC of a classifier on projects that it was not trained on: each project is tried once, in one of `FOLDS`."""
    projects = sorted({sample.project for sample in samples})
    folds = min(FOLDS, len(projects))
    pieces = []
    for fold in range(folds):
        tried = set(projects[fold::folds])
        training = [sample for sample in samples if sample.project not in tried]
        model = _trained(training)
        for sample in samples:
            if sample.project in tried and model is not None and len(sample.features):
                scores = model.predict_proba(sample.features)[:, 1]
                piece = piece_of(sample.project, scores, sample.is_reference)
                pieces += [piece] if piece else []
    return scored(pieces)


def best_features(samples: Sequence[Sample], names: Sequence[str], count: int = 3) -> list[tuple[str, float]]:
    """The single features that tell most by themselves, with their AUCs, below 0.5 where low values mean references."""
    found = []
    for column, name in enumerate(names):
        pieces = [piece_of(one.project, one.features[:, column], one.is_reference) for one in samples]
        there = [piece for piece in pieces if piece]
        if there:
            weight = sum(piece.weight for piece in there)
            found.append((name, sum(piece.auc * piece.weight for piece in there) / weight))
    return sorted(found, key=lambda one: -abs(one[1] - 0.5))[:count]


def _trained(training: Sequence[Sample]) -> Any:
    """The better of two classifiers, by their AUC on a third of the training projects; None if labels are all alike."""
    projects = sorted({sample.project for sample in training})
    held = set(projects[::3])
    inner = [sample for sample in training if sample.project not in held]
    best, best_auc = None, -1.0
    for make in (_logistic, _boosting):
        model = _fitted(make(), inner)
        if model is None:
            continue
        pieces = [
            piece_of(one.project, model.predict_proba(one.features)[:, 1], one.is_reference)
            for one in training
            if one.project in held and len(one.features)
        ]
        there = [piece for piece in pieces if piece]
        auc = sum(one.auc * one.weight for one in there) / sum(one.weight for one in there) if there else 0.5
        if auc > best_auc:
            best, best_auc = make, auc
    return _fitted((best or _logistic)(), training)


def _logistic() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=500))


def _boosting() -> Any:
    return HistGradientBoostingClassifier(
        max_iter=60, learning_rate=0.1, max_leaf_nodes=8, min_samples_leaf=10, random_state=1
    )


def _fitted(model: Any, training: Sequence[Sample]) -> Any:
    training = [sample for sample in training if len(sample.features)]
    if not training:
        return None
    labels = np.concatenate([sample.is_reference for sample in training])
    if labels.all() or not labels.any():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(np.concatenate([sample.features for sample in training]), labels)
