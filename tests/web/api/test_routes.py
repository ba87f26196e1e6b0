"""`/routes/` and `/error_reports.jsonl`: what becomes of an outcome, and what became of each."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from audit.models import AuditEvent
from routing.models import Route, Sending
from routing.tree_versions import make_first
from tests.support.builders import NOON, make_agent, make_project
from tests.support.calls import lines
from tests.support.commands import BUILD, CUBE, a_scene, make_route, parse_project, report_of, routed, voxel_project

ROUTES, REPORTS = "/api/v1/routes/", "/api/v1/error_reports.jsonl"
FOUND: Any = [{"phrase": "the cube", "voxels": CUBE}, {"phrase": "a tree", "voxels": []}]

pytestmark = pytest.mark.usefixtures("no_messages")


def pointers(response: Any) -> list[str]:
    assert response.status_code == 422, response.content
    return [fault["pointer"] for fault in response.json()["errors"]]


@pytest.fixture
def repair(db: None) -> str:
    return parse_project("repair").slug


def test_a_route_is_put_and_put_again(pipe: APIClient, repair: str) -> None:
    body = {"outcome": "nlu_error", "project": repair}
    first, again = (pipe.put(f"{ROUTES}words/", body, format="json") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    content: dict[str, Any] = {**body, "slug": "words", "rate": 1.0, "tree": None, "agents": [], "sources": []}
    assert first.json() == again.json() == content
    assert pipe.get(f"{ROUTES}words/").json() == content
    assert [event.verb for event in AuditEvent.objects.filter(subject_kind="route")] == ["route.created"]


def test_a_changed_route_is_on_record(pipe: APIClient, repair: str) -> None:
    make_first(at=NOON)
    make_agent("walker")
    make_project("sessions")
    pipe.put(f"{ROUTES}words/", {"outcome": "*", "project": repair}, format="json")
    body = {
        "outcome": "nlu_error",
        "project": repair,
        "rate": 0.25,
        "tree": "default",
        "agents": ["walker"],
        "sources": ["sessions"],
    }
    for _ in range(2):
        changed = pipe.put(f"{ROUTES}words/", body, format="json")
        assert (changed.status_code, changed.json()) == (200, {**body, "slug": "words"})
    event = AuditEvent.objects.get(verb="route.changed")
    assert event.actor.startswith("key:pipe")
    assert event.detail["route"] == body
    assert event.detail["before"] == {"outcome": "*", "rate": 1.0, "tree": None, "agents": [], "sources": []}
    assert event.detail["after"] == {name: body[name] for name in event.detail["before"]}
    back = pipe.put(f"{ROUTES}words/", {**body, "agents": [], "sources": [], "tree": None}, format="json")
    assert [back.json()[name] for name in ("agents", "sources", "tree")] == [[], [], None]


def test_routes_are_listed(pipe: APIClient, repair: str) -> None:
    for slug in ("b", "a"):
        pipe.put(f"{ROUTES}{slug}/", {"outcome": "*", "project": repair}, format="json")
    assert {one["slug"] for one in pipe.get(ROUTES).json()["results"]} == {"a", "b"}
    assert pipe.get(f"{ROUTES}nothing/").status_code == 404


@pytest.mark.parametrize("number", [2, 10])
def test_a_list_of_routes_costs_the_same_for_many(
    number: int, pipe: APIClient, repair: str, django_assert_max_num_queries: Any
) -> None:
    for n in range(number):
        pipe.put(f"{ROUTES}r{n}/", {"outcome": "*", "project": repair, "agents": [make_agent().slug]}, format="json")
    with django_assert_max_num_queries(5):
        assert len(pipe.get(ROUTES).json()["results"]) == number


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"outcome": "ok"}, "#/outcome"),
        ({"outcome": "No Such"}, "#/outcome"),
        ({"outcome": ""}, "#/outcome"),
        ({"outcome": "nul_error", "tree": "default"}, "#/outcome"),
        ({"project": "nowhere"}, "#/project"),
        ({"project": "films"}, "#/project"),
        ({"project": "names"}, "#/project"),
        ({"rate": 1.5}, "#/rate"),
        ({"rate": -0.1}, "#/rate"),
        ({"rate": True}, "#/rate"),
        ({"tree": "oak"}, "#/tree"),
        ({"agents": ["walker", "nobody"]}, "#/agents/1"),
        ({"sources": ["nowhere"]}, "#/sources/0"),
        ({"agents": "walker"}, "#/agents"),
        ({"when": "now"}, "#/when"),
    ],
)
def test_a_route_to_nowhere_is_refused(pipe: APIClient, repair: str, change: dict[str, Any], pointer: str) -> None:
    make_first(at=NOON)
    make_agent("walker")
    make_project("films")
    voxel_project("names", stage="name")
    answer = pipe.put(f"{ROUTES}words/", {"outcome": "nlu_error", "project": repair, **change}, format="json")
    assert pointers(answer) == [pointer]
    assert not Route.objects.exists()


@pytest.mark.parametrize("outcome", ["*", "nlu_error", "my-own"])
def test_any_outcome_may_be_routed(pipe: APIClient, repair: str, outcome: str) -> None:
    assert pipe.put(f"{ROUTES}r/", {"outcome": outcome, "project": repair}, format="json").status_code == 201


def test_a_route_that_changed_keeps_what_it_sent(pipe: APIClient) -> None:
    to, other = parse_project("one"), parse_project("other")
    make_route(to, "nlu_error", slug="r")
    routed("dance")
    pipe.put(f"{ROUTES}r/", {"outcome": "nlu_error", "project": other.slug}, format="json")
    routed("dig")
    assert [row.to.slug for row in Sending.objects.order_by("pk")] == ["one", "other"]


# Reports --------------------------------------------------------------------------------------------------------


def test_a_line_of_a_report(pipe: APIClient) -> None:
    make_route(voxel_project(), "vision_error")
    command = routed("get the cube", "vision_error", form=BUILD, objects_found=FOUND, scene=a_scene())
    (line,) = lines(pipe.get(REPORTS))
    report = report_of(command)
    first = Sending.objects.get(phrase="the cube")
    assert first.task is not None
    assert line == {
        "report": report.public_id,
        "command": command.public_id,
        "outcome": "vision_error",
        "phrase": "the cube",
        "scene": a_scene().digest,
        "parse": BUILD,
        "state": "routed",
        "task": first.task.key,
    }
    assert pipe.get(f"/api/v1/scenes/{line['scene']}/").status_code == 200


def test_what_a_report_lacks_is_null(pipe: APIClient) -> None:
    routed("dance", "task_error")
    (line,) = lines(pipe.get(REPORTS))
    assert [line[name] for name in ("phrase", "scene", "parse", "task", "state")] == [None, None, None, None, "new"]


def test_reports_are_asked_for_by_what_they_are(pipe: APIClient) -> None:
    make_route(parse_project(), "nlu_error")
    elsewhere = make_project("elsewhere")
    names = {
        name: routed(f"dance {name}", outcome, name=name, **more)
        for name, outcome, more in (
            ("a", "nlu_error", {}),
            ("b", "task_error", {}),
            ("c", "nlu_error", {"project": elsewhere}),
            ("d", "task_error", {}),
            ("e", "ok", {}),
        )
    }

    def found(query: str) -> str:
        return "".join(line["command"] for line in lines(pipe.get(f"{REPORTS}?{query}")))

    assert found("") == "abcd"
    assert found("project=elsewhere") == "c"
    assert found("outcome=task_error") == "bd"
    assert found("state=routed") == "ac"
    assert found(f"since={report_of(names['b']).public_id}") == "cd"
    assert found(f"since={report_of(names['a']).public_id}&state=new&project=sessions") == "bd"


@pytest.mark.parametrize(
    ("query", "status"), [("state=lost", 422), ("since=nothing", 422), ("project=nowhere", 404), ("since=%00", 422)]
)
def test_what_cannot_be_asked_is_refused(pipe: APIClient, query: str, status: int) -> None:
    assert pipe.get(f"{REPORTS}?{query}").status_code == status


@pytest.mark.parametrize("number", [2, 6])
def test_an_export_costs_the_same_for_many(number: int, pipe: APIClient, django_assert_max_num_queries: Any) -> None:
    make_route(parse_project())
    for n in range(number):
        routed(f"dance {n} times", form=BUILD, scene=a_scene())
    # PostgreSQL is also asked for transactions that might still commit an earlier row.
    with django_assert_max_num_queries(5):
        assert len(lines(pipe.get(REPORTS))) == number
