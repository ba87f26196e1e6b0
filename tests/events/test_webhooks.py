"""Webhooks: each event comes at least once, signed, in order per subject; no receiver holds up another."""

import hmac
import random
import socket
import threading
import time
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import Limits, create_key, revoke_key, rotate_key
from agents.models import ApiKey
from events import deliveries, log
from events.deliveries import TRIED_FOR
from events.log import Happened
from events.models import Delivery, Event, Webhook
from jobs import outbox
from jobs.models import Job
from lib import outbound
from tests.support.api_clients import with_key
from tests.support.builders import annotate, claim, make_project, make_task, make_worker
from tests.support.calls import problem
from tests.support.receiver import Received, Receiver, receiver

NEVER = timedelta(days=365)


@pytest.fixture(autouse=True)
def _private_addresses(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ALLOW_PRIVATE_URLS = True
    monkeypatch.setattr(deliveries, "PAUSES_S", (0,))
    monkeypatch.setattr(log, "_asked_until", 0.0)


@pytest.fixture
def sink() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


def listen(pipe: APIClient, url: str, *events: str) -> dict[str, Any]:
    answer = pipe.post("/api/v1/webhooks/", {"url": url, "events": events or ["task.*"]}, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()  # type: ignore[no-any-return]


def happen(subject: str = "t", number: int = 0, *, project: str = "", suite: str = "") -> None:
    log.note(Happened("task.settled", subject, {"number": number}, project, suite), at=timezone.now())


def deliver() -> None:
    """Run the job that delivers once, as a worker does."""
    outbox.enqueue(log.DELIVER, "", unique_key=log.DELIVER)
    [job] = Job.objects.unfinished().filter(kind=log.DELIVER)
    Job.objects.filter(pk=job.pk).update(due_at=timezone.now())
    outbox.run(job.pk)


def signed_by(secret: str, got: Received) -> bool:
    """Whether a receiver that knows this secret accepts the request."""
    headers = {name.lower(): value for name, value in got.headers.items()}
    message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + got.body
    mac = hmac.new(b64decode(secret.removeprefix("whsec_")), message, sha256).digest()
    return f"v1,{b64encode(mac).decode()}" in headers["webhook-signature"].split(" ")


def test_a_settled_task_is_listed_and_sent_signed(pipe: APIClient, sink: Receiver) -> None:
    made = listen(pipe, sink.url, "task.settled", "project.*")
    project = make_project("p")
    task = make_task(project)
    Event.objects.all().delete()
    annotate(claim(project, make_worker()))
    deliver()
    listed = pipe.get("/api/v1/events/").json()["results"]
    assert [(one["type"], one["subject"]) for one in listed] == [("task.settled", task.key), ("project.done", "p")]
    assert listed[0]["data"]["project"] == "p"
    assert sorted((one.event for one in sink.accepted), key=lambda one: one["type"]) == listed[::-1]
    first = sink.accepted[0]
    assert first.headers["webhook-id"] == first.event["event"]
    assert abs(int(first.headers["webhook-timestamp"]) - time.time()) < 60
    assert signed_by(made["secret"], first)
    assert not signed_by("whsec_" + b64encode(b"other").decode(), first)


def test_a_receiver_that_fails_a_third_gets_everything_in_order_per_subject(pipe: APIClient, sink: Receiver) -> None:
    chance = random.Random(7)
    sink.answer = lambda number: 500 if chance.random() < 0.3 else 204
    listen(pipe, sink.url)
    for number in range(300):
        happen(f"subject-{number % 20}", number)
    for _ in range(40):
        deliver()
    assert Delivery.objects.exclude(status="delivered").count() == 0
    assert len(sink.received) > 350, "it did fail"
    per_subject = defaultdict(list)
    for one in sink.accepted:
        per_subject[one.event["subject"]].append(one.event["data"]["number"])
    assert sorted(number for numbers in per_subject.values() for number in numbers) == list(range(300))
    assert all(numbers == sorted(numbers) for numbers in per_subject.values())


def test_a_failing_event_holds_its_subject_alone_until_it_is_parked(
    pipe: APIClient, sink: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "PAUSES_S", (60,))
    made = listen(pipe, sink.url)
    sink.answer = lambda number: 500 if sink.received[number].event["data"]["number"] == 1 else 204
    for subject, number in [("a", 1), ("a", 2), ("b", 3)]:
        happen(subject, number)
    deliver()
    assert {one.event["data"]["number"] for one in sink.accepted} == {3}
    later = timezone.now() + TRIED_FOR
    assert deliveries.park_overdue(at=later - timedelta(minutes=1)) == 0
    Delivery.objects.filter(event__data__number=1).update(give_up_at=timezone.now())
    deliver()
    [last] = [one for one in sink.accepted if one.event["data"]["number"] == 2]
    assert last.headers["crosswalk-gap"] == "1"
    path = f"/api/v1/webhooks/{made['webhook']}/deliveries/"
    shown = {one["body"]["data"]["number"]: one for one in pipe.get(path).json()["results"]}
    assert [shown[number]["status"] for number in (1, 2, 3)] == ["parked", "delivered", "delivered"]
    assert shown[1]["answer"] == {"status": 500, "body": "ok"}
    assert [shown[number]["follows_gap"] for number in (1, 2, 3)] == [False, True, False]
    sink.answer = lambda number: 204
    again = f"{path}{shown[1]['delivery']}/resend/"
    assert [pipe.post(again).status_code for _ in range(2)] == [202, 409]
    deliver()
    assert sink.accepted[-1].event["data"]["number"] == 1


def test_both_secrets_sign_for_a_day_after_a_rotation(pipe: APIClient, sink: Receiver) -> None:
    made = listen(pipe, sink.url)
    next_one = pipe.post(f"/api/v1/webhooks/{made['webhook']}/rotate/").json()
    with override_settings(SECRET_KEY="another", SECRET_KEY_FALLBACKS=[_secret_key()]):
        happen()
        deliver()
    assert [signed_by(one["secret"], sink.accepted[-1]) for one in (made, next_one)] == [True, True]
    Webhook.objects.update(earlier_until=timezone.now())
    happen("u")
    deliver()
    assert [signed_by(one["secret"], sink.accepted[-1]) for one in (made, next_one)] == [False, True]
    shown = pipe.get(f"/api/v1/webhooks/{made['webhook']}/").json()
    assert "secret" not in shown, "it is shown once"


def _secret_key() -> str:
    from django.conf import settings

    return settings.SECRET_KEY


def test_a_test_is_sent_and_not_listed(pipe: APIClient, sink: Receiver) -> None:
    made = listen(pipe, sink.url)
    assert pipe.post(f"/api/v1/webhooks/{made['webhook']}/test/").status_code == 202
    deliver()
    assert [one.event["type"] for one in sink.accepted] == ["webhook.test"]
    assert pipe.get("/api/v1/events/").json()["results"] == []


def test_nothing_is_sent_after_a_delete_a_410_or_the_end_of_the_key(sink: Receiver, db: None) -> None:
    now = timezone.now()
    text = create_key(name="hooks", scopes=["read", "write"], at=now)
    key = ApiKey.objects.get(name="hooks")
    made = listen(with_key(text), sink.url)
    next_text = rotate_key(key, overlap=timedelta(0), by="test", at=now)
    happen("a")
    deliver()
    assert len(sink.accepted) == 1, "the key that follows counts"
    revoke_key(ApiKey.objects.latest("pk"), by="test", at=timezone.now())
    happen("b")
    deliver()
    assert len(sink.received) == 1
    ApiKey.objects.update(revoked_at=None)
    sink.answer = lambda number: 410
    happen("c")
    happen("d")
    deliver()
    happen("e")
    deliver()
    assert Webhook.objects.get().status == "gone"
    assert "e" not in {one.event["subject"] for one in sink.received}
    Webhook.objects.update(status="active")
    assert with_key(next_text).delete(f"/api/v1/webhooks/{made['webhook']}/").status_code == 204
    happen("f")
    deliver()
    assert "f" not in {one.event["subject"] for one in sink.received}


def test_a_limited_key_sees_and_is_sent_what_is_its_own(pipe: APIClient, sink: Receiver) -> None:
    limits = Limits(projects=["mine"], suites=["ours"])
    own = with_key(create_key(name="l", scopes=["read", "write"], limits=limits, at=timezone.now()))
    other = with_key(create_key(name="o", scopes=["read"], limits=Limits(projects=["x"]), at=timezone.now()))
    made, whole = listen(own, sink.url), listen(pipe, "http://127.0.0.1:9/")
    for subject, project, suite in [("a", "mine", ""), ("b", "", "ours"), ("c", "x", ""), ("d", "", "")]:
        happen(subject, project=project, suite=suite)

    def subjects(client: APIClient) -> str:
        return "".join(one["subject"] for one in client.get("/api/v1/events/").json()["results"])

    Webhook.objects.filter(public_id=whole["webhook"]).delete()
    deliver()
    assert (subjects(pipe), subjects(own), subjects(other)) == ("abcd", "ab", "c")
    assert {one.event["subject"] for one in sink.accepted} == {"a", "b"}
    address = f"/api/v1/webhooks/{made['webhook']}/"
    assert [client.get(address).status_code for client in (pipe, own, other)] == [200, 200, 404]


def test_events_are_read_on_from_the_last_one_and_by_type(pipe: APIClient) -> None:
    for number in range(5):
        happen("t", number)
    log.note(Happened("episode.ready", "e", {}), at=timezone.now())
    first = pipe.get("/api/v1/events/?page_size=2&types=task.*").json()
    second = pipe.get(first["next"]).json()
    third = pipe.get(second["next"]).json()
    assert [[one["data"]["number"] for one in page["results"]] for page in (first, second, third)] == [
        [0, 1],
        [2, 3],
        [4],
    ]
    assert third["next"] is None
    rest = pipe.get(f"/api/v1/events/?after={third['results'][-1]['event']}").json()["results"]
    assert [one["type"] for one in rest] == ["episode.ready"]
    for query, pointer in [
        ("after=Aunknown", "#/after"),
        ("types=task.*,no.such", "#/types"),
        ("types=x", "#/types"),
    ]:
        assert problem(pipe.get(f"/api/v1/events/?{query}"))["errors"][0]["pointer"] == pointer
    Event.objects.filter(type="task.settled").update(at=timezone.now() - log.KEPT - timedelta(minutes=1))
    assert log.forget_old(timezone.now()) == 5
    assert len(pipe.get("/api/v1/events/").json()["results"]) == 1


@pytest.mark.parametrize(
    ("url", "events", "pointer"),
    [
        ("http://127.0.0.1/", ["task.*"], "#/url"),
        ("http://[::ffff:10.0.0.1]/", ["task.*"], "#/url"),
        ("http://localhost:8000/", ["task.*"], "#/url"),
        ("ftp://93.184.216.34/", ["task.*"], "#/url"),
        ("https://user:word@93.184.216.34/", ["task.*"], "#/url"),
        ("https://93.184.216.34/", ["task.*", "no.such"], "#/events/1"),
        ("https://93.184.216.34/", [], "#/events"),
    ],
)
def test_a_private_address_or_an_unknown_type_is_refused(
    url: str, events: list[str], pointer: str, pipe: APIClient, settings: Any
) -> None:
    settings.ALLOW_PRIVATE_URLS = False
    answer = pipe.post("/api/v1/webhooks/", {"url": url, "events": events}, format="json")
    assert problem(answer)["errors"][0]["pointer"] == pointer
    assert Webhook.objects.count() == 0


def test_a_name_that_turns_private_later_and_a_redirect_are_refused(
    pipe: APIClient, sink: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    listen(pipe, sink.url)
    settings.ALLOW_PRIVATE_URLS = False
    happen("a")
    deliver()
    assert sink.received == []
    assert "private network" in Delivery.objects.get().problem
    # The first address counts as public, and redirects into the private network.
    monkeypatch.setattr(outbound, "is_public", lambda ip, left=[True]: left.pop() if left else False)
    Webhook.objects.update(rests_until=None)
    sink.answer, sink.location = (lambda number: 307), sink.url.replace("/hook", "/inside")
    deliver()
    assert [one.path for one in sink.received] == ["/hook"]
    assert "private network" in Delivery.objects.get().problem


def test_a_receiver_that_says_nothing_holds_up_no_other(
    pipe: APIClient, sink: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "TOTAL_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        threading.Thread(target=_drip, args=(silent,), daemon=True).start()
        listen(pipe, f"http://127.0.0.1:{silent.getsockname()[1]}/")
        listen(pipe, sink.url)
        for number in range(50):
            happen(f"subject-{number}", number)
        began = time.monotonic()
        deliver()
        took_s = time.monotonic() - began
    assert len(sink.accepted) == 50
    assert took_s < 6
    slow = Webhook.objects.earliest("pk")
    assert slow.rests_until is not None
    assert slow.deliveries.filter(attempts__gt=0).count() <= deliveries.LANES


def _drip(silent: socket.socket) -> None:
    """Answer a byte at a time, and never to the end."""
    held = []
    while True:
        try:
            connection, _ = silent.accept()
        except OSError:
            return
        held.append(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")


def test_the_commit_of_an_event_asks_for_one_delivery_job(
    pipe: APIClient, sink: Receiver, django_capture_on_commit_callbacks: Any, django_assert_num_queries: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        happen()
    assert not Job.objects.filter(kind=log.DELIVER).exists(), "nobody listens"
    log.webhooks_changed()
    with django_capture_on_commit_callbacks(execute=True):
        listen(pipe, sink.url)
    with django_assert_num_queries(10 + 4), django_capture_on_commit_callbacks(execute=True):
        for _ in range(10):
            happen()
    assert Job.objects.filter(kind=log.DELIVER).count() == 1
