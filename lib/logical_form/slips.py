"""Forms that are almost right: the slips that a parser makes, for guesses that must be wrong. Pure and repeatable.

In a batch of real commands a parser got a detail wrong in 85 of 100 wrong forms, the action in 11, the intent in 4.
"""

import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from lib.logical_form import Form
from lib.logical_form.normal import same
from lib.logical_form.spans import Piece, is_span, pieces_of, span_of
from lib.logical_form.validate import faults_of

_DETAIL, _ACTION = 0.85, 0.96
"""Below the first a detail is wrong, below the second an action, else the intent."""
_TRIES = 60
_LIKE: tuple[frozenset[str], ...] = (
    frozenset({"BUILD", "DIG"}),
    frozenset({"DESTROY", "GET", "FILL", "FREEBUILD", "SCOUT"}),
    frozenset({"STOP", "RESUME", "UNDO"}),
    frozenset({"MOVE", "DANCE"}),
    frozenset({"SPAWN", "BUILD"}),
)
_DIRECTIONS = ("LEFT", "RIGHT", "UP", "FRONT", "NEAR", "INSIDE")
_LEFT_OUT = ("location", "selector", "terminate_condition", "relative_direction", "steps", "contains_coreference")
_ADDED = ("has_colour", "has_size", "has_block_type", "has_tag")
_INTENTS: tuple[Form, ...] = (
    {"dialogue_type": "NOOP"},
    {"dialogue_type": "GET_MEMORY"},
    {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [{"action_type": "OTHERACTION"}]},
)


def slip(right: Sequence[Form], *, words: int, seed: str) -> Form:
    """A valid form that means something other than each of these right forms, and is near to the first.

    Args:
        right: Valid forms, at least one.
        words: How many words the command has.
        seed: Equal seeds give equal forms.
    """
    rng = random.Random(seed)  # noqa: S311 - it must repeat, and hides nothing
    for _ in range(_TRIES):
        drawn = rng.random()
        found = deepcopy(right[0])
        if drawn < _DETAIL:
            _change_detail(found, words, rng)
        elif drawn < _ACTION:
            _change_action(found, rng)
        else:
            found = deepcopy(rng.choice(_INTENTS))
        if not faults_of(found, words=words) and not any(same(found, form) for form in right):
            return found
    return next(deepcopy(form) for form in _INTENTS if not any(same(form, one) for one in right))


def _change_detail(form: Form, words: int, rng: random.Random) -> None:
    changes = [*_spans_moved(form, words), *_left_out(form), *_other_directions(form), *_added(form, words)]
    if changes:
        holder, name, value = rng.choice(changes)
        if value is None:
            del holder[name]
        else:
            holder[name] = value


def _change_action(form: Form, rng: random.Random) -> None:
    for action in _objects(form):
        kind = action.get("action_type")
        others = sorted({one for group in _LIKE if kind in group for one in group} - {kind})
        if others:
            action["action_type"] = rng.choice(others)
            return


Change = tuple[Any, Any, Any]
"""An object or list, one of its keys, and the new value; None takes it out."""


def _spans_moved(form: Form, words: int) -> Iterator[Change]:
    """A span begins or ends one word too early or too late, or names the word beside it."""
    for holder, name, value in _values(form):
        if is_span(value) and name not in ("text_span", "condition_span"):
            for piece in _near(pieces_of(value), words):
                yield holder, name, span_of([piece])


def _near(pieces: Sequence[Piece], words: int) -> Iterator[Piece]:
    first, last = pieces[0][0], pieces[-1][1]
    if first > 0:
        yield first - 1, last
    if last + 1 < words:
        yield first, last + 1
        yield last + 1, last + 1
    if first < last:
        yield first + 1, last


def _left_out(form: Form) -> Iterator[Change]:
    for holder, name, value in _values(form):
        if name in _LEFT_OUT or (name == "AND" and isinstance(value, list) and len(value) > 1):
            yield (value, len(value) - 1, None) if name == "AND" else (holder, name, None)


def _other_directions(form: Form) -> Iterator[Change]:
    for holder, name, value in _values(form):
        if name == "relative_direction" and isinstance(value, str):
            yield from ((holder, name, one) for one in _DIRECTIONS if one != value)


def _added(form: Form, words: int) -> Iterator[Change]:
    """A property more, told by the word before the name."""
    for holder, name, value in _values(form):
        if name != "AND" or not isinstance(value, list):
            continue
        told = {one.get("pred_text"): one.get("obj_text") for one in value if isinstance(one, dict)}
        span = told.get("has_name")
        if span and is_span(span) and (first := pieces_of(span)[0][0]) > 0:
            for kind in _ADDED:
                if kind not in told:
                    yield holder, name, [*value, {"pred_text": kind, "obj_text": span_of([(first - 1, first - 1)])}]


def _values(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Each value inside a form with the object that holds it and its name."""
    if is_span(value) or not isinstance(value, dict | list):
        return
    for name, inside in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, name, inside
        yield from _values(inside)


def _objects(value: Any) -> Iterator[Form]:
    if isinstance(value, dict):
        yield value
    for _, _, inside in _values(value):
        if isinstance(inside, dict):
            yield inside
