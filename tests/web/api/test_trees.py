"""`/trees/`: put, read back, listed; refused with a pointer to each fault."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from agents.models import ApiKey
from audit.models import AuditEvent
from routing.models import TreeVersion
from tests.support.calls import problem
from tests.support.trees import SMALL

URL = "/api/v1/trees/small/"
OTHER = {**SMALL, "title": "Other"}


def test_put_makes_a_version_only_of_what_is_new(pipe: APIClient) -> None:
    assert problem(pipe.get(URL))["code"] == "not_found"
    for content, status, version in [(SMALL, 201, 1), (SMALL, 200, 1), (OTHER, 200, 2), (SMALL, 200, 3)]:
        answer = pipe.put(URL, content)
        assert (answer.status_code, answer.json()) == (status, {"slug": "small", "version": version})
    assert AuditEvent.objects.filter(subject_kind="tree", actor=f"key:{ApiKey.objects.get()}").count() == 3


def test_what_get_gives_can_be_put_back(pipe: APIClient) -> None:
    pipe.put(URL, OTHER)
    shown = pipe.get(URL).json()
    assert shown == {"slug": "small", "version": 1, **OTHER}
    back = {name: value for name, value in shown.items() if name not in {"slug", "version"}}
    assert pipe.put(URL, back).json()["version"] == 1


def test_the_name_and_the_version_are_not_the_posters_to_say(pipe: APIClient) -> None:
    answer = problem(pipe.put(URL, {**SMALL, "slug": "other", "version": 7}))
    assert (answer["status"], answer["code"]) == (422, "unknown_field")
    assert [fault["pointer"] for fault in answer["errors"]] == ["#/slug", "#/version"]


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({"title": "", "start": "nowhere"}, ["#/start", "#/title"]),
        ({"title": "NUL \0"}, ["#/title"]),
        ({"nodes": {"done": {"ask": "?", "choices": []}}}, ["#/nodes/done/choices"]),
        (
            {"nodes": {"done": {"ask": "?", "choices": [{"label": "Again", "next": "done"}, {"label": "Off"}]}}},
            ["#/nodes/done/choices/0/next", "#/nodes/done/choices/1"],
        ),
        ({"nodes": {**SMALL["nodes"], "a/b": SMALL["nodes"]["why"]}}, ["#/nodes/a~1b", "#/nodes/a~1b"]),
    ],
)
def test_each_fault_is_pointed_at(changes: dict[str, Any], pointers: list[str], pipe: APIClient) -> None:
    answer = problem(pipe.put(URL, {**SMALL, **changes}))
    assert (answer["status"], answer["code"]) == (422, "invalid")
    assert sorted(fault["pointer"] for fault in answer["errors"]) == pointers
    assert not TreeVersion.objects.exists()


def test_an_unknown_field_deep_inside_is_named(pipe: APIClient) -> None:
    nodes = {**SMALL["nodes"], "why": {**SMALL["nodes"]["why"], "colour": "red"}}
    answer = problem(pipe.put(URL, {**SMALL, "nodes": nodes}))
    assert (answer["code"], answer["errors"][0]["pointer"]) == ("unknown_field", "#/nodes/why/colour")


@pytest.mark.parametrize("rows", [2, 6])
def test_the_list_has_each_tree_once_in_its_last_version_for_three_queries(
    rows: int, pipe: APIClient, django_assert_num_queries: Any
) -> None:
    for number in range(rows):
        for content in (SMALL, OTHER):
            pipe.put(f"/api/v1/trees/t{number}/", content)
    with django_assert_num_queries(3):
        found = pipe.get("/api/v1/trees/").json()["results"]
    assert found == [{"slug": f"t{number}", "version": 2, **OTHER} for number in range(rows)]


def test_the_list_walks_forward_and_back_through_pages(pipe: APIClient) -> None:
    assert pipe.get("/api/v1/trees/").json() == {"next": None, "previous": None, "results": []}
    for slug in "abcde":
        pipe.put(f"/api/v1/trees/{slug}/", SMALL)
    first = pipe.get("/api/v1/trees/?page_size=2").json()
    second = pipe.get(first["next"]).json()
    pipe.put("/api/v1/trees/a/", OTHER)
    third = pipe.get(second["next"]).json()
    pages = [[tree["slug"] for tree in page["results"]] for page in (first, second, third)]
    assert pages == [["a", "b"], ["c", "d"], ["e"]]
    assert pipe.get(third["previous"]).json() == second
