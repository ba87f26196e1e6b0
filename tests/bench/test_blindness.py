"""The distinguisher finds each planted leak, and accuses no fair process."""

import json

import numpy as np
import pytest

from bench.blindness.distinguisher import Piece, piece_of, scored
from bench.blindness.exploits import before_a_notice, never_again, out_of_line
from bench.blindness.fair_server import FairServer
from bench.blindness.judging import ALL, BLIND, FOUND, score_junk, score_strategies, simulated, simulated_specs
from bench.blindness.leaks import LEAKS, NeverAgain, NoticeAtOnce
from bench.blindness.processes import ROOT, trials_of
from bench.blindness.strategies import STRATEGIES
from bench.blindness.trial import Serving, Trial, trial_from

pytestmark = pytest.mark.long

REVEALED_BY = {
    "references a little earlier": "release all",
    "a longer payload": "answer half",
    "2 ms slower": "timing",
    "never again after a release": "until first repeat",
    "ids that sort later": "answer half",
    "a counter moves": "counters",
    "a comparison moves": "counters",
    "a notice at once": "notices",
    "a notice 3 to 10 answers later": "notices",
    "a header more": "answer half",
    "later after expiry": "let expire",
    "an order that colluders share": "orders of five",
}
"""A strategy that shows the leak."""


def trial(*served: str, references: str = "", strategy: str = "orders of two") -> Trial:
    """A trial of several workers: for each the contents that it got, a letter each."""
    servings = [
        Serving(who, 0, turn, content, 0.0, 0.0, 0, 0, "", "", "", f"{who}{turn}", 0.0)
        for who, contents in enumerate(served)
        for turn, content in enumerate(contents)
    ]
    contents = sorted({one.content for one in servings})
    return Trial(1, strategy, len(served), 2, 0.2, False, contents, list(references), servings)


@pytest.mark.parametrize("leak", [name for name in LEAKS if name != "none"])
def test_each_planted_leak_is_found(leak: str) -> None:
    specs = simulated_specs(20, seed=3, strategies=(REVEALED_BY[leak],))
    scores = score_strategies(simulated(LEAKS[leak], specs))
    assert max(one.score.auc for one in scores if one.score.trials > 5) >= FOUND


def test_a_fair_process_is_not_accused() -> None:
    scores = score_strategies(simulated(FairServer, simulated_specs(40, seed=11)))
    (whole,) = (one.score for one in scores if one.strategy == ALL)
    assert BLIND[0] <= whole.auc <= BLIND[1]
    assert whole.n > 300


def test_every_strategy_sees_units_of_both_kinds() -> None:
    trials = simulated(FairServer, simulated_specs(15, seed=2))
    assert {one.strategy for one in trials} == set(STRATEGIES)
    for one in trials:
        seen = {serving.content for serving in one.servings}
        assert {serving.who for serving in one.servings} == set(range(one.workers)), one.strategy
        assert seen & set(one.references) or len(seen) < 10, one.strategy
        assert seen - set(one.references), one.strategy


def test_junk_after_a_fair_process_meets_references_at_their_share() -> None:
    trials = simulated(FairServer, simulated_specs(30, seed=3, strategies=("release all",)))
    (found,) = (one for one in score_junk(trials) if one.strategy == "release all")
    share_of_units = sum(
        len(one.junk) * len(one.references) / len(one.contents) for one in trials if one.enough and one.junk
    )
    assert found.met == pytest.approx(share_of_units, rel=0.35)


@pytest.mark.parametrize(
    ("served", "judged", "accused"),
    [
        # The longest common order is a, b, c, d.
        (("aXbcd", "abcXd"), "Xabcd", "X"),
        (("abcd", "abcd"), "abcd", ""),
        # Only what both saw is judged.
        (("Xab", "abZ"), "ab", ""),
    ],
)
def test_a_unit_out_of_the_common_order_is_accused(served: tuple[str, str], judged: str, accused: str) -> None:
    assert out_of_line(trial(*served)) == (set(judged), set(accused))


@pytest.mark.parametrize(("served", "judged", "accused"), [("abXabc" + "c", "abXc", "X"), ("abcX" + "a", "", "")])
def test_a_unit_that_never_comes_again_is_accused_where_most_do(served: str, judged: str, accused: str) -> None:
    assert never_again(trial(served)) == (set(judged), set(accused))


@pytest.mark.parametrize(
    ("server", "strategy", "rule"),
    [(NeverAgain, "until first repeat", never_again), (NoticeAtOnce, "notices", before_a_notice)],
)
def test_rules_name_references_exactly_where_their_leak_is(
    server: type[FairServer], strategy: str, rule: object
) -> None:
    assert callable(rule)
    for found in simulated(server, simulated_specs(5, seed=1, strategies=(strategy,))):
        judged, accused = rule(found)
        assert accused == judged & set(found.references)


def test_an_auc_counts_pairs_inside_a_trial_only() -> None:
    labels = np.array([True, False, False])
    low, high = np.array([2.0, 1.0, 1.0]), np.array([8.0, 9.0, 9.0])
    pieces = [piece_of(1, low, labels), piece_of(2, high, labels)]
    assert [piece and piece.auc for piece in pieces] == [1.0, 0.0]
    assert piece_of(3, low, np.array([True, True, True])) is None
    score = scored([piece for piece in pieces if piece])
    assert (score.auc, score.n, score.trials) == (0.5, 2, 2)


def test_an_interval_is_over_projects_and_not_over_trials() -> None:
    """Many trials of two projects tell no more than two projects."""
    pieces = [Piece(project, float(project), 1.0, 1) for project in (0, 1) for _ in range(100)]
    score = scored(pieces)
    assert (score.low, score.high) == (0.0, 1.0)


def test_a_trial_is_read_as_it_was_written() -> None:
    (found, *_) = simulated(FairServer, simulated_specs(1, seed=1, strategies=("counters",)))
    assert any(serving.looks for serving in found.servings)
    assert trial_from(json.loads(json.dumps(found.as_json()))) == found


@pytest.mark.long
def test_the_product_is_played_over_its_api() -> None:
    trials = trials_of(ROOT, projects=2, seed=1)
    assert len(trials) == 4
    for found in trials:
        seen = {serving.content for serving in found.servings}
        assert seen, found.strategy
        assert seen <= set(found.contents)
