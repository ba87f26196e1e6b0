"""Access to the API: the same rules at every address under `/api/v1/`, so they are tested at every address."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from annotation.models import Annotation, Assignment, WorkToken
from audit.models import AuditEvent
from common import rates
from tests.support.api_clients import Browserless, with_key, with_token
from tests.support.builders import Made, for_module, make_project, make_worker, token_for
from tests.support.call_world import HALF, NOBODY, PIPELINE, WORKER, World, make_world
from tests.support.calls import CALLS, Call, addresses, client_for, problem
from web.work.doors import enter_by_panel
from web.work.urls import urlpatterns as work_pages

GUARDED = [call for call in CALLS if call.kind != NOBODY]
EXPORT = re.compile(r"^(?!generated).*(\.jsonl|\.npz|\.zip|scene_list\.json|/data/)$")
"""Rows that leave the server. Generated scenes are kept nowhere."""
OF_PIPELINES = [call for call in CALLS if call.kind == PIPELINE]
OF_WORKERS = [call for call in CALLS if call.kind == WORKER]
OF_ASSIGNMENTS = [call for call in CALLS if "{assignment}" in call.template]


made = for_module(make_world)


@pytest.fixture
def world(made: Made[World], db: None) -> World:
    return made.again()


def _refusal(call: Call, client: Browserless, world: World, **changes: Any) -> tuple[int, str]:
    response = call.send(client, world, **changes)
    assert response.status_code >= 400, f"{call.name} answered {response.status_code}"
    body = problem(response)
    if body["status"] == 401:
        assert response["WWW-Authenticate"]
    return body["status"], body["code"]


def test_the_table_names_every_call_of_the_api(world: World) -> None:
    named = {
        (call.method, resolve(world.address(call.template).partition("?")[0]).route.removeprefix("api/v1/"))
        for call in CALLS
    }
    assert named == set(addresses())


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_every_call_succeeds_for_whom_it_is_meant(call: Call, world: World) -> None:
    response = call.send(client_for(call, world), world)
    assert response.status_code == call.status, getattr(response, "content", b"")


@pytest.mark.parametrize(
    "call",
    [call for call in CALLS if call.method == "GET" and EXPORT.search(call.template)],
    ids=lambda call: call.name,
)
def test_every_export_is_in_the_audit_log(call: Call, world: World) -> None:
    call.send(client_for(call, world), world)
    [event] = AuditEvent.objects.filter(verb="export.taken")
    assert event.actor.startswith("key:table")
    kind, name, *_ = [*call.template.split("/"), ""]
    assert event.project == {"projects": name, "tranches": "parses"}.get(kind, "")
    names_workers = event.subject in {"annotations", "commands", "forms"} or event.subject_kind == "worker"
    assert event.detail["with_identity"] == names_workers


def test_an_export_is_recorded_without_what_may_name_a_person(world: World) -> None:
    address = "audit.jsonl?since=2026-01-01&actor=staff:ann@example.org"
    Call("GET", address).send(with_key(world.tokens[PIPELINE]), world)
    event = AuditEvent.objects.get(verb="export.taken")
    assert (event.detail["filters"], event.detail["other_filters"]) == ({"since": "2026-01-01"}, ["actor"])


def test_no_call_answers_without_a_credential(world: World) -> None:
    got = {call.name: _refusal(call, Browserless(), world) for call in GUARDED}
    assert set(got.values()) == {(401, "unauthorized")}, got


def test_a_workers_token_opens_nothing_of_the_pipelines(world: World, settings: Any) -> None:
    settings.FAILED_CREDENTIALS_A_MINUTE = 1000
    client = with_token(world.tokens[WORKER])
    got = {call.name: _refusal(call, client, world) for call in OF_PIPELINES}
    assert set(got.values()) == {(401, "unauthorized")}, got


def test_a_pipelines_key_opens_nothing_of_the_workers(world: World) -> None:
    client = with_key(world.tokens[PIPELINE])
    got = {call.name: _refusal(call, client, world) for call in OF_WORKERS}
    assert set(got.values()) == {(401, "unauthorized")}, got


@pytest.mark.parametrize(
    "credential",
    [
        "Api-Key",
        "Api-Key ",
        "Api-Key wrong",
        "Bearer wrong",
        "Bearer",
        "Basic YTpi",
        "{key}",
        "Bearer {key}",
        "Api-Key {token}",
    ],
)
def test_a_credential_that_is_no_credential_is_401(credential: str, world: World) -> None:
    client = Browserless()
    value = credential.format(key=world.tokens[PIPELINE], token=world.tokens[WORKER])
    client.credentials(HTTP_AUTHORIZATION=value)
    got = {call.name: _refusal(call, client, world) for call in (OF_PIPELINES[0], OF_WORKERS[0])}
    assert set(got.values()) == {(401, "unauthorized")}, got


def test_an_address_whose_credentials_failed_often_waits_and_a_valid_one_passes(
    world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FAILED_CREDENTIALS_A_MINUTE = 5
    for call in (OF_PIPELINES[0], OF_WORKERS[0]):
        monkeypatch.setattr(rates, "_counters", rates.Counters(redis_url=""))
        assert [_refusal(call, Browserless(), world)[0] for _ in range(7)] == [401] * 7
        client = with_key("wrong") if call.kind == PIPELINE else with_token("wrong")
        assert [_refusal(call, client, world) for _ in range(7)] == [(401, "unauthorized")] * 5 + [
            (429, "too_many_requests")
        ] * 2
        response = call.send(client, world)
        assert 1 <= int(response["Retry-After"]) <= 12
        assert "5 credentials of your address failed" in problem(response)["detail"]
        assert call.send(client_for(call, world), world).status_code == call.status
        assert call.send(client, world, REMOTE_ADDR="203.0.113.7").status_code == 401


def test_a_link_that_is_guessed_often_waits(world: World, settings: Any) -> None:
    settings.FAILED_CREDENTIALS_A_MINUTE = 5
    answers = [Browserless().get(f"/enter/{world.project.slug}?token=wrong") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [404] * 5 + [429]
    assert int(answers[-1]["Retry-After"]) == 12


OF_TOKENS = [one for one in work_pages if "slug" in one.pattern.converters and one.callback is not enter_by_panel]
"""The pages of whoever has a token. Doors have a limit of their own (`tests/web/work/test_doors.py`)."""


@pytest.mark.parametrize("page", OF_TOKENS)
def test_the_pages_of_a_worker_count_like_the_calls_of_the_token(page: Any, world: World, settings: Any) -> None:
    settings.WORKER_REQUESTS_A_MINUTE = 2
    token, slug = world.tokens[WORKER], world.project.slug
    browser = Client()
    browser.get(f"/enter/{slug}?token={token}")
    assert with_token(token).get("/api/v1/work/").status_code == 200
    address, given = reverse(page.name, args=[slug]), {"token": token}
    answer = browser.get(address, given)
    if answer.status_code == 405:
        answer = browser.post(address)
    assert answer.status_code == 429
    assert (int(answer["Retry-After"]), answer["Content-Type"]) == (30, "text/plain")
    assert "2 requests a minute" in answer.content.decode()


@pytest.mark.parametrize(("kind", "name"), [(PIPELINE, "KEY"), (WORKER, "WORKER")])
def test_a_credential_that_sends_too_many_requests_waits(kind: str, name: str, world: World, settings: Any) -> None:
    setattr(settings, f"{name}_REQUESTS_A_MINUTE", 3)
    calls = [call for call in CALLS if call.kind == kind and call.method == "GET"]
    answers = [call.send(client_for(call, world), world) for call in [*calls, *calls][:4]]
    assert [answer.status_code for answer in answers] == [call.status for call in [*calls, *calls][:3]] + [429]
    assert problem(answers[-1])["code"] == "too_many_requests"
    assert "3 requests a minute" in problem(answers[-1])["detail"]
    assert int(answers[-1]["Retry-After"]) == 20
    other = next(call for call in CALLS if call.kind not in (kind, NOBODY) and call.method == "GET")
    assert other.send(client_for(other, world), world).status_code == other.status


def test_the_401_says_which_kind_of_credential_is_wanted(world: World) -> None:
    assert OF_PIPELINES[0].send(Browserless(), world)["WWW-Authenticate"] == "Api-Key"
    assert OF_WORKERS[0].send(Browserless(), world)["WWW-Authenticate"] == "Bearer"


def test_a_revoked_key_is_401(world: World) -> None:
    client = with_key(world.tokens[PIPELINE])
    assert OF_PIPELINES[0].send(client, world).status_code == 200
    ApiKey.objects.update(revoked_at=timezone.now())
    assert _refusal(OF_PIPELINES[0], client, world) == (401, "unauthorized")


def test_an_expired_token_is_401(world: World) -> None:
    client = with_token(world.tokens[WORKER])
    assert OF_WORKERS[0].send(client, world).status_code == 200
    WorkToken.objects.update(expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert _refusal(OF_WORKERS[0], client, world) == (401, "unauthorized")


OVER_HTTP = [scope for scope in ApiKey.Scope.values if scope != ApiKey.Scope.AGENTS]
"""The scopes that calls need. The one left out opens a socket (`tests/web/sockets/test_sockets.py`), and the artefact
of a model, which `read` opens too (`tests/learning/test_trainings.py`)."""


@pytest.mark.parametrize("scope", OVER_HTTP)
def test_a_key_with_every_other_scope_is_forbidden(scope: str, world: World) -> None:
    others = [other for other in ApiKey.Scope.values if other != scope]
    client = with_key(create_key(name="most", scopes=others, at=timezone.now()))
    needing = [call for call in OF_PIPELINES if call.needed == scope]
    got = {call.name: _refusal(call, client, world) for call in needing}
    assert needing, "every scope opens something"
    assert set(got.values()) <= {(403, "forbidden")}, got


@pytest.mark.parametrize("scope", OVER_HTTP)
def test_a_key_with_the_one_scope_is_enough(scope: str, world: World) -> None:
    client = with_key(create_key(name="just", scopes=[scope], at=timezone.now()))
    refused = [
        call.name
        for call in OF_PIPELINES
        if call.needed == scope and call.send(client, world).status_code != call.status
    ]
    assert refused == []


def test_a_key_without_the_scope_is_told_so_before_it_learns_what_is_there(world: World) -> None:
    client = with_key(create_key(name="agent", scopes=["agents"], at=timezone.now()))
    for name in ("alfa", "nobody"):
        assert _refusal(CALLS[1], client, world, template=f"agents/{name}/") == (403, "forbidden")


def test_what_is_not_there_is_404_wherever_it_is_named(world: World) -> None:
    got = {}
    for call in CALLS:
        for name in call.names:
            other = {
                "1": "2",
                "s.zip": "nothing.zip",
                "{upload}": "no-such-upload",
                "{assignment}": "no-such-assignment",
            }.get(name, "nothing")
            path, _, query = call.template.partition("?")
            template = "/".join(other if word == name else word for word in path.split("/")) + (query and f"?{query}")
            got[template, call.method] = _refusal(call, client_for(call, world), world, template=template)
    assert len(got) > 30
    assert set(got.values()) == {(404, "not_found")}, got


def test_another_workers_assignment_is_404(world: World) -> None:
    bobs = with_token(token_for(world.project, make_worker("bob")))
    for call in OF_ASSIGNMENTS:
        # Some of them need an answer to be there first.
        call.content(world)
    before = list(Assignment.objects.values()), list(Annotation.objects.values())
    got = {call.name: _refusal(call, bobs, world) for call in OF_ASSIGNMENTS}
    assert set(got.values()) == {(404, "not_found")}, got
    assert (list(Assignment.objects.values()), list(Annotation.objects.values())) == before


def test_the_same_workers_token_of_another_project_is_404(world: World) -> None:
    elsewhere = with_token(token_for(make_project(), world.assignment.worker))
    got = {call.name: _refusal(call, elsewhere, world) for call in OF_ASSIGNMENTS}
    assert set(got.values()) == {(404, "not_found")}, got


def test_a_wrong_method_is_405_and_names_the_right_ones(world: World) -> None:
    methods = {"GET", "PUT", "POST", "PATCH", "DELETE"}
    by_route: dict[str, list[Call]] = {}
    for call in CALLS:
        by_route.setdefault(resolve(world.address(call.template).partition("?")[0]).route, []).append(call)
    for there in by_route.values():
        for wrong in sorted(methods - {call.method for call in there}):
            response = client_for(there[0], world).generic(wrong, world.address(there[0].template))
            assert problem(response)["code"] == "method_not_allowed", (wrong, there[0].template)
            assert response.status_code == 405
            assert {call.method for call in there} <= set(response["Allow"].split(", "))


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    "path", ["", "nothing/", "agents", "agents//", "agents/UPPER/", "work/claim", "%00", "a/b/c?d=e"]
)
def test_an_address_that_is_not_there_is_a_404_problem_whatever_the_method(method: str, path: str, db: None) -> None:
    response = Browserless().generic(method, f"/api/v1/{path}")
    assert response.status_code == 404
    assert problem(response)["code"] == "not_found"


def test_other_addresses_of_the_api_are_a_404_problem_too(db: None) -> None:
    assert problem(Browserless().get("/api/v2/agents/"))["status"] == 404
    page = Browserless().get("/nowhere/")
    assert page.status_code == 404
    assert page["Content-Type"].startswith("text/html")


def test_a_part_of_an_upload_needs_its_signature_and_nothing_else(world: World) -> None:
    call = next(call for call in CALLS if call.kind == NOBODY)
    assert call.send(Browserless(), world).status_code == 200
    assert _refusal(call, with_key(world.tokens[PIPELINE]), world, template=call.template.partition("?")[0]) == (
        404,
        "not_found",
    )
    assert call.send(Browserless(), world, data=HALF + b"!").status_code == 422


def test_the_description_of_the_api_is_open_to_everyone(db: None) -> None:
    assert Browserless().get("/api/v1/schema/").status_code == 200
    assert Browserless().get("/api/v1/docs/").status_code == 200
