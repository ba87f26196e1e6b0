"""Attempts and grants over time: counting, waiting, expiry, and grants by a person."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from audit.models import AuditEvent
from lib.faults import Invalid
from tests.support.builders import NOON, RIGHT_ANSWERS, WRONG_ANSWERS, make_qualification, make_worker
from workforce.models import Attempt, Grant, Qualification, Worker
from workforce.qualifications import (
    AlreadyPassed,
    AttemptsUsed,
    CoolOff,
    give,
    hand_in,
    revoke,
    save_answers,
    start_attempt,
    state_of,
    valid_grant,
)


def later(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def take(quiz: Qualification, worker: Worker, answers: dict[str, Any], at: datetime = NOON) -> Attempt:
    """As a page does: see the questions, then answer."""
    start_attempt(worker=worker, qualification=quiz, at=at)
    return hand_in(worker=worker, qualification=quiz, answers=answers, at=at)


@pytest.mark.parametrize(
    ("right", "pass_mark", "passed"),
    [(7, 0.7, True), (6, 0.7, False), (10, 1.0, True), (9, 1.0, False), (0, 0.0, True), (3, 0.3, True)],
)
def test_the_pass_mark_is_the_share_that_passes(right: int, pass_mark: float, passed: bool, alice: Worker) -> None:
    questions = [{"id": f"q{n}", "ask": "?", "kind": "text", "accept": ["yes"]} for n in range(10)]
    quiz = make_qualification(questions=questions, pass_mark=pass_mark)
    attempt = take(quiz, alice, {f"q{n}": "yes" if n < right else "no" for n in range(10)})
    assert (attempt.score, attempt.passed) == (right / 10, passed)
    assert attempt.right == {f"q{n}": n < right for n in range(10)}
    assert (valid_grant(worker=alice, qualification=quiz, at=NOON) is not None) is passed


def test_own_attempts_are_counted_and_then_refused_and_a_refused_answer_uses_none(alice: Worker) -> None:
    quiz = make_qualification(attempts=2)
    take(quiz, make_worker(), WRONG_ANSWERS)
    take(make_qualification(attempts=1), alice, WRONG_ANSWERS)
    with pytest.raises(Invalid):
        take(quiz, alice, {"one": "one"})
    assert state_of(worker=alice, qualification=quiz, at=NOON).attempts_left == 2
    for _ in range(2):
        take(quiz, alice, WRONG_ANSWERS)
    assert Attempt.objects.filter(worker=alice, qualification=quiz).count() == 2
    with pytest.raises(AttemptsUsed):
        start_attempt(worker=alice, qualification=quiz, at=later(1e6))
    with pytest.raises(AttemptsUsed):
        hand_in(worker=alice, qualification=quiz, answers=RIGHT_ANSWERS, at=NOON)


def test_the_same_answers_again_change_nothing(alice: Worker) -> None:
    quiz = make_qualification(attempts=2)
    failed = take(quiz, alice, WRONG_ANSWERS)
    assert hand_in(worker=alice, qualification=quiz, answers=WRONG_ANSWERS, at=later(1)) == failed
    assert state_of(worker=alice, qualification=quiz, at=later(1)).attempts_left == 1
    passed = take(quiz, alice, RIGHT_ANSWERS, later(2))
    assert hand_in(worker=alice, qualification=quiz, answers=RIGHT_ANSWERS, at=later(3)) == passed
    assert Grant.objects.count() == 1
    with pytest.raises(AlreadyPassed):
        hand_in(worker=alice, qualification=quiz, answers=WRONG_ANSWERS, at=later(4))


def test_after_a_failure_the_worker_waits_until_a_known_time(alice: Worker) -> None:
    quiz = make_qualification(cool_off_s=600)
    take(quiz, alice, WRONG_ANSWERS)
    with pytest.raises(CoolOff, match="2026-11-21 12:10 UTC") as refusal:
        start_attempt(worker=alice, qualification=quiz, at=later(599))
    assert refusal.value.wait == 1
    assert state_of(worker=alice, qualification=quiz, at=later(599)).again_at == later(600)
    assert state_of(worker=alice, qualification=quiz, at=later(600)).again_at is None
    assert take(quiz, alice, RIGHT_ANSWERS, later(600)).passed


def test_a_grant_expires_and_the_attempts_begin_again(alice: Worker) -> None:
    quiz = make_qualification(attempts=1, valid_s=3600)
    take(quiz, alice, RIGHT_ANSWERS)
    assert valid_grant(worker=alice, qualification=quiz, at=later(3599)) is not None
    assert valid_grant(worker=alice, qualification=quiz, at=later(3600)) is None
    state = state_of(worker=alice, qualification=quiz, at=later(3600))
    assert (state.attempts_left, state.last) == (1, None)
    # Twice, because the second grant takes the place of the one that ran out.
    for round_s in (4000, 8000):
        assert take(quiz, alice, RIGHT_ANSWERS, later(round_s)).passed
    take(quiz, alice, WRONG_ANSWERS, later(12_000))
    assert state_of(worker=alice, qualification=quiz, at=later(12_000)).attempts_left == 0


def test_a_revoked_worker_tries_again_only_while_attempts_are_left(alice: Worker, bob: Worker) -> None:
    for worker, attempts in ((alice, 1), (bob, 2)):
        quiz = make_qualification(attempts=attempts)
        take(quiz, worker, RIGHT_ANSWERS)
        revoke(grant=Grant.objects.get(worker=worker), reason="answers were shared", by="staff:dora", at=later(1))
        assert valid_grant(worker=worker, qualification=quiz, at=later(1)) is None
        if attempts == 1:
            with pytest.raises(AttemptsUsed):
                hand_in(worker=worker, qualification=quiz, answers=RIGHT_ANSWERS, at=later(2))
        else:
            # The answers that passed before are no repeat: the pass they gave is gone.
            assert hand_in(worker=worker, qualification=quiz, answers=RIGHT_ANSWERS, at=later(2)).passed
            assert valid_grant(worker=worker, qualification=quiz, at=later(2)) is not None


def test_a_person_gives_and_takes_with_a_reason_on_record(alice: Worker) -> None:
    quiz = make_qualification("marking", valid_s=60)
    grant = give(worker=alice, qualification=quiz, by="staff:dora", at=NOON)
    assert give(worker=alice, qualification=quiz, by="staff:dora", at=later(1)) == grant
    assert grant.expires_at == later(60)
    with pytest.raises(Invalid):
        revoke(grant=grant, reason=" ", by="staff:dora", at=later(2))
    for _ in range(2):
        revoke(grant=grant, reason="by mistake", by="staff:dora", at=later(3))
    events = AuditEvent.objects.filter(subject_kind="worker").order_by("pk")
    assert list(events.values_list("verb", "actor", "subject", "reason")) == [
        ("grant.given", "staff:dora", str(alice.pk), ""),
        ("grant.revoked", "staff:dora", str(alice.pk), "by mistake"),
    ]
    assert {event.detail["qualification"] for event in events} == {"marking"}
    grant.refresh_from_db()
    assert grant.revoked_at == later(3)
    assert give(worker=alice, qualification=quiz, by="staff:dora", at=later(4)) != grant


def test_answers_are_kept_step_by_step_and_graded_only_when_handed_in(alice: Worker) -> None:
    quiz = make_qualification()
    attempt = start_attempt(worker=alice, qualification=quiz, at=NOON)
    save_answers(attempt=attempt, answers={"one": "many"})
    save_answers(attempt=attempt, answers={"word": "takeover", "one": "one"})
    with pytest.raises(Invalid):
        save_answers(attempt=attempt, answers={"keys": ["Z"]})
    attempt.refresh_from_db()
    assert attempt.answers == {"one": "one", "word": "takeover"}
    assert (attempt.score, attempt.finished_at) == (None, None)
    hand_in(worker=alice, qualification=quiz, answers=RIGHT_ANSWERS, at=NOON)
    save_answers(attempt=attempt, answers={"one": "none"})
    attempt.refresh_from_db()
    assert attempt.answers == RIGHT_ANSWERS


def test_a_changed_quiz_leaves_open_attempts_as_they_were_begun(alice: Worker) -> None:
    quiz = make_qualification("marking")
    attempt = start_attempt(worker=alice, qualification=quiz, at=NOON)
    changed = make_qualification(
        "marking", questions=[{"id": "new", "ask": "?", "kind": "text", "accept": []}], title="Again"
    )
    assert changed.pk == quiz.pk
    assert hand_in(worker=alice, qualification=changed, answers=RIGHT_ANSWERS, at=NOON) == attempt
    created, replaced = AuditEvent.objects.order_by("pk")
    assert (created.verb, created.subject) == ("qualification.created", "marking")
    assert (replaced.verb, replaced.subject) == ("qualification.changed", "marking")
    assert replaced.detail["changed"] == ["questions", "title"] == sorted(replaced.detail["before"])
    assert replaced.detail["after"]["title"] == "Again"
