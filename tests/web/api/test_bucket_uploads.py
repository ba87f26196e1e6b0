"""Uploads whose parts clients send to the bucket themselves."""

import hashlib
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from evaluation.bucket_files.direct_uploads import addresses
from evaluation.models import Upload
from evaluation.uploads import begin, forget_unused, parts_of
from tests.support.bucket import BUCKET, SERVERS, Line, bucket_server, line_to
from tests.support.calls import problem

pytestmark = [pytest.mark.long, pytest.mark.django_db]
PART = 5 * 1024 * 1024
WHOLE = bytes(range(256)) * 4 * 1024 * 11  # two parts of the smallest size that S3 takes, and a fifth of one
SHA256 = hashlib.sha256(WHOLE).hexdigest()


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    with bucket_server(request.param) as address:
        yield address


@pytest.fixture
def line(server: str, settings: Any) -> Iterator[Line]:
    """The line to the bucket in which the server keeps its files."""
    settings.UPLOAD_PART_BYTES = PART
    with line_to(server) as line:
        options = {**line.options(), "direct_origin": line.address}
        backend = {"BACKEND": "common.bucket_storage.BucketStorage", "OPTIONS": options}
        settings.STORAGES = {**settings.STORAGES, "default": backend}
        yield line


def announce(pipe: APIClient, **changes: Any) -> dict[str, Any]:
    body = {"filename": "a.mp4", "bytes": len(WHOLE), "sha256": SHA256, **changes}
    answer = pipe.post("/api/v1/uploads/", body, format="json")
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()
    return found


def send(upload: dict[str, Any], *numbers: int, whole: bytes = WHOLE) -> list[dict[str, Any]]:
    """Send these parts as any client does: with a plain PUT to the address."""
    tags = []
    for part in upload["parts"]:
        if part["number"] in numbers:
            start = (part["number"] - 1) * PART
            answer = httpx.request(part["method"], part["url"], content=whole[start : start + PART])
            assert answer.status_code == 200, answer.text
            tags.append({"number": part["number"], "etag": answer.headers["ETag"]})
    return tags


def complete(pipe: APIClient, upload: dict[str, Any], parts: list[dict[str, Any]]) -> Any:
    return pipe.post(f"/api/v1/uploads/{upload['upload']}/complete/", {"parts": parts}, format="json")


def test_the_parts_go_to_the_bucket_itself_and_become_the_file(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)
    assert all(part["url"].startswith(f"{line.address}/{BUCKET}/uploads/") for part in upload["parts"])
    tags = send(upload, 3, 1, 2, 1)
    done = [complete(pipe, upload, tags) for _ in range(2)]
    assert [(one.status_code, one.json()["sha256"]) for one in done] == [(200, SHA256)] * 2
    with default_storage.open(Upload.objects.get().file) as file:
        assert file.read() == WHOLE


def test_parts_that_are_missing_short_or_named_wrongly_are_told(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)
    tags = send(upload, 1, 3)
    short = httpx.put(upload["parts"][1]["url"], content=WHOLE[:100])
    for parts, said in [
        ([*tags, {"number": 2, "etag": short.headers["ETag"]}], "Part 2 must have 5242880 bytes; 100 came."),
        (tags[1:], "arrived with the ETag"),
    ]:
        refused = complete(pipe, upload, parts)
        assert refused.status_code == 422
        assert any(said in fault["detail"] for fault in problem(refused)["errors"])
    whole = [tags[0], *send(upload, 2), tags[1]]
    assert complete(pipe, upload, whole).status_code == 200


def test_a_part_that_is_cut_off_is_not_there_and_can_be_sent_again(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)

    def breaks_off() -> Iterator[bytes]:
        yield WHOLE[:1000]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        httpx.put(upload["parts"][0]["url"], content=breaks_off(), headers={"Content-Length": str(PART)})
    rest = send(upload, 2, 3)
    refused = complete(pipe, upload, [{"number": 1, "etag": "x"}, *rest])
    assert [fault["detail"] for fault in problem(refused)["errors"]] == ["Part 1 has not arrived."]
    assert complete(pipe, upload, [*send(upload, 1), *rest]).status_code == 200


def test_bytes_that_changed_on_their_way_are_found_and_nothing_is_kept(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)
    line.corrupts = True
    tags = send(upload, 1, 2, 3)
    line.corrupts = False
    refused = complete(pipe, upload, tags)
    assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/sha256")
    assert list(line.storage().names("uploads/")) == []
    assert complete(pipe, upload, tags).status_code == 404


def test_an_address_that_has_expired_takes_nothing(line: Line) -> None:
    upload = begin(filename="a", size=10, at=timezone.now(), is_direct=True)
    [address] = addresses(upload, 1, seconds=1)
    time.sleep(1.1)
    assert httpx.put(address, content=b"0123456789").status_code == 403


def test_a_bucket_that_refuses_parts_leaves_the_way_through_the_server(pipe: APIClient, line: Line) -> None:
    line.refusal = (403, "AccessDenied")
    upload = announce(pipe)
    assert all("/api/v1/uploads/" in part["url"] for part in upload["parts"])
    line.refusal = None
    direct = announce(pipe)
    tags = send(direct, 1, 2, 3)
    line.refusal = (403, "AccessDenied")
    assert complete(pipe, direct, tags).status_code == 503
    line.refusal = None
    assert complete(pipe, direct, tags).status_code == 200, "nothing was lost by it"


def test_a_server_that_died_after_the_parts_were_joined_goes_on(
    pipe: APIClient, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = announce(pipe)
    tags = send(upload, 1, 2, 3)

    def dies(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Upload, "save", dies)
        with pytest.raises(KeyboardInterrupt):
            complete(pipe, upload, tags)
    assert Upload.objects.get().state == "open"
    assert complete(pipe, upload, tags).json()["sha256"] == SHA256


def test_browsers_send_parts_to_the_server(line: Line) -> None:
    upload = begin(filename="a", size=10, at=timezone.now())
    assert "/api/v1/uploads/" in parts_of(upload)[0]["url"]


def test_what_nobody_completes_is_dropped_from_the_bucket_too(pipe: APIClient, line: Line) -> None:
    upload = announce(pipe)
    send(upload, 1)
    client = line.storage().client
    assert len(client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ())) == 1
    assert forget_unused(timezone.now() + timedelta(days=1)) == 0
    assert forget_unused(timezone.now() + timedelta(days=3)) == 1
    assert client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", ()) == ()
