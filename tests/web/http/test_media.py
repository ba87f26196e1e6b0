"""Videos by signed address: byte ranges, and validators."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Assignment
from annotation.work.enrolments import revoke_links
from evaluation.models import Film
from evaluation.video_addresses import video_address
from tests.support.api_clients import Browserless
from tests.support.builders import make_project, make_task
from tests.support.calls import content
from web.http.byte_ranges import CHUNK_BYTES
from workforce.models import Worker

VIDEO = bytes(range(256)) * 2000
SIZE = len(VIDEO)
Fetch = Callable[..., tuple[Any, bytes]]


@pytest.fixture
def fetch() -> Fetch:
    """Gets an address without any credential; the response and its whole body."""

    def plainly(url: str, method: str = "GET", **headers: str) -> tuple[Any, bytes]:
        response = Browserless().generic(method, url, headers=headers)
        return response, content(response)

    return plainly


@pytest.fixture
def video(alice: Worker, as_worker: Any) -> dict[str, Any]:
    """The payload of a worker's video, whose file is as long as two chunks or so."""
    assert CHUNK_BYTES < SIZE
    project = make_project()
    make_task(project)
    client: APIClient = as_worker(project, alice)
    film = Film.objects.get()
    film.proxy = default_storage.save("proxy.mp4", ContentFile(VIDEO))
    film.save()
    shown: dict[str, Any] = client.post("/api/v1/work/claim/", {}).json()["payload"]["video"]
    return shown


def test_a_video_that_is_asked_for_too_often_waits_whatever_its_address(
    video: dict[str, Any], fetch: Fetch, settings: Any
) -> None:
    settings.CLIP_REQUESTS_A_MINUTE = 3
    hold = Assignment.objects.get().public_id
    addresses = [video["url"], video["poster_url"], video_address(hold, "video.mp4"), video["url"]]
    answers = [fetch(address, Range="bytes=0-1")[0] for address in addresses]
    assert [answer.status_code for answer in answers][-2:] == [206, 429]
    assert (answers[-1]["Retry-After"], answers[-1]["Content-Type"]) == ("20", "text/plain")
    assert fetch(video_address(hold, "video.mp4") + "x")[0].status_code == 429
    assert fetch(video["url"].replace(hold, "another"))[0].status_code == 404, "a wrong address counts for nobody"


def test_the_whole_video_needs_no_credential(video: dict[str, Any], fetch: Fetch) -> None:
    response, body = fetch(video["url"])
    assert (response.status_code, body) == (200, VIDEO)
    assert response["Content-Type"] == "video/mp4"
    assert response["Content-Length"] == str(SIZE)
    assert response["Accept-Ranges"] == "bytes"
    assert response["ETag"].startswith('"')
    assert response["Cache-Control"].startswith("private")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "Content-Range" not in response
    assert "Set-Cookie" not in response


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-1", 0, 1),
        ("bytes=0-0", 0, 0),
        ("bytes=100-199", 100, 199),
        ("bytes=-3", SIZE - 3, SIZE - 1),
        ("bytes=4-", 4, SIZE - 1),
        (f"bytes={SIZE - 1}-", SIZE - 1, SIZE - 1),
        (f"bytes=10-{SIZE + 1000}", 10, SIZE - 1),
        (f"bytes=-{SIZE + 5}", 0, SIZE - 1),
        (f"bytes={CHUNK_BYTES - 1}-{CHUNK_BYTES}", CHUNK_BYTES - 1, CHUNK_BYTES),
        (" Bytes=0-1 ", 0, 1),
    ],
)
def test_a_range_is_served(asked: str, first: int, last: int, video: dict[str, Any], fetch: Fetch) -> None:
    response, body = fetch(video["url"], Range=asked)
    assert response.status_code == 206
    assert body == VIDEO[first : last + 1]
    assert response["Content-Length"] == str(last - first + 1)
    assert response["Content-Range"] == f"bytes {first}-{last}/{SIZE}"


@pytest.mark.parametrize("asked", [f"bytes={SIZE}-", f"bytes={SIZE}-{SIZE + 10}", f"bytes={10**17}-", "bytes=-0"])
def test_a_range_beyond_the_end_is_416_and_says_how_long_the_file_is(
    asked: str, video: dict[str, Any], fetch: Fetch
) -> None:
    response, body = fetch(video["url"], Range=asked)
    assert (response.status_code, body) == (416, b"")
    assert response["Content-Range"] == f"bytes */{SIZE}"
    assert response["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "bytes=",
        "bytes=-",
        "bytes=5-2",
        "bytes=a-b",
        "items=0-1",
        "bytes=0-1,3-4",
        "bytes=" + "9" * 6000 + "-",
        "bytes=٣-٤",
    ],
)
def test_a_range_that_makes_no_sense_is_ignored(asked: str, video: dict[str, Any], fetch: Fetch) -> None:
    if not asked.isascii():
        asked = asked.encode().decode("latin-1")
    response, body = fetch(video["url"], Range=asked)
    assert (response.status_code, len(body)) == (200, SIZE)


def test_what_the_browser_has_already_is_304(video: dict[str, Any], fetch: Fetch) -> None:
    etag = fetch(video["url"], Range="bytes=0-1")[0]["ETag"]
    for known in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        response, body = fetch(video["url"], **{"If-None-Match": known})
        assert (response.status_code, body, response["ETag"]) == (304, b"", etag)
    assert fetch(video["url"], **{"If-None-Match": '"other"'})[0].status_code == 200


def test_a_range_counts_only_while_the_file_is_the_same(video: dict[str, Any], fetch: Fetch) -> None:
    etag = fetch(video["url"], method="HEAD")[0]["ETag"]
    assert fetch(video["url"], Range="bytes=0-1", **{"If-Range": etag})[0].status_code == 206
    for other in ('"other"', f"W/{etag}", "Sat, 21 Nov 2026 12:00:00 GMT"):
        response, body = fetch(video["url"], Range="bytes=0-1", **{"If-Range": other})
        assert (response.status_code, len(body)) == (200, SIZE)


def test_head_tells_what_get_would_and_sends_nothing(video: dict[str, Any], fetch: Fetch) -> None:
    got, _ = fetch(video["url"])
    head, body = fetch(video["url"], method="HEAD")
    assert (head.status_code, body) == (200, b"")
    for name in ("Content-Length", "Content-Type", "ETag", "Accept-Ranges"):
        assert head[name] == got[name]
    assert fetch(video["url"], method="HEAD", Range="bytes=0-1")[0]["Content-Length"] == str(SIZE)


def test_poster_and_filmstrip_are_served_the_same_way(video: dict[str, Any], fetch: Fetch) -> None:
    for url, kind in ((video["poster_url"], "image/jpeg"), (video["filmstrip"]["urls"][0], "image/webp")):
        response, body = fetch(url, Range="bytes=0-3")
        assert (response.status_code, response["Content-Type"], len(body)) == (206, kind, 4)


def test_a_forged_address_is_404(video: dict[str, Any], fetch: Fetch) -> None:
    signed, _, name = video["url"].removeprefix("/clips/").partition("/")
    hold, at, signature = signed.split(":")
    forged = [
        f"/clips/{signed[:-1]}/{name}",
        f"/clips/{hold}:{at}:{'A' * len(signature)}/{name}",
        f"/clips/{hold}:0{at}:{signature}/{name}",
        f"/clips/{hold[:-1]}:{at}:{signature}/{name}",
        f"/clips/{hold}/{name}",
        f"/clips/{signed}/strip-9.webp",
        f"/clips/{signed}/..%2f..%2fsecret_key",
        f"/clips/{signed}/%00",
        f"/clips/%00/{name}",
    ]
    assert [fetch(url)[0].status_code for url in forged] == [404] * len(forged)


def test_an_address_expires(video: dict[str, Any], fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    monkeypatch.setattr("django.core.signing.time.time", lambda: (now + timedelta(hours=23)).timestamp())
    assert fetch(video["url"], method="HEAD")[0].status_code == 200
    monkeypatch.setattr("django.core.signing.time.time", lambda: (now + timedelta(hours=25)).timestamp())
    assert fetch(video["url"], method="HEAD")[0].status_code == 404


@pytest.mark.parametrize("status", [status for status in Assignment.Status if status != Assignment.Status.CLAIMED])
def test_an_address_ends_with_its_hold(video: dict[str, Any], status: Assignment.Status) -> None:
    now = timezone.now()
    problem = Assignment.Problem.OTHER if status == Assignment.Status.REPORTED else ""
    Assignment.objects.update(status=status, problem=problem, closed_at=now - timedelta(seconds=50))
    assert Browserless().get(video["url"]).status_code == 200, "the page may be reading"
    Assignment.objects.update(closed_at=now - timedelta(seconds=61))
    assert {Browserless().get(video[name]).status_code for name in ("url", "poster_url")} == {404}


def test_an_address_ends_with_the_lease(video: dict[str, Any]) -> None:
    Assignment.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=61))
    assert Browserless().get(video["url"]).status_code == 404


def test_an_address_ends_with_the_links_of_the_worker(video: dict[str, Any], alice: Worker) -> None:
    revoke_links(enrolment=alice.enrolments.get(), by="staff:dora", at=timezone.now() - timedelta(seconds=61))
    assert Browserless().get(video["url"]).status_code == 404


def test_only_reading_is_possible(video: dict[str, Any]) -> None:
    assert [Browserless().generic(method, video["url"]).status_code for method in ("POST", "PUT", "DELETE")] == [
        405
    ] * 3


def test_the_address_tells_nothing_of_the_episode(video: dict[str, Any]) -> None:
    held = Assignment.objects.get()
    episode = Film.objects.get().episode
    for word in (episode.external_id, episode.folder, episode.agent.slug, held.task.key):
        assert word not in str(video)
    assert video["url"].startswith(f"/clips/{held.public_id}:")


def test_each_hold_has_addresses_of_its_own(video: dict[str, Any], bob: Worker, as_worker: Any) -> None:
    project = Assignment.objects.get().task.project
    project.tasks.update(wanted=2, slots_left=1, open=True)
    theirs = as_worker(project, bob).post("/api/v1/work/claim/", {}).json()["payload"]["video"]
    assert theirs["url"] != video["url"]
    assert content(Browserless().get(theirs["url"])) == VIDEO
