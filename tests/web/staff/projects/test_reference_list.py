"""The list of a project's references: figures, filters, orders, retiring many, and workers who have few left."""

import re
from html import unescape

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client

from annotation.models import Annotation, Enrolment, Record, Task
from annotation.references import reference_health, references
from audit.models import AuditEvent
from tests.support.builders import NOON, annotate, make_enrolment, make_project, make_task
from tests.support.crowds import Checked, checked_project, hold_on, post_many
from tests.support.pages import words_of
from web.staff.grid import listing
from workforce.models import Worker

pytestmark = pytest.mark.django_db

WHY = {"reason": "looked at it twice", "by": "staff:dora"}


def test_a_truth_with_which_good_raters_disagree_is_marked(dora: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project("p", reference_rate=1.0)
    post_many(project, 1, redundancy=100)
    wrong, fine = [make_task(project, key=key, truth="success", redundancy=9) for key in ("wrong", "fine")]
    for _ in range(reference_health.DOUBTED_FROM):
        worker = make_enrolment(project).worker
        annotate(hold_on(wrong, worker), outcome="failure")
        annotate(hold_on(fine, worker), outcome="success")
    Record.objects.filter(project=project).update(references=20, balanced_accuracy=0.95)
    address = "/staff/projects/p/references/"
    page = words_of(dora, address)
    assert "wrong ✓ success 5 0 % 0–43 % 0 of 5 workers disagree with this truth" in page
    assert "fine ✓ success 5 100 % 57–100 % 5 of 5 served" in page
    doubted = words_of(dora, f"{address}?state=doubted")
    assert "wrong ✓" in doubted
    assert "fine ✓" not in doubted
    for order, is_first in (("asc", True), ("desc", False)):
        page = words_of(dora, f"{address}?sort=share&order={order}")
        assert (page.index("wrong ✓") < page.index("fine ✓")) is is_first
    make_task(project, key="unanswered", truth="success")
    monkeypatch.setattr(listing, "ROWS", 1)
    turned, query = [], "?sort=share&order=asc"
    while query:
        html = dora.get(address + query).content.decode()
        turned += re.findall(r'references/\d+/">([^<]+)</a>', html)
        found = re.search(r'rel="next" href="([^"]+)"', html)
        query = unescape(found[1]) if found else ""
    assert turned == ["wrong", "fine", "unanswered"], "pages turn by a figure too; what has none comes last"


@pytest.mark.parametrize("in_parts", [False, True])
def test_the_list_is_ordered_by_the_figures_that_its_rows_show(in_parts: bool) -> None:
    project = make_project("p", reference_rate=1.0)
    post_many(project, 1, redundancy=100)
    for number, right in enumerate([(), (0,), (1, 1, 0), (1, 1)]):
        task = make_task(project, key=f"r{number}", truth="success", redundancy=9)
        for one in right:
            annotate(hold_on(task, make_enrolment(project).worker), outcome="success" if one else "failure")
        if in_parts:
            whole = make_task(project, key=f"whole{number}", truth="success")
            Task.objects.filter(pk=whole.pk).update(is_whole=True, open=False)
            Task.objects.filter(pk=task.pk).update(part_of=whole)
    shown = reference_health.with_figures(project)
    for name in ("n", "share"):
        ordered = reference_health.with_figure(
            Task.objects.references().posted().filter(project=project), name, in_parts=in_parts
        )
        found = {task.pk: getattr(task, name) for task in ordered}
        assert found == {task.pk: getattr(task, name) for task in shown}
        assert len(set(found.values())) == 4


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_an_index_alone_tells_the_figures_of_the_order() -> None:
    rows = Task.objects.references().filter(project=make_project())
    plan = reference_health.with_figure(rows, "share", in_parts=False).order_by(F("share")).explain()
    assert "COVERING INDEX annotation_scored_of_task" in plan


def test_chosen_references_are_retired_with_one_reason(dora: Client) -> None:
    project = make_project("p")
    one, two, _ = (make_task(project, key=key, truth="success") for key in ("one", "two", "three"))
    form = {"act": "retire", "row": [one.pk, two.pk], "reason": "the video is black"}
    dora.post("/staff/projects/p/references/", form)
    assert set(Task.objects.filter(retired_at__isnull=False)) == {one, two}
    assert AuditEvent.objects.filter(verb="reference.retired", reason="the video is black").count() == 2
    again = dora.post("/staff/projects/p/references/", form, follow=True)
    assert "2 were so already" in again.content.decode()


def test_the_table_is_filtered_by_class_and_state(dora: Client) -> None:
    project = make_project("p")
    make_task(project, key="yes", truth="success")
    gone = make_task(project, key="no", truth="failure")
    references.retire(reference=gone, at=NOON, **WHY)
    address = "/staff/projects/p/references/"
    assert "yes ✓" not in words_of(dora, f"{address}?class=failure")
    assert "no ✕" in words_of(dora, f"{address}?class=failure")
    assert "no ✕" not in words_of(dora, f"{address}?state=served")
    assert "yes ✓" not in words_of(dora, f"{address}?state=retired")
    assert "No reference fits" in words_of(dora, f"{address}?class=both")


def test_the_page_names_workers_with_few_fresh_references(dora: Client, alice: Worker, bob: Worker) -> None:
    project = checked_project(references=12, gates=[])
    worker = Checked(project, alice)
    for _ in range(3):
        worker.answer(right=True)
    make_enrolment(project, bob)
    stock = reference_health.stock(project)
    assert stock.workers == 2
    left = {one: 6 - Annotation.objects.filter(task__truth_class=one).count() for one in (True, False)}
    short = {one: int(left[one] < reference_health.FEW) for one in left}
    assert [tuple(one) for one in stock.classes] == [(one, 6, short[one]) for one in left]
    assert [(row.worker, row.fresh) for row in stock.active] == [(alice, [left[True], left[False]])]
    assert f"direct:alice 3 {left[True]}" in words_of(dora, "/staff/projects/p/references/")
    Enrolment.objects.filter(worker=bob).update(reference_share=0.5)
    assert "1 of 2 workers get fewer than 100 %" in words_of(dora, "/staff/projects/p/references/")
    none = make_enrolment(make_project(), alice).project
    assert [(one.served, one.short) for one in reference_health.stock(none).classes] == [(0, 1), (0, 1)]
