"""Agreement of answers to one step and of whole forms, and how several answers are merged. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.tool_registry import Json, Merged
from lib.canonical_json import canonical
from lib.logical_form.asking.walk import Record, walk
from lib.logical_form.normal import normal, same

UNKNOWN, NOT_A_COMMAND, FORM, ANSWERS, BACK = "unknown", "not_a_command", "form", "answers", "back"
ACCEPT, WRONG = "accept", "wrong"
"""The judgement of a guess: it is right, or this part of it is wrong."""
GUESS = "guess"
"""The record of the guess that the worker saw, in such an answer as it is kept."""
GUESS_IS_RIGHT = "guess_is_right"
_BESIDE = frozenset({"text_span", "wrong"})
"""The words that a part stands for, and the part that is wrong: they help the next worker and have no meaning."""


def kind_of(answer: Json) -> str:
    """The kind of an answer: the answers of a step, a form, unknown, or not a command."""
    if FORM in answer:
        return UNKNOWN if answer[FORM] is None else FORM
    return next((kind for kind in (UNKNOWN, NOT_A_COMMAND) if answer.get(kind)), ANSWERS)


def scored(answer: Json, truth: Json) -> float | None:
    """1 if an answer is right, else 0; the words that a part stands for are ignored.

    None for a step back: it withdraws an answer and is none itself.
    """
    if BACK in answer:
        return None
    if ACCEPT in answer or WRONG in answer:
        is_right = truth.get(GUESS_IS_RIGHT)
        return None if is_right is None else float(is_right == (ACCEPT in answer))
    if FORM in truth:
        return float(kind_of(answer) == FORM and same(answer[FORM], truth[FORM]))
    if kind_of(answer) != ANSWERS:
        return 0.0
    return float(canonical(without_pointers(answer[ANSWERS])) == canonical(without_pointers(truth[ANSWERS])))


def without_pointers(answers: Mapping[str, Any]) -> Json:
    return {name: value for name, value in answers.items() if name not in _BESIDE}


def agreement(a: Json, b: Json) -> float:
    """How well two answers agree, 0..1: the mean over the questions of a step, or 1 for forms of the same meaning."""
    kind = kind_of(a)
    if kind != kind_of(b):
        return 0.0
    if kind == FORM:
        return float(same(a[FORM], b[FORM]))
    if kind != ANSWERS:
        return 1.0
    names = {*a[ANSWERS], *b[ANSWERS]}
    parts = [_alike(a[ANSWERS].get(name), b[ANSWERS].get(name)) for name in names]
    return sum(parts) / len(parts) if parts else 1.0


def merged(answers: Sequence[Json], weights: Sequence[float] | None = None) -> Merged:
    """The common answer: for each question the answer that is nearest to all of them (the weighted medoid).

    The confidence is the smallest share, over the questions, of the weight behind exactly that answer. A tie goes to
    the answer that was given first.
    """
    shares = [1.0] * len(answers) if weights is None else list(weights)
    kinds = [kind_of(answer) for answer in answers]
    kind, confidence = _heaviest(kinds, shares)
    of_kind = [(answer, share) for answer, share, one in zip(answers, shares, kinds, strict=True) if one == kind]
    if kind == FORM:
        forms = [canonical(normal(answer[FORM])) for answer, _ in of_kind]
        winner, share = _heaviest(forms, [share for _, share in of_kind])
        return Merged(of_kind[forms.index(winner)][0], confidence * share)
    if kind == UNKNOWN and "step" not in of_kind[0][0]:
        # A whole command without a form: a reviewer must look at it, however many workers say so.
        return Merged({FORM: None}, 0.0)
    if kind != ANSWERS:
        return Merged(of_kind[0][0], confidence)
    found: Json = {}
    least = 1.0
    for name in _in_order(answer[ANSWERS] for answer, _ in of_kind):
        values = [answer[ANSWERS].get(name) for answer, _ in of_kind]
        value, share = _medoid(values, [share for _, share in of_kind])
        least = min(least, share)
        if value is not None:
            found[name] = value
    return Merged({**of_kind[0][0], ANSWERS: found}, confidence * least)


def voted(records: Sequence[Record], weights: Sequence[float]) -> tuple[Json | None, float]:
    """The form that several records of one command give by a vote at each step, and the smallest share behind a step.

    Those records vote on a step that contain it. None if the votes lead to a step that no record contains.
    """
    found: dict[str, Any] = {}
    confidence = 1.0
    while opened := walk(found).open:
        key = opened[0].key
        asked = [(record[key], weight) for record, weight in zip(records, weights, strict=True) if key in record]
        if not asked:
            return None, 0.0
        vote = merged([{ANSWERS: answers} for answers, _ in asked], [weight for _, weight in asked])
        found[key] = vote.answer[ANSWERS]
        confidence = min(confidence, vote.confidence)
    return walk(found).form, confidence


def _heaviest(values: Sequence[str], weights: Sequence[float]) -> tuple[str, float]:
    """The value with the greatest weight, the first of several, and its share of the weight."""
    totals: dict[str, float] = {}
    for value, weight in zip(values, weights, strict=True):
        totals[value] = totals.get(value, 0.0) + weight
    winner = max(totals, key=lambda value: totals[value])
    whole = sum(totals.values())
    return winner, totals[winner] / whole if whole else 1 / len(totals)


def _medoid(values: Sequence[Any], weights: Sequence[float]) -> tuple[Any, float]:
    """The value that agrees best with all values, by weight, and the share of the values equal to it."""
    best = max(
        range(len(values)),
        key=lambda place: (
            sum(weight * _alike(values[place], other) for other, weight in zip(values, weights, strict=True)),
            -place,
        ),
    )
    whole = sum(weights)
    equal = sum(weight for value, weight in zip(values, weights, strict=True) if value == values[best])
    return values[best], equal / whole if whole else 1 / len(values)


def _alike(a: Any, b: Any) -> float:
    """The Jaccard index of words or choices; for other values 1 if they are equal, else 0."""
    if a == b:
        return 1.0
    if not isinstance(a, list) or not isinstance(b, list):
        return 0.0
    these, those = _members(a), _members(b)
    return len(these & those) / len(these | those)


def _members(value: Sequence[Any]) -> set[Any]:
    if value and isinstance(value[0], list):
        return {place for first, last in value for place in range(first, last + 1)}
    return set(value)


def _in_order(answers: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for one in answers for name in one))
