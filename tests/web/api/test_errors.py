"""The API's answer to input that it cannot use: a 4xx that names the fault, and never a 500."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from pytest_django import DjangoDbBlocker

from tests.support.api_clients import Browserless
from tests.support.builders import Made, made_once
from tests.support.call_world import NOBODY, World, make_world
from tests.support.calls import CALLS, client_for, problem

OF_FILES = (".zip",)
"""Addresses that take a file, and no JSON."""
WITH_BODY = [
    call for call in CALLS if call.body is not None and call.kind != NOBODY and not call.template.endswith(OF_FILES)
]
BY_NAME = {call.name: call for call in CALLS}


@pytest.fixture(scope="module")
def made(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Made[World]]:
    with made_once(make_world, django_db_blocker, tmp_path_factory.mktemp("world")) as found:
        yield found


@pytest.fixture
def world(made: Made[World], db: None) -> World:
    return made.again()


def _send(name: str, world: World, data: Any) -> dict[str, Any]:
    """The problem that call `name` answers to this body."""
    call = BY_NAME[name]
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    response = call.send(client_for(call, world), world, data=raw, content_type="application/json")
    assert response.status_code >= 400, (name, response.status_code)
    return problem(response)


def _with(name: str, world: World, changes: dict[str, Any]) -> dict[str, Any]:
    """The problem that call `name` answers to the body that succeeds, but for `changes`."""
    return _send(name, world, {**(BY_NAME[name].content(world) or {}), **changes})


def _said(answer: dict[str, Any]) -> tuple[int, str, list[str]]:
    return answer["status"], answer["code"], [fault["pointer"] for fault in answer["errors"]]


NOT_JSON = [
    b"{",
    b"{'a': 1}",
    b'{"a": NaN}',
    b'{"a": Infinity}',
    b'{"a": -Infinity}',
    b'{"a": 1} x',
    b"\xff\xfe{}",
    b'{"a": "\xe9"}',
    b"\xef\xbb\xbf{}",
    b'{"a": "\n"}',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"a": 1' + b"0" * 5000 + b"}",
]


def test_what_is_not_json_is_malformed(world: World) -> None:
    for name in ("PUT agents/alfa/", "POST work/claim/"):
        got = {raw[:18]: _said(_send(name, world, raw)) for raw in NOT_JSON}
        assert got == {raw[:18]: (400, "malformed", []) for raw in NOT_JSON}


def test_malformed_json_is_malformed_at_every_call_that_takes_a_body(world: World) -> None:
    got = {call.name: _said(_send(call.name, world, b"{")) for call in WITH_BODY}
    assert got == dict.fromkeys(got, (400, "malformed", []))


def test_json_that_is_no_object_is_invalid(world: World) -> None:
    for data in ([1], "text", 3, True, None, [], "", 0, False):
        got = {call.name: _send(call.name, world, data)["status"] for call in WITH_BODY}
        assert set(got.values()) == {422}, (data, got)


def test_an_unknown_field_is_named_at_every_call_that_takes_a_body(world: World) -> None:
    for call in WITH_BODY:
        answer = _with(call.name, world, {"colour": "red"})
        assert (answer["status"], answer["code"]) == (422, "unknown_field"), call.name
        assert [fault["pointer"] for fault in answer["errors"]] == ["#/colour"], call.name


def test_a_pointer_escapes_what_json_pointers_escape(world: World) -> None:
    answer = _send("PUT agents/alfa/", world, {"name": "A", "a/b~c": 1})
    assert answer["errors"][0]["pointer"] == "#/a~1b~0c"


def test_a_missing_field_is_named(world: World) -> None:
    for name, field in [
        ("PUT agents/alfa/", "name"),
        ("POST agents/alfa/metrics/", "value"),
        ("PUT suites/s/", "title"),
        ("PUT suites/s/scenarios/k/", "takeover_s"),
        ("POST uploads/", "sha256"),
        ("PUT projects/p/", "instructions"),
        ("PUT projects/p/", "status"),
        ("POST projects/p/links/", "worker"),
        ("POST episodes/", "upload"),
        ("POST workers/direct/alice/block/", "reason"),
        ("POST work/assignments/{assignment}/submit/", "answer"),
        ("POST work/assignments/{assignment}/report/", "problem"),
        ("PATCH work/assignments/{assignment}/", "draft"),
    ]:
        body = {key: value for key, value in (BY_NAME[name].content(world) or {}).items() if key != field}
        answer = _send(name, world, body)
        assert (answer["status"], answer["code"]) == (422, "invalid"), name
        assert [fault["pointer"] for fault in answer["errors"]] == [f"#/{field}"], name


INVALID: list[tuple[str, dict[str, Any], str]] = [
    ("PUT agents/alfa/", {"name": ""}, "#/name"),
    ("PUT agents/alfa/", {"name": "x" * 201}, "#/name"),
    ("PUT agents/alfa/", {"name": None}, "#/name"),
    ("PUT agents/alfa/", {"name": ["x"]}, "#/name"),
    ("PUT agents/alfa/", {"name": 5}, "#/name"),
    ("PUT agents/alfa/", {"name": "x" * 200 + " "}, "#/name"),
    ("PUT agents/alfa/", {"name": "\u00a0\u001f\ufeff"}, "#/name"),
    ("PUT agents/alfa/", {"metadata": []}, "#/metadata"),
    ("PUT agents/alfa/", {"metadata": {"a": "x" * 262_144}}, "#/metadata"),
    ("PUT agents/alfa/", {"description": "x" * 20_001}, "#/description"),
    ("PUT suites/s/scenarios/k/", {"metadata": {"a": "x" * 262_144}}, "#/metadata"),
    ("POST episodes/", {"metadata": {"a": "x" * 262_144}}, "#/metadata"),
    ("PUT agents/alfa/", {"metadata": {"a": "x\0y"}}, "#/metadata/a"),
    ("PUT agents/alfa/", {"metadata": {"a": [{"b\0": 1}]}}, "#/metadata/a/0"),
    ("PUT agents/alfa/", {"description": "\0"}, "#/description"),
    ("PUT agents/alfa/", {"description": "half \ud83d of a face"}, "#/description"),
    ("PUT agents/alfa/", {"metadata": {"a": "\udc00"}}, "#/metadata/a"),
    ("POST agents/alfa/metrics/", {"value": True}, "#/value"),
    ("POST agents/alfa/metrics/", {"value": "nan"}, "#/value"),
    ("POST agents/alfa/metrics/", {"value": "Infinity"}, "#/value"),
    ("POST agents/alfa/metrics/", {"value": 10**400}, "#/value"),
    ("POST agents/alfa/metrics/", {"value": "x"}, "#/value"),
    ("POST agents/alfa/metrics/", {"value": "0.5"}, "#/value"),
    ("POST agents/alfa/metrics/", {"n": "1"}, "#/n"),
    ("POST agents/alfa/metrics/", {"n": -1}, "#/n"),
    ("POST agents/alfa/metrics/", {"n": 1.5}, "#/n"),
    ("POST agents/alfa/metrics/", {"n": True}, "#/n"),
    ("POST agents/alfa/metrics/", {"n": 10**30}, "#/n"),
    ("POST agents/alfa/metrics/", {"n": 2**31}, "#/n"),
    ("POST agents/alfa/metrics/", {"standard_error": -0.1}, "#/standard_error"),
    ("POST agents/alfa/metrics/", {"suite": "Not A Slug"}, "#/suite"),
    ("POST agents/alfa/metrics/", {"suite": 7}, "#/suite"),
    ("POST agents/alfa/metrics/", {"version": "v" * 64}, "#/version"),
    ("PUT suites/s/scenarios/k/", {"takeover_s": -0.1}, "#/takeover_s"),
    ("PUT suites/s/scenarios/k/", {"takeover_s": False}, "#/takeover_s"),
    ("PUT suites/s/scenarios/k/", {"continuation_s": 0}, "#/continuation_s"),
    ("PUT suites/s/scenarios/k/", {"instruction": "   "}, "#/instruction"),
    ("PUT suites/s/scenarios/k/", {"tags": "red"}, "#/tags"),
    ("PUT suites/s/scenarios/k/", {"tags": ["red", ""]}, "#/tags/1"),
    ("PUT suites/s/scenarios/k/", {"difficulty": {"a": "\0"}}, "#/difficulty/a"),
    ("POST uploads/", {"bytes": 0}, "#/bytes"),
    ("POST uploads/", {"bytes": -5}, "#/bytes"),
    ("POST uploads/", {"bytes": True}, "#/bytes"),
    ("POST uploads/", {"sha256": "abc"}, "#/sha256"),
    ("POST uploads/", {"filename": "a\0.mp4"}, "#/filename"),
    ("POST uploads/{upload}/complete/", {"parts": [{"number": 1}]}, "#/parts/0/etag"),
    ("POST uploads/{upload}/complete/", {"parts": [{"number": 0, "etag": "x"}]}, "#/parts/0/number"),
    ("PUT projects/p/", {"tool": "hammer"}, "#/tool"),
    ("PUT projects/p/", {"status": "running"}, "#/status"),
    ("PUT projects/p/", {"redundancy": 0}, "#/redundancy"),
    ("PUT projects/p/", {"redundancy": True}, "#/redundancy"),
    ("PUT projects/p/", {"redundancy": "1"}, "#/redundancy"),
    ("PUT projects/p/", {"two_person_review": 1}, "#/two_person_review"),
    ("PUT projects/p/", {"two_person_review": "yes"}, "#/two_person_review"),
    ("PUT projects/p/", {"reference_rate": 1.01}, "#/reference_rate"),
    ("PUT projects/p/", {"reference_rate": -0.01}, "#/reference_rate"),
    ("PUT projects/p/", {"reference_rate": True}, "#/reference_rate"),
    ("PUT projects/p/", {"lease_s": 0}, "#/lease_s"),
    ("PUT projects/p/", {"limit_per_worker": 0}, "#/limit_per_worker"),
    ("PUT projects/p/", {"limit_per_worker": 10**12}, "#/limit_per_worker"),
    ("PUT projects/p/", {"pay": {"base": {"amount": "-0.01", "currency": "USD"}}}, "#/pay/base/amount"),
    ("PUT projects/p/", {"pay": {"base": {"amount": "NaN", "currency": "USD"}}}, "#/pay/base/amount"),
    ("PUT projects/p/", {"pay": {"base": {"amount": "0.00001", "currency": "USD"}}}, "#/pay/base/amount"),
    ("PUT projects/p/", {"pay": {"base": {"amount": "1_0", "currency": "USD"}}}, "#/pay/base/amount"),
    ("PUT projects/p/", {"pay": {"base": {"amount": "1e1", "currency": "USD"}}}, "#/pay/base/amount"),
    ("PUT projects/p/", {"pay": {"base": {"amount": 0.3, "currency": "USD"}}}, "#/pay/base/amount"),
    ("PUT projects/p/", {"pay": {"base": {"amount": "1", "currency": "usd"}}}, "#/pay/base/currency"),
    ("PUT projects/p/", {"pay": {"base": {"amount": "1", "currency": " USD "}}}, "#/pay/base/currency"),
    ("PUT projects/p/", {"budget": {"amount": True, "currency": "USD"}}, "#/budget/amount"),
    ("PUT projects/p/", {"budget": "10 USD"}, "#/budget"),
    ("PUT projects/p/", {"instructions": "one page"}, "#/instructions"),
    ("PUT projects/p/", {"instructions": [""]}, "#/instructions/0"),
    ("PUT projects/p/", {"agents": ["alfa", "nobody"]}, "#/agents/1"),
    ("PUT projects/p/", {"version": "v9"}, "#/version"),
    ("PUT projects/p/", {"settings": {"speed": 2}}, "#/settings"),
    ("POST projects/p/links/", {"worker": "with space"}, "#/worker"),
    ("POST projects/p/links/", {"worker": ""}, "#/worker"),
    ("POST projects/p/links/", {"worker": "w" * 129}, "#/worker"),
    ("POST projects/p/links/", {"worker": "line\n"}, "#/worker"),
    ("POST projects/p/tasks/", {"tasks": {}}, "#/tasks"),
    ("POST projects/p/tasks/", {"tasks": [{"key": "a"}]}, "#/tasks/0/payload"),
    (
        "POST projects/p/tasks/",
        {"tasks": [{"key": "a", "payload": {"episode": "e"}, "priority": 10**20}]},
        "#/tasks/0/priority",
    ),
    ("POST projects/p/tasks/", {"tasks": [{"key": "a", "payload": {"episode": "none"}}]}, "#/tasks/0/payload/episode"),
    ("POST projects/p/tasks/", {"tasks": [{"key": "a", "payload": {}}]}, "#/tasks/0/payload/episode"),
    ("POST workers/direct/alice/block/", {"reason": " "}, "#/reason"),
    ("POST work/assignments/{assignment}/submit/", {"answer": []}, "#/answer"),
    ("POST work/assignments/{assignment}/submit/", {"answer": {"outcome": "success"}}, "#/answer/frame"),
    ("POST work/assignments/{assignment}/submit/", {"answer": {"outcome": "maybe", "frame": 20}}, "#/answer/outcome"),
    ("POST work/assignments/{assignment}/submit/", {"answer": {"outcome": "success", "frame": "20"}}, "#/answer/frame"),
    ("POST work/assignments/{assignment}/submit/", {"active_s": "1"}, "#/active_s"),
    ("POST work/assignments/{assignment}/submit/", {"answer": {"outcome": "success", "frame": True}}, "#/answer/frame"),
    (
        "POST work/assignments/{assignment}/submit/",
        {"answer": {"outcome": "success", "frame": 10**40}},
        "#/answer/frame",
    ),
    ("POST work/assignments/{assignment}/submit/", {"answer": {"outcome": "success", "frame": -1}}, "#/answer/frame"),
    ("POST work/assignments/{assignment}/submit/", {"active_s": -1}, "#/active_s"),
    ("POST work/assignments/{assignment}/submit/", {"active_s": True}, "#/active_s"),
    ("POST work/assignments/{assignment}/submit/", {"active_s": 1e12}, "#/active_s"),
    ("POST work/assignments/{assignment}/report/", {"problem": "boring"}, "#/problem"),
    ("POST work/assignments/{assignment}/report/", {"text": "x" * 2001}, "#/text"),
    ("PATCH work/assignments/{assignment}/", {"draft": "x" * 70_000}, "#/draft"),
    ("PATCH work/assignments/{assignment}/", {"draft": {"a": "\0"}}, "#/draft/a"),
    ("POST episodes/", {"external_id": "a b"}, "#/external_id"),
    ("POST episodes/", {"external_id": "e" * 129}, "#/external_id"),
    ("POST episodes/", {"agent": "nobody"}, "#/agent"),
    ("POST episodes/", {"suite": "nowhere"}, "#/suite"),
    ("POST episodes/", {"scenario": "none"}, "#/scenario"),
    ("POST episodes/", {"continuation": -1}, "#/continuation"),
    ("POST episodes/", {"continuation": 2**31}, "#/continuation"),
    ("POST episodes/", {"continuation": False}, "#/continuation"),
    ("POST episodes/", {"takeover_s": -1}, "#/takeover_s"),
    ("POST episodes/", {"takeover_s": "inf"}, "#/takeover_s"),
    ("POST episodes/", {"transcript": [{"at_s": 1, "speaker": "a"}]}, "#/transcript/0/text"),
    ("POST episodes/", {"step_frames": [3, 1]}, "#/step_frames"),
    ("POST episodes/", {"step_frames": [0, -1]}, "#/step_frames/1"),
    ("POST episodes/", {"metadata": {"a": {"b": "\0"}}}, "#/metadata/a/b"),
    ("POST episodes/", {"reference": {"outcome": "maybe"}}, "#/reference/outcome"),
    ("POST episodes/", {"reference": {"outcome": "success", "tolerance_s": -1}}, "#/reference/tolerance_s"),
    ("POST episodes/", {"upload": "none"}, "#/upload"),
]


def test_a_value_that_cannot_be_is_invalid_and_pointed_at(world: World) -> None:
    got = [(call, changes, _said(_with(call, world, changes))) for call, changes, _ in INVALID]
    assert got == [(call, changes, (422, "invalid", [pointer])) for call, changes, pointer in INVALID]


UNKNOWN: list[tuple[str, dict[str, Any], str]] = [
    ("PUT projects/p/", {"pay": {"base": {"amount": "1", "currency": "USD", "vat": 1}}}, "#/pay/base/vat"),
    ("POST uploads/{upload}/complete/", {"parts": [{"number": 1, "etag": "x", "size": 1}]}, "#/parts/0/size"),
    ("POST episodes/", {"reference": {"outcome": "success", "frame": 1}}, "#/reference/frame"),
    ("POST episodes/", {"transcript": [{"at_s": 1, "speaker": "a", "text": "b", "mood": 1}]}, "#/transcript/0/mood"),
    ("POST projects/p/tasks/", {"tasks": [{"key": "a", "payload": {"episode": "e"}, "truth": 1}]}, "#/tasks/0/truth"),
    (
        "POST projects/p/tasks/",
        {"tasks": [{"key": "a", "payload": {"episode": "e", "video": 1}}]},
        "#/tasks/0/payload/video",
    ),
    (
        "POST projects/p/tasks/",
        {
            "tasks": [
                {"key": "a", "payload": {"episode": "e"}, "reference": {"answers": [{"outcome": "success", "why": 1}]}}
            ]
        },
        "#/tasks/0/reference/answers/0/why",
    ),
    (
        "POST work/assignments/{assignment}/submit/",
        {"answer": {"outcome": "success", "frame": 20, "sure": 1}},
        "#/answer/sure",
    ),
]


def test_an_unknown_field_is_found_however_deep_it_is(world: World) -> None:
    got = [(call, changes, _said(_with(call, world, changes))) for call, changes, _ in UNKNOWN]
    assert got == [(call, changes, (422, "unknown_field", [pointer])) for call, changes, pointer in UNKNOWN]


def test_every_fault_is_told_at_once(world: World) -> None:
    answer = _with("POST agents/alfa/metrics/", world, {"value": "x", "n": -1})
    assert {fault["pointer"] for fault in answer["errors"]} == {"#/value", "#/n"}


@pytest.mark.parametrize(("depth", "status"), [(60, 200), (70, 422), (300, 422), (50_000, 400)])
def test_metadata_may_be_nested_but_not_without_end(depth: int, status: int, world: World) -> None:
    call = BY_NAME["PUT agents/alfa/"]
    raw = b'{"name": "A", "metadata": {"a": ' + b"[" * depth + b"]" * depth + b"}}"
    response = call.send(client_for(call, world), world, data=raw, content_type="application/json")
    assert response.status_code == status
    if status == 200:
        assert client_for(call, world).get("/api/v1/agents/").status_code == 200


def test_a_number_that_overflows_to_infinity_is_invalid_and_not_kept(world: World) -> None:
    answer = _send("PUT agents/alfa/", world, b'{"name": "A", "metadata": {"a": [1, 1e999]}}')
    assert (answer["status"], answer["errors"][0]["pointer"]) == (422, "#/metadata/a/1")


def test_odd_metadata_comes_back_as_it_was(world: World) -> None:
    call = BY_NAME["PUT agents/alfa/"]
    client = client_for(call, world)
    for odd in (10**400, -(10**40), 1e22, 5e-324, "\U0001f916 𝔘ñï", "x" * 100_000, "\x01\x7f\u2028", {"": ""}):
        assert call.send(client, world, data={"name": "A", "metadata": {"odd": odd}}).status_code == 200
        assert json.loads(client.get("/api/v1/agents/alfa/").content)["metadata"] == {"odd": odd}


def test_a_body_that_is_not_json_is_415(world: World) -> None:
    for call in WITH_BODY:
        kinds = ["text/plain", "application/x-www-form-urlencoded", "application/xml", ""]
        kinds += [] if call.template == "episodes/" else ["multipart/form-data; boundary=x"]
        for kind in kinds:
            response = call.send(client_for(call, world), world, data=b"a=1", content_type=kind)
            assert (response.status_code, problem(response)["code"]) == (415, "unsupported_media_type"), (
                call.name,
                kind,
            )


def test_a_form_where_none_is_taken_is_refused_with_an_idempotency_key_too(world: World) -> None:
    call = BY_NAME["POST projects/p/links/"]
    form = b'--x\r\nContent-Disposition: form-data; name="worker"\r\n\r\nalice\r\n--x--\r\n'
    response = call.send(
        client_for(call, world),
        world,
        data=form,
        content_type="multipart/form-data; boundary=x",
        HTTP_IDEMPOTENCY_KEY="k",
    )
    assert (response.status_code, problem(response)["code"]) == (422, "invalid")


def test_no_accept_header_makes_a_call_fail(world: World) -> None:
    for accept in ("text/html", "application/x-ndjson", "application/problem+json", "video/mp4", "nonsense"):
        for name in ("GET agents/", "GET projects/p/annotations.jsonl", "GET episodes/e/trajectory"):
            response = BY_NAME[name].send(client_for(BY_NAME[name], world), world, HTTP_ACCEPT=accept)
            assert response.status_code == 200, (accept, name)


@pytest.mark.parametrize("with_key", [False, True])
def test_a_body_that_is_too_large_is_413(with_key: bool, world: World, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    headers = {"HTTP_IDEMPOTENCY_KEY": "k"} if with_key else {}
    for name in ("POST agents/alfa/metrics/", "POST episodes/", "POST work/assignments/{assignment}/submit/"):
        raw = b'{"a": "' + b"x" * 10_000 + b'"}'
        call = BY_NAME[name]
        response = call.send(client_for(call, world), world, data=raw, content_type="application/json", **headers)
        assert (response.status_code, problem(response)["code"]) == (413, "too_large"), name


def test_data_of_an_episode_that_is_too_large_is_413(world: World, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    client = client_for(BY_NAME["POST episodes/"], world)
    for data in ("x" * 20_000, SimpleUploadedFile("data.json", b"[" + b" " * 20_000 + b"]")):
        response = client.post("/api/v1/episodes/", {"data": data}, format="multipart")
        assert (response.status_code, problem(response)["code"]) == (413, "too_large")


IMPOSSIBLE = [
    "agents/?cursor=nonsense",
    "agents/?cursor=cD1hYmM%3D",
    "agents/?cursor=cD0lMDA%3D",
    "agents/?cursor=",
    "agents/?page_size=null",
    "projects/p/annotations.jsonl?since=%00",
    "projects/p/annotations.jsonl?since=none",
    "projects/p/annotations.jsonl?since=",
    "projects/masks/masks.jsonl?shares=2",
    "projects/masks/masks.npz?after=",
    "projects/parses/forms.jsonl?shape=",
    "suites/s/ranking/?project=%00",
    "suites/s/ranking/?project=none",
    "suites/s/ranking/?version=none",
    "suites/s/ranking/?version=%00",
    "suites/s/ranking/?tag=%00",
    "suites/s/ranking/?by=colour",
    "suites/s/ranking/?correct=maybe",
    "funnel/?until=",
    "funnel/?until=null",
    "funnel/?until=2026-11-21",
    "funnel/?since=2026-11-21T12:00:00",
    "funnel/?since=0900-11-21T12:00:00Z",
    "funnel/?since=9999-12-31T23:30:00-01:00",
    "funnel/?project=p&project=p",
    "audit.jsonl?since=2026-02-30",
    "audit.jsonl?verb=",
    "error_reports.jsonl?state=lost",
    "generated_scenes.jsonl?n=2.5",
    "logical_form.schema.json?spellings=",
]


def test_a_query_parameter_that_cannot_be_is_invalid(world: World) -> None:
    client = client_for(BY_NAME["GET agents/"], world)
    for query in IMPOSSIBLE:
        response = client.get(f"/api/v1/{query}")
        pointer = "#/" + query.partition("?")[2].partition("=")[0]
        assert _said(problem(response)) == (422, "invalid", [pointer]), query


def test_a_query_parameter_that_no_call_knows_is_unknown_at_every_call(world: World) -> None:
    for call in CALLS:
        template = f"{call.template}{'&' if '?' in call.template else '?'}colour=red"
        answer = problem(call.send(client_for(call, world), world, template=template))
        assert _said(answer) == (422, "unknown_field", ["#/colour"]), call.name


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("funnel/?untill=x", "There is no query parameter 'untill' here; the nearest is 'until'."),
        ("agents/?limit=5", "There is no query parameter 'limit' here; the nearest is 'page_size'."),
        ("agents/?format=xml", "There is no query parameter 'format' here; the nearest is 'cursor'."),
        ("agents/alfa/?a=1", "There is no query parameter 'a' here."),
    ],
)
def test_an_unknown_query_parameter_is_told_the_nearest_known_one(path: str, detail: str, world: World) -> None:
    answer = problem(client_for(BY_NAME["GET agents/"], world).get(f"/api/v1/{path}"))
    assert [fault["detail"] for fault in answer["errors"]] == [detail]


def test_what_nobody_foresaw_is_a_500_problem_that_tells_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def falls(*args: object, **kwargs: object) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr("agents.programs.put_row", falls)
    call = BY_NAME["PUT agents/alfa/"]
    response = call.send(client_for(call, world), world)
    assert (response.status_code, problem(response)["code"]) == (500, "server_error")
    assert b"secret" not in response.content
    assert "ZeroDivisionError" in caplog.text


def test_a_database_that_is_busy_is_503_with_a_time_to_come_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def falls(*args: object, **kwargs: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("agents.programs.put_row", falls)
    call = BY_NAME["PUT agents/alfa/"]
    response = call.send(client_for(call, world), world)
    assert (response.status_code, problem(response)["code"], response["Retry-After"]) == (503, "unavailable", "1")


def test_a_request_keeps_the_name_its_caller_gave_it(db: None) -> None:
    given = Browserless().get("/api/v1/agents/", HTTP_X_REQUEST_ID="my-request-17")
    assert given["X-Request-Id"] == "my-request-17"
    made = Browserless().get("/api/v1/agents/", HTTP_X_REQUEST_ID="bad id\n")
    assert len(made["X-Request-Id"]) == 16
