"""Videos whose files lie in a bucket: a checked address leads to the bucket itself, or the server sends the file."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Assignment
from evaluation.models import Film, Upload
from evaluation.uploads import begin, receive_part
from lib.faults import FilesUnavailable
from tests.support.api_clients import Browserless
from tests.support.bucket import SERVERS, Line, bucket_server, line_to
from tests.support.builders import make_project, make_task
from tests.support.calls import content
from tests.support.shared_data import ROOT
from workforce.models import Worker

pytestmark = pytest.mark.long
VIDEO = bytes(range(256)) * 2000


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    with bucket_server(request.param) as address:
        yield address


@pytest.fixture
def line(server: str, settings: Any) -> Iterator[Line]:
    """The line to the bucket in which this test's files lie."""
    with line_to(server) as line:
        options = {**line.options(), "direct_origin": line.address}
        backend = {"BACKEND": "common.bucket_storage.BucketStorage", "OPTIONS": options}
        settings.STORAGES = {**settings.STORAGES, "default": backend}
        settings.S3_DIRECT_ORIGIN = line.address
        yield line


@pytest.fixture
def url(line: Line, alice: Worker, as_worker: Any) -> str:
    """The address of a video that a worker holds."""
    project = make_project()
    make_task(project)
    client: APIClient = as_worker(project, alice)
    film = Film.objects.get()
    film.proxy = default_storage.save("proxy.mp4", ContentFile(VIDEO))
    film.save()
    return str(client.post("/api/v1/work/claim/", {}).json()["payload"]["video"]["url"])


def test_a_held_video_comes_from_the_bucket_by_ranges_for_as_long_as_the_lease(url: str) -> None:
    held = Assignment.objects.get()
    asked_at = timezone.now()
    answer = Browserless().get(url)
    assert (answer.status_code, answer["Cache-Control"]) == (307, "no-store")
    lives = int(parse_qs(urlsplit(answer["Location"]).query)["X-Amz-Expires"][0])
    assert lives <= (held.lease_expires_at - asked_at + timedelta(minutes=1)).total_seconds() + 1
    part = httpx.get(answer["Location"], headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content, part.headers["Content-Type"]) == (206, VIDEO[100:200], "video/mp4")


def test_an_address_that_would_lead_nowhere_leads_to_no_bucket_either(url: str) -> None:
    held = Assignment.objects.get()
    assert Browserless().get(url.replace(held.public_id, "other")).status_code == 404
    Assignment.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=61))
    assert Browserless().get(url).status_code == 404


def test_without_the_setting_the_server_reads_the_range_alone(url: str, line: Line, settings: Any) -> None:
    settings.S3_DIRECT_ORIGIN = ""
    line.seen.clear()
    answer = Browserless().get(url, headers={"Range": "bytes=300000-300009"})
    assert (answer.status_code, content(answer)) == (206, VIDEO[300_000:300_010])
    assert [wanted.partition("-")[0] for _, wanted in line.asked("GET")] == ["bytes=300000"]
    line.refusal = (403, "AccessDenied")
    with pytest.raises(FilesUnavailable):
        Browserless().get(url)


def test_a_part_that_is_sent_again_is_kept(line: Line, db: None) -> None:
    upload = begin(filename="a.mp4", size=5, at=timezone.now())
    for sent in (b"first", b"later", b"later"):
        receive_part(upload=upload, number=1, stream=BytesIO(sent))
    with default_storage.open(Upload.objects.get().parts.get().file) as file:
        assert file.read() == b"later"
    assert len(default_storage.listdir(f"uploads/{upload.public_id}")[1]) == 1


def test_the_policy_of_pages_names_the_buckets_origin_exactly(tmp_path: Any) -> None:
    code = "from config.settings import CONTENT_SECURITY_POLICY as p; print(p['DIRECTIVES']['media-src'])"
    own = {"CROSSWALK_DATA_DIR": str(tmp_path), "CROSSWALK_S3_BUCKET": "b"}
    origin = "https://b.s3.eu-central-1.amazonaws.com"

    def said(**environment: str) -> "subprocess.CompletedProcess[str]":
        together = {**os.environ, **own, **environment}
        return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=together, capture_output=True, text=True)

    assert origin in said(CROSSWALK_S3_DIRECT_ORIGIN=origin).stdout
    assert "http" not in said(CROSSWALK_S3_DIRECT_ORIGIN="").stdout
    assert "CROSSWALK_S3_DIRECT_ORIGIN" in said(CROSSWALK_S3_DIRECT_ORIGIN=f"{origin}/folder").stderr


def test_prepare_refuses_an_origin_that_is_not_the_buckets(line: Line, db: None, settings: Any) -> None:
    default = settings.STORAGES["default"]
    options = {**default["OPTIONS"], "direct_origin": "https://files.example"}
    settings.STORAGES = {**settings.STORAGES, "default": {**default, "OPTIONS": options}}
    with pytest.raises(CommandError, match=line.address):
        call_command("prepare")
