"""The review queue: what is in it, in which order, for whom, and at which price."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Consensus, Project
from annotation.review import adjudication, queue
from annotation.review.queue import Item, Subject
from annotation.review.queue_sources import Source
from annotation.work.leases import report
from tests.support.builders import (
    NOON,
    account,
    annotate,
    claim,
    make_episode,
    make_project,
    make_task,
    make_worker,
    paused,
    signed_in,
    tied_task,
)
from tests.support.pages import assert_flat, cost_of, words_of
from web.staff.addresses import task_page


def all_projects() -> QuerySet[Project]:
    return Project.objects.all()


def failed_episode() -> None:
    episode = make_episode(is_ready=False)
    episode.status, episode.problem_code, episode.problem_detail = "failed", "no_video", "The file has no picture."
    episode.save()


def reported(project: Project, *, times: int = 1) -> int:
    task = make_task(project, redundancy=times)
    for _ in range(times):
        report(assignment=claim(project, make_worker()), problem="ambiguous", text="which ball?", at=NOON)
    return task.pk


@pytest.fixture
def add_source(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Item]], None]:
    """Add a source of the kind `more`, where each project counts and these are the cases."""
    monkeypatch.setattr(queue, "_sources", dict(queue._sources))

    def add(items: list[Item]) -> None:
        queue.register(Source("more", "more", lambda _: all_projects(), lambda rows: rows, lambda _: items))

    return add


def kinds_in(entries: list[queue.Entry]) -> list[str]:
    return [entry.labels[0] for entry in entries]


def test_the_worst_comes_first_from_every_source(db: None) -> None:
    project = make_project(redundancy=3)
    failed_episode()
    reported(make_project())
    task = make_task(project)
    for outcome in ("success", "success", "failure"):
        annotate(claim(project, make_worker()), outcome=outcome)
    Consensus.objects.filter(task=task).update(needs_review=True)
    tied_task()
    paused()
    paused(appeal="I was ill that day.")
    assert kinds_in(queue.listing(all_projects())) == [
        "appeal",
        "paused worker",
        "disagreement",
        "failed episode",
        "low confidence",
        "reported",
    ]


def test_more_reports_are_worse(db: None) -> None:
    one, three, two = (reported(make_project(), times=times) for times in (1, 3, 2))
    entries = queue.listing(all_projects())
    assert [entry.item.subject for entry in entries] == [Subject("task", pk) for pk in (three, two, one)]
    assert entries[0].item.detail == "3 reports"


def test_cases_with_one_subject_are_one_entry(db: None) -> None:
    project = make_project(redundancy=2)
    task = tied_task(project)
    extra = make_worker()
    Assignment.objects.create(
        task=task, slot_of=task, worker=extra, status="reported", problem="ambiguous", claimed_at=NOON,
        lease_expires_at=NOON, closed_at=NOON,
    )  # fmt: skip
    (entry,) = queue.listing(all_projects())
    assert entry.labels == ("disagreement", "reported")
    assert queue.count(all_projects()).total == 2


def test_a_task_that_waits_for_a_second_person_waits_for_nothing_else(db: None) -> None:
    project = make_project(redundancy=2, two_person_review=True)
    task = tied_task(project)
    rae = account("rae")
    adjudication.adjudicate(
        task=task, answer={"outcome": "success", "frame": 30}, reason="it lies there", by=rae, at=NOON
    )
    (entry,) = queue.listing(all_projects())
    assert (entry.labels, entry.item.detail) == (("second look",), "rae proposed an answer")


def test_a_pause_whose_evidence_changed_comes_back(db: None) -> None:
    action = paused(decision="upheld", decided_at=NOON, decided_by="staff:rae")
    assert queue.listing(all_projects()) == []
    action.questioned_at = NOON
    action.save()
    assert kinds_in(queue.listing(all_projects())) == ["evidence changed"]
    action.lifted_at = NOON
    action.save()
    assert queue.listing(all_projects()) == []


def test_an_account_sees_the_cases_of_its_own_projects(db: None) -> None:
    mine, theirs = make_project("mine", redundancy=2), make_project("theirs", redundancy=2)
    seen, hidden = tied_task(mine), tied_task(theirs)
    paused(theirs)
    client = signed_in(account("rae", "viewer", mine))
    page = words_of(client, "/staff/review/")
    assert seen.key in page
    assert hidden.key not in page
    assert "Every kind (1)" in page
    assert hidden.key not in words_of(client, "/staff/review/?project=theirs")


def test_kind_and_project_narrow_the_queue(dora: Client) -> None:
    here, there = make_project("here", redundancy=2), make_project("there", redundancy=2)
    mine, other = tied_task(here), tied_task(there)
    paused(here)
    page = words_of(dora, "/staff/review/?kind=disagreement&project=here")
    assert mine.key in page
    assert other.key not in page
    assert "paused by a gate" not in page
    assert "Nothing of this waits" in words_of(dora, "/staff/review/?kind=report")


def test_an_empty_queue_explains_itself(dora: Client) -> None:
    assert "Nothing waits for you" in words_of(dora, "/staff/review/")


def test_next_goes_through_the_queue_and_begins_again(dora: Client) -> None:
    first, second = tied_task(), tied_task()
    assert dora.get("/staff/review/next/")["Location"] == task_page(first.pk)
    after = f"/staff/review/next/?after={task_page(first.pk)}&kind=disagreement"
    assert dora.get(after)["Location"] == f"{task_page(second.pk)}?kind=disagreement"
    assert dora.get(f"/staff/review/next/?after={task_page(second.pk)}")["Location"] == task_page(first.pk)
    Consensus.objects.all().delete()
    assert dora.get("/staff/review/next/")["Location"] == "/staff/review/"


def test_next_skips_pages_that_a_viewer_may_not_open(db: None, add_source: Callable[[list[Item]], None]) -> None:
    add_source([Item(1.0, "a text", "", Subject("episode", "secret"), NOON, None, for_reviewers=True)])
    task = tied_task()
    vera, rae = (signed_in(account(role, role)) for role in ("viewer", "reviewer"))
    assert vera.get("/staff/review/next/")["Location"] == task_page(task.pk)
    assert rae.get("/staff/review/next/")["Location"] == "/staff/episodes/secret/"


def test_the_queue_costs_the_same_for_2_and_6(dora: Client) -> None:
    def more() -> None:
        project = make_project(redundancy=2)
        tied_task(project)
        reported(make_project())
        paused(project)
        paused(project, appeal="please")
        failed_episode()

    assert_flat(dora, "/staff/review/", more)
    assert cost_of(dora, "/staff/review/") <= 6 + 2 * len(queue.sources())


def test_the_rail_counts_in_one_query(dora: Client) -> None:
    tied_task()
    with CaptureQueriesContext(connection) as queries:
        assert queue.count(all_projects()).total == 1
    assert len(queries) == 1
    assert "Review 1 waiting" in words_of(dora, "/staff/projects/")


def test_nothing_is_asked_for_an_account_without_projects(db: None) -> None:
    tied_task()
    assert queue.count(Project.objects.none()).by_kind["disagreement"] == 0


def test_the_list_is_paged_and_ends_at_its_worst_five_hundred(
    dora: Client, add_source: Callable[[list[Item]], None]
) -> None:
    add_source([Item(0.1, f"row {n}", "", Subject("task", n), NOON, None) for n in range(501)])
    page = words_of(dora, "/staff/review/?kind=more&page=2")
    assert "51–100 of 500 cases" in page
    assert "The worst 500 are listed here" in page


def test_counting_stops_at_a_thousand(
    db: None, add_source: Callable[[list[Item]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_source([])
    monkeypatch.setattr(queue, "MOST_COUNTED", 2)
    for _ in range(4):
        make_project()
    counts = queue.count(all_projects())
    assert (counts.by_kind["more"], counts.is_capped) == (2, True)


@pytest.mark.parametrize("everywhere", [True, False])
def test_every_source_walks_an_index_of_waiting_rows_only(db: None, everywhere: bool) -> None:
    """The partial indexes have one entry for each waiting row, so a million others cost nothing."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL scans tables as small as these")
    wanted = {
        "disagreement": ("consensus_worst_first", "consensus_needs_review"),
        "low-confidence": ("consensus_worst_first", "consensus_needs_review"),
        "report": ("assignment_report_waiting",),
        "appeal": ("gate_action_waits",),
        "pause": ("gate_action_waits",),
        "questioned": ("gate_action_questioned",),
        "proposal": ("adjudication_waits",),
        "failed-episode": ("episode_failed",),
    }
    projects = all_projects() if everywhere else Project.objects.filter(pk__in={1, 2})
    plans = {source.kind: source.waiting(projects).explain() for source in queue.sources()}
    for kind, names in wanted.items():
        assert any(name in plans[kind] for name in names), (kind, plans[kind])
