"""Real commands that lie beside the repository; tests of them skip where they are not there."""

import json
import random
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
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
