"""A job is a row, written with the change that makes it necessary; it runs once, and overdue jobs are sent again."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from config.celery import app
from jobs import outbox, tasks
from jobs.models import Job
from jobs.outbox import BACKOFF, LEASE, RESEND, LeaseGone, Running

KIND = "tests.kind"
Handle = Callable[[Running], None]


@pytest.fixture
def handle(db: None) -> Iterator[Callable[..., None]]:
    """Registers a handler for the jobs of this test only."""

    def register(handler: Handle, abandon: Callable[[str], None] | None = None) -> None:
        outbox.handles(KIND, handler, abandon=abandon)

    yield register
    outbox._handlers.pop(KIND, None)


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...]]]:
    """Collects the messages instead of sending them."""
    messages: list[tuple[str, tuple[Any, ...]]] = []
    monkeypatch.setattr(app, "send_task", lambda name, args: messages.append((name, args)))
    return messages


def _job(**changes: Any) -> Job:
    outbox.enqueue(KIND, "subject")
    Job.objects.update(**changes)
    return Job.objects.get()


def _make_due() -> None:
    Job.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def test_a_transaction_that_rolls_back_leaves_no_job(db: None) -> None:
    with transaction.atomic():
        outbox.enqueue(KIND, "subject")
        assert Job.objects.count() == 1
        transaction.set_rollback(True)
    assert Job.objects.count() == 0


def test_the_message_is_sent_after_the_commit(
    db: None, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        outbox.enqueue(KIND, "subject")
        assert sent == []
    assert sent == [("jobs.run", (Job.objects.get().pk,))]


def test_a_job_for_later_sends_no_message_yet(
    db: None, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        outbox.enqueue(KIND, "subject", after=timedelta(hours=1))
    assert sent == []
    job = Job.objects.get()
    assert not outbox.run(job.pk)
    assert outbox.sweep(at=timezone.now()) == 0
    assert outbox.sweep(at=timezone.now() + timedelta(hours=2)) == 1
    assert sent == [("jobs.run", (job.pk,))]


def test_a_unique_key_is_held_while_the_job_is_unfinished(handle: Any) -> None:
    handle(lambda running: None)
    for _ in range(2):
        outbox.enqueue(KIND, "subject", unique_key="k")
    outbox.enqueue(KIND, "subject", unique_key="other")
    outbox.enqueue(KIND, "subject")
    outbox.enqueue(KIND, "subject")
    assert Job.objects.count() == 4
    first = Job.objects.get(unique_key="k")
    assert outbox.take(pk=first.pk, at=timezone.now())
    outbox.enqueue(KIND, "subject", unique_key="k")
    assert Job.objects.filter(unique_key="k").count() == 1, "a running one holds it too"
    _make_due()
    outbox.run(first.pk)
    outbox.enqueue(KIND, "subject", unique_key="k")
    assert Job.objects.filter(unique_key="k").count() == 2


def test_a_job_is_taken_by_one_runner_only(db: None) -> None:
    job = _job()
    now = timezone.now()
    first, second = outbox.take(pk=job.pk, at=now), outbox.take(pk=job.pk, at=now)
    assert first is not None
    assert (first.attempt, first.subject) == (1, "subject")
    assert second is None
    assert outbox.take(pk=job.pk + 1, at=now) is None
    assert outbox.take(pk=job.pk, at=now + LEASE + timedelta(seconds=1)) is not None, "its runner is dead"


def test_celery_runs_the_row_that_a_message_names_once(handle: Any, sent: list[Any]) -> None:
    ran: list[str] = []
    handle(lambda running: ran.append(running.subject))
    job = _job(sent_at=None)
    tasks.sweep()
    ((_, args),) = sent
    tasks.run(*args)
    assert not outbox.run(job.pk)
    job.refresh_from_db()
    assert (ran, job.state, job.progress, job.error) == (["subject"], "done", 1.0, "")
    assert job.finished_at is not None


@pytest.mark.parametrize("succeeds_at", [3, 4])
def test_a_failing_job_is_tried_again_later_and_then_abandoned(succeeds_at: int, handle: Any) -> None:
    given_up: list[str] = []

    def fails(running: Running) -> None:
        if succeeds_at != running.attempt:
            raise ValueError(f"attempt {running.attempt}")

    handle(fails, given_up.append)
    job = _job()
    for attempt in (1, 2):
        before = timezone.now()
        assert outbox.run(job.pk)
        job.refresh_from_db()
        assert (job.state, job.attempts, job.error) == ("waiting", attempt, f"ValueError: attempt {attempt}")
        assert job.due_at >= before + BACKOFF[attempt - 1]
        assert not outbox.run(job.pk), "not before its time"
        _make_due()
    assert given_up == []
    assert outbox.run(job.pk)
    job.refresh_from_db()
    ended = ("done", 3, "", []) if succeeds_at == 3 else ("failed", 3, "ValueError: attempt 3", ["subject"])
    assert (job.state, job.attempts, job.error, given_up) == ended
    assert not outbox.run(job.pk)


def test_a_job_whose_runners_die_without_an_exception_is_abandoned(handle: Any) -> None:
    given_up: list[str] = []
    handle(lambda running: pytest.fail("it would kill this runner too"), given_up.append)
    job = _job(attempts=3)
    assert outbox.run(job.pk)
    job.refresh_from_db()
    assert (job.state, given_up) == ("failed", ["subject"])
    assert job.error


def test_a_kind_without_a_handler_fails_with_a_reason(db: None) -> None:
    job = _job(attempts=2)
    outbox.run(job.pk)
    job.refresh_from_db()
    assert job.state == "failed"
    assert "no handler" in job.error


def test_a_report_renews_the_lease_and_stores_the_progress(handle: Any) -> None:
    seen: list[tuple[float, bool]] = []

    def reports(running: Running) -> None:
        for progress in (0.25, 7.0, -1.0):
            Job.objects.update(due_at=timezone.now() + timedelta(seconds=1))
            running.report(progress)
            job = Job.objects.get()
            seen.append((job.progress, job.due_at > timezone.now() + LEASE / 2))

    handle(reports)
    outbox.run(_job().pk)
    assert seen == [(0.25, True), (1.0, True), (0.0, True)]


def _overtaken(then: Callable[[Running], None]) -> Handle:
    """A handler that exceeds its lease: another runner has taken the job when it continues."""

    def handler(running: Running) -> None:
        later = timezone.now() + LEASE + timedelta(seconds=1)
        assert outbox.take(pk=running.pk, at=later) is not None
        then(running)

    return handler


def _reports(running: Running) -> None:
    with pytest.raises(LeaseGone):
        running.report(0.5)
    running.report(0.6)


def _finishes(running: Running) -> None:
    pass


def _fails(running: Running) -> None:
    raise ValueError


@pytest.mark.parametrize("then", [_reports, _finishes, _fails])
def test_a_runner_that_exceeded_its_lease_changes_nothing(then: Callable[[Running], None], handle: Any) -> None:
    given_up: list[str] = []
    handle(_overtaken(then), given_up.append)
    job = _job(attempts=2)
    assert outbox.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.progress, job.attempts, job.finished_at) == ("running", 0, 4, None)
    assert given_up == []


def test_the_sweep_sends_only_overdue_jobs(db: None, sent: list[Any]) -> None:
    now = timezone.now()
    ago, tomorrow = now - RESEND - timedelta(seconds=1), now + timedelta(days=1)
    wanted: dict[str, dict[str, Any]] = {
        "never sent": {"sent_at": None, "due_at": ago},
        "lost on the way": {"sent_at": ago, "due_at": ago},
        "its runner died": {"sent_at": ago, "due_at": ago, "state": "running"},
        "on its way": {"sent_at": now - timedelta(seconds=5), "due_at": ago},
        "for later": {"sent_at": None, "due_at": now + timedelta(minutes=1)},
        "running": {"sent_at": ago, "due_at": now + LEASE, "state": "running"},
        "done": {"sent_at": ago, "due_at": ago, "state": "done", "finished_at": now},
        # Written while the clock was ahead.
        "leased for a day": {"sent_at": ago, "due_at": tomorrow, "state": "running"},
        "waits for a day": {"sent_at": None, "due_at": tomorrow},
        "sent tomorrow": {"sent_at": tomorrow, "due_at": ago},
        "failed": {"sent_at": ago, "due_at": ago, "state": "failed", "finished_at": now},
    }
    names = {}
    for name, fields in wanted.items():
        names[Job.objects.create(kind=KIND, subject=name, created_at=ago, **fields).pk] = name
    is_sent = [
        "its runner died",
        "leased for a day",
        "lost on the way",
        "never sent",
        "sent tomorrow",
        "waits for a day",
    ]
    assert outbox.sweep(at=now) == len(is_sent)
    assert sorted(names[args[0]] for _, args in sent) == is_sent
    assert outbox.sweep(at=now) == 0, "they are on their way now"
    assert outbox.sweep(at=now + RESEND) == len(is_sent) + 1


def test_the_sweep_sends_no_more_than_it_may(db: None, sent: list[Any]) -> None:
    for _ in range(3):
        outbox.enqueue(KIND, "subject")
    Job.objects.update(sent_at=None)
    later = timezone.now() + timedelta(seconds=1)
    assert [outbox.sweep(at=later, limit=2) for _ in range(3)] == [2, 1, 0]


@pytest.mark.parametrize("error", [OperationalError("no broker"), ConnectionRefusedError(), TimeoutError()])
def test_a_broker_that_is_down_does_not_break_the_request(
    error: Exception, db: None, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    def down(name: str, args: tuple[Any, ...]) -> None:
        raise error

    monkeypatch.setattr(app, "send_task", down)
    with django_capture_on_commit_callbacks(execute=True):
        outbox.enqueue(KIND, "subject")
    assert Job.objects.get().state == "waiting"
    assert outbox.sweep(at=timezone.now() + RESEND + timedelta(seconds=1)) == 1


# Many at once ----------------------------------------------------------------------------------------------------


def test_each_of_many_jobs_is_written_once(handle: Any, django_capture_on_commit_callbacks: Any) -> None:
    ran: list[str] = []
    handle(lambda running: ran.append(running.subject))
    with django_capture_on_commit_callbacks(execute=True):
        outbox.enqueue_all(KIND, ["a", "b"])
        outbox.enqueue_all(KIND, ["b", "c"])
        outbox.enqueue_all(KIND, [])
    for pk in Job.objects.order_by("pk").values_list("pk", flat=True):
        outbox.run(pk)
    assert ran == ["a", "b", "c"]
    outbox.enqueue_all(KIND, ["a"])
    assert Job.objects.unfinished().get().subject == "a"


def test_the_first_of_many_jobs_are_sent_at_once_and_the_sweep_sends_the_others(
    db: None, sent: list[Any], monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(outbox, "AT_ONCE", 2)
    with django_capture_on_commit_callbacks(execute=True):
        outbox.enqueue_all(KIND, ["a", "b", "c"], max_attempts=5)
    jobs = list(Job.objects.order_by("pk"))
    assert [args for _, args in sent] == [(jobs[0].pk,), (jobs[1].pk,)]
    assert {job.max_attempts for job in jobs} == {5}
    assert outbox.sweep(at=timezone.now()) == 1
    assert sent[-1] == ("jobs.run", (jobs[2].pk,))
