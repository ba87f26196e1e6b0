"""Large files come in parts, at signed addresses, and are checked as a whole."""

import hashlib
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from rest_framework.test import APIClient

from evaluation.models import Episode, Upload, UploadPart
from evaluation.uploads import forget_unused
from tests.support.builders import make_agent, make_scenario, make_suite
from tests.support.calls import problem

PART = 1024
WHOLE = bytes(range(256)) * 10  # two parts and a half


@pytest.fixture(autouse=True)
def _small_parts(settings: Any) -> None:
    settings.UPLOAD_PART_BYTES = PART


def _announce(pipe: APIClient, whole: bytes = WHOLE, **changes: Any) -> dict[str, Any]:
    body = {"filename": "a.mp4", "bytes": len(whole), "sha256": hashlib.sha256(whole).hexdigest(), **changes}
    response = pipe.post("/api/v1/uploads/", body)
    assert response.status_code == 201
    answer: dict[str, Any] = response.json()
    return answer


def _put(part: dict[str, Any], content: bytes, url: str = "") -> Any:
    body: Any = content
    return APIClient().generic("PUT", url or part["url"], body, content_type="application/octet-stream")


def _slice(number: int) -> bytes:
    return WHOLE[(number - 1) * PART : number * PART]


def _send(upload: dict[str, Any], *numbers: int) -> list[dict[str, Any]]:
    tags = []
    for part in upload["parts"]:
        if part["number"] in numbers:
            response = _put(part, _slice(part["number"]))
            assert response.status_code == 200
            tags.append({"number": part["number"], "etag": response["ETag"]})
    return tags


def _complete(pipe: APIClient, upload: dict[str, Any], parts: list[dict[str, Any]]) -> Any:
    return pipe.post(f"/api/v1/uploads/{upload['upload']}/complete/", {"parts": parts})


def _age(by: timedelta, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now().timestamp()
    monkeypatch.setattr("django.core.signing.time.time", lambda: now + by.total_seconds())


def test_a_file_is_announced_sent_in_parts_and_completed(pipe: APIClient) -> None:
    upload = _announce(pipe)
    assert upload["part_bytes"] == PART
    assert [(part["number"], part["method"], part["headers"]) for part in upload["parts"]] == [
        (1, "PUT", {}),
        (2, "PUT", {}),
        (3, "PUT", {}),
    ]
    tags = _send(upload, 1, 2, 3)
    assert all(tag["etag"].startswith('"') and tag["etag"].endswith('"') for tag in tags)
    done = _complete(pipe, upload, tags)
    sha256 = hashlib.sha256(WHOLE).hexdigest()
    assert (done.status_code, done.json()) == (200, {"upload": upload["upload"], "bytes": len(WHOLE), "sha256": sha256})
    kept = Upload.objects.get()
    with default_storage.open(kept.file) as file:
        assert file.read() == WHOLE
    parts = UploadPart.objects.all()
    assert [default_storage.exists(part.file) for part in parts] == [False] * 3, "parts are cleared away"


def test_parts_may_come_in_any_order_and_twice(pipe: APIClient) -> None:
    upload = _announce(pipe)
    tags = _send(upload, 3) + _send(upload, 1) + _send(upload, 2) + _send(upload, 1)
    assert tags[1] == tags[3]
    assert UploadPart.objects.count() == 3
    assert _complete(pipe, upload, tags[:3]).status_code == 200


def test_the_etag_may_be_given_without_its_quotes(pipe: APIClient) -> None:
    upload = _announce(pipe)
    tags = [{**tag, "etag": tag["etag"].strip('"')} for tag in _send(upload, 1, 2, 3)]
    assert _complete(pipe, upload, tags).status_code == 200


def test_completing_twice_answers_the_same(pipe: APIClient) -> None:
    upload = _announce(pipe)
    tags = _send(upload, 1, 2, 3)
    assert _complete(pipe, upload, tags).content == _complete(pipe, upload, tags).content


def test_a_part_cannot_change_a_complete_upload(pipe: APIClient) -> None:
    upload = _announce(pipe)
    _complete(pipe, upload, _send(upload, 1, 2, 3))
    late = _put(upload["parts"][0], _slice(1))
    assert (late.status_code, problem(late)["code"]) == (409, "conflict")


def test_a_missing_part_is_named(pipe: APIClient) -> None:
    upload = _announce(pipe)
    refused = _complete(pipe, upload, _send(upload, 1, 3))
    assert refused.status_code == 422
    assert [fault["detail"] for fault in problem(refused)["errors"]] == ["Part 2 has not arrived."]
    assert _complete(pipe, upload, _send(upload, 1, 2, 3)).status_code == 200


def test_a_part_that_is_not_named_or_named_wrongly_is_refused(pipe: APIClient) -> None:
    upload = _announce(pipe)
    tags = _send(upload, 1, 2, 3)
    for wrong in (tags[:2], [*tags[:2], {"number": 3, "etag": tags[0]["etag"]}], []):
        refused = _complete(pipe, upload, wrong)
        assert (refused.status_code, problem(refused)["code"]) == (422, "invalid")
        assert all("Part" in fault["detail"] for fault in problem(refused)["errors"])
    assert _complete(pipe, upload, tags).status_code == 200


@pytest.mark.parametrize("content", [b"", b"x", b"x" * (PART - 1), b"x" * (PART + 1), b"x" * (PART * 40)])
def test_a_part_of_another_length_is_refused(content: bytes, pipe: APIClient) -> None:
    upload = _announce(pipe)
    refused = _put(upload["parts"][0], content)
    assert (refused.status_code, problem(refused)["code"]) == (422, "invalid")
    assert UploadPart.objects.count() == 0


def test_the_last_part_is_as_long_as_what_is_left(pipe: APIClient) -> None:
    upload = _announce(pipe)
    assert _put(upload["parts"][2], b"x" * PART).status_code == 422
    assert _put(upload["parts"][2], b"x" * 512).status_code == 200


def test_a_whole_of_another_sha256_is_refused(pipe: APIClient) -> None:
    upload = _announce(pipe, sha256="0" * 64)
    refused = _complete(pipe, upload, _send(upload, 1, 2, 3))
    assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/sha256")
    assert Upload.objects.get().state == Upload.State.OPEN


def test_a_file_larger_than_a_video_may_be_is_413(pipe: APIClient, settings: Any) -> None:
    settings.VIDEO_MAX_BYTES = 1000
    body = {"filename": "a.mp4", "bytes": 1001, "sha256": "0" * 64}
    refused = pipe.post("/api/v1/uploads/", body)
    assert (refused.status_code, problem(refused)["code"]) == (413, "too_large")
    assert pipe.post("/api/v1/uploads/", {**body, "bytes": 10**40}).status_code == 413
    assert pipe.post("/api/v1/uploads/", {**body, "bytes": 1000}).status_code == 201


def test_only_the_signed_address_of_a_part_takes_it(pipe: APIClient) -> None:
    upload, other = _announce(pipe), _announce(pipe)
    first, second = upload["parts"][:2]
    query = first["url"].partition("?")[2]
    for url in (
        first["url"].partition("?")[0],
        first["url"][:-1],
        first["url"] + "A",
        first["url"].replace("at=", "at=1"),
        second["url"].partition("?")[0] + "?" + query,
        other["parts"][0]["url"].partition("?")[0] + "?" + query,
        first["url"].replace("/parts/1/", "/parts/99/"),
        first["url"].replace("/parts/1/", f"/parts/{10**30}/"),
    ):
        assert problem(_put(first, _slice(1), url))["status"] == 404, url
    assert UploadPart.objects.count() == 0
    assert _put(first, _slice(1)).status_code == 200


def test_an_address_of_yesterday_is_404(pipe: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    part = _announce(pipe)["parts"][0]
    _age(timedelta(hours=23), monkeypatch)
    assert _put(part, _slice(1)).status_code == 200
    _age(timedelta(hours=25), monkeypatch)
    assert problem(_put(part, _slice(1)))["status"] == 404


def _episode(pipe: APIClient, upload: str, **changes: Any) -> Any:
    body = {"external_id": "e", "agent": "alfa", "suite": "s", "scenario": "k", "continuation": 0, "upload": upload}
    return pipe.post("/api/v1/episodes/", {**body, **changes})


def test_a_complete_upload_makes_an_episode(pipe: APIClient) -> None:
    make_agent("alfa")
    make_scenario(make_suite("s"), "k")
    upload = _announce(pipe)
    tags = _send(upload, 1, 2, 3)
    early = _episode(pipe, upload["upload"])
    assert (early.status_code, problem(early)["errors"][0]["pointer"]) == (422, "#/upload")
    _complete(pipe, upload, tags)
    assert _episode(pipe, upload["upload"]).status_code == 201
    assert _episode(pipe, upload["upload"]).status_code == 200
    with default_storage.open(Episode.objects.get().source) as file:
        assert file.read() == WHOLE


def test_the_same_video_by_upload_or_by_form_is_the_same_episode(pipe: APIClient) -> None:
    make_agent("alfa")
    make_scenario(make_suite("s"), "k")
    data = '{"external_id": "e", "agent": "alfa", "suite": "s", "scenario": "k", "continuation": 0}'
    files = {"data": data, "video": SimpleUploadedFile("b.mp4", WHOLE)}
    assert pipe.post("/api/v1/episodes/", files, format="multipart").status_code == 201
    upload = _announce(pipe)
    _complete(pipe, upload, _send(upload, 1, 2, 3))
    assert _episode(pipe, upload["upload"]).status_code == 200


@pytest.mark.parametrize("is_complete", [False, True])
def test_an_upload_that_no_episode_names_is_deleted_in_time(is_complete: bool, pipe: APIClient) -> None:
    upload = _announce(pipe)
    tags = _send(upload, 1, 2, 3)
    if is_complete:
        assert _complete(pipe, upload, tags).status_code == 200
    days = settings.UPLOAD_KEEP_DAYS if is_complete else 2
    began = Upload.objects.get().created_at
    assert forget_unused(began + timedelta(days=days)) == 0
    assert len(_stored(upload)) == (1 if is_complete else 3)
    assert forget_unused(began + timedelta(days=days, seconds=1)) == 1
    assert (Upload.objects.count(), _stored(upload)) == (0, [])
    refused = _episode(pipe, upload["upload"])
    assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/upload")


def test_an_upload_that_an_episode_names_stays(pipe: APIClient) -> None:
    make_agent("alfa")
    make_scenario(make_suite("s"), "k")
    upload = _announce(pipe)
    _complete(pipe, upload, _send(upload, 1, 2, 3))
    assert _episode(pipe, upload["upload"]).status_code == 201
    assert forget_unused(timezone.now() + timedelta(days=365)) == 0
    # As in a database of before this mark.
    Upload.objects.update(is_named=False)
    import_module("evaluation.migrations.0002_unnamed_uploads").mark_named(apps, None)
    assert forget_unused(timezone.now() + timedelta(days=365)) == 0
    assert len(_stored(upload)) == 1
    assert _episode(pipe, upload["upload"]).status_code == 200


def test_an_upload_that_is_deleted_while_its_episode_is_posted_refuses_the_episode(
    pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_agent("alfa")
    make_scenario(make_suite("s"), "k")
    upload = _announce(pipe)
    _complete(pipe, upload, _send(upload, 1, 2, 3))

    def found_and_then_gone(public_id: str) -> Upload:
        found = Upload.objects.get(public_id=public_id)
        forget_unused(timezone.now() + timedelta(days=365))
        return found

    monkeypatch.setattr("web.api.episodes.upload_named", found_and_then_gone)
    refused = _episode(pipe, upload["upload"])
    assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/upload")
    assert Episode.objects.count() == 0


def _stored(upload: dict[str, Any]) -> list[str]:
    folder = f"uploads/{upload['upload']}"
    return default_storage.listdir(folder)[1] if default_storage.exists(folder) else []
