"""Who may call what: the same rules at every address under `/api/v1/`, so they are tested at every address."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.urls import resolve
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from annotation.models import WorkToken
from tests.support.builders import Made, for_module, make_project, make_worker, token_for
from tests.support.calls import (
    CALLS,
    HALF,
    NOBODY,
    PIPELINE,
    WORKER,
    Browserless,
    Call,
    World,
    addresses,
    client_for,
    make_world,
    problem,
    with_key,
    with_token,
)

GUARDED = [call for call in CALLS if call.kind != NOBODY]
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


def test_no_call_answers_without_a_credential(world: World) -> None:
    got = {call.name: _refusal(call, Browserless(), world) for call in GUARDED}
    assert set(got.values()) == {(401, "unauthorized")}, got


def test_a_workers_token_opens_nothing_of_the_pipelines(world: World) -> None:
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
"""The scopes that calls need; the one left out opens a socket (`tests/web/sockets/test_sockets.py`)."""


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


def test_a_key_with_no_scope_is_told_so_before_it_learns_what_is_there(world: World) -> None:
    client = with_key(create_key(name="none", scopes=[], at=timezone.now()))
    for name in ("alfa", "nobody"):
        assert _refusal(CALLS[1], client, world, template=f"agents/{name}/") == (403, "forbidden")


def test_what_is_not_there_is_404_wherever_it_is_named(world: World) -> None:
    got = {}
    for call in CALLS:
        for name in call.names:
            other = {"1": "2", "{upload}": "no-such-upload", "{assignment}": "no-such-assignment"}.get(name, "nothing")
            path, _, query = call.template.partition("?")
            template = "/".join(other if word == name else word for word in path.split("/")) + (query and f"?{query}")
            got[template, call.method] = _refusal(call, client_for(call, world), world, template=template)
    assert len(got) > 30
    assert set(got.values()) == {(404, "not_found")}, got


def test_another_workers_assignment_is_404(world: World) -> None:
    bobs = with_token(token_for(world.project, make_worker("bob")))
    got = {call.name: _refusal(call, bobs, world) for call in OF_ASSIGNMENTS}
    assert set(got.values()) == {(404, "not_found")}, got
    world.assignment.refresh_from_db()
    assert world.assignment.status == "claimed"
    assert world.assignment.draft is None


def test_the_same_workers_token_of_another_project_is_404(world: World) -> None:
    elsewhere = with_token(token_for(make_project(), world.assignment.worker))
    got = {call.name: _refusal(call, elsewhere, world) for call in OF_ASSIGNMENTS}
    assert set(got.values()) == {(404, "not_found")}, got


def test_a_wrong_method_is_405_and_names_the_right_ones(world: World) -> None:
    methods = {"GET", "PUT", "POST", "PATCH", "DELETE"}
    by_template: dict[str, list[Call]] = {}
    for call in CALLS:
        by_template.setdefault(call.template, []).append(call)
    for template, there in by_template.items():
        for wrong in sorted(methods - {call.method for call in there}):
            response = client_for(there[0], world).generic(wrong, world.address(template))
            assert problem(response)["code"] == "method_not_allowed", (wrong, template)
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
