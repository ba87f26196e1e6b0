"""Simulated workers of the marker tool: the answers of each kind, and their turns at the work API."""

import random
from collections import Counter
from math import sqrt

import pytest

from demo.crowds.markers import (
    ALWAYS_SUCCESS,
    CARELESS,
    KINDS,
    SPAMMER,
    USUAL,
    Behaviour,
    Colluding,
    Drifter,
    Honest,
    Member,
    make_crowd,
    truth_of,
    turn_order,
)
from demo.crowds.work_api import KnownTask, Refused, Reply, marker_answer, take_turn

TASKS = 4000
PAYLOAD = {"markable": {"first": 10, "last": 90, "never": 89}, "video": {"frames": 100, "duration_s": 10.0}}


def rates(behaviour: Behaviour, *, tasks: int = TASKS) -> tuple[float, float]:
    """Shares of true successes, and of true failures, that a worker of this kind calls so."""
    one = Member("somebody", "honest", behaviour, seed="rates")
    yes = sum(one.says(f"yes-{number}", True) for number in range(tasks))
    no = sum(not one.says(f"no-{number}", False) for number in range(tasks))
    return yes / tasks, no / tasks


@pytest.mark.parametrize(
    ("behaviour", "sensitivity", "specificity"),
    [
        (Honest(0.95, 0.8), 0.95, 0.8),
        (CARELESS, 0.7, 0.7),
        (SPAMMER, 0.5, 0.5),
        (ALWAYS_SUCCESS, 1, 0),
        (Colluding("pair", 0.6), 0.6, 0.6),
    ],
)
def test_each_kind_is_right_as_often_as_it_says(behaviour: Behaviour, sensitivity: float, specificity: float) -> None:
    """Within four standard errors of 4 000 answers: once in 16 000 seeds a side."""
    for got, true in zip(rates(behaviour), (sensitivity, specificity), strict=True):
        assert got == pytest.approx(true, abs=4 * sqrt(true * (1 - true) / TASKS) + 1e-12)


def test_a_drifter_turns_once_and_for_good() -> None:
    one = Member("somebody", "drifter", Drifter(Honest(1, 1), Honest(0, 0), turns_at=5), seed="drift")
    assert [one.says(str(number), True) for number in range(8)] == [True] * 5 + [False] * 3


def test_two_of_a_pair_say_the_same_and_two_of_different_pairs_do_not() -> None:
    one, other, third = (
        Member(name, "colluding", Colluding(pair, 0.6), seed="s") for name, pair in (("a", "x"), ("b", "x"), ("c", "y"))
    )
    tasks = [(str(number), number % 2 == 0) for number in range(200)]
    said = [one.says(*task) for task in tasks]
    assert [other.says(*task) for task in reversed(tasks)] == said[::-1]
    assert [third.says(*task) for task in tasks] != said


def test_a_seed_determines_a_crowd_and_its_answers() -> None:
    def speech(seed: int) -> list[tuple[str, bool]]:
        members = make_crowd(12, seed=seed)
        return [(one.name, one.says("task", True)) for one in turn_order(members, 5, seed=seed)]

    first = speech(1)
    # Other random numbers of the process change nothing.
    random.seed(2)
    assert speech(1) == first
    assert speech(2) != first


@pytest.mark.parametrize("size", [1, 7, 20, 33])
def test_shares_are_held_as_nearly_as_whole_workers_can(size: int) -> None:
    members = make_crowd(size, seed=1)
    assert len({one.name for one in members}) == size
    numbers = Counter(member.kind for member in members)
    assert all(abs(numbers[kind] - USUAL[kind] * size) < 1 for kind in KINDS)


@pytest.mark.parametrize("shares", [{"honst": 1.0}, {"honest": 0.0}, {"honest": 2.0, "spammer": -1.0}])
def test_a_crowd_of_nobody_or_of_unknown_kinds_is_refused(shares: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"kind|shares"):
        make_crowd(5, seed=1, shares=shares)


def test_everybody_takes_a_turn_in_every_round() -> None:
    members = make_crowd(6, seed=1)
    turns = list(turn_order(members, 3, seed=1))
    assert [sorted(one.name for one in turns[at : at + 6]) for at in (0, 6, 12)] == [
        sorted(m.name for m in members)
    ] * 3


def test_the_truth_of_a_task_never_changes() -> None:
    truths = [truth_of(str(number), seed="p", successes=0.2) for number in range(TASKS)]
    assert truths == [truth_of(str(number), seed="p", successes=0.2) for number in range(TASKS)]
    assert sum(truths) / TASKS == pytest.approx(0.2, abs=4 * sqrt(0.2 * 0.8 / TASKS))


@pytest.mark.parametrize("moment_s", [None, 0.0, 5.0, 60.0])
def test_marks_lie_where_they_may(moment_s: float | None) -> None:
    one = Member("somebody", "spammer", SPAMMER, seed="marks")
    asked = KnownTask("task", True, moment_s)
    frames = [marker_answer(one, PAYLOAD, asked, said=True)["frame"] for _ in range(200)]
    assert all(10 <= frame <= 90 for frame in frames)
    assert marker_answer(one, PAYLOAD, asked, said=False) == {"outcome": "failure", "frame": 89}
    if moment_s == 5.0:
        # Standard deviation 1.5 s, cut off at both ends: the mean of 200 lies within .5 s of the moment.
        assert sum(frames) / len(frames) == pytest.approx(50, abs=5)


class Answering:
    """A server that answers as told."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def post(self, path: str, body: dict[str, object]) -> Reply:
        self.asked.append(path)
        return self.replies.pop(0)


def unknown(assignment: str) -> KnownTask:
    raise AssertionError(assignment)


def test_a_turn_claims_and_submits() -> None:
    one = Member("somebody", "honest", Honest(1, 1), seed="turn")
    assert take_turn(Answering(Reply(204, {})), one, look_up=unknown) is None
    with pytest.raises(Refused) as refused:
        take_turn(Answering(Reply(403, {"code": "paused", "detail": "Wait."})), one, look_up=unknown)
    assert (refused.value.code, refused.value.status, one.met) == ("paused", 403, 0)
    api = Answering(Reply(200, {"assignment": "A", "payload": PAYLOAD}), Reply(201, {"annotation": "B"}))
    turn = take_turn(api, one, look_up=lambda assignment: KnownTask(f"of {assignment}", False))
    assert turn is not None
    assert (turn.asked.task, turn.said, turn.annotation) == ("of A", False, "B")
    assert api.asked == ["claim/", "assignments/A/submit/"]
