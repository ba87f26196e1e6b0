"""The draw of references: both classes, every reference about as often, at the cost of an ordinary task."""

import re
from collections import Counter
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Project, Task
from annotation.work.claims import claim_next
from annotation.work.reference_draw import fresh_reference
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    make_enrolment,
    make_project,
    make_task,
)
from tests.support.crowds import fresh, make_enrolments, post_many
from workforce.models import Worker

pytestmark = pytest.mark.django_db


def met_by(project: Project, workers: int, *, each: int, seed: int) -> Counter[Task]:
    """The number of draws of each reference, where every worker gives back each one."""
    chance, met = Random(seed).random, Counter[Task]()
    for enrolment in make_enrolments(project, workers):
        for _ in range(each):
            task = fresh_reference(enrolment, chance=chance)
            assert task is not None
            met[task] += 1
            Assignment.objects.create(
                task=task,
                worker=enrolment.worker,
                status=Assignment.Status.RELEASED,
                claimed_at=NOON,
                lease_expires_at=NOON,
                closed_at=NOON,
            )
    return met


def test_both_classes_are_met_equally_whatever_there_is_more_of() -> None:
    project = make_project()
    post_many(project, 60, truth="success")
    post_many(project, 20, truth="failure")
    met = met_by(project, 20, each=8, seed=5)
    successes = sum(n for task, n in met.items() if task.truth_class)
    # A fair coin, 160 times: beyond 4 standard deviations (25) once in 16,000 seeds, and this one is fixed.
    assert 80 - 25 <= successes <= 80 + 25


def test_where_one_class_has_run_out_the_other_comes_and_then_references_without_a_class(alice: Worker) -> None:
    project = make_project(reference_rate=1.0)
    post_many(project, 1)
    post_many(project, 2, truth="success")
    both = make_task(project, truth="success")
    both.truth.answers = [{"outcome": "success"}, {"outcome": "failure"}]
    both.truth.save()
    Task.objects.filter(pk=both.pk).update(truth_class=None)
    seen: list[bool | str | None] = []
    for _ in range(4):
        annotate(held := claim(project, alice, chance=lambda: 0.99 if seen else 0.0))
        seen.append(held.task.truth_class if held.task.is_reference else "ordinary")
    assert seen == [True, True, None, "ordinary"]


@pytest.mark.parametrize("shuffles", ["even", "clumped"])
def test_a_wide_gap_on_the_index_makes_no_reference_a_favourite(shuffles: str) -> None:
    project = make_project()
    tasks = post_many(project, 20, truth="success")
    for number, task in enumerate(tasks):
        # Clumped: a draw of the first after a random place would take the first nearly always.
        place = number / 20 if shuffles == "even" else 0.9 + number / 10_000
        Task.objects.filter(pk=task.pk).update(shuffle=place)
    met = met_by(project, 40, each=5, seed=7)
    assert set(met) == set(tasks)
    expected = 200 / 20
    chi_square = sum((met[task] - expected) ** 2 / expected for task in tasks)
    assert chi_square < 43.8, "the 99.9 % point of chi-square with 19 degrees of freedom"


@pytest.mark.long
def test_among_more_than_are_read_none_is_met_much_more_than_another() -> None:
    project = make_project()
    tasks = post_many(project, 80, truth="failure")
    met = met_by(project, 64, each=10, seed=11)
    assert len(met) == len(tasks)
    assert max(met.values()) < 3 * 8


def test_the_first_tasks_of_a_worker_have_a_rate_of_their_own(alice: Worker) -> None:
    project = make_project(reference_rate=0.0, start_tasks=3, start_reference_rate=1.0)
    post_many(project, 4)
    post_many(project, 4, truth="success")
    seen = []
    for _ in range(5):
        annotate(held := claim(project, alice))
        seen.append(held.task.is_reference)
    assert seen == [True, True, True, False, False]


def test_a_claim_makes_the_same_queries_for_a_reference_and_for_a_task(alice: Worker) -> None:
    project = make_project(reference_rate=0.5)
    post_many(project, 5)
    post_many(project, 5, truth="success")
    make_enrolment(project, alice)
    asked = {}
    for is_reference, first in ((True, 0.0), (False, 0.99)):
        draws = iter([first, 0.3, 0.3, 0.3])
        enrolment = fresh(make_enrolment(project, alice))
        with CaptureQueriesContext(connection) as queries:
            held = claim_next(enrolment=enrolment, at=NOON, chance=draws.__next__)
        assert held is not None
        assert held.task.is_reference is is_reference
        statements = [one["sql"] for one in queries if "SAVEPOINT" not in one["sql"]]
        asked[is_reference] = [re.sub(r"'[^']*'|\d+(\.\d+)?|true|false|NULL", "?", sql) for sql in statements]
        held.delete()
    assert len(asked[True]) > 5
    assert asked[True] == asked[False]
