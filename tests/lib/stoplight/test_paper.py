"""The preset `paper` is the formula as it was first used, value by value."""

import json
from collections.abc import Sequence

import pytest

from lib.stoplight.corpus import Index
from lib.stoplight.settings import PRESETS
from lib.stoplight.words import stop_words
from tests.support.shared_data import PAIRS, REFERENCE, needs_reference
from tests.support.stoplight import scores_of

PAPER = PRESETS["paper"]
Row = tuple[int, float, float, int, float]
"""Content words, creativity, diversity, quantity, score after the command."""


def rows_of(session: Sequence[str], corpus: Index) -> list[Row]:
    scores = scores_of(session, settings=PAPER, corpus=corpus.snapshot)
    return [
        (len(plain_content(text)), score.creativity, score.diversity, int(score.quantity), score.score)
        for text, score in zip(session, scores, strict=True)
    ]


def plain_content(text: str) -> list[str]:
    return [word for word in text.split(" ") if word.lower() not in stop_words()]


def test_a_first_session_has_the_values_that_were_worked_out_by_hand() -> None:
    """Against one command of three other words: its distance is 1 for each, so creativity is 10 less the length's.

    After the third, means are 8 and 4: (log 8 + log 4 + log 3) / 0.3.
    """
    index = Index(normalise=False)
    index.add("paint yellow flowers")
    assert rows_of(("dig four deep holes", "dig four deep holes", "jump twice"), index) == [
        (4, 10.0, 1.0, 1, 3.3333),
        (4, 10.0, 1.0, 2, 4.3368),
        (2, 4.0, 10.0, 3, 6.6076),
    ]


@needs_reference
def test_the_reference_sessions_have_the_values_that_the_first_program_gave() -> None:
    index = Index(normalise=False)
    lines = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    index.extend((line["text"], 1) for line in lines if "text" in line)
    assert index.version == 500
    sessions = json.loads(REFERENCE.read_text(encoding="utf-8"))["sessions"]
    compared = 0
    for session in sessions:
        found = rows_of([row[0] for row in session], index)
        assert found == [pytest.approx(tuple(row[1:]), abs=1e-9) for row in session]
        compared += len(found)
    assert (len(sessions), compared) == (30, 240)
