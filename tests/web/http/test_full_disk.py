"""On a full disk every write is answered with 507 and a sentence, nothing of it is kept, and reading goes on."""

import errno
import json
from itertools import count
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from rest_framework.test import APIClient

from agents.models import Metric
from common.file_storage import FileStorage
from evaluation.models import Episode, Upload
from evaluation.uploads import parts_of
from lib.faults import DiskFull
from tests.support.builders import make_agent, make_scenario, make_suite
from tests.support.call_world import make_world
from tests.support.calls import CALLS, Call, client_for, problem
from tests.support.full_disk import room_for, stored

pytestmark = pytest.mark.django_db

WRITING = [call for call in CALLS if call.method != "GET"]
CHANGES_NOTHING = {
    *("POST work/parse/check/", "POST work/parse/next/", "POST work/claim/"),
    *("POST work/qualification/", "POST work/consent/", "DELETE work/consent/", "POST work/practice/"),
    "POST work/assignments/{assignment}/correct/",
}
"""Calls that answer a question, or ask for what is so already."""


def full(response: Any) -> bool:
    return bool(response.status_code == 507 and problem(response)["code"] == DiskFull.code)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("call", WRITING, ids=[call.name for call in WRITING])
def test_a_write_that_the_disk_breaks_off_anywhere_is_a_507_and_leaves_nothing(call: Call) -> None:
    with transaction.atomic():
        world = make_world()
    client, data = client_for(call, world), call.content(world)
    before = stored()
    for writes in count():
        with room_for(writes) as failed:
            response = call.send(client, world, data=data)
        if not failed:
            assert response.status_code == call.status, "it works again with room"
            assert writes or call.name in CHANGES_NOTHING
            return
        assert full(response), (writes, failed, response.content)
        after = stored()
        assert {name: rows for name, rows in after.items() if rows != before[name]} == {}, (writes, failed)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_with_an_idempotency_key_too_a_507_says_that_nothing_was_saved() -> None:
    with transaction.atomic():
        world = make_world()
    (call,) = (one for one in CALLS if one.name == "POST agents/alfa/metrics/")
    client = client_for(call, world)
    for writes in count():
        before = Metric.objects.count()
        with room_for(writes) as failed:
            response = call.send(client, world, HTTP_IDEMPOTENCY_KEY=f"key-{writes}")
        assert full(response) or response.status_code == call.status
        assert Metric.objects.count() - before == (response.status_code == call.status)
        if not failed:
            return


# Refused before it begins ------------------------------------------------------------------------------------


@pytest.fixture
def no_reserve_left(settings: Any) -> None:
    settings.DISK_RESERVE_BYTES = 1 << 62


@pytest.mark.usefixtures("no_reserve_left")
def test_without_the_reserve_no_write_begins_while_reading_and_deleting_go_on(pipe: APIClient) -> None:
    refused = pipe.put("/api/v1/agents/alfa/", {"name": "Alfa"})
    assert full(refused)
    assert refused["Retry-After"] == "60"
    assert "disk is full" in refused.json()["detail"]
    assert pipe.get("/api/v1/agents/").json()["results"] == []
    assert pipe.delete("/api/v1/agents/alfa/").status_code == 405
    django_settings.DISK_RESERVE_BYTES = 0
    assert pipe.put("/api/v1/agents/alfa/", {"name": "Alfa"}).status_code == 201


@pytest.mark.usefixtures("no_reserve_left")
def test_people_get_a_page_with_the_sentence() -> None:
    answer = Client().post("/staff/sign-in/", {"login": "ada", "password": "wrong"})
    assert answer.status_code == 507
    assert answer["Content-Type"].startswith("text/html")
    assert DiskFull.sentence.replace("'", "&#x27;") in answer.content.decode()
    assert "nonce-" in answer["Content-Security-Policy"]
    assert answer["Retry-After"] == "60"


def test_a_page_whose_own_write_fails_is_a_507_page_too(dora: Client) -> None:
    dora.raise_request_exception = False
    with room_for(0):
        answer = dora.post("/staff/sign-out/")
    assert answer.status_code == 507
    assert "The disk is full" in answer.content.decode()


# Files -------------------------------------------------------------------------------------------------------


def test_files_that_the_disk_does_not_take_are_a_507_and_leave_no_row(
    pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_agent("alfa")
    make_scenario(make_suite("s"), "k")
    pipe.raise_request_exception = False

    def falls(*args: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    def post() -> Any:
        body = {"external_id": "e", "agent": "alfa", "suite": "s", "scenario": "k", "continuation": 0}
        files = {name: SimpleUploadedFile(name, b"bytes") for name in ("video", "trajectory")}
        return pipe.post("/api/v1/episodes/", {"data": json.dumps(body), **files}, format="multipart")

    with monkeypatch.context() as broken:
        broken.setattr(FileStorage, "_save", falls)
        assert full(post())
    assert (Episode.objects.count(), stored()["files"]) == (0, [])
    assert post().status_code == 201


def test_a_folder_of_files_that_is_gone_is_the_servers_fault_and_is_not_made_anew(
    pipe: APIClient, tmp_path: Any
) -> None:
    upload = Upload.objects.create(filename="a", bytes=1, sha256="0" * 64, created_at="2026-11-21T12:00Z")
    (tmp_path / "files").rename(tmp_path / "elsewhere")
    part = parts_of(upload)[0]["url"]
    refused = APIClient(raise_request_exception=False).put(part, b"x", content_type="application/octet-stream")
    assert (refused.status_code, problem(refused)["code"]) == (503, "files_unavailable")
    assert not (tmp_path / "files").exists()
    (tmp_path / "elsewhere").rename(tmp_path / "files")
    again = APIClient().put(part, b"x", content_type="application/octet-stream")
    assert again.status_code == 200
    assert default_storage.exists(upload.parts.get().file)
