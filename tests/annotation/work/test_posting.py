"""Tasks are posted all or none, and posting them again is harmless."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotation.models import Consensus, Project, Task, Truth
from annotation.work.posting import MOST_AT_ONCE, post_tasks
from tests.support.builders import NOON, annotate, claim, make_episode, make_project, make_worker
from tests.support.calls import problem
from tests.support.tool_workers import HOUSE_FORM, make_parse_project

MOST_QUERIES = 18
"""The guesses that references of commands show are one of them."""
REFERENCE = {"answers": [{"outcome": "success", "frame": 25}, {"outcome": "failure"}], "tolerance_s": 0.5}


@pytest.fixture
def project(db: None) -> Project:
    for name in ("e", "f"):
        make_episode(external_id=name)
    make_episode(external_id="not-ready", is_ready=False)
    return make_project("p")


def _task(key: str = "t", **changes: Any) -> dict[str, Any]:
    return {"key": key, "payload": {"episode": "e"}, **changes}


def _post(pipe: APIClient, *tasks: dict[str, Any]) -> Any:
    return pipe.post("/api/v1/projects/p/tasks/", {"tasks": list(tasks)})


def test_tasks_are_made_once(pipe: APIClient, project: Project) -> None:
    assert _post(pipe, _task("a"), _task("b")).json() == {"created": 2, "unchanged": 0}
    assert _post(pipe, _task("a"), _task("b")).json() == {"created": 0, "unchanged": 2}
    assert _post(pipe, _task("c"), _task("b")).json() == {"created": 1, "unchanged": 1}
    assert _post(pipe).json() == {"created": 0, "unchanged": 0}
    assert list(project.tasks.order_by("pk").values_list("key", flat=True)) == ["a", "b", "c"]


def test_equal_is_meant_with_the_defaults_applied(pipe: APIClient, project: Project) -> None:
    _post(pipe, _task(), _task("r", reference=REFERENCE))
    again = _post(
        pipe,
        {"redundancy": None, "reference": None, "priority": 0, "payload": {"episode": "e"}, "key": "t"},
        _task("r", reference=dict(reversed(REFERENCE.items()))),
    )
    assert again.json() == {"created": 0, "unchanged": 2}


@pytest.mark.parametrize(
    "changes",
    [
        {"payload": {"episode": "f"}},
        {"priority": 1},
        {"redundancy": 2},
        {"reference": {"answers": [{"outcome": "success"}]}},
        {"reference": {**REFERENCE, "tolerance_s": 0.6}},
    ],
    ids=str,
)
def test_other_content_under_a_known_key_is_a_conflict_and_nothing_is_made(
    changes: dict[str, Any], pipe: APIClient, project: Project
) -> None:
    known = _task(reference=REFERENCE) if "reference" in changes else _task()
    _post(pipe, known)
    refused = _post(pipe, _task("new"), {**known, **changes}, _task("newer"))
    body = problem(refused)
    assert (body["status"], body["code"]) == (409, "conflict")
    assert [fault["pointer"] for fault in body["errors"]] == ["#/tasks/1/key"]
    assert list(project.tasks.values_list("key", flat=True)) == ["t"]


@pytest.mark.parametrize(
    ("bad", "pointer"),
    [
        (_task("x", payload={"episode": "none"}), "#/tasks/2/payload/episode"),
        (_task("x", payload={"episode": "not-ready"}), "#/tasks/2/payload/episode"),
        (_task("x", reference={"answers": []}), "#/tasks/2/reference/answers"),
        (
            _task("x", reference={"answers": [{"outcome": "success"}, {"outcome": "?"}]}),
            "#/tasks/2/reference/answers/1/outcome",
        ),
        (
            _task("x", reference={"answers": [{"outcome": "success", "frame": 100}]}),
            "#/tasks/2/reference/answers/0/frame",
        ),
        (
            _task("x", reference={"answers": [{"outcome": "success", "frame": 1, "time_s": 1}]}),
            "#/tasks/2/reference/answers/0/time_s",
        ),
        (
            _task("x", reference={"answers": [{"outcome": "success"}], "tolerance_s": -1}),
            "#/tasks/2/reference/tolerance_s",
        ),
        (_task("x", redundancy=0), "#/tasks/2/redundancy"),
        (_task("x y"), "#/tasks/2/key"),
        (_task("a"), "#/tasks/2/key"),
    ],
    ids=str,
)
def test_one_bad_task_among_many_is_pointed_at_and_nothing_is_made(
    bad: dict[str, Any], pointer: str, pipe: APIClient, project: Project
) -> None:
    _post(pipe, _task("known"))
    refused = _post(pipe, _task("known"), _task("a"), bad, _task("b"))
    assert refused.status_code == 422
    assert [fault["pointer"] for fault in problem(refused)["errors"]] == [pointer]
    assert project.tasks.count() == 1
    assert Truth.objects.count() == 0


def test_a_thousand_tasks_fit_and_one_more_does_not(pipe: APIClient, project: Project) -> None:
    tasks = [_task(f"t{number}") for number in range(MOST_AT_ONCE + 1)]
    refused = _post(pipe, *tasks)
    assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/tasks")
    assert _post(pipe, *tasks[:-1]).json() == {"created": 1000, "unchanged": 0}


def _costs_of(project: Project, *sizes: int, **body: Any) -> list[int]:
    """The number of queries of posting so many tasks."""
    costs = []
    for size in sizes:
        bodies: list[Any] = [{"key": f"t{size}-{number}", **body} for number in range(size)]
        with CaptureQueriesContext(connection) as queries:
            assert post_tasks(project=project, bodies=bodies, at=NOON).created == size
        costs.append(len(queries))
    return costs


@pytest.mark.parametrize(
    ("tool", "body"),
    [
        ("marker", {"payload": {"episode": "e"}}),
        ("marker", {"payload": {"episode": "e"}, "reference": {"answers": [{"outcome": "success"}]}}),
        ("parse", {"payload": {"text": "build a house"}}),
        ("parse", {"payload": {"text": "build a house"}, "reference": {"answers": [{"form": HOUSE_FORM}]}}),
    ],
    ids=str,
)
def test_posting_costs_the_same_for_2_tasks_and_for_40(tool: str, body: dict[str, Any], project: Project) -> None:
    posted_to = project if tool == project.tool else make_parse_project()
    few, many = _costs_of(posted_to, 2, 40, **body)
    assert few == many <= MOST_QUERIES


@pytest.mark.parametrize("key", ["A", "a" * 128, "._:-", "0"])
def test_a_key_may_be(key: str, pipe: APIClient, project: Project) -> None:
    assert _post(pipe, _task(key)).json() == {"created": 1, "unchanged": 0}


@pytest.mark.parametrize("key", ["", "a" * 129, "a b", "a/b", "ä", "a\n", " a", None, [], True])
def test_a_key_may_not_be(key: Any, pipe: APIClient, project: Project) -> None:
    assert problem(_post(pipe, _task(key=key)))["errors"][0]["pointer"] == "#/tasks/0/key"


def _put(pipe: APIClient, project: Project, redundancy: int) -> dict[str, int]:
    body = {"tool": "marker", "title": "p", "instructions": [], "status": "live", "reference_rate": 0}
    response = pipe.put("/api/v1/projects/p/", {**body, "redundancy": redundancy})
    assert response.status_code == 200
    progress: dict[str, int] = response.json()["progress"]
    return {name: progress[name] for name in ("open", "done", "annotations")}


def _by(project: Project, *names: str) -> None:
    for name in names:
        annotate(claim(project, make_worker(name)))


def _state() -> tuple[int, int, bool, str, bool]:
    task = Task.objects.get(key="t")
    return task.wanted, task.slots_left, task.open, task.status, Consensus.objects.settled().filter(task=task).exists()


def test_raising_the_redundancy_reopens_what_was_done(pipe: APIClient, project: Project) -> None:
    _post(pipe, _task())
    _by(project, "a")
    assert _state() == (1, 0, False, "done", True)
    assert _put(pipe, project, 3) == {"open": 1, "done": 0, "annotations": 1}
    assert _state() == (3, 2, True, "open", False)
    _by(project, "b", "c")
    assert _state() == (3, 0, False, "done", True)


def test_lowering_the_redundancy_settles_what_has_enough(pipe: APIClient, project: Project) -> None:
    _put(pipe, project, 3)
    _post(pipe, _task(), _task("untouched"))
    _by(project, "a", "b")
    assert _state() == (3, 1, True, "open", False)
    assert _put(pipe, project, 2) == {"open": 1, "done": 1, "annotations": 2}
    assert _state() == (2, 0, False, "done", True)
    assert Consensus.objects.get().annotations == 2


def test_lowering_and_raising_the_redundancy_again_asks_for_no_more_answers(pipe: APIClient, project: Project) -> None:
    _put(pipe, project, 3)
    _post(pipe, _task())
    _by(project, "a", "b", "c")
    assert _put(pipe, project, 1) == {"open": 0, "done": 1, "annotations": 3}
    assert _put(pipe, project, 3) == {"open": 0, "done": 1, "annotations": 3}
    assert _state() == (3, 0, False, "done", True)
    assert Consensus.objects.get().annotations == 3
    assert _put(pipe, project, 4) == {"open": 1, "done": 0, "annotations": 3}
    assert _state() == (4, 1, True, "open", False)


def test_a_hold_keeps_its_slot_while_the_redundancy_changes(pipe: APIClient, project: Project) -> None:
    _put(pipe, project, 2)
    _post(pipe, _task())
    held = claim(project, make_worker("a"))
    _by(project, "b")
    assert _put(pipe, project, 1) == {"open": 0, "done": 1, "annotations": 1}
    annotate(held)
    assert Consensus.objects.get().annotations == 2, "what was begun still counts"
    assert _put(pipe, project, 3) == {"open": 1, "done": 0, "annotations": 2}
    assert _state() == (3, 1, True, "open", False)


def test_a_redundancy_of_its_own_counts_and_does_not_follow_the_project(pipe: APIClient, project: Project) -> None:
    _post(pipe, _task(redundancy=2), _task("other"))
    assert list(project.tasks.order_by("pk").values_list("wanted", "slots_left")) == [(2, 2), (1, 1)]
    _put(pipe, project, 5)
    assert _state() == (2, 2, True, "open", False)
