"""Rows that are written as values are those that the models would have written."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import IntegrityError
from django.forms.models import model_to_dict
from pytest_django import DjangoAssertNumQueries

from annotation.models import Task
from common.data.bulk_insert import TOGETHER, insert_rows
from tests.support.builders import NOON, make_project, make_staff

pytestmark = pytest.mark.django_db
EACH: dict[str, list[Any]] = {
    "key": ["a", "b"],
    "payload": [{"scene": "é", "list": [1, 2.5, None]}, {}],
    "own_redundancy": [None, 2],
}
SAME: dict[str, Any] = {"digest": "d", "wanted": 1, "slots_left": 1, "shuffle": 0.5, "created_at": NOON}


def _rows(slug: str) -> list[dict[str, Any]]:
    left_out = ("id", "project")
    tasks = Task.objects.filter(project__slug=slug).order_by("pk")
    return [
        {"stored": [task.created_at, task.digest, task.shuffle], **model_to_dict(task, exclude=left_out)}
        for task in tasks
    ]


def test_a_row_is_the_one_that_the_model_writes() -> None:
    insert_rows(Task, EACH, project_id=make_project("p").pk, **SAME)
    other = make_project("q")
    columns = [dict(zip(EACH, values, strict=True)) for values in zip(*EACH.values(), strict=True)]
    Task.objects.bulk_create(Task(project=other, **own, **SAME) for own in columns)
    assert _rows("p") == _rows("q")
    assert [row["key"] for row in _rows("p")] == ["a", "b"]


def test_columns_that_are_alike_in_many_rows_are_stored_as_in_few() -> None:
    keys = [f"t{number}" for number in range(TOGETHER)]
    mixed = [True, 1] * (TOGETHER // 2)
    each: dict[str, list[Any]] = {
        "key": keys,
        "payload": mixed,
        "own_redundancy": [None] * TOGETHER,
        "priority": [3] * TOGETHER,
    }
    insert_rows(Task, each, project_id=make_project("p").pk, **SAME)
    project = make_project("q")
    for row in range(TOGETHER):
        insert_rows(Task, {name: values[row : row + 1] for name, values in each.items()}, project_id=project.pk, **SAME)
    assert _rows("p") == _rows("q")
    assert [type(row["payload"]) for row in _rows("p")] == [bool, int] * (TOGETHER // 2)


@pytest.mark.parametrize(("rows", "queries"), [(0, 0), (1, 1), (50, 1), (1000, 1), (1001, 2)])
def test_any_number_of_rows_is_two_statements_at_most(
    rows: int, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    project = make_project()
    keys = [f"t{number}" for number in range(rows)]
    with django_assert_num_queries(queries):
        insert_rows(Task, {"key": keys, "payload": [{}] * rows}, project_id=project.pk, **SAME)
    assert list(Task.objects.order_by("pk").values_list("key", flat=True)) == keys


def test_rows_that_are_alike_in_all_columns_reach_the_database() -> None:
    """Which refuses these, for a user is in a group once."""
    user, group = make_staff("dora").pk, Group.objects.create(name="g").pk
    with pytest.raises(IntegrityError):
        insert_rows(User.groups.through, {"user_id": [user] * TOGETHER}, group_id=group)


def test_columns_that_do_not_fit_are_refused() -> None:
    project = make_project()
    with pytest.raises(TypeError, match="has no columns nothing, project"):
        insert_rows(Task, EACH, nothing=1, project=project)
    with pytest.raises(ValueError, match="too many values"):
        insert_rows(Task, {**EACH, "key": ["a"]}, project_id=project.pk, **SAME)
    assert not Task.objects.exists()
