"""The OpenAPI document describes every call, and every answer is as it says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator
from pytest_django import DjangoDbBlocker
from rest_framework import serializers

from annotation.tool_registry import all_tools
from interaction.session.messages import FROM
from tests.support.api_clients import Browserless
from tests.support.builders import Made, made_once
from tests.support.call_world import World, make_world
from tests.support.calls import CALLS, DESCRIPTIONS, addresses, client_for, content, lines, problem
from tests.support.documents import check
from web.http.openapi import StrictObjects
from web.http.replaceable import MERGE_PATCH

JSON = "application/json"
DRF_FIELDS = "rest_framework.fields"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    found: dict[str, Any] = json.loads(json.dumps(made))
    return found


@pytest.fixture(scope="module")
def made(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Made[World]]:
    with made_once(make_world, django_db_blocker, tmp_path_factory.mktemp("world")) as found:
        yield found


@pytest.fixture
def world(made: Made[World], db: None) -> World:
    return made.again()


def _operations(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (method.upper(), path): operation
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in {"get", "put", "post", "patch", "delete"}
    }


def test_the_document_is_made_without_a_warning_and_is_valid(tmp_path: Path) -> None:
    call_command("spectacular", file=str(tmp_path / "schema.yaml"), validate=True, fail_on_warn=True)


def _converting(field: Any, place: str) -> Iterator[str]:
    """The places of DRF's own fields of values, which convert numbers to text and text to numbers."""
    inner = field.fields if isinstance(field, serializers.Serializer) else {}
    if isinstance(child := getattr(field, "child", None), serializers.Field):
        inner = {"[]": child}
    for name, part in inner.items():
        yield from _converting(part, f"{place}.{name}")
    any_json = type(serializers.DictField().child)
    keeps = (serializers.ListField, serializers.DictField, serializers.JSONField, serializers.FileField, any_json)
    if type(field).__module__ == DRF_FIELDS and not isinstance(field, keeps):
        yield f"{place}: {type(field).__name__}"


def test_no_field_of_a_request_converts_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: list[Any] = [shape() for tool in all_tools() for shape in (tool.payload, tool.answer, tool.truth)]
    shapes += [message.body() for types in FROM.values() for message in types.values() if message.body]
    described = StrictObjects.map_serializer

    def noted(self: Any, auto_schema: Any, direction: Any) -> dict[str, Any]:
        if direction == "request":
            shapes.append(self.target)
        return described(self, auto_schema, direction)

    monkeypatch.setattr(StrictObjects, "map_serializer", noted)
    SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    assert len(shapes) > 80
    assert [place for shape in shapes for place in _converting(shape, type(shape).__name__)] == []


def described_path(route: str) -> str:
    """The route as the document writes it, with names for what converters read."""
    return re.sub(r"<[a-z]+:([a-z_]+)>", r"{\1}", route)


def test_every_call_is_described(document: dict[str, Any]) -> None:
    expected = {(method, "/api/v1/" + described_path(route)) for method, route in addresses()}
    assert set(_operations(document)) == expected
    assert not any(path.removeprefix("/api/v1/") in DESCRIPTIONS for path in document["paths"])


def test_every_call_says_what_it_does_and_what_it_refuses_with(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for operation in _operations(document).values()]
    assert len(set(names)) == len(names)
    for call, operation in _operations(document).items():
        assert operation.get("description"), call
        default = operation["responses"]["default"]["content"]["application/problem+json"]["schema"]
        assert default == {"$ref": "#/components/schemas/Problem"}, call


def test_every_body_has_an_example_that_is_allowed(document: dict[str, Any]) -> None:
    for call, operation in _operations(document).items():
        assert operation["summary"], call
        for kind, body in operation.get("requestBody", {}).get("content", {}).items():
            if kind in (JSON, MERGE_PATCH):
                check(document, body["schema"], body["example"], is_request=True)
            elif kind == "multipart/form-data":
                whole = document["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
                check(document, whole["properties"]["data"], body["example"]["data"], is_request=True)


def test_every_call_says_which_credential_it_needs(document: dict[str, Any]) -> None:
    for (method, path), operation in _operations(document).items():
        security = operation.get("security", [])
        if "/parts/" in path or path == "/api/v1/logical_form.schema.json":
            assert security in ([], [{}]), path
            continue
        expected = "WorkToken" if path.startswith("/api/v1/work/") else "ApiKey"
        assert [list(one) for one in security] == [[expected]], (method, path)


def test_the_document_is_served_and_is_the_one_that_is_tested(db: None, document: dict[str, Any]) -> None:
    served = Browserless().get("/api/v1/schema/?format=json")
    assert json.loads(served.content)["paths"] == document["paths"]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_an_answer_is_as_the_document_says(call: Any, world: World, document: dict[str, Any]) -> None:
    match = resolve(world.address(call.template).partition("?")[0])
    described = _operations(document)[call.method, "/" + described_path(match.route)]["responses"]
    response = call.send(client_for(call, world), world)
    assert str(response.status_code) in described
    kinds = described[str(response.status_code)].get("content", {})
    body = content(response)
    if not kinds:
        assert body == b""
        return
    kind = response["Content-Type"].partition(";")[0]
    assert kind in kinds
    if kind == JSON:
        check(document, kinds[JSON]["schema"], json.loads(body))


def test_lines_and_problems_are_as_the_document_says(world: World, document: dict[str, Any]) -> None:
    by_name = {call.name: call for call in CALLS}
    submit = by_name["POST work/assignments/{assignment}/submit/"]
    worker, pipeline = client_for(submit, world), client_for(CALLS[0], world)
    assert submit.send(worker, world).status_code == 201
    for name in ("annotations", "consensus"):
        described = _operations(document)["GET", f"/api/v1/projects/{{slug}}/{name}.jsonl"]["responses"]["200"]
        found = lines(pipeline.get(f"/api/v1/projects/p/{name}.jsonl"))
        assert len(found) == 1
        for line in found:
            check(document, described["content"]["application/x-ndjson"]["schema"], line)
    refused = problem(pipeline.put("/api/v1/agents/alfa/", {"colour": 1}, format="json"))
    check(document, document["components"]["schemas"]["Problem"], refused)


def test_a_full_answer_is_as_the_document_says(world: World, document: dict[str, Any]) -> None:
    client = client_for(CALLS[0], world)
    worker = client_for(next(call for call in CALLS if call.kind == "worker"), world)
    submitted = f"/api/v1/work/assignments/{world.assignment.public_id}/submit/"
    assert worker.post(submitted, {"answer": {"outcome": "success", "frame": 20}}, format="json").status_code == 201
    for path, template in [
        ("episodes/e/", "episodes/{external_id}/"),
        ("episodes/", "episodes/"),
        ("suites/s/ranking/?by=tag", "suites/{slug}/ranking/"),
        ("suites/s/ranking/?by=prompt", "suites/{slug}/ranking/"),
        ("workers/direct/alice/", "workers/{platform}/{external_id}/"),
    ]:
        described = _operations(document)["GET", f"/api/v1/{template}"]["responses"]["200"]["content"][JSON]["schema"]
        check(document, described, client.get(f"/api/v1/{path}").json())
