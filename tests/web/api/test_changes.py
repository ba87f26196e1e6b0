"""A part of a resource is changed by `PATCH`, `If-Match` guards what another writer changed, and nothing is dropped by
mistake."""

import json
from decimal import Decimal
from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Project, Task
from audit.models import AuditEvent
from lib.trees.shipped import RATE, shipped_tree
from tests.support.builders import (
    annotate,
    claim,
    make_agent,
    make_project,
    make_qualification,
    make_scenario,
    make_suite,
    make_task,
    make_worker,
    quiz_body,
)
from tests.support.call_world import SCENARIO
from tests.support.calls import problem

FULL = {
    "tool": "marker",
    "title": "P",
    "instructions": ["Mark it."],
    "pay": {"base": {"amount": "0.30", "currency": "EUR"}},
    "budget": {"amount": "12.50", "currency": "EUR"},
    "consent": "We keep nothing.",
    "qualification": "quiz",
    "gates": [{"action": "pause", "below": 0.6, "minimum_n": 5}],
    "status": "live",
}
GUARDED = ("pay", "budget", "consent", "qualification", "gates")

PATCHES: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    (
        "agents/bravo/",
        {"name": "B", "description": "x", "metadata": {"seed": 1, "deep": {"a": 1, "b": 2}}},
        {"description": None, "metadata": {"seed": None, "deep": {"a": 3}}},
        {"name": "B", "description": "", "metadata": {"deep": {"a": 3, "b": 2}}},
    ),
    ("suites/t/", {"title": "T", "description": "x"}, {"title": "U"}, {"title": "U", "description": "x"}),
    ("suites/s/scenarios/lid/", {**SCENARIO, "tags": ["a", "b"]}, {"tags": ["c"]}, {**SCENARIO, "tags": ["c"]}),
    (
        "projects/q/",
        FULL,
        {"pay": {"base": {"amount": "0.40"}}, "approve_after_s": None, "lease_s": None, "gates": None},
        {**FULL, "pay": {"base": {"amount": "0.40", "currency": "EUR"}}, "approve_after_s": None, "gates": []},
    ),
    ("qualifications/other/", quiz_body(), {"attempts": 5}, quiz_body(attempts=5)),
    ("trees/mine/", shipped_tree(RATE), {"title": "Mine"}, {**shipped_tree(RATE), "title": "Mine"}),
    (
        "routes/mine/",
        {"outcome": "nlu_error", "project": "parses", "agents": ["alfa"]},
        {"rate": 0.25},
        {"outcome": "nlu_error", "project": "parses", "agents": ["alfa"], "rate": 0.25},
    ),
]
PATHS = pytest.mark.parametrize(("path", "body", "patch", "after"), PATCHES, ids=[row[0] for row in PATCHES])


@pytest.fixture(autouse=True)
def _world(db: None) -> None:
    make_agent("alfa")
    make_suite("s")
    make_qualification("quiz")
    make_project("parses", tool="parse")


@PATHS
@pytest.mark.parametrize("kind", ["application/merge-patch+json", "application/json"])
def test_a_patch_is_merged_and_put(
    path: str, body: dict[str, Any], patch: dict[str, Any], after: dict[str, Any], kind: str, pipe: APIClient
) -> None:
    url = f"/api/v1/{path}"
    assert problem(_patch(pipe, url, patch, kind))["status"] == 404
    pipe.put(url, body)
    changed = _patch(pipe, url, patch, kind)
    assert changed.status_code == 200
    shown = pipe.get(url).json()
    assert {name: shown[name] for name in after} == after
    assert AuditEvent.objects.filter(verb__endswith=".changed").exists()
    again = _patch(pipe, url, {}, kind)
    assert (again.json(), again["ETag"]) == (changed.json(), changed["ETag"])
    wrong = problem(_patch(pipe, url, {"colour": None}, kind))
    assert (wrong["code"], wrong["errors"][0]["pointer"]) == ("unknown_field", "#/colour")


@PATHS
def test_of_two_writers_who_read_the_same_the_second_is_refused(
    path: str, body: dict[str, Any], patch: dict[str, Any], after: dict[str, Any], pipe: APIClient
) -> None:
    url = f"/api/v1/{path}"
    assert problem(pipe.put(url, body, headers={"If-Match": "*"}))["status"] == 412
    made = pipe.put(url, body)
    tag = pipe.get(url)["ETag"]
    assert tag == made["ETag"]
    assert tag.startswith('"')
    first = pipe.patch(url, patch, headers={"If-Match": f'"other", {tag}'})
    assert first.status_code == 200
    assert first["ETag"] == pipe.get(url)["ETag"] != tag
    for refused in (
        pipe.patch(url, patch, headers={"If-Match": tag}),
        pipe.put(url, body, headers={"If-Match": tag}),
        pipe.patch(url, patch, headers={"If-Match": f"W/{first['ETag']}"}),
    ):
        said = problem(refused)
        assert (said["status"], said["code"]) == (412, "precondition_failed")
        assert "Read it again" in said["detail"]
    assert pipe.get(url)["ETag"] == first["ETag"]
    assert pipe.put(url, body, headers={"If-Match": "*"}).status_code == 200
    assert pipe.get(url)["ETag"] == tag


def test_the_tag_of_a_project_stays_while_work_goes_on(pipe: APIClient) -> None:
    project = make_project("p")
    tag = pipe.get("/api/v1/projects/p/")["ETag"]
    make_task(project)
    annotate(claim(project, make_worker("alice")))
    answer = pipe.get("/api/v1/projects/p/")
    assert answer.json()["progress"]["annotations"] == 1
    assert answer["ETag"] == tag


def test_a_version_takes_the_patch_that_changes_nothing(pipe: APIClient) -> None:
    scenario = make_scenario(make_suite("s"), "lid")
    url = "/api/v1/suites/s/versions/v1/"
    assert problem(pipe.patch(url, {}))["status"] == 404
    pipe.put(url, {})
    assert pipe.patch(url, {}, headers={"If-Match": pipe.get(url)["ETag"]}).status_code == 200
    pipe.patch(f"/api/v1/suites/s/scenarios/{scenario.key}/", {"instruction": "drop the lid"})
    assert problem(pipe.patch(url, {}))["code"] == "conflict"


@pytest.mark.parametrize("status", ["live", "paused"])
def test_a_put_drops_nothing_of_a_running_project_by_mistake(status: str, pipe: APIClient) -> None:
    url, short = "/api/v1/projects/q/", {name: FULL[name] for name in ("tool", "title", "instructions")}
    pipe.put(url, {**FULL, "status": status})
    before = pipe.get(url).json()
    refused = problem(pipe.put(url, {**short, "status": status}))
    assert (refused["status"], refused["code"]) == (422, "would_drop")
    assert [fault["pointer"] for fault in refused["errors"]] == [f"#/{name}" for name in GUARDED]
    assert pipe.get(url).json() == before
    some = problem(pipe.put(url, {**short, "status": status, "pay": None, "gates": []}))
    assert [fault["pointer"] for fault in some["errors"]] == ["#/budget", "#/consent", "#/qualification"]
    meant = pipe.put(url, {**short, "status": status, **dict.fromkeys(GUARDED)})
    assert meant.status_code == 200
    assert {name: meant.json()[name] for name in GUARDED} == {**dict.fromkeys(GUARDED), "gates": []}
    assert pipe.put(url, {**short, "status": status}).status_code == 200


@pytest.mark.parametrize("status", ["draft", "closed"])
def test_a_put_replaces_the_whole_of_a_project_that_does_not_run(status: str, pipe: APIClient) -> None:
    url = "/api/v1/projects/q/"
    pipe.put(url, {**FULL, "status": status})
    short = {name: FULL[name] for name in ("tool", "title", "instructions")}
    assert pipe.put(url, {**short, "status": status}).json()["pay"] is None


# Tasks ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def project() -> Project:
    """A project with an open task, one with an answer, a reference, and an open task that is held."""
    found = make_project("p")
    for key in ("answered", "held", "untouched"):
        make_task(found, key=key)
    make_task(found, key="known", truth="success", truth_s=1.5)
    annotate(claim(found, make_worker("alice")))
    claim(found, make_worker("bob"))
    return found


def test_a_task_that_nobody_answered_is_taken_back_once(project: Project, pipe: APIClient) -> None:
    answered = Task.objects.get(annotations__isnull=False).key
    url = "/api/v1/projects/p/tasks"
    for key in {"answered", "held", "untouched", "known"} - {answered}:
        assert [pipe.delete(f"{url}/{key}/").status_code for _ in range(2)] == [204, 204]
        assert pipe.get(f"{url}/{key}/").json()["status"] == "withdrawn"
    assert problem(pipe.delete(f"{url}/{answered}/"))["code"] == "conflict"
    assert problem(pipe.delete(f"{url}/nothing/"))["status"] == 404
    event = AuditEvent.objects.filter(verb="task.withdrawn").latest("pk")
    assert (event.detail["before"], event.detail["after"]) == ({"status": "open"}, {"status": "withdrawn"})
    withdrawn = pipe.get(f"{url}/?status=withdrawn").json()["results"]
    assert {task["key"] for task in withdrawn} == {"answered", "held", "untouched", "known"} - {answered}
    assert [task["key"] for task in pipe.get(f"{url}/?status=done").json()["results"]] == [answered]
    assert pipe.get("/api/v1/projects/p/").json()["progress"]["tasks"] == 1
    back = {key: pipe.post(f"{url}/{key}/restore/") for key in ("answered", "held", "untouched", "known")}
    assert problem(back.pop("known"))["code"] == "conflict"
    assert {key: answer.json()["status"] for key, answer in back.items()} == {
        key: "done" if key == answered else "open" for key in back
    }
    assert AuditEvent.objects.filter(verb="task.restored").count() == 2


def test_who_holds_a_withdrawn_task_may_hand_it_in_and_is_paid(pipe: APIClient) -> None:
    alone = make_project("alone", base_pay=Decimal("0.10"))
    hold = claim(make_task(alone).project, make_worker("bob"))
    assert pipe.delete(f"/api/v1/projects/alone/tasks/{hold.task.key}/").status_code == 204
    annotate(hold)
    assert hold.worker.enrolments.get().earned == Decimal("0.10")


def test_the_list_of_tasks_shows_what_was_posted_and_what_came_of_it(
    project: Project, pipe: APIClient, django_assert_num_queries: Any
) -> None:
    pipe.get("/api/v1/agents/")
    with django_assert_num_queries(4):
        answer = pipe.get("/api/v1/projects/p/tasks/?page_size=3").json()
    more = pipe.get(answer["next"]).json()["results"]
    found = {task["key"]: task for task in [*answer["results"], *more]}
    assert list(found) == ["answered", "held", "untouched", "known"]
    assert sorted(task["annotations"] for task in found.values()) == [0, 0, 0, 1]
    assert [task["key"] for task in found.values() if task["reference"]] == ["known"]
    assert found["known"]["reference"]["answers"][0]["outcome"] == "success"
    assert problem(pipe.get("/api/v1/projects/p/tasks/?status=lost"))["errors"][0]["pointer"] == "#/status"


def _patch(pipe: APIClient, url: str, patch: dict[str, Any], kind: str) -> Any:
    return pipe.patch(url, json.dumps(patch), content_type=kind)
