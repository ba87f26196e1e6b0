"""The overview: what runs, what is stuck, what needs me."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.models import Record
from annotation.work.leases import report
from evaluation.models import Episode
from jobs.models import Job
from tests.support.builders import NOON, annotate, claim, make_agent, make_episode, make_project, make_task
from tests.support.pages import words_of
from web.http.streams import Followed
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
    put_away = failed_episode("put-away")
    Episode.objects.filter(pk=put_away.pk).update(archived_at=NOON)
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
    assert "put-away" not in page, "it is archived"


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


def test_a_project_is_measured_by_what_it_wants(dora: Client) -> None:
    make_agent("builder")
    make_project(
        title="Live", tool="interaction", settings={"agent": "builder", "sessions": 200, "tree": "t", "minimum_s": 300}
    )
    page = words_of(dora, "/staff/")
    assert "Live 0 of 200" in page
    assert "1 agent silent · builder" in page


def test_money_shows_how_far_it_reaches(dora: Client, alice: Worker) -> None:
    project = make_project(title="Paid", base_pay=Decimal("0.50"), budget=Decimal(2))
    make_task(project)
    annotate(claim(project, alice, at=timezone.now()), at=timezone.now())
    page = words_of(dora, "/staff/")
    assert "0.50 of 2.00 USD at the pace of the last day until about" in page
    assert "1 answer in the last hour" in page
    assert dora.get("/staff/?plot=answers&as=csv").content.endswith(b",1\r\n")


def test_accuracy_and_agreement_of_the_crowd_have_intervals(dora: Client, alice: Worker, bob: Worker) -> None:
    project = make_project(title="Judged")
    cells = {"success_success": 9, "success_failure": 1, "failure_success": 2, "failure_failure": 8}
    Record.objects.create(worker=alice, project=project, references=20, measured_at=NOON, **cells)
    Record.objects.create(worker=bob, project=project, compared=10, agreement=0.8, measured_at=NOON)
    page = words_of(dora, "/staff/")
    assert "85.0 % 63–93 %, n 20" in page
    assert "80.0 % 49–94 %, n 10" in page


@pytest.mark.parametrize("projects", [2, 8])
def test_the_part_that_draws_itself_anew_costs_at_most_so_much(
    projects: int, dora: Client, alice: Worker, django_assert_max_num_queries: Any
) -> None:
    make_agent("builder")
    for _ in range(projects):
        make_task(project := make_project(base_pay=Decimal("0.50"), budget=Decimal(2)))
        annotate(claim(project, alice))
        make_project(tool="interaction", settings={"agent": "builder", "sessions": 2, "tree": "t"})
    dora.get("/staff/live/")
    with django_assert_max_num_queries(20):
        assert dora.get("/staff/live/").status_code == 200
    with django_assert_max_num_queries(30):
        dora.get("/staff/")


def test_a_stream_sends_the_part_again_where_it_has_changed(dora: Client, alice: Worker) -> None:
    response = dora.get("/staff/live/", headers={"Accept": "text/event-stream"})
    assert response["Content-Type"] == "text/event-stream"
    assert isinstance(response, Followed)
    assert b"data: " in (response.next_piece() or b"")
    assert response.next_piece() == b"event: still\ndata:\n\n"
    project = make_project(title="New")
    make_task(project)
    changed = response.next_piece() or b""
    assert b"New</a>" in changed
    assert all(line.startswith(b"data: ") for line in changed.strip().split(b"\n"))
    User.objects.update(is_active=False)
    assert response.next_piece() is None
