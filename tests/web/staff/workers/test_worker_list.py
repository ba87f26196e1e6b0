"""The list of workers: sorted by any column by its index, filtered, in pages, and no more than one may see."""

import re
from datetime import timedelta
from itertools import product
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import GateAction, Membership, Project, Record
from annotation.quality import pauses
from tests.support.builders import NOON, make_enrolment, make_project, make_worker
from tests.support.crowds import Checked, checked_project
from tests.support.pages import cost_of, words_of
from web.staff.workers.worker_list import ORDERS
from workforce.models import Worker

pytestmark = pytest.mark.django_db

ADDRESS = "/staff/workers/"


def asked(**how: Any) -> str:
    return f"{ADDRESS}?{urlencode(how)}"


def measured(project: Project, name: str, **facts: Any) -> Worker:
    """A worker with these numbers in the project and over all."""
    worker = make_worker(name)
    make_enrolment(project, worker)
    Record.objects.filter(worker=worker).update(**facts)
    return worker


def names(client: Client, **how: Any) -> list[str]:
    """The workers on the page, in order."""
    response = client.get(asked(**how))
    assert response.status_code == 200
    return re.findall(r'/staff/workers/\d+/">([^<]+)</a>', response.content.decode())


@pytest.fixture
def project() -> Project:
    return make_project("p")


def field_of(sort: str) -> str:
    """The column of a record by which this order sorts."""
    return ORDERS[sort].parts(Record.objects.all(), True)[0].keys[0]


FACTS: list[dict[str, Any]] = [
    {"submitted": 5, "references": 3, "balanced_accuracy": 0.9, "low": 0.7, "agreement": 0.8, "median_s": 30.0},
    {"submitted": 9, "references": 8, "balanced_accuracy": 0.4, "low": 0.2, "agreement": None, "median_s": 8.0},
    {"submitted": 1, "references": 0, "balanced_accuracy": None, "low": None, "agreement": 0.3, "median_s": None},
]
MORE: list[dict[str, Any]] = [
    {"speed_z": -0.5, "moment_error_s": 0.2, "reported": 0, "drift": 0.0, "last_at": NOON},
    {"speed_z": -4.0, "moment_error_s": 1.9, "reported": 7, "drift": 4.2, "last_at": NOON - timedelta(days=1)},
    {"speed_z": None, "moment_error_s": None, "reported": 2, "drift": None, "last_at": None},
]


def test_each_column_sorts_both_ways_and_who_lacks_it_comes_last(project: Project, dora: Client) -> None:
    facts: dict[str, dict[str, Any]] = {}
    for name, one, two in zip(("ann", "ben", "cid"), FACTS, MORE, strict=True):
        facts[f"direct:{name}"] = {**one, **two}
        measured(project, name, **one, **two)
    # By itself a column sorts in its own order; the other order is asked for in one project.
    for (sort, usual), within in product(ORDERS.items(), ("", "p")):
        order = "" if not within else "asc" if usual.is_descending else "desc"
        values = {name: fact[field_of(sort)] for name, fact in facts.items()}
        falls = usual.is_descending if not order else order == "desc"
        known = [name for name in values if values[name] is not None]
        known.sort(key=values.__getitem__, reverse=falls)
        lacking = [name for name in values if values[name] is None]
        assert names(dora, sort=sort, order=order, project=within) == known + lacking, (sort, order, within)


def test_the_newest_come_first_unless_asked_otherwise(project: Project, dora: Client) -> None:
    for name in ("zoe", "abe"):
        measured(project, name)
    make_worker("not-enrolled")
    assert names(dora) == ["direct:not-enrolled", "direct:abe", "direct:zoe"]
    assert names(dora, project="p") == ["direct:abe", "direct:zoe"]
    assert names(dora, sort="name") == ["direct:abe", "direct:not-enrolled", "direct:zoe"]
    assert names(dora, sort="nonsense", order="sideways") == names(dora)


def test_the_list_is_narrowed_by_everything_at_once_and_alone(project: Project, dora: Client) -> None:
    for name, one in zip(("ann", "benjamin", "cid"), FACTS, strict=True):
        measured(project, name, **one)
    other = make_project("q")
    measured(other, "dan", balanced_accuracy=0.3, references=50)
    blocked = measured(project, "eve", balanced_accuracy=0.35, references=9)
    Worker.objects.filter(pk=blocked.pk).update(status="blocked", blocked_reason="random")
    for sort in ("newest", "accuracy"):
        assert set(names(dora, sort=sort, below=50)) == {"direct:benjamin", "direct:dan", "direct:eve"}
        assert names(dora, sort=sort, below=50, least=10) == ["direct:dan"]
        assert names(dora, sort=sort, status="blocked") == ["direct:eve"]
        assert names(dora, sort=sort, q="benja") == ["direct:benjamin"]
        assert names(dora, sort=sort, project="q") == ["direct:dan"]
        assert names(dora, sort=sort, project="p", below=50, least=9, status="blocked", q="e") == ["direct:eve"]
        assert "No worker fits" in words_of(dora, asked(sort=sort, project="q", status="blocked"))
    for nonsense in ("abc", "-1", "101", "nan", "inf"):
        assert len(names(dora, below=nonsense)) == 5


def test_paused_workers_are_found_and_said_to_be(alice: Worker, bob: Worker, dora: Client) -> None:
    project = checked_project()
    Checked(project, alice).err_until_paused()
    Checked(project, bob).answer(right=True)
    for sort in ("newest", "accuracy"):
        assert names(dora, sort=sort, paused=1) == ["direct:alice"]
    assert "direct:alice active paused" in words_of(dora, ADDRESS)
    pauses.lift(action=GateAction.objects.get(), by="staff:dora", reason="ok", at=timezone.now())
    assert names(dora, paused=1) == []


def test_what_becomes_of_the_answers_is_shown(project: Project, dora: Client) -> None:
    worker = measured(project, "ann")
    Worker.objects.filter(pk=worker.pk).update(weighting="none")
    assert "answers dropped" in words_of(dora, ADDRESS)


def test_every_worker_comes_once_whichever_way_one_turns_the_pages(
    project: Project, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.staff.grid.listing.ROWS", 4)
    for number in range(11):
        value = None if number % 3 == 0 else (number % 5) / 5
        measured(project, f"w{number:03}", balanced_accuracy=value)
    for sort in ("accuracy", "newest", "name", "answers"):
        seen: list[str] = []
        address: str | None = asked(sort=sort)
        while address:
            page = dora.get(address).content.decode()
            seen += re.findall(r"direct:(w\d+)<", page)
            found = re.search(r'rel="next" href="([^"]+)"', page)
            address = ADDRESS + found[1].replace("&amp;", "&") if found else None
        assert len(seen) == len(set(seen)) == 11


def limited(project: Project) -> Client:
    user = User.objects.create_user("vera", is_staff=True)
    Membership.objects.create(user=user, project=project, role="viewer", created_at=NOON)
    client = Client()
    client.force_login(user)
    return client


def test_somebody_of_one_project_sees_its_workers_and_no_number_of_another(alice: Worker, bob: Worker) -> None:
    project, other = checked_project("mine", gates=[]), checked_project("theirs", gates=[])
    Checked(project, alice).answer(right=True)
    for _ in range(6):
        Checked(other, alice).answer(right=False)
    Checked(other, bob).answer(right=True)
    vera = limited(project)
    everything = words_of(vera, ADDRESS)
    assert alice.pseudonym[:8] in everything
    assert bob.pseudonym[:8] not in everything
    assert "alice" not in everything
    assert f"{alice.pseudonym[:8]} active 1 1 –" in everything
    assert names(vera, sort="answers") == names(vera), "no order by numbers over all projects"
    assert names(vera, project="theirs") == names(vera)
    assert names(vera, project="mine", sort="answers") == [alice.pseudonym[:8]]
    Record.objects.filter(worker=alice, project=None).update(balanced_accuracy=0.1, references=9)
    assert names(vera, below=50) == []


# What it costs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{}, {"sort": "accuracy"}, {"sort": "accuracy", "project": "p"}, {"sort": "name"}])
def test_the_list_costs_the_same_for_2_and_6(how: dict[str, str], project: Project, dora: Client) -> None:
    costs = []
    for many in (2, 6):
        while Record.objects.filter(project=project).count() < many:
            measured(project, "", balanced_accuracy=0.5)
        costs.append(cost_of(dora, asked(**how)))
    assert costs[0] == costs[1]


def _analyze() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE annotation_record, workforce_worker")


def plans(client: Client, address: str) -> list[str]:
    """How the database finds each page of rows that the list reads."""
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    picks = [one["sql"] for one in queries if "ORDER BY" in one["sql"] and 'FROM "annotation_record"' in one["sql"]]
    found = []
    with connection.cursor() as cursor:
        for sql in picks:
            cursor.execute(f"{'EXPLAIN' if connection.vendor == 'postgresql' else 'EXPLAIN QUERY PLAN'} {sql}")
            found.append("\n".join(str(row[-1]) for row in cursor.fetchall()))
    return found


@pytest.fixture
def many_workers(db: None) -> Project:
    """Enough rows that a database which may choose its plan by statistics walks the index."""
    project = make_project("p")
    workers = Worker.objects.bulk_create(
        Worker(platform="direct", external_id=f"bulk-{number}", created_at=NOON) for number in range(4000)
    )
    for where in (project, None):
        Record.objects.bulk_create(
            Record(
                worker=worker,
                project=where,
                measured_at=NOON,
                **{
                    field: (NOON + timedelta(seconds=number)) if field == "last_at" else number % 997
                    for field in map(field_of, ORDERS)
                },
            )
            for number, worker in enumerate(workers)
        )
    _analyze()
    return project


@pytest.mark.long
@pytest.mark.parametrize("within", ["", "p"])
def test_no_order_makes_the_database_sort_all_workers(within: str, many_workers: Project, dora: Client) -> None:
    for sort in ORDERS:
        for order in ("asc", "desc"):
            first = dora.get(asked(sort=sort, order=order, project=within)).content.decode()
            following = re.search(r'rel="next" href="([^"]+)"', first)
            assert following is not None
            for address in (
                asked(sort=sort, order=order, project=within),
                ADDRESS + following[1].replace("&amp;", "&"),
            ):
                found = plans(dora, address)
                assert found
                for plan in found:
                    assert f"record_by_{field_of(sort)}" in plan, (sort, order, plan)
                    assert "Sort" not in plan, (sort, order, plan)
                    assert "TEMP B-TREE" not in plan, (sort, order, plan)


@pytest.mark.long
def test_the_newest_of_a_project_are_walked_by_an_index_too(many_workers: Project, dora: Client) -> None:
    for plan in plans(dora, asked(project="p")):
        # Among few projects PostgreSQL may as well walk all records by their ids.
        assert "record_by_beginning" in plan or "annotation_record_pkey" in plan
        assert "Sort" not in plan
        assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize(("tool", "is_said"), [("marker", False), ("parse", True), ("voxels", True)])
def test_where_truth_is_more_than_yes_or_no_the_list_says_so(tool: str, is_said: bool, dora: Client) -> None:
    project = make_project("said", tool=tool)
    make_enrolment(project, make_worker("ann"))
    page = dora.get(asked(project="said")).content.decode()
    assert "ann" in page
    assert ("more than yes or no" in page) == is_said
