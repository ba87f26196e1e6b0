"""Cheating earns less than honest work, and honest work reaches green."""

import random
from collections.abc import Sequence
from statistics import median

import pytest

from lib.stoplight.corpus import Index
from lib.stoplight.settings import PRESETS, Settings
from tests.support.shared_data import drawn_sessions, needs_players
from tests.support.stoplight import CHEATS, OF_OTHERS, SAID_MISUNDERSTOOD, SESSIONS, all_but, scores_of

pytestmark = pytest.mark.long

DEFAULT = PRESETS["default"]


def index_of(texts: Sequence[str], settings: Settings = DEFAULT) -> Index:
    index = Index(normalise=settings.normalise)
    index.extend((text, 1) for text in texts)
    return index


def earned(texts: Sequence[str], index: Index, settings: Settings = DEFAULT) -> float:
    """The score of a session whose worker says of each command that it was misunderstood, so that it may count."""
    return scores_of(texts, settings=settings, corpus=index.snapshot, signs=SAID_MISUNDERSTOOD)[-1].score


def test_honest_sessions_reach_green() -> None:
    scores = [earned(session, index_of(all_but(number))) for number, session in enumerate(SESSIONS)]
    assert min(scores) >= DEFAULT.green


@pytest.mark.parametrize("size", [0, 1000])
@pytest.mark.parametrize("cheat", CHEATS)
def test_cheats_earn_less_than_honest_work(cheat: str, size: int) -> None:
    """Each of ten tries, whatever the corpus has by then."""
    honest = median(earned(session, index_of(all_but(at)[:size])) for at, session in enumerate(SESSIONS))
    tries = [CHEATS[cheat](random.Random(one), all_but(0)) for one in range(10)]
    index = index_of(all_but(0)[:size])
    assert max(earned(texts, index) for texts in tries) < honest


@needs_players
@pytest.mark.parametrize("size", [500, 2000, 8000])
def test_real_sessions_reach_green_and_cheats_do_not_come_near(size: int) -> None:
    draw = random.Random(size)
    sessions, others = drawn_sessions(draw, number=30)
    index = index_of(others[:size])
    honest = [earned(session, index) for session in sessions]
    assert sum(score >= DEFAULT.green for score in honest) >= 28
    assert 7.8 < median(honest) < 8.8
    for made in {**CHEATS, **OF_OTHERS}.values():
        # Who copies copies what is there.
        tries = [earned(made(draw, draw.sample(others[:size], 30)), index) for _ in range(9)]
        assert median(tries) < median(honest) - 0.5, made
    for made in (CHEATS["numbers"], OF_OTHERS["of others"], OF_OTHERS["of others, a word more"]):
        assert median(earned(made(draw, draw.sample(others[:size], 30)), index) for _ in range(9)) < 2, made


@needs_players
@pytest.mark.parametrize("length", [20, 80])
def test_nonsense_that_one_worker_said_before_stays_nonsense(length: int) -> None:
    """The accepted commands of one worker make neither their words known nor their pairs usual."""
    draw = random.Random(5)
    sessions, others = drawn_sessions(draw, number=20)
    index = index_of(others[:2000])
    words = ["".join(draw.choices("bcdfghjklmnpqrstvwxz", k=5)) for _ in range(20)]
    index.extend((" ".join(draw.choices(words, k=length)), 1, 7) for _ in range(10))
    later = [" ".join(draw.sample(words, 4)) for _ in range(10)]
    assert earned(later, index) == 0 < median(earned(session, index) for session in sessions)
