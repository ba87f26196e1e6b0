"""Paths of the project and of the shared data beside it, and the real commands and scores in that data.

Some checkouts lack the shared data; the tests that need it are skipped there.
"""

import json
import random
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lib.logical_form.spans import tokenise
from lib.logical_form.upgrade import upgraded
from lib.logical_form.validate import faults_of

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"


FILE = DATA / "droidlet_lf_pairs.jsonl"
needs_real_pairs = pytest.mark.skipif(not FILE.exists(), reason="../shared/data/droidlet_lf_pairs.jsonl is not here")


class Pair(NamedTuple):
    """A command, its form as it was written, and whether its own time's schema took it."""

    text: str
    form: Any
    is_valid: bool


def real_pairs() -> list[Pair]:
    """All pairs of the file; none where it is not there."""
    if not FILE.exists():
        return []
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [Pair(row["text"], row["lf"], row["schema_ok"]) for row in rows if "lf" in row]


PLAYERS = DATA / "droidlet_player_commands.jsonl"
REFERENCE = DATA / "stoplight_reference.json"
PAIRS = DATA / "droidlet_lf_pairs.jsonl"
SESSION = 10
needs_players = pytest.mark.skipif(not PLAYERS.exists(), reason=f"../shared/data/{PLAYERS.name} is not here")
needs_reference = pytest.mark.skipif(
    not (REFERENCE.exists() and PAIRS.exists()), reason=f"../shared/data/{REFERENCE.name} is not here"
)


def drawn_sessions(draw: random.Random, *, number: int) -> tuple[list[list[str]], list[str]]:
    """So many times ten commands that one worker gave one after the other, more or less, and all others, shuffled."""
    rows = [json.loads(line) for line in PLAYERS.read_text(encoding="utf-8").splitlines()][1:]
    given = [text for kind, text in rows if kind == "hit"]
    starts = draw.sample(range(0, len(given) - SESSION, SESSION), number)
    taken = {place for start in starts for place in range(start, start + SESSION)}
    others = [text for place, text in enumerate(given) if place not in taken]
    others += [text for kind, text in rows if kind != "hit"]
    draw.shuffle(others)
    return [given[start : start + SESSION] for start in starts], others


class Formed(NamedTuple):
    text: str
    form: dict[str, Any]


@cache
def valid_pairs() -> list[Formed]:
    """Those that are marked valid, each text once; the test is skipped where the file is not there."""
    found = {pair.text: Formed(pair.text, pair.form) for pair in real_pairs() if pair.is_valid}
    if not found:
        pytest.skip("the real pairs are not here")
    return list(found.values())


def form_of(pair: Formed) -> dict[str, Any] | None:
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
    Formed("hello there", {"dialogue_type": "NOOP"}),
    Formed("build a red house", _command({"action_type": "BUILD", "schematic": _thing(3, 2)})),
    Formed("break the old wall", _command({"action_type": "DESTROY", "reference_object": _thing(3)})),
    Formed(
        "go left of the tower",
        _command(
            {
                "action_type": "MOVE",
                "location": {"relative_direction": "LEFT", "reference_object": _thing(4)},
            }
        ),
    ),
    Formed("dig here and come back", _command({"action_type": "DIG"}, {"action_type": "MOVE"})),
    Formed(
        "make a house and stop", _command({"action_type": "BUILD", "schematic": _thing(2)}, {"action_type": "STOP"})
    ),
]
