"""Tables of cases for merging answers and for completing tasks, with the marker as the tool."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.consensus.aggregation import (
    Aggregate,
    Completion,
    Rule,
    Vote,
    aggregate,
    completion_of,
    log_odds,
    needs_review,
    weights_of,
)
from annotation.tool_registry import Merged
from evaluation.marker import marker
from lib.statistics.posterior import Rater, rater_from_counts

SHARP, DULL, LIAR = (Rater(rate, rate, 100, 100) for rate in (0.95, 0.55, 0.1))


def vote(worker: int, outcome: str, frame: int = 10, share: float = 1.0) -> Vote:
    return Vote(worker, {"outcome": outcome, "frame": frame, "time_s": frame / 10}, share)


def test_a_majority_counts_votes_and_takes_the_lower_median_of_the_winners() -> None:
    found = aggregate(marker, [vote(1, "success", 40), vote(2, "failure", 5), vote(3, "success", 30)], raters=None)
    assert found.answer == {"outcome": "success", "frame": 30, "time_s": 3.0}
    assert found.confidence == found.probability == 2 / 3
    assert found.low is not None
    assert found.high is not None
    assert found.low < 2 / 3 < found.high


def test_half_a_vote_is_half_a_vote() -> None:
    whole = [vote(1, "success"), vote(2, "failure")]
    nobody_known: dict[int, Rater] = {}
    for raters in (None, nobody_known):
        tie = aggregate(marker, whole, raters=raters)
        assert (tie.is_tie, tie.confidence, tie.answer["outcome"]) == (True, 0.5, None)
    halved = aggregate(marker, [whole[0], vote(2, "failure", share=0.5)], raters=None)
    assert (halved.answer["outcome"], halved.confidence) == ("success", 2 / 3)
    two_halves = [whole[0], vote(2, "failure", share=0.5), vote(3, "failure", share=0.5)]
    assert aggregate(marker, two_halves, raters=None).answer == {"outcome": None, "frame": None, "time_s": None}
    three_halves = [vote(n, *one, 0.5) for n, one in enumerate([("success", 30), ("failure", 1), ("success", 10)])]
    found = aggregate(marker, three_halves, raters=None)
    assert (found.answer["outcome"], found.answer["frame"], found.confidence) == ("success", 10, 2 / 3)
    assert weights_of(three_halves, None) is None, "equal shares all weigh the same"


@pytest.mark.parametrize(
    ("raters", "prior", "outcome", "frame", "probability"),
    [
        # One sharp word against two dull ones: 19 : (11/9)² in odds.
        ({1: SHARP, 2: DULL, 3: DULL}, 0.5, "success", 40, 19 / (19 + (11 / 9) ** 2)),
        # Three of whom nothing is known are a majority: odds 2 against 4.
        ({}, 0.5, "failure", 20, 1 / 3),
        # The prior turns it.
        ({}, 0.8, "success", 40, 2 / 3),
    ],
)
def test_the_likelier_side_wins_and_gives_the_frame(
    raters: dict[int, Rater], prior: float, outcome: str, frame: int, probability: float
) -> None:
    said = [vote(1, "success", 40), vote(2, "failure", 20), vote(3, "failure", 30)]
    found = aggregate(marker, said, raters=raters, prior=prior)
    assert (found.answer["outcome"], found.answer["frame"]) == (outcome, frame)
    assert found.probability == pytest.approx(probability)
    assert found.confidence == pytest.approx(max(probability, 1 - probability))
    assert not found.is_bare


def test_an_answer_that_follows_from_the_raters_alone_has_no_frame() -> None:
    found = aggregate(marker, [vote(1, "success")], raters={1: LIAR})
    assert found.answer == {"outcome": "failure", "frame": None, "time_s": None}
    assert found.is_bare
    assert found.confidence == pytest.approx(0.9)
    assert needs_review(found, 0.8), "sure, but nobody said when"


class Words:
    """A tool without yes and no: the answer with most weight."""

    def merge(self, answers: Any, weights: Any = None) -> Merged:
        sums: dict[str, float] = {}
        for answer, weight in zip(answers, weights or [1.0] * len(answers), strict=True):
            sums[answer["word"]] = sums.get(answer["word"], 0.0) + weight
        best = max(sorted(sums), key=sums.__getitem__)
        return Merged({"word": best}, sums[best] / sum(sums.values()))


def test_answers_that_are_no_yes_or_no_weigh_as_much_as_their_raters_are_right() -> None:
    said = [Vote(1, {"word": "cube"}), Vote(2, {"word": "hole"}), Vote(3, {"word": "hole"})]
    never_right = {worker: rater_from_counts(0, 9, 0, 9) for worker in (1, 2, 3)}
    for raters in (None, never_right):
        assert aggregate(Words(), said, raters=raters).answer == {"word": "hole"}
    right = {1: (19, 20), 2: (11, 20), 3: (11, 20)}
    raters = {worker: rater_from_counts(hits, n, hits, n) for worker, (hits, n) in right.items()}
    found = aggregate(Words(), said, raters=raters)
    weights = [math.log((hits + 1) / (n - hits + 0.5)) for hits, n in right.values()]
    assert found.answer == {"word": "cube"}
    assert found.confidence == pytest.approx(weights[0] / sum(weights))
    assert found.probability is None


@pytest.mark.parametrize(("accuracy", "weight"), [(0.5, 0.0), (0.2, 0.0), (0.9, math.log(9))])
def test_a_weight_is_the_log_odds_and_never_against_oneself(accuracy: float, weight: float) -> None:
    assert log_odds(accuracy) == pytest.approx(weight)


PLAIN = Rule(3)
SURE = Rule(3, confidence=0.9, least=2, most=5)


@pytest.mark.parametrize(
    ("rule", "n", "confidence", "is_done", "wanted"),
    [
        (PLAIN, 2, 1.0, False, 3),
        (PLAIN, 3, 0.5, True, 3),
        (PLAIN, 4, 0.5, True, 3),
        (SURE, 0, 0.0, False, 3),
        (SURE, 1, 1.0, False, 3),
        (SURE, 2, 0.95, True, 3),
        (SURE, 2, 0.9, True, 3),
        (SURE, 2, 0.5, False, 3),
        (SURE, 3, 0.667, False, 4),
        (SURE, 4, 0.95, True, 4),
        (SURE, 4, 0.5, False, 5),
        (SURE, 5, 0.5, True, 5),
        (SURE, 6, 0.5, True, 6),
        # Without `most` a task does not grow; it still closes early.
        (Rule(3, confidence=0.9), 3, 0.6, True, 3),
        (Rule(3, confidence=0.9), 2, 0.95, True, 3),
        # `least` goes beyond the redundancy as far as a task may grow, and no further.
        (Rule(1, confidence=0.9, least=2, most=3), 1, 1.0, False, 2),
        (Rule(1, confidence=0.9, least=2, most=3), 2, 1.0, True, 2),
        (Rule(1, confidence=0.9, least=2), 1, 1.0, True, 1),
        # A task of a redundancy of its own beyond `most`.
        (Rule(7, confidence=0.9, least=2, most=5), 6, 0.6, False, 7),
        (Rule(7, confidence=0.9, least=2, most=5), 7, 0.6, True, 7),
    ],
)
def test_completion_follows_from_the_rule(rule: Rule, n: int, confidence: float, is_done: bool, wanted: int) -> None:
    assert completion_of(rule, n=n, confidence=confidence) == Completion(is_done, wanted)


@settings(max_examples=100)
@given(
    st.integers(1, 6),
    st.sampled_from([None, 0.7, 0.95]),
    st.integers(1, 6),
    st.integers(0, 8),
    st.integers(0, 12),
    st.floats(0.5, 1),
)
def test_an_open_task_always_wants_more_than_it_has(
    redundancy: int, wanted: float | None, least: int, more: int, n: int, confidence: float
) -> None:
    rule = Rule(redundancy, wanted, least, redundancy + more)
    found = completion_of(rule, n=n, confidence=confidence)
    assert found.is_done or found.wanted > n
    assert found.wanted >= redundancy
    assert found.is_done or found.wanted <= max(redundancy, redundancy + more)


@pytest.mark.parametrize(
    ("found", "wanted", "asks"),
    [
        (Aggregate({}, 2 / 3), None, False),
        (Aggregate({}, 0.6), None, True),
        (Aggregate({}, 0.6), 0.55, False),
        (Aggregate({}, 0.8), 0.9, True),
        (Aggregate({}, 0.5, is_tie=True), None, True),
        (Aggregate({}, 0.99, is_bare=True), None, True),
    ],
)
def test_review_is_needed_for_ties_bare_answers_and_low_confidence(
    found: Aggregate, wanted: float | None, asks: bool
) -> None:
    assert needs_review(found, wanted) is asks
