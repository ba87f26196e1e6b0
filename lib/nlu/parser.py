"""A learnt parser: from the text of a command to a logical form and how sure the parser is of it."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lib.files.model_file import NotAnArtefact, read, written
from lib.logical_form import Form
from lib.logical_form.spans import MOST_TOKENS, tokenise
from lib.logical_form.validate import faults_of
from lib.nlu.features import character_runs, token_features, word_runs
from lib.nlu.filling import filled
from lib.nlu.skeletons import kinds_of, put_together, root_of
from lib.strict_json import parse_json

KIND = "crosswalk-nlu-1"
"""The kind of model file."""
NOTHING: Form = {"dialogue_type": "NOOP"}
"""The form of a command of which the parser can make nothing."""
TRIED = 10
"""How many skeletons are tried, the most likely first, until one makes a whole form."""
EVIDENCE = 4
_SURE = 5.0
"""The weight of a span that leaves no doubt; it also stands for skeletons without holes."""
_ARRAYS = {
    "word_idf": ("words",),
    "character_idf": ("characters",),
    "skeleton_weights": ("features", "skeletons"),
    "skeleton_bias": ("skeletons",),
    "hole_weights": ("surroundings", "kinds"),
    "hole_bias": ("kinds",),
}
_NAMES = ("words", "characters", "surroundings", "skeletons", "kinds")
_MOST_NAMES = 400_000
_MOST_SKELETON = 20_000

IsWhole = Callable[[Form, int], bool]
"""Whether a form is whole and valid for a command of so many words."""


class Parse(NamedTuple):
    """The parse of a command by a learnt parser.

    Attributes:
        score: The chance that the form is right, in [0, 1], as measured on validation commands.
    """

    form: Form
    score: float


class Reading(NamedTuple):
    """A form and the evidence for it; None as evidence where the form is no more than a way out.

    Attributes:
        evidence: The margin of the best skeleton, its lead over the second, the weight of the least sure span, and how
            many better skeletons did not fit.
    """

    form: Form
    evidence: tuple[float, float, float, float] | None


@dataclass(frozen=True)
class Weights:
    """All that a learnt parser has learnt.

    Attributes:
        words, characters: The known runs of words and of characters.
        surroundings: The known features of tokens.
        skeletons: Skeletons as JSON text, one for each column of the weights.
        kinds: Kinds of holes.
        arrays: Named as in `_ARRAYS`. The rows of `skeleton_weights` are the words, then the characters.
        certainty: Turns the evidence for a parse into its score: a constant, then a weight for each part of evidence.
    """

    words: Sequence[str]
    characters: Sequence[str]
    surroundings: Sequence[str]
    skeletons: Sequence[str]
    kinds: Sequence[str]
    arrays: Mapping[str, np.ndarray]
    certainty: Sequence[float]

    def to_bytes(self) -> bytes:
        """The artefact that `LearntParser.of` reads."""
        meta = {name: list(getattr(self, name)) for name in _NAMES}
        return written(KIND, {**meta, "certainty": [float(one) for one in self.certainty]}, self.arrays)

    @classmethod
    def of(cls, artefact: bytes) -> "Weights":
        """The weights of an artefact.

        Raises:
            NotAnArtefact: it is none, or its parts do not fit together.
        """
        meta, arrays = read(artefact, KIND)
        if set(meta) != {"format", "certainty", *_NAMES} or set(arrays) != set(_ARRAYS):
            raise NotAnArtefact("it lacks a part, or has one too many.")
        lengths = {name: len(_texts(meta, name)) for name in _NAMES}
        lengths["features"] = lengths["words"] + lengths["characters"]
        for name, axes in _ARRAYS.items():
            if arrays[name].shape != tuple(lengths[axis] for axis in axes):
                raise NotAnArtefact(f"the array {name!r} does not fit the names in its description.")
        certainty = meta["certainty"]
        if not isinstance(certainty, list) or len(certainty) != EVIDENCE + 1 or not all(map(_is_number, certainty)):
            raise NotAnArtefact(f"its certainty is not {EVIDENCE + 1} numbers.")
        return cls(
            words=meta["words"],
            characters=meta["characters"],
            surroundings=meta["surroundings"],
            skeletons=meta["skeletons"],
            kinds=meta["kinds"],
            arrays=arrays,
            certainty=certainty,
        )


class LearntParser:
    """Parses commands with learnt weights. It holds no state between commands, so threads may share it."""

    def __init__(self, weights: Weights, is_whole: IsWhole | None = None) -> None:
        """
        Args:
            is_whole: Decides which forms may be answered; by default the valid ones of the present grammar.

        Raises:
            NotAnArtefact: a skeleton is not JSON, or has a hole of a kind for which there are no weights.
        """
        self.weights = weights
        self._is_whole = is_whole or is_valid
        self._words = _places(weights.words)
        self._characters = _places(weights.characters)
        self._surroundings = _places(weights.surroundings)
        self._kinds = _places(weights.kinds)
        self._skeletons = [_skeleton(text) for text in weights.skeletons]
        self._holes = [kinds_of(skeleton) for skeleton in self._skeletons]
        self._roots = [root_of(skeleton) for skeleton in self._skeletons]
        if not {kind for kinds in self._holes for kind in kinds} <= set(self._kinds):
            raise NotAnArtefact("a skeleton has a hole for which there are no weights.")

    @classmethod
    def of(cls, artefact: bytes) -> "LearntParser":
        """The parser of an artefact.

        Raises:
            NotAnArtefact: it is none.
        """
        return cls(Weights.of(artefact))

    def parse(self, text: str) -> Parse:
        """The form of a command. It is always whole and valid; NOOP with score 0 if no skeleton fits the command."""
        reading = self.read(text)
        return Parse(reading.form, self._score(reading.evidence) if reading.evidence else 0.0)

    def read(self, text: str) -> Reading:
        """The form of a command, and what speaks for it."""
        tokens = tokenise(text)
        if not 0 < len(tokens) <= MOST_TOKENS:
            return Reading(dict(NOTHING), None)
        margins = self.margins(text)
        order = np.argsort(-margins, kind="stable")[:TRIED].tolist()
        weights: dict[str, np.ndarray] = {}
        for rank, place in enumerate(order):
            root = self._roots[place]
            if root not in weights:
                weights[root] = self.hole_weights(tokens, root)
            found = self._fill(place, weights[root])
            if found is None:
                continue
            form, weakest = found
            if self._is_whole(form, len(tokens)):
                best, second = float(margins[order[0]]), float(margins[order[min(1, len(order) - 1)]])
                return Reading(form, (best, best - second, min(weakest, _SURE), float(rank)))
        return Reading(dict(NOTHING), None)

    def margins(self, text: str) -> np.ndarray:
        """The score of each skeleton, by a linear model of the TF-IDF of the runs of a text."""
        arrays = self.weights.arrays
        total = arrays["skeleton_bias"].astype(np.float32)
        blocks = (
            (word_runs(text), self._words, arrays["word_idf"], 0),
            (character_runs(text), self._characters, arrays["character_idf"], len(self._words)),
        )
        for runs, places, idf, offset in blocks:
            rows, values = tf_idf(runs, places, idf)
            if len(rows):
                total = total + values @ arrays["skeleton_weights"][rows + offset].astype(np.float32)
        return total

    def hole_weights(self, tokens: Sequence[str], root: str) -> np.ndarray:
        """The score of each kind of hole at each token, shape (tokens, kinds)."""
        weights, bias = self.weights.arrays["hole_weights"], self.weights.arrays["hole_bias"].astype(np.float32)
        found = np.tile(bias, (len(tokens), 1))
        for place, features in enumerate(token_features(tokens, root)):
            rows = [self._surroundings[one] for one in features if one in self._surroundings]
            found[place] += weights[rows].astype(np.float32).sum(axis=0)
        return found

    def _fill(self, place: int, weights: np.ndarray) -> tuple[Form, float] | None:
        """The form of a skeleton, and the weight of its least sure span; None if the command has too few words."""
        kinds = self._holes[place]
        columns = {kind: weights[:, self._kinds[kind]] for kind in kinds}
        runs = filled(kinds, columns)
        if runs is None:
            return None
        least = min(
            (float(columns[kind][a : b + 1].mean()) for kind, (a, b) in zip(kinds, runs, strict=True)), default=_SURE
        )
        return put_together(self._skeletons[place], [[run] for run in runs]), least

    def _score(self, told: Sequence[float]) -> float:
        constant, *rest = self.weights.certainty
        exponent = constant + sum(weight * one for weight, one in zip(rest, told, strict=True))
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, exponent))))


def is_valid(form: Form, words: int) -> bool:
    """Whether a form is whole and valid in the present grammar."""
    return not faults_of(form, words=words)


def tf_idf(runs: Sequence[str], places: Mapping[str, int], idf: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows and the values, of length 1 together, of the runs that are known."""
    counts = Counter(places[run] for run in runs if run in places)
    rows = np.fromiter(counts, dtype=np.int64, count=len(counts))
    values = (1 + np.log(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))) * idf[rows]
    length = np.linalg.norm(values)
    return rows, values / length if length else values


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _texts(meta: Mapping[str, Any], name: str) -> list[str]:
    texts = meta[name]
    if not isinstance(texts, list) or len(texts) > _MOST_NAMES or not all(isinstance(one, str) for one in texts):
        raise NotAnArtefact(f"{name} is not a list of texts.")
    if len(set(texts)) != len(texts):
        raise NotAnArtefact(f"{name} names something twice.")
    return texts


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _skeleton(text: str) -> Any:
    if len(text) > _MOST_SKELETON:
        raise NotAnArtefact("a skeleton is too long.")
    try:
        skeleton = parse_json(text)
        # A skeleton nested too deeply for the walks below is refused here, not at a command.
        kinds_of(skeleton)
    except (ValueError, RecursionError) as error:
        raise NotAnArtefact("a skeleton is not JSON.") from error
    if not isinstance(skeleton, dict):
        raise NotAnArtefact("a skeleton is not an object.")
    return skeleton
