"""The matrices from which scikit-learn fits a linear parser; their columns are the features that `lib/nlu/` reads."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack

from learning.trainers.protocol import Example
from lib.logical_form.spans import tokenise
from lib.nlu.features import character_runs, token_features, word_runs
from lib.nlu.parser import Weights, tf_idf
from lib.nlu.skeletons import Parts, root_of, taken_apart
from lib.strict_json import parse_json

REST = -1
"""The class of examples whose skeleton is not among those being fitted."""
_LEAST_FOUND = 2
"""A feature is learnt if so many texts or tokens have it."""


class Learnt(NamedTuple):
    """An example with its form taken apart."""

    item: str
    text: str
    tokens: list[str]
    parts: Parts

    @classmethod
    def of(cls, example: Example) -> "Learnt":
        return cls(example.item, example.given, tokenise(example.given), taken_apart(example.truth))


def vocabulary(features: Iterable[Iterable[str]], most: int) -> list[str]:
    """The most frequent features, at most `most`, in the order of their text."""
    counts = Counter(one for each in features for one in set(each))
    kept = sorted((-count, one) for one, count in counts.items() if count >= _LEAST_FOUND)[:most]
    return sorted(one for _, one in kept)


def counted(features: Iterable[Iterable[str]], names: Sequence[str]) -> csr_matrix:
    """How often each row has each of these features."""
    places = {name: place for place, name in enumerate(names)}
    columns: list[int] = []
    ends = [0]
    for each in features:
        columns += [places[one] for one in each if one in places]
        ends.append(len(columns))
    # scikit-learn's stochastic gradient refuses 64 bit indices.
    shape = (len(ends) - 1, len(names))
    matrix = csr_matrix((np.ones(len(columns)), np.array(columns, np.int32), np.array(ends, np.int32)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def tf_idf_of(learnt: Sequence[Learnt], weights: Weights) -> csr_matrix:
    """The features of each command for a parser with these weights; the columns are the rows of `skeleton_weights`."""
    words = {name: place for place, name in enumerate(weights.words)}
    characters = {name: place for place, name in enumerate(weights.characters)}
    rows = []
    for one in learnt:
        places, values = tf_idf(word_runs(one.text), words, weights.arrays["word_idf"])
        more, further = tf_idf(character_runs(one.text), characters, weights.arrays["character_idf"])
        columns = np.concatenate([places, more + len(words)]).astype(np.int32)
        ends = np.array([0, len(columns)], np.int32)
        shape = (1, len(words) + len(characters))
        rows.append(csr_matrix((np.concatenate([values, further]).astype(float), columns, ends), shape=shape))
    return vstack(rows, format="csr")


def features_of_tokens(learnt: Sequence[Learnt]) -> Iterator[list[str]]:
    """The features of every token of every command, one list for each token."""
    for one in learnt:
        yield from token_features(one.tokens, root_of(parse_json(one.parts.skeleton)))


def tokens_of_kinds(learnt: Sequence[Learnt], kinds: Sequence[str]) -> np.ndarray:
    """Whether each token stands in a hole of each kind, shape (tokens, kinds)."""
    places = {kind: place for place, kind in enumerate(kinds)}
    found = np.zeros((sum(len(one.tokens) for one in learnt), len(kinds)), dtype=bool)
    start = 0
    for one in learnt:
        for kind, pieces in zip(one.parts.kinds, one.parts.spans, strict=True):
            for first, last in pieces:
                if kind in places:
                    found[start + first : start + last + 1, places[kind]] = True
        start += len(one.tokens)
    return found


def numbers_of(learnt: Sequence[Learnt], skeletons: Sequence[str]) -> np.ndarray:
    """The place of each example's skeleton among these, or `REST`."""
    places = {skeleton: place for place, skeleton in enumerate(skeletons)}
    return np.array([places.get(one.parts.skeleton, REST) for one in learnt], dtype=np.int64)


def hinge(margins: Any, truths: np.ndarray, members: range) -> float:
    """The squared hinge loss of these classes: its mean over the examples, summed over the classes."""
    signs = np.where(truths[:, None] == np.array(members)[None, :], 1.0, -1.0)
    return float((np.maximum(0.0, 1.0 - signs * margins) ** 2).mean(axis=0).sum())
