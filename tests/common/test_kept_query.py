"""A kept query answers like the query set that it keeps, each time with other values, in every thread."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import BigIntegerField, CharField, DateTimeField, Exists, OuterRef, QuerySet
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Consensus, Enrolment, Task
from annotation.models.tasks import one_of
from common.kept_query import KeptForOne, KeptInsert, KeptQuery, KeptRefresh, KeptUpdate
from tests.support.builders import NOON, claim, make_project, make_task, make_worker
from tests.support.crowds import race

ID, TEXT, MOMENT = BigIntegerField(), CharField(), DateTimeField()
Rows = QuerySet[Any, Any]


def enrolled_by(worker: int, at: datetime) -> Rows:
    return Enrolment.objects.select_related("project", "worker").filter(worker=worker, created_at__lte=at)


def holds_of(worker: int, at: datetime) -> Rows:
    return Assignment.objects.current(at=at).filter(worker=worker).values_list("task__key", "claimed_at")


def tasks_marked_for(worker: int, at: datetime) -> Rows:
    theirs = Assignment.objects.filter(worker_id=worker)
    tasks = Task.objects.filter(created_at__lte=at).order_by("-key")[:3]
    return tasks.annotate(held=one_of(theirs)).values_list("key", "held", Exists(theirs.filter(task=OuterRef("pk"))))


def both_ends_of(worker: int, at: datetime) -> Rows:
    theirs = Assignment.objects.filter(worker=worker)
    return theirs.current(at=at).union(theirs.filter(closed_at__lte=at), all=True).values_list("pk", flat=True)


MADE = [enrolled_by, holds_of, tasks_marked_for, both_ends_of]


@pytest.fixture
def workers() -> list[int]:
    """Two workers who hold a task each, and one who does not work here."""
    project = make_project()
    for key in ("a", "b", "c"):
        make_task(project, key=key)
    workers = [make_worker() for _ in range(3)]
    for worker in workers[:2]:
        claim(project, worker)
    return [worker.pk for worker in workers]


@pytest.mark.django_db
@pytest.mark.parametrize("make", MADE)
def test_it_finds_what_the_plain_query_finds_in_one_query(make: Callable[..., Rows], workers: list[int]) -> None:
    kept = KeptQuery(make, worker=ID, at=MOMENT)
    for worker in [*workers, *workers]:
        plain = list(make(worker, NOON))
        with CaptureQueriesContext(connection) as queries:
            assert kept.rows(worker=worker, at=NOON) == plain
        assert len(queries) == 1
        assert kept.first(worker=worker, at=NOON) == (plain[0] if plain else None)


@pytest.mark.django_db
def test_objects_come_with_those_that_the_query_set_names(workers: list[int]) -> None:
    kept = KeptQuery(enrolled_by, worker=ID, at=MOMENT)
    for worker in workers[:2]:
        [found] = kept.rows(worker=worker, at=NOON)
        with CaptureQueriesContext(connection) as queries:
            assert (found.worker.pk, found.project.tool) == (worker, "marker")
        assert not queries


@pytest.mark.django_db
@pytest.mark.parametrize("chosen", [[0], [1], [2], [0, 1], [2, 1, 0], []])
def test_one_id_and_several_are_answered_alike(chosen: list[int], workers: list[int]) -> None:
    kept = KeptForOne(lambda: Assignment.objects.order_by("pk").values_list("worker_id", flat=True), by="worker")
    assert kept.rows([workers[index] for index in chosen]) == [workers[index] for index in sorted(chosen) if index < 2]


@pytest.mark.django_db
def test_a_refresh_reads_its_columns_again_and_no_others(workers: list[int]) -> None:
    held = Assignment.objects.get(worker=workers[0])
    Assignment.objects.update(status="submitted", closed_at=NOON, draft={"frame": 3}, slot_of=None)
    KeptRefresh(Assignment.objects.select_for_update(), "status", "closed_at", "slot_of_id").read(held)
    assert (held.status, held.closed_at, held.slot_of, held.draft) == ("submitted", NOON, None, None)


Values = dict[str, Any]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "changes",
    [
        {"closed_at": NOON, "status": "submitted", "slot_of_id": None, "draft": {"frame": 3}},
        {"draft": None, "problem_text": "100 %s"},
        {"draft": [None, True, 1.5]},
    ],
)
def test_an_update_writes_what_the_plain_one_writes(changes: Values, workers: list[int]) -> None:
    kept = KeptUpdate(lambda worker: Assignment.objects.filter(worker=worker), worker=ID)
    fresh = Assignment.objects.values(*changes).get(worker=workers[1])
    for worker in workers[:1] * 2:
        Assignment.objects.filter(worker=worker).update(**changes)
        plain = Assignment.objects.values(*changes).get(worker=worker)
        Assignment.objects.filter(worker=worker).update(**fresh)
        with CaptureQueriesContext(connection) as queries:
            assert kept.run(changes, worker=worker) == 1
        assert len(queries) == 1
        assert Assignment.objects.values(*changes).get(worker=worker) == plain
    assert Assignment.objects.values(*changes).get(worker=workers[1]) == fresh
    assert kept.run(changes, worker=workers[2]) == 0


@pytest.mark.django_db
def test_an_update_adds_to_columns(workers: list[int]) -> None:
    kept = KeptUpdate(lambda worker: Enrolment.objects.filter(worker=worker), worker=ID)
    for pay in ("0.10", "0.2001", "0"):
        assert kept.run({"arm": pay}, more={"submitted": 2, "earned": Decimal(pay)}, worker=workers[0]) == 1
    found = list(Enrolment.objects.order_by("worker").values_list("submitted", "earned", "arm"))
    assert found[:2] == [(6, Decimal("0.3001"), "0"), (0, Decimal(0), "")]


@pytest.mark.django_db
def test_an_update_leaves_a_value_that_is_there_where_it_is_only_for_rows_without_one(workers: list[int]) -> None:
    kept = KeptUpdate(lambda project: Task.objects.filter(project=project), project=ID)
    closed = Task.objects.get(key="a")
    Task.objects.filter(pk=closed.pk).update(status="done", open=False, closed_at=NOON)
    later = NOON + timedelta(hours=1)
    for _ in range(2):
        assert (
            kept.run({"status": "done", "open": False}, where_null={"closed_at": later}, project=closed.project_id) == 3
        )
    found = Task.objects.order_by("key").values_list("status", "closed_at")
    assert list(found) == [("done", NOON), ("done", later), ("done", later)]


@pytest.mark.django_db
@pytest.mark.parametrize("draft", [None, {"frame": 3, "said": "100 %s"}])
def test_an_insert_writes_what_the_model_writes(draft: Any, workers: list[int]) -> None:
    kept = KeptInsert(Assignment)
    task = Task.objects.get(key="c")

    def hold(worker: int) -> Assignment:
        return Assignment(
            task=task, slot_of=task, worker_id=worker, claimed_at=NOON, lease_expires_at=NOON, draft=draft
        )

    plain = hold(workers[0])
    plain.save(force_insert=True)
    for worker in workers[1:]:
        with CaptureQueriesContext(connection) as queries:
            made = kept.run(hold(worker))
        assert len(queries) == 1
        stored = Assignment.objects.get(pk=made.pk)
        own = ("id", "public_id", "worker_id")
        columns = [one.attname for one in Assignment._meta.concrete_fields]
        assert [getattr(made, name) for name in columns] == [getattr(stored, name) for name in columns]
        columns = [name for name in columns if name not in own]
        assert [getattr(stored, name) for name in columns] == [getattr(plain, name) for name in columns]
        made.save()
    assert Assignment.objects.filter(task=task).count() == 3, "a row that was inserted is saved again as the same row"


@pytest.mark.django_db
def test_an_insert_changes_the_named_columns_of_the_row_that_is_there(workers: list[int]) -> None:
    kept = KeptInsert(Consensus, over="task", changes=["answer", "updated_at"])
    task = Task.objects.get(key="a")

    def consensus(answer: str, confidence: float) -> Consensus:
        values = {"answer": {"outcome": answer}, "method": "majority", "confidence": confidence}
        return Consensus(task=task, project_id=task.project_id, annotations=1, updated_at=NOON, **values)

    kept.run(consensus("success", 0.5))
    kept.run(consensus("failure", 0.75))
    assert list(Consensus.objects.values_list("answer", "confidence")) == [({"outcome": "failure"}, 0.5)]


@pytest.mark.django_db
def test_an_insert_that_fails_ends_its_transaction(workers: list[int]) -> None:
    task = Task.objects.get(key="a")
    with transaction.atomic():
        with pytest.raises(IntegrityError):
            KeptInsert(Assignment).run(Assignment(task=task, worker_id=workers[0], claimed_at=NOON, status="held"))
        assert transaction.get_rollback()


@pytest.mark.django_db
def test_an_update_that_fails_ends_its_transaction(workers: list[int]) -> None:
    kept = KeptUpdate(lambda worker: Assignment.objects.filter(worker=worker), worker=ID)
    with transaction.atomic():
        with pytest.raises(IntegrityError):
            kept.run({"status": "submitted"}, worker=workers[0])
        assert transaction.get_rollback()


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["%s", "a' OR '1'='1", "a"])
def test_a_value_is_a_value_whatever_is_written_in_it(key: str, workers: list[int]) -> None:
    kept = KeptQuery(lambda key: Task.objects.filter(key=key).values_list("key", flat=True), key=TEXT)
    assert kept.rows(key=key) == (["a"] if key == "a" else [])


@pytest.mark.django_db(transaction=True)
def test_threads_that_run_it_at_once_each_get_their_own_rows(workers: list[int]) -> None:
    kept = KeptQuery(holds_of, worker=ID, at=MOMENT)
    expected = [list(holds_of(worker, NOON)) for worker in workers]
    found = race(*(partial(kept.rows, worker=worker, at=NOON) for worker in workers * 4))
    assert found == expected * 4
