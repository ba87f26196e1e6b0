"""A blocked worker's answers with full weight, half of it or none, and the effect on tasks."""

from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from annotation.consensus.consensus import FIT
from annotation.consensus.rater_fit import refit
from annotation.consensus.reweighing import reweigh
from annotation.models import Annotation, Consensus, Fit, Project, Rater, Task
from audit.models import AuditEvent
from jobs import outbox
from jobs.models import Job
from tests.support.builders import NOON, annotate, claim, make_project, make_worker
from tests.support.calls import lines
from tests.support.crowds import check, hold_on, insert_answers, post_many, say
from workforce import blocking
from workforce.blocking import REWEIGH
from workforce.models import Worker

pytestmark = pytest.mark.django_db

W = Worker.Weighting
LONG_AGO = NOON.replace(year=2020)
"""Before the clock that background jobs look at."""


def weigh(worker: Worker, weighting: Worker.Weighting) -> None:
    """Choose, and let the background do its part."""
    blocking.set_weighting(worker=worker, weighting=weighting, by="staff:dora", at=NOON)
    run_jobs(REWEIGH)
    worker.refresh_from_db()


def run_jobs(kind: str) -> None:
    for pk in list(Job.objects.unfinished().filter(kind=kind).values_list("pk", flat=True)):
        Job.objects.filter(pk=pk).update(due_at=LONG_AGO)
        assert outbox.run(pk)
    assert not Job.objects.failed().exists()


def state(task: Task) -> tuple[str, int, bool]:
    task.refresh_from_db()
    return task.status, task.slots_left, task.open


def outcome(task: Task) -> tuple[str | None, int, bool] | None:
    """The task's merged outcome, its number of answers, and True if it is settled; None without a consensus."""
    row = Consensus.objects.filter(task=task).first()
    return None if row is None else (row.answer["outcome"], row.annotations, row.settled_at is not None)


def judged_by(worker: Worker, project: Project) -> Task:
    """A task that the worker said failed and two others said succeeded, or one other where fewer are wanted."""
    [task] = post_many(project, 1)
    annotate(hold_on(task, worker), outcome="failure")
    say(task, *["success"] * (project.redundancy - 1))
    return task


def test_dropped_answers_leave_their_slots_to_others(alice: Worker, pipe: APIClient) -> None:
    project = make_project(redundancy=2)
    task, alone = judged_by(alice, project), judged_by(alice, make_project())
    assert outcome(task) == (None, 2, True)
    weigh(alice, W.NONE)
    assert state(task) == ("open", 1, True)
    assert outcome(task) == ("success", 1, False)
    assert (state(alone), outcome(alone)) == (("open", 1, True), None)
    with pytest.raises(AssertionError):
        claim(project, alice)
    say(task, "success")
    assert (state(task), outcome(task)) == (("done", 0, False), ("success", 2, True))
    assert len(lines(pipe.get(f"/api/v1/projects/{project.slug}/annotations.jsonl"))) == 3, "the export hides nothing"
    check(project)
    weigh(alice, W.FULL)
    assert (state(task), outcome(task)) == (("done", 0, False), ("success", 3, True))
    assert (state(alone), outcome(alone)) == (("done", 0, False), ("failure", 1, True))


def test_reduced_answers_are_half_votes(alice: Worker) -> None:
    task = judged_by(alice, make_project(redundancy=2))
    weigh(alice, W.REDUCED)
    assert outcome(task) == ("success", 2, True)
    assert Consensus.objects.get(task=task).confidence == pytest.approx(2 / 3)
    weigh(alice, W.FULL)
    assert outcome(task) == (None, 2, True)


def test_a_hold_of_a_dropped_worker_keeps_its_slot_and_its_answer_fills_none(alice: Worker) -> None:
    project = make_project(redundancy=1, base_pay="0.30")
    [task] = post_many(project, 1)
    held = hold_on(task, alice)
    weigh(alice, W.NONE)
    assert state(task) == ("open", 0, False)
    annotate(held, outcome="failure")
    assert (state(task), outcome(task)) == (("open", 1, True), None)
    assert alice.ledger.count() == 1, "paid all the same"
    assert claim(project, make_worker()).task == task


def test_a_fit_forgets_whom_it_drops_and_halves_whom_it_doubts(alice: Worker) -> None:
    project = make_project(redundancy=3, consensus_method="dawid_skene")
    tasks = post_many(project, 12)
    others = [make_worker() for _ in range(2)]
    insert_answers(project, [(task, worker, "success") for task in tasks for worker in others])
    insert_answers(project, [(task, alice, "failure" if index % 2 else "success") for index, task in enumerate(tasks)])
    refit(project_id=project.pk, at=LONG_AGO)

    def doubted() -> float:
        return Consensus.objects.get(task=tasks[1]).confidence

    whole = doubted()
    weigh(alice, W.REDUCED)
    assert doubted() > whole, "a tempered likelihood, at once"
    run_jobs(FIT)
    assert Rater.objects.filter(worker=alice).exists()
    weigh(alice, W.NONE)
    assert {state(task)[0] for task in tasks} == {"open"}
    run_jobs(FIT)
    assert not Rater.objects.filter(worker=alice).exists()
    assert Fit.objects.get().annotations == 24


def test_it_follows_into_every_project_and_running_it_again_changes_nothing(
    alice: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.consensus.reweighing.BATCH", 2)
    tasks = [judged_by(alice, project) for project in (make_project(redundancy=2), make_project(redundancy=2))]
    tasks += [judged_by(alice, tasks[0].project) for _ in range(4)]
    reported: list[float] = []
    Worker.objects.filter(pk=alice.pk).update(weighting=W.NONE)
    assert reweigh(worker_id=alice.pk, at=NOON, report=reported.append) == 6
    assert reported == sorted(reported)
    assert reported[-1] == 1
    assert {state(task)[0] for task in tasks} == {"open"}
    before = list(Task.objects.order_by("pk").values()), list(Consensus.objects.order_by("pk").values())
    reweigh(worker_id=alice.pk, at=NOON.replace(year=2027))
    assert (list(Task.objects.order_by("pk").values()), list(Consensus.objects.order_by("pk").values())) == before


def test_a_batch_costs_the_same_however_many_tasks_it_has(alice: Worker, django_assert_max_num_queries: Any) -> None:
    project = make_project(redundancy=2)
    tasks = post_many(project, 40)
    insert_answers(project, [(task, worker, "success") for task in tasks for worker in (alice, make_worker("other"))])
    reweigh(worker_id=alice.pk, at=NOON)
    Worker.objects.filter(pk=alice.pk).update(weighting=W.NONE)
    with django_assert_max_num_queries(18):
        reweigh(worker_id=alice.pk, at=NOON)
    assert {state(task)[0] for task in tasks} == {"open"}


# Through pages and the API -----------------------------------------------------------------------------------------


def test_a_project_that_changes_its_method_renews_every_consensus(pipe: APIClient) -> None:
    def put(**changes: Any) -> None:
        body = {"tool": "marker", "title": "J", "instructions": ["Mark it."], "redundancy": 2, "status": "live"}
        assert pipe.put("/api/v1/projects/judge/", {**body, **changes}).status_code in (200, 201)

    put()
    [task] = post_many(Project.objects.get(), 1)
    say(task, "success", "success")
    assert Consensus.objects.get().method == "majority"
    assert not Job.objects.filter(kind=FIT).exists()
    put(aggregation={"method": "dawid_skene"})
    run_jobs(FIT)
    found = Consensus.objects.get()
    assert (found.method, found.annotations) == ("dawid_skene", 2)
    assert 0.5 < found.confidence < 1


@pytest.mark.parametrize(
    ("body", "weighting"),
    [
        ({}, "full"),
        ({"annotations": "down_weight"}, "reduced"),
        ({"annotations": "drop"}, "none"),
    ],
)
def test_a_block_sets_the_weight_of_the_answers(
    body: dict[str, str], weighting: str, pipe: APIClient, alice: Worker
) -> None:
    for _ in range(2):
        assert pipe.post("/api/v1/workers/direct/alice/block/", {"reason": "spam", **body}).status_code == 200
    alice.refresh_from_db()
    assert (alice.status, alice.weighting) == ("blocked", weighting)
    verbs = list(AuditEvent.objects.filter(subject_kind="worker").order_by("pk").values_list("verb", flat=True))
    assert verbs == ["worker.blocked"] + (["worker.weighting"] if weighting != "full" else [])
    assert Job.objects.filter(kind=REWEIGH).count() == (weighting != "full")


def test_a_second_block_changes_the_choice_and_one_without_a_choice_leaves_it(pipe: APIClient, alice: Worker) -> None:
    def block(**choice: str) -> str:
        return str(pipe.post("/api/v1/workers/direct/alice/block/", {"reason": "r", **choice}).json()["annotations"])

    chosen = [block(annotations="drop"), block(), block(annotations="down_weight"), block(annotations="keep")]
    assert chosen == ["drop", "drop", "down_weight", "keep"]
    assert pipe.post("/api/v1/workers/direct/alice/block/", {"reason": "r", "annotations": "burn"}).status_code == 422


def test_staff_choose_on_the_workers_page(dora: Client, alice: Worker) -> None:
    page = f"/staff/workers/{alice.pk}/"

    def chosen() -> tuple[str, str]:
        alice.refresh_from_db()
        assert f'value="{alice.weighting}" checked' in dora.get(page).content.decode()
        return alice.status, alice.weighting

    assert chosen() == ("active", "full")
    assert dora.post(f"{page}block/", {"reason": "spam", "weighting": "none"}).status_code == 302
    assert chosen() == ("blocked", "none")
    dora.post(f"{page}weighting/", {"weighting": "reduced"})
    assert chosen() == ("blocked", "reduced")
    dora.post(f"{page}unblock/")
    assert chosen() == ("active", "full")


def test_staff_cannot_set_an_unknown_weight(dora: Client, alice: Worker, charlie: Worker) -> None:
    assert dora.post(f"/staff/workers/{charlie.pk}/weighting/", {"weighting": "double"}).status_code == 422
    assert dora.post(f"/staff/workers/{charlie.pk}/weighting/").status_code == 422
    assert dora.post(f"/staff/workers/{alice.pk}/weighting/", {"weighting": "none"}).status_code == 409
    assert set(Worker.objects.values_list("weighting", flat=True)) == {"full"}
    assert not Annotation.objects.exists()


def test_a_provisional_consensus_is_shown_to_staff_as_such(dora: Client) -> None:
    project = make_project(redundancy=2)
    [task] = post_many(project, 1)
    say(task, "success")
    assert "provisional" in dora.get(f"/staff/projects/{project.slug}/").content.decode()
    say(task, "success")
    assert "provisional" not in dora.get(f"/staff/projects/{project.slug}/").content.decode()
