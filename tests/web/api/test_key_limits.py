"""A key that is limited to projects, suites or agents reaches these; everything else is 404, at every address."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from agents.keys import Limits, create_key
from agents.models import ApiKey
from annotation.models import Task
from evaluation.reports import keep_report
from tests.support.api_clients import Browserless, with_key
from tests.support.builders import (
    Made,
    for_module,
    make_agent,
    make_episode,
    make_project,
    make_scenario,
    make_suite,
)
from tests.support.call_world import PIPELINE, World, make_world
from tests.support.calls import CALLS, Call, problem
from tests.support.crowds import say

OF_PIPELINES = [call for call in CALLS if call.kind == PIPELINE]
OPEN = ("agents/", "events/", "generated_scenes.jsonl", "scenes/", "uploads/")
"""The calls on what belongs to no project."""
LISTS = ("GET projects/", "GET suites/", "GET episodes/", "GET webhooks/")
CLOSED = (
    "webhooks/{",
    "workers/",
    "qualifications/",
    "trees/",
    "routes/",
    "campaigns/",
    "tranches/",
    "trainings/",
    "models/",
    "erasures/",
    "imports/",
    "audit.jsonl",
)
"""The calls on what belongs to all projects."""
OVER_ALL = ("GET commands.jsonl", "GET funnel/", "GET error_reports.jsonl")

made = for_module(make_world)


@pytest.fixture
def world(made: Made[World], db: None) -> World:
    return made.again()


def limited(*, projects: Any = (), suites: Any = (), agents: Any = ()) -> Browserless:
    """A client whose key has every scope and these limits."""
    limits = Limits(projects, suites, agents)
    return with_key(create_key(name="limited", scopes=ApiKey.Scope.values, limits=limits, at=timezone.now()))


@pytest.mark.parametrize("call", OF_PIPELINES, ids=lambda call: call.name)
def test_a_key_for_another_project_and_suite_finds_nothing(call: Call, world: World) -> None:
    answer = call.send(limited(projects=["elsewhere"], suites=["elsewhere"]), world)
    if call.template.startswith(OPEN) or call.name == "POST webhooks/":
        assert answer.status_code == call.status
    elif call.name in LISTS:
        assert answer.json()["results"] == []
    else:
        assert (answer.status_code, problem(answer)["code"]) == (404, "not_found")


@pytest.mark.parametrize("call", OF_PIPELINES, ids=lambda call: call.name)
def test_a_key_for_this_project_and_suite_finds_what_is_theirs(call: Call, world: World) -> None:
    living = world.session.project.slug
    client = limited(projects=["p", "parses", "masks", "scenes", living], suites=["s", "t"])
    is_closed = call.template.startswith(CLOSED) or call.name in OVER_ALL
    assert call.send(client, world).status_code == (404 if is_closed else call.status)


@pytest.mark.parametrize("name", OVER_ALL)
def test_an_export_over_all_projects_has_to_name_one_of_the_key(name: str, world: World) -> None:
    path = f"/api/v1/{name.removeprefix('GET ')}"
    client = limited(projects=["p"])
    assert [client.get(path, {"project": slug}).status_code for slug in ("p", "parses")] == [200, 404]


def test_lists_show_what_the_key_reaches(world: World) -> None:
    scenario = make_scenario(make_suite("other"), "k")
    make_episode(scenario=scenario, external_id="elsewhere")
    make_agent("bravo")
    client = limited(projects=["p"], suites=["other"], agents=["bravo"])

    def listed(path: str, name: str) -> list[str]:
        return [row[name] for row in client.get(f"/api/v1/{path}/").json()["results"]]

    assert (listed("projects", "slug"), listed("suites", "slug")) == (["p"], ["other"])
    assert (listed("episodes", "external_id"), listed("agents", "slug")) == (["elsewhere"], ["bravo"])


@pytest.mark.parametrize(
    ("method", "path", "change"),
    [
        ("PUT", "projects/p/", {"suite": "other"}),
        ("PATCH", "projects/p/", {"suite": "other"}),
        ("POST", "projects/p/tasks/", {"tasks": [{"key": "t", "payload": {"episode": "elsewhere"}}]}),
        ("POST", "episodes/", {"suite": "other"}),
        ("POST", "sessions/{session}/episodes/", {"suite": "other"}),
        ("POST", "commands/", {"commands": [{"command": "c", "project": "p", "text": "dig"}] * 2 + [
            {"command": "d", "project": "parses", "text": "dig"}
        ]}),
        ("GET", "suites/s/ranking/?project=parses", {}),
        ("POST", "suites/s/reports/", {"project": "parses"}),
    ],
)  # fmt: skip
def test_a_body_that_names_something_else_is_404(method: str, path: str, change: dict[str, Any], world: World) -> None:
    make_episode(scenario=make_scenario(make_suite("other"), "k"), external_id="elsewhere")
    (call,) = [one for one in CALLS if one.name == f"{method} {path.partition('?')[0]}"]
    client = limited(projects=["p", world.session.project.slug], suites=["s"])
    data = {**(call.content(world) or {}), **change} if method != "GET" else None
    answer = call.send(client, world, data=data, template=path)
    assert answer.status_code == 404, answer.content


def test_a_keyed_request_of_a_limited_key_is_judged_and_worked(world: World) -> None:
    (call,) = [one for one in CALLS if one.name == "POST episodes/"]
    client = limited(suites=["s"])
    assert call.send(client, world, HTTP_IDEMPOTENCY_KEY="k").status_code == 201
    assert call.send(client, world, HTTP_IDEMPOTENCY_KEY="k")["Idempotent-Replayed"] == "true"
    assert call.send(limited(suites=["other"]), world, HTTP_IDEMPOTENCY_KEY="k").status_code == 404


def test_a_multipart_episode_is_judged_by_its_data(world: World) -> None:
    make_scenario(make_suite("other"), "k")
    data = '{{"external_id": "m", "agent": "alfa", "suite": "{}", "scenario": "k", "continuation": 9}}'

    def post(suite: str) -> int:
        parts = {"data": data.format(suite), "video": SimpleUploadedFile("a.mp4", b"v")}
        answer = limited(suites=["s"]).post("/api/v1/episodes/", parts, format="multipart")
        return int(answer.status_code)

    assert (post("s"), post("other")) == (201, 404)


def test_a_key_for_one_agent_acts_as_no_other(world: World) -> None:
    make_agent("bravo")
    client = limited(agents=["bravo"])
    (post,) = [one for one in CALLS if one.name == "POST episodes/"]
    body = post.content(world) or {}
    assert post.send(client, world, data=body).status_code == 404
    assert post.send(client, world, data={**body, "agent": "bravo"}).status_code == 201
    assert [client.get(f"/api/v1/agents/{slug}/").status_code for slug in ("alfa", "bravo")] == [404, 200]
    assert client.get("/api/v1/projects/p/").status_code == 200, "projects are not limited"


def test_a_key_without_limits_reaches_what_is_made_later(world: World) -> None:
    client = with_key(world.tokens[PIPELINE])
    make_project("new")
    assert client.get("/api/v1/projects/new/").status_code == 200


def test_a_key_sees_outcomes_and_reports_only_of_its_projects(world: World) -> None:
    # The worker of the world holds one of the tasks, drawn at random.
    task = Task.objects.filter(project=world.project, open=True)[0]
    say(task, "success")
    report = keep_report(
        suite=make_suite("s"),
        inputs={"version": None, "project": "p"},
        content=b"theirs",
        files=lambda: iter([b"a zip"]),
        by="key:table",
        at=timezone.now(),
    )
    addresses = [f"suites/s/reports/{report.public_id}/", f"suites/s/reports/{report.public_id}/files.zip"]

    def seen(client: Browserless) -> tuple[list[int], int, bool]:
        statuses = [client.get(f"/api/v1/{address}").status_code for address in addresses]
        rows = {row["agent"]: row for row in client.get("/api/v1/suites/s/ranking/").json()["agents"]}
        known = client.get(f"/api/v1/episodes/{task.key}/").json()["consensus"]
        return statuses, rows["alfa"]["n"], known is not None

    assert seen(limited(projects=["p"], suites=["s"])) == ([200, 200], 1, True)
    for projects in (["parses"], []):
        assert seen(limited(projects=projects, suites=["s"])) == ([404, 404], 0, False)
