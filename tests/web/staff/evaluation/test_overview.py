"""The overview: what runs, what is stuck, what needs me."""

from datetime import timedelta

from django.test import Client
from django.utils import timezone

from annotation.work.leases import report
from evaluation.models import Episode
from jobs.models import Job
from tests.support.builders import NOON, annotate, claim, make_episode, make_project, make_task
from tests.support.pages import words_of
from workforce.models import Worker


def failed_episode(external_id: str = "") -> Episode:
    episode = make_episode(external_id=external_id, is_ready=False)
    episode.status, episode.problem_code, episode.problem_detail = "failed", "no_video", "The file has no picture."
    episode.save()
    return episode


def job(state: str = "failed", **changes: object) -> Job:
    finished = NOON if state in {"failed", "done"} else None
    fields = {"kind": "test.job", "subject": "7", "due_at": NOON, "created_at": NOON, **changes}
    return Job.objects.create(state=state, finished_at=finished, **fields)


def test_it_shows_what_runs_with_progress(dora: Client, alice: Worker) -> None:
    project = make_project(title="Mark the ball")
    make_task(project)
    make_task(project)
    annotate(claim(project, alice))
    make_project(title="A draft", status="draft")  # type: ignore[arg-type]
    page = words_of(dora, "/staff/")
    assert "Mark the ball 1 of 2" in page
    assert "A draft" not in page


def test_it_shows_what_is_stuck_and_why(dora: Client) -> None:
    failed_episode("broken")
    job(error="OSError: the disk is full")
    job("waiting", subject="late", due_at=timezone.now() - timedelta(minutes=5))
    job("waiting", subject="soon", due_at=timezone.now() + timedelta(minutes=5))
    page = words_of(dora, "/staff/")
    assert "1 failed episode 1 failed job 1 overdue" in page
    assert "broken" in page
    assert "The file has no picture." in page
    assert "OSError: the disk is full" in page
    assert "late overdue" in page
    assert "soon" not in page


def test_failed_work_that_a_later_job_took_up_is_not_stuck(dora: Client) -> None:
    job(error="OSError: the disk is full")
    job("done")
    assert "Nothing is stuck" in words_of(dora, "/staff/")


def test_it_shows_the_worst_of_the_review_queue(dora: Client, alice: Worker, bob: Worker) -> None:
    project = make_project(redundancy=2)
    tied = make_task(project)
    annotate(claim(project, alice), outcome="success")
    annotate(claim(project, bob), outcome="failure")
    agreed = make_task(project)
    for worker in (alice, bob):
        annotate(claim(project, worker), outcome="success")
    failed_episode("broken")
    page = words_of(dora, "/staff/")
    assert "2 waiting for review" in page
    assert f"{tied.key} disagreement tie of 2 answers" in page
    assert "broken failed episode The file has no picture." in page
    assert agreed.key not in page


def test_what_was_reviewed_is_gone_from_it(dora: Client, alice: Worker) -> None:
    project = make_project(redundancy=2)
    task = make_task(project)
    report(assignment=claim(project, alice), problem="other", text="", at=NOON)
    assert f"{task.key} reported 1 report" in words_of(dora, "/staff/")
    dora.post(f"/staff/tasks/{task.pk}/close/")
    assert "Nothing waits for you" in words_of(dora, "/staff/")
