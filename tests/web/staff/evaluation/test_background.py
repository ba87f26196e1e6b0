"""Background work in the staff pages, and trying again what failed."""

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.episodes import PREPARE
from evaluation.models import Episode
from evaluation.preparation import CRASHED
from jobs import outbox
from jobs.models import Job
from tests.support.builders import NOON, make_episode
from tests.support.pages import words_of


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The jobs of which a message left."""
    left: list[int] = []
    monkeypatch.setattr(outbox, "_send", left.append)
    return left


def make_job(state: str = "failed", **changes: object) -> Job:
    finished = NOON if state in {"failed", "done"} else None
    fields = {"kind": "test.job", "subject": "7", "due_at": NOON, "created_at": NOON, "attempts": 3, **changes}
    return Job.objects.create(state=state, finished_at=finished, **fields)


def crashed_episode() -> tuple[Episode, Job]:
    episode = make_episode(external_id="first", is_ready=False)
    Episode.objects.filter(pk=episode.pk).update(status="failed", problem_code=CRASHED)
    return episode, make_job(kind=PREPARE, subject=str(episode.pk), error="OSError: the disk is full")


def test_jobs_are_listed_with_state_error_progress_and_attempts(dora: Client, db: None) -> None:
    crashed_episode()
    make_job("running", progress=0.4, due_at=timezone.now())
    page = words_of(dora, "/staff/jobs/")
    assert "evaluation.prepare_episode first failed Try again 3 of 3 0 % OSError: the disk is full" in page
    assert "test.job 7 running 3 of 3 40 %" in page
    assert "first" not in words_of(dora, "/staff/jobs/?state=running")
    assert "first" not in words_of(dora, "/staff/jobs/?kind=test.job")
    assert "No job fits" in words_of(dora, "/staff/jobs/?state=waiting")


def test_work_that_comes_each_minute_is_listed_only_when_it_is_asked_for(dora: Client, db: None) -> None:
    make_job("done", kind="jobs.forget_finished", subject="done tick")
    make_job(kind="jobs.forget_finished", subject="failed tick")
    page = words_of(dora, "/staff/jobs/")
    assert "failed tick" in page
    assert "done tick" not in page
    for asked in ("recurring=1", "kind=jobs.forget_finished"):
        assert "done tick" in words_of(dora, f"/staff/jobs/?{asked}")


def test_a_job_that_the_server_itself_holds_up_says_since_when_and_why(dora: Client, db: None) -> None:
    make_job("waiting", held_since=NOON, attempts=0, error="FileNotFoundError: source")
    page = words_of(dora, "/staff/jobs/")
    assert "waiting held since 2026-11-21 12:00" in page
    assert "FileNotFoundError: source" in page


def test_a_failed_job_is_tried_again_from_its_first_attempt(
    dora: Client, sent: list[int], django_capture_on_commit_callbacks: object
) -> None:
    job = make_job()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        assert dora.post(f"/staff/jobs/{job.pk}/retry/")["Location"] == "/staff/jobs/"
    job.refresh_from_db()
    assert (job.state, job.attempts, job.finished_at) == ("waiting", 0, None)
    assert sent == [job.pk]


def test_trying_a_crashed_preparation_again_makes_its_episode_prepare(dora: Client, sent: list[int]) -> None:
    episode, job = crashed_episode()
    dora.post(f"/staff/jobs/{job.pk}/retry/", {"next": "/staff/"})
    episode.refresh_from_db()
    assert (episode.status, episode.problem_code) == ("preparing", "")


def test_an_episode_whose_video_is_bad_stays_failed(dora: Client, sent: list[int]) -> None:
    episode, job = crashed_episode()
    Episode.objects.filter(pk=episode.pk).update(problem_code="no_video")
    dora.post(f"/staff/jobs/{job.pk}/retry/")
    episode.refresh_from_db()
    assert episode.status == "failed"


@pytest.mark.parametrize("state", ["waiting", "running", "done"])
def test_only_a_failed_job_is_tried_again(dora: Client, sent: list[int], state: str) -> None:
    job = make_job(state)
    answer = dora.post(f"/staff/jobs/{job.pk}/retry/", follow=True)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (state, 3)
    assert b"has not failed" in answer.content


def test_work_that_waits_in_another_row_is_not_doubled(dora: Client, sent: list[int]) -> None:
    failed = make_job(unique_key="one")
    make_job("waiting", unique_key="one")
    dora.post(f"/staff/jobs/{failed.pk}/retry/")
    failed.refresh_from_db()
    assert failed.state == "failed"


def test_a_retry_leads_back_to_our_own_pages_only(dora: Client, sent: list[int]) -> None:
    job = make_job()
    address = f"/staff/jobs/{job.pk}/retry/"
    assert dora.post(address, {"next": "/staff/"})["Location"] == "/staff/"
    assert dora.post(address, {"next": "https://elsewhere.example/"})["Location"] == "/staff/jobs/"
