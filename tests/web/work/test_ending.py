"""The end of the work in sentences: what is told, and what is left out."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from annotation.work.summaries import Comparison, Owed
from learning.taught import Taught
from lib.task_nouns import task_noun
from web.work.ending import WorkerSummary, said_at_the_end

NOTHING = Decimal(0)
OWED = Owed(
    waits=Decimal("0.24"),
    approved=Decimal("0.96"),
    sent=NOTHING,
    arrived=NOTHING,
    bonus=Decimal("0.24"),
    decided_by=None,
)


def _said(**changes: Any) -> dict[str, list[str]]:
    full: dict[str, Any] = {
        "noun": task_noun("marker"),
        "done": 12,
        "left": 0,
        "worked_s": 725,
        "earned": Decimal("1.20"),
        "currency": "USD",
        "owed": OWED,
        "compared": Comparison(my_s=12.4, their_s=15, same_in_ten=9),
        "judged_in_ten": 4,
        "taught": Taught(examples=120, is_in_use=True, right=0.84, before=0.71),
        "messages": [],
    }
    return {title: list(sentences) for title, sentences in said_at_the_end(WorkerSummary(**{**full, **changes}))}


def test_the_end_says_what_was_done_how_it_compares_what_is_owed_and_what_came_of_it() -> None:
    assert _said() == {
        "What you did": [
            "You did 12 videos in 12 minutes of work. Thank you.",
            "You take about 12 seconds for a video. Most people take about 15.",
            "About 9 in 10 of your answers are like those of most other people.",
        ],
        "Your pay": [
            "You earned 1.20 USD so far.",
            "0.24 USD of it is bonus.",
            "0.24 USD waits for a look. What is accepted is paid then.",
            "0.96 USD is accepted and will be paid.",
        ],
        "What came of it": [
            "About 4 in 10 videos of this project have all the answers that they need.",
            "The agent can learn from 120 examples that people gave here.",
            "The agent that people meet now has learnt from them.",
            "In a test it gets 84% right. Before, it was 71%.",
        ],
    }


def test_a_rule_that_pays_by_itself_is_told_with_its_time() -> None:
    owed = OWED._replace(decided_by=datetime(2026, 11, 21, 13, 5, tzinfo=UTC))
    assert _said(owed=owed)["Your pay"][2] == (
        "0.24 USD waits for a look. It is accepted by 21 November 2026, 13:05 UTC at the latest, then it is paid."
    )


def test_what_is_not_known_yet_is_left_out() -> None:
    none = {
        "owed": Owed(NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, None),
        "earned": NOTHING,
        "judged_in_ten": None,
        "taught": None,
    }
    compared = Comparison(my_s=12, their_s=None, same_in_ten=None)
    assert _said(**none, compared=compared, done=0) == {"What you did": ["You did no video yet."]}
