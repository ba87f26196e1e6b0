"""The figures of a worker's last page: sums, comparisons that tell nothing of references, messages in one list."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Annotation, Assignment, Enrolment, Project
from annotation.pay.approvals import approve, reject
from annotation.work import summaries
from tests.support.builders import NOON, annotate, claim, make_enrolment, make_project, make_worker, paused, token_for
from tests.support.crowds import PAY, post_many
from tests.support.pages import text_of
from workforce import ledger
from workforce.models import LedgerEntry, Worker

pytestmark = pytest.mark.django_db
SUMMARY = "/api/v1/work/summary/"
TOMORROW = NOON + timedelta(days=1)


def _dollars(amount: str) -> dict[str, str]:
    return {"amount": amount, "currency": "USD"}


def _answer_all(project: Project, worker: Worker, *, seconds: float | None = None) -> Enrolment:
    """The worker's answers to every task, as rows: what claims and submissions cost is not the matter here."""
    begun = Annotation.objects.filter(project=project).count()
    tasks = list(project.tasks.order_by("pk"))
    held = Assignment.objects.bulk_create(
        Assignment(
            task=task,
            slot_of=task,
            worker=worker,
            status=Assignment.Status.SUBMITTED,
            claimed_at=NOON,
            lease_expires_at=NOON,
            closed_at=NOON,
        )
        for task in tasks
    )
    Annotation.objects.bulk_create(
        Annotation(
            project=project,
            number=begun + number,
            assignment=assignment,
            task=assignment.task,
            worker=worker,
            answer={"outcome": "success", "frame": 20, "time_s": 2.0},
            claimed_at=NOON,
            submitted_at=NOON,
            active_s=seconds,
        )
        for number, assignment in enumerate(held, start=1)
    )
    return make_enrolment(project, worker)


def test_money_is_told_by_how_far_it_has_come(alice: Worker, as_worker: Any) -> None:
    project = make_project("p", base_pay=PAY, approve_after_s=3600)
    post_many(project, 4)
    waiting, approved, rejected = (annotate(claim(project, alice)) for _ in range(3))
    approve(annotations=[approved], by="staff:dora", at=NOON)
    reject(annotations=[rejected], reason="Too early.", is_soft=False, by="staff:dora", at=NOON)
    bonus: dict[str, Any] = {
        "kind": LedgerEntry.Kind.BONUS,
        "currency": "USD",
        "account": "p",
        "state": LedgerEntry.State.SENT,
    }
    ledger.owe(worker=alice, reason="bonus:annotation:1", amount=PAY * 2, at=NOON, **bonus)
    # The rule waits from the newest answer on, as after a correction.
    Annotation.objects.filter(pk=waiting.pk).update(active_s=90, submitted_at=NOON + timedelta(minutes=5))
    found = as_worker(project, alice).get(SUMMARY).json()
    assert found["owed"] == {
        "waits": _dollars("0.30"),
        "approved": _dollars("0.30"),
        "sent": _dollars("0.60"),
        "arrived": _dollars("0.00"),
        "bonus": _dollars("0.60"),
        "decided_by": "2026-11-21T13:05:00Z",
    }
    assert (found["done"], found["left"], found["worked_s"]) == (3, 1, 90)
    assert [(one["kind"], one["text"]) for one in found["messages"]] == [("not_paid", "Too early.")]
    # The page says the same in sentences.
    browser = Client()
    browser.get(f"/enter/p?token={token_for(project, alice)}")
    page = text_of(browser.get("/work/p/summary/").content.decode())
    for words in (
        *(words for part in found["said"] for words in part["sentences"]),
        "You did 3 videos in 2 minutes of work",
        "by 21 November 2026, 13:05 UTC",
        "about 1 video.",
        "Too early.",
    ):
        assert words in page, page


def test_wrong_answers_count_alike_on_tasks_and_on_references(alice: Worker, bob: Worker) -> None:
    project = make_project("p", redundancy=2, reference_rate=0.2)
    post_many(project, 40)
    post_many(project, 8, truth="success")
    enrolment = _answer_all(project, alice)
    _answer_all(project, bob)
    told = []
    for is_reference in (True, False):
        chosen = Annotation.objects.filter(worker=alice, task__is_reference=is_reference).values("pk")[:8]
        wrong = Annotation.objects.filter(pk__in=list(chosen.values_list("pk", flat=True)))
        assert wrong.update(answer={"outcome": "failure", "frame": 20, "time_s": 2.0}) == 8
        told.append(summaries.comparison_for(enrolment, at=TOMORROW).same_in_ten)
        # On the same day nothing is told yet.
        assert summaries.comparison_for(enrolment, at=NOON).same_in_ten is None
        wrong.update(answer={"outcome": "success", "frame": 20, "time_s": 2.0})
    assert told == [8, 8]
    assert summaries.comparison_for(enrolment, at=TOMORROW).same_in_ten == 10
    # With one answer a task, only references have those of several people.
    Project.objects.update(redundancy=1)
    alone = Enrolment.objects.get(pk=enrolment.pk)
    assert summaries.comparison_for(alone, at=TOMORROW).same_in_ten is None


def test_nothing_is_compared_while_mostly_references_have_answers_of_others(alice: Worker, bob: Worker) -> None:
    project = make_project("p", redundancy=2, reference_rate=0.2)
    post_many(project, 40)
    post_many(project, 30, truth="success")
    enrolment = _answer_all(project, alice)
    _answer_all(project, bob)
    Annotation.objects.filter(worker=bob, task__is_reference=False).delete()
    assert summaries.comparison_for(enrolment, at=TOMORROW).same_in_ten is None


def test_many_answers_to_references_leave_room_for_those_to_tasks(
    alice: Worker, bob: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project("p", redundancy=2, reference_rate=0.2)
    post_many(project, 30, truth="success")
    post_many(project, 30)
    enrolment = _answer_all(project, alice)
    Annotation.objects.filter(task__is_reference=False).update(answer={"outcome": "failure", "frame": 9, "time_s": 0.9})
    for name in ("carol", "dave"):
        _answer_all(project, make_worker(name))
        Annotation.objects.filter(worker__external_id=name, task__is_reference=False).delete()
    _answer_all(project, bob)
    # Half of the answers differ from those of others, whatever number of others answered the references.
    for most in (1, 7):
        monkeypatch.setattr(summaries, "MOST_OF_ONE_TASK", most)
        assert summaries.comparison_for(enrolment, at=TOMORROW).same_in_ten == 5


def test_sessions_are_compared_with_nobodys(alice: Worker, bob: Worker) -> None:
    project = make_project("p", redundancy=2)
    post_many(project, 30)
    enrolment = _answer_all(project, alice)
    _answer_all(project, bob)
    Project.objects.update(tool="interaction")
    Annotation.objects.update(answer={"session": "s"})
    assert summaries.comparison_for(Enrolment.objects.get(pk=enrolment.pk), at=TOMORROW).same_in_ten is None


def test_a_usual_time_needs_several_times_and_people(alice: Worker, bob: Worker) -> None:
    project = make_project("p")
    post_many(project, summaries.LEAST_TIMES)
    enrolment = _answer_all(project, alice, seconds=4.0)
    _answer_all(project, bob, seconds=12.0)
    # The time of one other person is that person's.
    assert summaries.comparison_for(enrolment, at=TOMORROW).their_s is None
    for name in ("carol", "dave"):
        _answer_all(project, make_worker(name), seconds=12.0)
    found = summaries.comparison_for(enrolment, at=TOMORROW)
    assert (found.my_s, found.their_s, found.same_in_ten) == (4.0, 12.0, None)
    Annotation.objects.filter(worker=alice, number=1).delete()
    assert summaries.comparison_for(enrolment, at=TOMORROW).my_s is None


def test_messages_stand_in_one_list_and_a_notice_only_once_it_was_read(as_worker: Any) -> None:
    project = make_project("p", base_pay=PAY)
    action = paused(project, lifted_at=NOON, decision="lifted", decided_at=NOON, decision_reason="It was our mistake.")
    worker = action.enrolment.worker
    key: dict[str, Any] = {
        "key": "1",
        "by": "staff:dora",
        "at": NOON + timedelta(hours=1),
        "account": "p",
        "currency": "USD",
    }
    ledger.correct(worker=worker, amount=-PAY, earned=PAY, why="Paid twice.", **key)
    work: APIClient = as_worker(project, worker)

    def told() -> list[tuple[str, str]]:
        return [(one["kind"], one["text"]) for one in work.get(SUMMARY).json()["messages"]]

    correction, pause = ("correction", "−0.30 USD. Paid twice."), ("pause", "We paused your work on this project.")
    assert told() == [correction, pause]
    work.post("/api/v1/work/notice/", {})
    assert told() == [("notice", "We looked again, and you can go on. It was our mistake."), correction, pause]


def test_a_correction_keeps_its_words_and_a_failed_payment_is_one_message(alice: Worker, as_worker: Any) -> None:
    project = make_project("p", base_pay=PAY)
    post_many(project, 3)
    approve(annotations=[annotate(claim(project, alice)) for _ in range(3)], by="staff:dora", at=NOON)
    later: dict[str, Any] = {"by": "staff:dora", "at": NOON + timedelta(hours=1)}
    about: dict[str, Any] = {"worker": alice, "account": "p", "currency": "USD", "earned": PAY * 3}
    ledger.correct(amount=PAY, why="One was forgotten.", key="1", by="staff:dora", at=NOON, **about)
    ledger.move(LedgerEntry.objects.all(), to=LedgerEntry.State.SENT, **later)
    answers = LedgerEntry.objects.filter(kind=LedgerEntry.Kind.BASE)
    ledger.move(answers, to=LedgerEntry.State.FAILED, note="The account is closed.", **later)
    told = as_worker(project, alice).get(SUMMARY).json()["messages"]
    assert [(one["kind"], one["text"], one["at"]) for one in told] == [
        ("failed", "+0.90 USD. The account is closed.", "2026-11-21T13:00:00Z"),
        ("correction", "+0.30 USD. One was forgotten.", "2026-11-21T12:00:00Z"),
    ]


@pytest.mark.parametrize("rows", [2, 20])
def test_the_summary_costs_the_same_for_any_number_of_answers(
    rows: int, alice: Worker, as_worker: Any, django_assert_num_queries: Any
) -> None:
    project = make_project("p", base_pay=PAY)
    post_many(project, rows)
    _answer_all(project, alice, seconds=4.0)
    work = as_worker(project, alice)
    with django_assert_num_queries(14):
        assert len(work.get(SUMMARY).json()["messages"]) == 0
