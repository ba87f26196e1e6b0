"""`Idempotency-Key`: the same request again gets the first answer again, and nothing happens twice."""

import gzip
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import create_key
from agents.models import ApiKey, Metric, Reply
from annotation.models import Enrolment, WorkToken
from evaluation.models import Episode
from jobs.models import Job
from lib.faults import Invalid
from tests.conftest import api_client
from tests.support.builders import make_agent, make_project, make_scenario, make_suite, make_task, make_worker
from tests.support.call_world import make_world
from tests.support.calls import CALLS, Call, client_for, content, problem
from tests.support.full_disk import stored
from web.api.idempotency import KEPT, STUCK, forget_old

METRICS = "/api/v1/agents/alfa/metrics/"


@pytest.fixture(autouse=True)
def _alfa(db: None) -> None:
    make_agent("alfa")


def _post(client: APIClient, key: str = "k", **body: Any) -> Any:
    return client.post(METRICS, {"metric": "probe", "value": 0.5, **body}, HTTP_IDEMPOTENCY_KEY=key)


def _age(by: timedelta) -> None:
    Reply.objects.update(created_at=timezone.now() - by)


def test_the_same_body_gets_the_first_answer_again(pipe: APIClient) -> None:
    first, again = _post(pipe), _post(pipe)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again["Content-Type"] == first["Content-Type"]
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"
    assert Metric.objects.count() == 1


def test_without_a_key_each_post_counts(pipe: APIClient) -> None:
    assert [pipe.post(METRICS, {"metric": "probe", "value": 1}).status_code for _ in range(2)] == [201, 201]
    assert Metric.objects.count() == 2


def test_another_body_under_the_same_key_is_a_conflict(pipe: APIClient) -> None:
    _post(pipe)
    other = _post(pipe, value=0.6)
    assert (other.status_code, problem(other)["code"]) == (409, "conflict")
    assert Metric.objects.count() == 1


def test_another_address_under_the_same_key_is_a_conflict(pipe: APIClient) -> None:
    make_agent("bravo")
    _post(pipe)
    other = pipe.post("/api/v1/agents/bravo/metrics/", {"metric": "probe", "value": 0.5}, HTTP_IDEMPOTENCY_KEY="k")
    assert other.status_code == 409


def test_each_credential_has_keys_of_its_own(pipe: APIClient) -> None:
    other = api_client(create_key(name="other", scopes=ApiKey.Scope.values, at=timezone.now()))
    _post(pipe)
    theirs = _post(other, value=0.6)
    assert theirs.status_code == 201
    assert "Idempotent-Replayed" not in theirs


def test_days_later_the_key_is_forgotten(pipe: APIClient) -> None:
    _post(pipe)
    _age(KEPT - timedelta(minutes=1))
    assert _post(pipe)["Idempotent-Replayed"] == "true"
    _age(KEPT + timedelta(minutes=1))
    later = _post(pipe, value=0.6)
    assert later.status_code == 201
    assert "Idempotent-Replayed" not in later
    assert Metric.objects.count() == 2
    assert _post(pipe, value=0.6)["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize("days", [1, 2])
def test_a_clock_that_jumps_by_days_lets_no_repeat_run_again(days: int, pipe: APIClient) -> None:
    """Two days, where the clock was a day behind and is a day ahead now."""
    _post(pipe)
    _age(timedelta(days=days, hours=23))
    forget_old(at=timezone.now())
    assert _post(pipe)["Idempotent-Replayed"] == "true"
    assert Metric.objects.count() == 1


def test_a_refusal_is_not_kept(pipe: APIClient) -> None:
    assert _post(pipe, value="x").status_code == 422
    assert Reply.objects.count() == 0
    assert _post(pipe).status_code == 201


def test_a_failure_is_not_kept(pipe: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe.raise_request_exception = False
    with monkeypatch.context() as broken:
        broken.setattr("web.api.agents.show_metric", lambda metric: 1 / 0)
        assert _post(pipe).status_code == 500
    assert Reply.objects.count() == 0
    assert _post(pipe).status_code == 201


def test_while_the_first_is_still_running_the_second_is_a_conflict(pipe: APIClient) -> None:
    _post(pipe)
    Reply.objects.update(status=None, body="")
    assert _post(pipe).status_code == 409
    _age(STUCK + timedelta(seconds=1))
    assert _post(pipe).status_code == 201, "its process was killed: the next one takes over"


def test_a_key_that_is_empty_too_long_or_not_ascii_is_invalid(pipe: APIClient) -> None:
    assert _post(pipe, key="k" * 255).status_code == 201
    for key in ("k" * 256, "", "k\xe9", "k\x01"):
        assert problem(_post(pipe, key=key))["code"] == "invalid", key


def test_a_get_takes_no_notice_of_a_key(pipe: APIClient) -> None:
    for _ in range(2):
        assert pipe.get(METRICS, HTTP_IDEMPOTENCY_KEY="k").status_code == 200
    assert Reply.objects.count() == 0


def test_a_multipart_body_is_the_same_whatever_its_boundary(pipe: APIClient) -> None:
    make_scenario(make_suite("s"), "k")
    data = '{"external_id": "e", "agent": "alfa", "suite": "s", "scenario": "k", "continuation": 0}'

    def post(video: bytes, boundary: str) -> Any:
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="data"\r\n\r\n{data}\r\n'.encode(),
            f'--{boundary}\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\n'.encode(),
            video,
            f"\r\n--{boundary}--\r\n".encode(),
        ]
        kind = f"multipart/form-data; boundary={boundary}"
        body: Any = b"".join(parts)
        return pipe.generic("POST", "/api/v1/episodes/", body, content_type=kind, HTTP_IDEMPOTENCY_KEY="k")

    first, again, other = post(b"one", "aaa"), post(b"one", "bbb"), post(b"two", "aaa")
    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 409)
    assert again.content == first.content
    assert (Episode.objects.count(), Job.objects.count()) == (1, 1)


def test_the_file_of_a_keyed_post_is_stored_whole(pipe: APIClient) -> None:
    make_scenario(make_suite("s"), "k")
    data = '{"external_id": "e", "agent": "alfa", "suite": "s", "scenario": "k", "continuation": 0}'
    steps = bytes(range(256)) * 5000
    files = {"data": data, "video": SimpleUploadedFile("a.mp4", b"v"), "trajectory": SimpleUploadedFile("t", steps)}
    assert pipe.post("/api/v1/episodes/", files, format="multipart", HTTP_IDEMPOTENCY_KEY="k").status_code == 201
    assert content(pipe.get("/api/v1/episodes/e/trajectory")) == steps


def test_an_answer_without_a_body_is_given_again_too(as_worker: Any) -> None:
    project = make_project()
    make_task(project)
    client = as_worker(project, make_worker("alice"))
    held = client.post("/api/v1/work/claim/", {}).json()["assignment"]
    url = f"/api/v1/work/assignments/{held}/report/"
    got = [client.post(url, {"problem": "other"}, HTTP_IDEMPOTENCY_KEY="k") for _ in range(2)]
    assert [(answer.status_code, answer.content) for answer in got] == [(204, b""), (204, b"")]
    assert got[1]["Idempotent-Replayed"] == "true"


def test_a_claim_with_a_key_is_the_same_claim_whatever_happened_since(as_worker: Any) -> None:
    project = make_project()
    make_task(project)
    make_task(project)
    client = as_worker(project, make_worker("alice"))
    first = client.post("/api/v1/work/claim/", {}, HTTP_IDEMPOTENCY_KEY="k")
    client.post(f"/api/v1/work/assignments/{first.json()['assignment']}/release/", {})
    assert client.post("/api/v1/work/claim/", {}, HTTP_IDEMPOTENCY_KEY="k").content == first.content


def test_a_compressed_answer_is_kept_as_text(as_worker: Any) -> None:
    project = make_project()
    make_task(project)
    client = as_worker(project, make_worker("alice"))
    asked = {"HTTP_IDEMPOTENCY_KEY": "k", "HTTP_ACCEPT_ENCODING": "gzip"}
    first, again = (client.post("/api/v1/work/claim/", {}, **asked) for _ in range(2))
    assert first["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(first.content)) == again.json()


def test_a_revoked_key_gets_no_kept_answer(pipe: APIClient) -> None:
    _post(pipe)
    ApiKey.objects.update(revoked_at=timezone.now())
    assert _post(pipe).status_code == 401


def test_a_key_that_lost_its_scope_gets_no_kept_answer(pipe: APIClient) -> None:
    _post(pipe)
    ApiKey.objects.update(scopes=["read"])
    assert _post(pipe).status_code == 403


def test_a_worker_whose_link_ended_gets_no_kept_answer(as_worker: Any) -> None:
    project = make_project()
    make_task(project)
    client = as_worker(project, make_worker("alice"))
    assert client.post("/api/v1/work/claim/", {}, HTTP_IDEMPOTENCY_KEY="k").status_code == 200
    WorkToken.objects.update(expires_at=timezone.now())
    assert client.post("/api/v1/work/claim/", {}, HTTP_IDEMPOTENCY_KEY="k").status_code == 401


def test_a_stranger_leaves_nothing_behind(stranger: APIClient) -> None:
    assert _post(stranger).status_code == 401
    assert Reply.objects.count() == 0


def test_an_answer_with_a_token_is_not_kept(pipe: APIClient) -> None:
    make_project("p")

    def invite(worker: str) -> Any:
        return pipe.post("/api/v1/projects/p/links/", {"worker": worker}, HTTP_IDEMPOTENCY_KEY="k")

    first, again, other = invite("alice"), invite("alice"), invite("bob")
    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 409)
    assert first["Cache-Control"] == "no-store"
    assert first.json()["token"] != again.json()["token"]
    assert Enrolment.objects.count() == 1
    assert "cww_" not in str(Reply.objects.values())


SECRET = {"POST projects/p/links/"}
"""The calls whose answers have another secret each time."""


def test_any_post_of_the_api_may_carry_a_key() -> None:
    world = make_world()
    posts = [call for call in CALLS if call.method == "POST" and "assignment" not in call.template]
    for call in [call for call in posts if call.name not in SECRET]:
        client = client_for(call, world)
        first, again = (call.send(client, world, HTTP_IDEMPOTENCY_KEY="k " + call.name) for _ in range(2))
        assert (first.status_code, again.content) == (call.status, first.content), call.name
        # What has a secret is not kept: the endpoint finds what it made, and says the same.
        assert (again.get("Idempotent-Replayed") == "true") == (first.get("Cache-Control") != "no-store"), call.name


def test_a_repeat_counts_among_the_requests_of_its_key(pipe: APIClient, settings: Any) -> None:
    settings.KEY_REQUESTS_A_MINUTE = 3
    answers = [_post(pipe) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert problem(answers[-1])["code"] == "too_many_requests"
    assert answers[-1]["Retry-After"] == "20"


# Killed in the middle ----------------------------------------------------------------------------------------------


class Killed(BaseException):
    """The end of the process, which no code of ours catches."""


def _kill_before_the_answer_is_kept(run: Callable[..., Any], statement: str, *rest: Any) -> Any:
    if statement.startswith('UPDATE "agents_reply"'):
        raise Killed
    return run(statement, *rest)


def _rows() -> dict[str, int]:
    return {name: len(rows) for name, rows in stored().items() if name not in {"agents.Reply", "files"}}


def test_a_metric_whose_process_was_killed_before_its_answer_was_kept_is_there_once(pipe: APIClient) -> None:
    with connection.execute_wrapper(_kill_before_the_answer_is_kept), pytest.raises(Killed):
        _post(pipe)
    assert Metric.objects.count() == 0
    assert _post(pipe).status_code == 409, "the first may still run"
    _age(STUCK + timedelta(seconds=1))
    assert _post(pipe).status_code == 201
    assert Metric.objects.count() == 1
    assert _post(pipe)["Idempotent-Replayed"] == "true"


@pytest.mark.long
@pytest.mark.parametrize("call", [call for call in CALLS if call.method == "POST"], ids=lambda call: call.name)
def test_after_a_kill_a_repeat_leaves_what_one_request_leaves(call: Call) -> None:
    with transaction.atomic():
        world = make_world()
        assert call.send(client_for(call, world), world).status_code == call.status
        once = _rows()
        transaction.set_rollback(True)
    world = make_world()
    client = client_for(call, world)
    with connection.execute_wrapper(_kill_before_the_answer_is_kept), pytest.raises(Killed):
        call.send(client, world, HTTP_IDEMPOTENCY_KEY="k")
    _age(STUCK + timedelta(seconds=1))
    # What is there already is a 200 where what is new is a 201.
    assert call.send(client, world, HTTP_IDEMPOTENCY_KEY="k").status_code in {200, call.status}
    assert _rows() == once


def test_a_request_whose_key_a_repeat_has_taken_over_saves_nothing(
    pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken_over(metric: Metric) -> dict[str, Any]:
        _age(timedelta())
        return {}

    with monkeypatch.context() as slow:
        slow.setattr("web.api.agents.show_metric", taken_over)
        assert _post(pipe).status_code == 409
    assert Metric.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_what_fails_after_the_commit_does_not_make_a_repeat_run_again(
    pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe.raise_request_exception = False

    def failing(metric: Metric) -> dict[str, Any]:
        transaction.on_commit(lambda: 1 / 0)
        return {"metric": metric.metric}

    with monkeypatch.context() as broken:
        broken.setattr("web.api.agents.show_metric", failing)
        assert _post(pipe).status_code == 500
    assert _post(pipe)["Idempotent-Replayed"] == "true"
    assert Metric.objects.count() == 1


@pytest.mark.parametrize("failure", [ZeroDivisionError(), Invalid("no")])
def test_an_error_rolls_back_what_it_rolls_back_without_a_key(
    failure: Exception, pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe.raise_request_exception = False

    def fail(metric: Metric) -> None:
        raise failure

    monkeypatch.setattr("web.api.agents.show_metric", fail)
    left = []
    with_and_without_key: list[dict[str, Any]] = [{}, {"HTTP_IDEMPOTENCY_KEY": "k"}]
    for headers in with_and_without_key:
        before = Metric.objects.count()
        answer = pipe.post(METRICS, {"metric": "probe", "value": 0.5}, **headers)
        left.append((answer.status_code, Metric.objects.count() - before))
    assert left[0] == left[1]
    assert Reply.objects.count() == 0
