"""The plots of projects and workers say what the rows say, and cost the same whatever there is."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from annotation.models import Annotation, Project
from lib.plots.charts import HeatPlot, LinePlot
from tests.support.builders import NOON, annotate, claim, make_project, make_task, make_worker
from tests.support.crowds import insert_answers, post_many
from web.staff.figure_files import Figure
from web.staff.projects import figures
from workforce.models import Worker

pytestmark = pytest.mark.django_db


def named(worker: Worker) -> str:
    return worker.external_id


def judged(project: Project, worker: Worker, outcome: str, *, truth: str | None = None, active_s: float = 30.0) -> None:
    """The worker says `outcome` of a new task; with a truth it is a reference."""
    make_task(project, truth=truth)
    if truth:
        make_task(project)
    # A chance of 0 brings a reference wherever one is fresh.
    annotation = annotate(claim(project, worker, chance=lambda: 0.0 if truth else 0.99), outcome=outcome)
    assert annotation.task.is_reference == bool(truth)
    Annotation.objects.filter(pk=annotation.pk).update(active_s=active_s)


def test_throughput_counts_days_and_says_when_the_end_is() -> None:
    project, ann = make_project(), make_worker("ann")
    for _ in range(6):
        judged(project, ann, "success")
    first = Annotation.objects.order_by("pk").values_list("pk", flat=True)[0]
    Annotation.objects.filter(pk=first).update(submitted_at=NOON - timedelta(days=1))
    figure = figures.throughput(project, wanted=30, at=NOON)
    assert figure.rows[-2:] == [["2026-11-20", 1], ["2026-11-21", 5]]
    assert len(figure.rows) == figures.DAYS
    # 6 answers in the 2 days since work began: 30 more take 10 days.
    assert "at 3.0 a day until about 01 December 2026" in figure.about


def test_throughput_promises_nothing_where_nobody_works() -> None:
    figure = figures.throughput(make_project(), wanted=30, at=NOON)
    assert figure.is_empty
    assert "no end in sight" in figure.about


def test_references_are_listed_from_the_least_passed_on() -> None:
    project = make_project(reference_rate=0.5)
    for name, outcomes in {"ann": ["success", "failure"], "bob": ["success", "success"]}.items():
        for outcome in outcomes:
            judged(project, make_worker(name), outcome, truth="failure")
    rows = figures.references(project).rows
    shares = [row[1] for row in rows]
    assert shares == sorted(shares, key=lambda share: share or 0)
    assert sum(int(row[4] or 0) for row in rows) == 4


def test_agreement_shows_pairs_and_alpha() -> None:
    project = make_project(redundancy=3)
    tasks = post_many(project, 6)
    says = {"ann": "ssffsf", "bob": "ssffsf", "cleo": "ffssfs"}
    for name, letters in says.items():
        worker = make_worker(name)
        outcomes = ["success" if letter == "s" else "failure" for letter in letters]
        insert_answers(project, [(task, worker, outcome) for task, outcome in zip(tasks, outcomes, strict=True)])
    figure = figures.agreement_of_raters(project, named=named)
    assert sorted(figure.rows, key=str) == [["ann", "bob", 1.0, 6], ["ann", "cleo", 0.0, 6], ["bob", "cleo", 0.0, 6]]
    assert isinstance(figure.plot, HeatPlot)
    assert "Krippendorff's alpha over everybody is -0.26" in figure.about


def test_times_of_a_worker_stand_in_the_projects_bins() -> None:
    project, ann, bob = make_project(), make_worker("ann"), make_worker("bob")
    for seconds in (20, 30, 40, 50):
        judged(project, ann, "success", active_s=seconds)
    judged(project, bob, "success", active_s=2)
    everyone, his = figures.times(project), figures.times(project, worker=bob)
    assert [row[:2] for row in everyone.rows] == [row[:2] for row in his.rows]
    assert his.rows[0][2] == 1
    assert "1 of 1 took less than a third" in his.about


def test_accuracy_over_time_has_a_point_for_each_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "WINDOW", 3)
    project, ann = make_project(reference_rate=0.5), make_worker("ann")
    for outcome in ("success", "success", "success", "failure"):
        judged(project, ann, outcome, truth="success")
    figure = figures.accuracy_over_time(ann, project)
    assert [(row[0], row[1], row[2]) for row in figure.rows] == [(1, 3, 3), (4, 4, 0)]
    assert isinstance(figure.plot, LinePlot)


@pytest.mark.parametrize("workers", [2, 6])
def test_plots_cost_the_same_for_2_workers_and_6(workers: int, django_assert_max_num_queries: Any) -> None:
    project = make_project(reference_rate=0.5, redundancy=workers)
    for number in range(workers):
        judged(project, make_worker(f"w{number}"), "success", truth="success")
    every = figures.figures_of_project(project, named=named, wanted=3, at=NOON)
    for make in every.values():
        with django_assert_max_num_queries(2):
            assert isinstance(make(), Figure)


def test_a_workers_page_hands_out_their_plots(dora: Client) -> None:
    project, ann = make_project(reference_rate=0.5), make_worker("ann")
    judged(project, ann, "success", truth="success")
    assert "Right on references over time" in dora.get(f"/staff/workers/{ann.pk}/").content.decode()
    file = dora.get(f"/staff/workers/{ann.pk}/", {"plot": "drift", "as": "csv"})
    assert file.content.decode().splitlines()[1].startswith("1,1,1,1.0,")
