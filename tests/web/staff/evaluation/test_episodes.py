"""Episodes in the staff pages: the recording, everyone's markers, closing and reopening."""

from django.test import Client

from annotation.models import Task
from annotation.work.leases import report
from evaluation.models import Episode
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    make_agent,
    make_episode,
    make_project,
    make_scenario,
    make_suite,
    make_worker,
)
from tests.support.pages import text_of, words_of
from workforce.models import Worker


def shown_episode(**changes: object) -> tuple[Episode, Task]:
    """An episode of a suite that a project takes, and its task there."""
    suite = make_suite("sts")
    make_project("marking", suite=suite, redundancy=2)
    episode = make_episode(scenario=make_scenario(suite, key="lift"), external_id="first", **changes)  # type: ignore[arg-type]
    return episode, Task.objects.get(key="first")


def test_the_list_filters_by_suite_agent_status_and_id(dora: Client, db: None) -> None:
    suite = make_suite("sts")
    make_episode(scenario=make_scenario(suite), agent=make_agent("walker"), external_id="mine")
    make_episode(external_id="other")
    make_episode(external_id="waiting", is_ready=False)
    make_episode(external_id="known", reference={"outcome": "success"})
    everything = words_of(dora, "/staff/episodes/")
    assert all(name in everything for name in ("mine", "other", "waiting", "known reference"))
    for query, found in (
        ("suite=sts", "mine"),
        ("agent=walker", "mine"),
        ("status=preparing", "waiting"),
        ("q=oth", "other"),
        ("kind=reference", "known"),
    ):
        page = words_of(dora, f"/staff/episodes/?{query}")
        assert "1 episode" in page
        assert found in page
    assert "No episode fits" in words_of(dora, "/staff/episodes/?status=failed")


def test_the_video_plays_from_a_signed_address(dora: Client, db: None) -> None:
    shown_episode()
    html = dora.get("/staff/episodes/first/").content.decode()
    assert "<video" in html
    source = html.split('src="/clips/')[1].split('"')[0]
    video = dora.get(f"/clips/{source}")
    assert video.status_code == 200
    assert video["Content-Type"] == "video/mp4"


def test_everyones_markers_stand_on_one_timeline(dora: Client, alice: Worker, bob: Worker) -> None:
    shown_episode()
    project = Task.objects.get(key="first").project
    annotate(claim(project, alice), outcome="success", frame=20)
    annotate(claim(project, bob), outcome="failure", frame=50)
    html = dora.get("/staff/episodes/first/").content.decode()
    # 100 frames at 10 a second.
    assert '<use class="timeline-mark timeline-success" href="#mark-success" x="20%"' in html
    assert '<use class="timeline-mark timeline-failure" href="#mark-failure" x="50%"' in html
    page = text_of(html)
    assert "Consensus direct:alice direct:bob" in page
    assert "tie ✓ success 2.000 s ✕ failure 5.000 s" in page


def test_a_consensus_is_ringed_and_reports_stand_in_the_workers_words(dora: Client, alice: Worker, bob: Worker) -> None:
    _, task = shown_episode()
    report(
        assignment=claim(task.project, make_worker("cleo")), problem="video_broken", text="It stops <early>", at=NOON
    )
    for worker in (alice, bob):
        annotate(claim(task.project, worker), outcome="success", frame=30)
    html = dora.get("/staff/episodes/first/").content.decode()
    assert 'class="timeline-ring timeline-success" cx="30%"' in html
    assert "done 2 of 2 ✓ success 3.000 s 100 %" in text_of(html)
    assert "direct:cleo Video Broken It stops <early>" in text_of(html)


def test_a_reference_shows_the_truth_and_what_still_counts(dora: Client, db: None) -> None:
    shown_episode(reference={"outcome": "success", "time_s": 4.0, "tolerance_s": 0.5})
    html = dora.get("/staff/episodes/first/").content.decode()
    assert '<rect class="timeline-band" x="35%" width="10%"' in html
    assert "Truth" in text_of(html)


def test_a_failed_episode_says_why_and_shows_no_video(dora: Client, db: None) -> None:
    episode = make_episode(external_id="first", is_ready=False)
    episode.status, episode.problem_code, episode.problem_detail = "failed", "no_video", "The file has no picture."
    episode.save()
    html = dora.get("/staff/episodes/first/").content.decode()
    assert "The file has no picture." in html
    assert "no_video" in html
    assert "<video" not in html


def test_a_task_that_nobody_can_judge_is_closed_and_reopened(dora: Client, alice: Worker, bob: Worker) -> None:
    _, task = shown_episode()
    for worker in (alice, bob):
        annotate(claim(task.project, worker), outcome="success")
    answer = dora.post(f"/staff/tasks/{task.pk}/close/")
    assert answer["Location"] == "/staff/episodes/first/"
    task.refresh_from_db()
    assert (task.status, hasattr(task, "consensus")) == ("unjudgeable", False)
    assert "Reopen" in words_of(dora, "/staff/episodes/first/")
    dora.post(f"/staff/tasks/{task.pk}/reopen/")
    reopened = Task.objects.get(pk=task.pk)
    assert (reopened.status, reopened.consensus.answer["outcome"]) == ("done", "success")
