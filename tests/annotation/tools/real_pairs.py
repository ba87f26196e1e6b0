"""Real commands with their forms: the shared file of 500, where it is, and a few of our own that stand for them."""

from functools import cache
from typing import Any, NamedTuple

import pytest

from annotation.logical_form.spans import tokenise
from annotation.logical_form.upgrade import upgraded
from annotation.logical_form.validate import faults_of
from tests.annotation.logical_form.real import real_pairs


class Pair(NamedTuple):
    text: str
    form: dict[str, Any]


@cache
def valid_pairs() -> list[Pair]:
    """Those that are marked valid, each text once; the test is skipped where the file is not there."""
    found = {pair.text: Pair(pair.text, pair.form) for pair in real_pairs() if pair.is_valid}
    if not found:
        pytest.skip("the real pairs are not here")
    return list(found.values())


def form_of(pair: Pair) -> dict[str, Any] | None:
    """The form in the present spelling; None where it is not valid for its text."""
    form: dict[str, Any] = upgraded(pair.form)[0]
    return None if faults_of(form, words=len(tokenise(pair.text))) else form


def _thing(name: int, colour: int | None = None) -> dict[str, Any]:
    clauses: list[dict[str, Any]] = [{"pred_text": "has_name", "obj_text": [0, [name, name]]}]
    if colour is not None:
        clauses.append({"pred_text": "has_colour", "obj_text": [0, [colour, colour]]})
    return {"filters": {"where_clause": {"AND": clauses}}}


def _command(*events: dict[str, Any]) -> dict[str, Any]:
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": list(events)}


OURS = [
    Pair("hello there", {"dialogue_type": "NOOP"}),
    Pair("build a red house", _command({"action_type": "BUILD", "schematic": _thing(3, 2)})),
    Pair("break the old wall", _command({"action_type": "DESTROY", "reference_object": _thing(3)})),
    Pair(
        "go left of the tower",
        _command(
            {
                "action_type": "MOVE",
                "location": {"relative_direction": "LEFT", "reference_object": _thing(4)},
            }
        ),
    ),
    Pair("dig here and come back", _command({"action_type": "DIG"}, {"action_type": "MOVE"})),
    Pair("make a house and stop", _command({"action_type": "BUILD", "schematic": _thing(2)}, {"action_type": "STOP"})),
]
