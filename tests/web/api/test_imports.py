"""Recordings that lie in a bucket: listed, copied at once or in the background, and posted."""

import hashlib
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import Limits, create_key
from agents.models import ApiKey
from crosswalk_client.cli.main import main
from evaluation.bucket_files import copies, imports
from evaluation.models import Episode, Upload
from evaluation.preparation import retry_job
from evaluation.uploads import forget_unused
from jobs import outbox
from jobs.models import Job
from lib.faults import FilesUnavailable, Invalid, TooLarge
from tests.support.api_clients import with_key
from tests.support.bucket import BUCKET, SERVERS, Line, bucket_server, line_to
from tests.support.builders import make_agent, make_scenario, make_suite
from tests.support.calls import problem

pytestmark = [pytest.mark.long, pytest.mark.django_db]


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    with bucket_server(request.param) as address:
        yield address


@pytest.fixture
def line(server: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """The line to the bucket in which the server keeps its files."""
    with line_to(server) as line:
        options = {**line.options(), "direct_origin": line.address}
        backend = {"BACKEND": "common.bucket_storage.BucketStorage", "OPTIONS": options}
        settings.STORAGES = {**settings.STORAGES, "default": backend}
        monkeypatch.setattr(imports, "_storage", line.storage)
        yield line


@pytest.fixture
def recordings(line: Line, settings: Any) -> Line:
    """A bucket with recordings below two prefixes; one of them may be read."""
    settings.S3_IMPORTS = [f"{BUCKET}/nightly/"]
    for name in ("nightly/7/lid-0.mp4", "nightly/7/lid-1.mp4", "nightly/7/notes/", "private/lid-2.mp4"):
        line.storage().client.put_object(Bucket=BUCKET, Key=name, Body=name.encode())
    return line


def test_files_below_a_prefix_are_listed_page_by_page(pipe: APIClient, recordings: Line) -> None:
    path = f"/api/v1/imports/?prefix=s3://{BUCKET}/nightly/7/&page_size=1"
    first = pipe.get(path).json()
    second = pipe.get(first["next"]).json()
    assert first["results"] == [{"address": f"s3://{BUCKET}/nightly/7/lid-0.mp4", "bytes": 19}]
    assert [one["address"][-5:] for one in second["results"]] == ["1.mp4"]
    assert second["next"] is None


LID = f"s3://{BUCKET}/nightly/7/lid-0.mp4"
CONTENT = b"nightly/7/lid-0.mp4"


def post_import(pipe: APIClient, address: str = LID, **headers: str) -> Any:
    return pipe.post("/api/v1/imports/", {"address": address}, format="json", headers=headers)


@pytest.fixture
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "SMALL", 10)


def run_copy() -> None:
    """Run the job of the only copy, whenever it is due."""
    job = Job.objects.get(kind=copies.COPY)
    Job.objects.filter(pk=job.pk).update(due_at=timezone.now())
    assert outbox.run(job.pk)


def test_a_small_file_is_copied_while_the_request_waits(pipe: APIClient, recordings: Line) -> None:
    copied = post_import(pipe)
    assert copied.status_code == 201
    upload = Upload.objects.get()
    shown = {"state": "complete", "progress": 1.0, "problem": None, "address": LID, "bytes": len(CONTENT)}
    whole = {**shown, "upload": upload.public_id, "sha256": hashlib.sha256(CONTENT).hexdigest()}
    assert copied.json() == whole
    assert pipe.get(f"/api/v1/imports/{upload.public_id}/").json() == whole
    with default_storage.open(upload.file) as file:
        assert file.read() == CONTENT


@pytest.mark.usefixtures("all_are_large")
def test_a_larger_file_is_copied_in_the_background(pipe: APIClient, recordings: Line) -> None:
    begun = post_import(pipe)
    assert (begun.status_code, begun.json()["state"], begun.json()["sha256"]) == (202, "copying", None)
    name = begun.json()["upload"]
    make_scenario(make_suite("rooms"), "lid")
    make_agent("w1")
    try_1 = {"agent": "w1", "suite": "rooms", "scenario": "lid", "continuation": 0}
    body = {"external_id": "a", **try_1, "upload": name}
    early = pipe.post("/api/v1/episodes/", body, format="json")
    assert (early.status_code, problem(early)["errors"][0]["pointer"]) == (422, "#/upload")
    run_copy()
    done = pipe.get(f"/api/v1/imports/{name}/").json()
    assert (done["state"], done["progress"], done["sha256"]) == ("complete", 1.0, hashlib.sha256(CONTENT).hexdigest())
    assert pipe.post("/api/v1/episodes/", body, format="json").status_code == 201


@pytest.mark.usefixtures("all_are_large")
def test_a_repeated_import_changes_nothing(pipe: APIClient, recordings: Line) -> None:
    headers = {"Idempotency-Key": "night-7"}
    first, second = post_import(pipe, **headers), post_import(pipe, **headers)
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert post_import(pipe).json()["upload"] == first.json()["upload"], "not without the key either"
    assert (Upload.objects.count(), Job.objects.filter(kind=copies.COPY).count()) == (1, 1)
    run_copy()
    assert post_import(pipe).json() == pipe.get(f"/api/v1/imports/{first.json()['upload']}/").json()
    recordings.storage().client.put_object(Bucket=BUCKET, Key="nightly/7/lid-0.mp4", Body=b"another film")
    assert post_import(pipe).json()["upload"] != first.json()["upload"], "it is another file now"


def test_a_file_that_is_imported_again_is_kept_as_long_as_a_new_one(
    pipe: APIClient, recordings: Line, settings: Any
) -> None:
    now = timezone.now()
    first = copies.import_file(LID, at=now)
    late = now + timedelta(days=settings.UPLOAD_KEEP_DAYS, hours=-1)
    assert copies.import_file(LID, at=late) == first
    assert forget_unused(late + timedelta(days=1)) == 0
    assert list(Upload.objects.all()) == [first]


@pytest.mark.usefixtures("all_are_large")
def test_a_copy_whose_worker_was_killed_goes_on_in_another(
    pipe: APIClient, recordings: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = post_import(pipe).json()["upload"]

    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(copies, "fill", dies)
        with pytest.raises(KeyboardInterrupt):
            run_copy()
    assert pipe.get(f"/api/v1/imports/{name}/").json()["state"] == "copying"
    run_copy()
    assert pipe.get(f"/api/v1/imports/{name}/").json()["state"] == "complete"


@pytest.mark.usefixtures("all_are_large")
def test_a_bucket_that_refuses_is_told_and_the_copy_goes_on_when_it_answers(
    pipe: APIClient, recordings: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = post_import(pipe).json()["upload"]

    def refuses(*_: Any) -> None:
        raise FilesUnavailable

    with monkeypatch.context() as patched:
        patched.setattr(copies, "opened", refuses)
        run_copy()
    waiting = pipe.get(f"/api/v1/imports/{name}/").json()
    assert (waiting["state"], waiting["problem"]["code"]) == ("copying", "files_unavailable")
    run_copy()
    done = pipe.get(f"/api/v1/imports/{name}/").json()
    assert (done["state"], done["problem"]) == ("complete", None)


@pytest.mark.usefixtures("all_are_large")
def test_a_file_that_is_gone_or_whose_copy_crashes_fails_with_a_reason(
    pipe: APIClient, recordings: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = post_import(pipe).json()["upload"]
    recordings.storage().client.delete_object(Bucket=BUCKET, Key="nightly/7/lid-0.mp4")
    run_copy()
    failed = pipe.get(f"/api/v1/imports/{gone}/").json()
    assert (failed["state"], failed["problem"]["code"]) == ("failed", "invalid")
    assert LID in failed["problem"]["detail"]
    Job.objects.all().delete()
    crashes = post_import(pipe, f"s3://{BUCKET}/nightly/7/lid-1.mp4").json()["upload"]
    with monkeypatch.context() as patched:
        patched.setattr(copies, "fill", lambda *_: 1 / 0)
        for _ in range(Job.objects.get(kind=copies.COPY).max_attempts):
            run_copy()
    assert pipe.get(f"/api/v1/imports/{crashes}/").json()["problem"]["code"] == copies.CRASHED
    assert retry_job(job=Job.objects.get(kind=copies.COPY), by="staff:dora", at=timezone.now())
    run_copy()
    assert pipe.get(f"/api/v1/imports/{crashes}/").json()["state"] == "complete"


def test_a_refusal_says_which_bound(pipe: APIClient, recordings: Line, settings: Any) -> None:
    settings.VIDEO_MAX_BYTES = len(CONTENT) - 1
    refused = post_import(pipe)
    assert refused.status_code == 413
    assert problem(refused)["detail"] == (
        f"{LID} has 19 bytes. A video has at most 18 bytes here (CROSSWALK_VIDEO_MAX_MB)."
    )
    one = imports.BucketFile(LID, 1)
    with pytest.raises(TooLarge, match=f"At most {copies.MOST_FILES} are copied at once"):
        copies.begin_copies([one] * (copies.MOST_FILES + 1), at=timezone.now())
    elsewhere = imports.BucketFile(f"s3://{BUCKET}/private/lid-2.mp4", 1)
    with pytest.raises(Invalid):
        copies.begin_copies([one, elsewhere], at=timezone.now())
    assert Upload.objects.count() == 0


def test_a_list_of_files_goes_on_behind_those_that_were_copied(recordings: Line) -> None:
    client = recordings.storage().client
    files = [imports.BucketFile(f"s3://{BUCKET}/nightly/8/{number}.mp4", 5) for number in range(4)]
    for number in (0, 1, 3):
        client.put_object(Bucket=BUCKET, Key=f"nightly/8/{number}.mp4", Body=f"film{number}".encode())
    uploads = copies.begin_copies(files, at=timezone.now())
    told: list[int] = []

    def stops_after_the_second(done: int) -> None:
        told.append(done)
        if done == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(copies.copy_files(uploads, on_bytes=stops_after_the_second))
    recordings.seen.clear()
    again = list(copies.copy_files(Upload.objects.order_by("pk"), on_bytes=told.append))
    assert [(one.state, one.problem_code) for one in again] == [
        *[("complete", "")] * 2,
        ("failed", "invalid"),
        ("complete", ""),
    ]
    assert [path[-5] for path, _ in recordings.asked("GET")] == ["3"], "the first two are not read again"
    assert told == [5, 10, 5, 10, 15, 20]
    with default_storage.open(again[3].file) as file:
        assert file.read() == b"film3"


@pytest.mark.parametrize(
    "address",
    [
        f"s3://{BUCKET}/private/lid-2.mp4",
        f"s3://{BUCKET}/nightly",
        f"s3://{BUCKET}/nightly/../private/lid-2.mp4",
        "s3://other/nightly/x.mp4",
        "http://169.254.169.254/latest",
        f"s3://{BUCKET}/nightly/no-such.mp4",
    ],
)
def test_what_the_settings_do_not_name_is_not_read(address: str, pipe: APIClient, recordings: Line) -> None:
    refused = pipe.post("/api/v1/imports/", {"address": address}, format="json")
    assert (refused.status_code, problem(refused)["errors"][0]["pointer"]) == (422, "#/address")
    assert Upload.objects.count() == 0


@pytest.mark.parametrize("place", [f"{BUCKET}/nightly", f"{BUCKET}/nightly/", f"s3://{BUCKET}/nightly"])
def test_a_place_of_the_settings_has_no_files_of_its_namesakes(
    place: str, pipe: APIClient, recordings: Line, settings: Any
) -> None:
    settings.S3_IMPORTS = [place]
    namesake = f"s3://{BUCKET}/nightly-private/lid-3.mp4"
    recordings.storage().client.put_object(Bucket=BUCKET, Key="nightly-private/lid-3.mp4", Body=b"3")
    assert pipe.post("/api/v1/imports/", {"address": namesake}, format="json").status_code == 422
    for prefix in ("nightly-private/", "nightly-"):
        assert pipe.get(f"/api/v1/imports/?prefix=s3://{BUCKET}/{prefix}").status_code == 422
    for prefix in ("nightly", "nightly/", "nightly/7", "nightly/7/lid"):
        found = pipe.get(f"/api/v1/imports/?prefix=s3://{BUCKET}/{prefix}").json()["results"]
        assert [one["address"][-5:] for one in found] == ["0.mp4", "1.mp4"]


def test_a_limited_key_may_not_look_into_a_bucket(recordings: Line) -> None:
    limits = Limits(["p"], ["s"], [])
    client = with_key(create_key(name="l", scopes=ApiKey.Scope.values, limits=limits, at=timezone.now()))
    assert client.get(f"/api/v1/imports/?prefix=s3://{BUCKET}/nightly/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_program_posts_a_prefix_and_each_file_once(
    recordings: Line,
    live_server: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_scenario(make_suite("rooms"), "lid")
    make_agent("w1")
    monkeypatch.setenv("CROSSWALK_URL", live_server.url)
    monkeypatch.setenv("CROSSWALK_KEY", create_key(name="p", scopes=ApiKey.Scope.values, at=timezone.now()))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    words = ["post", f"s3://{BUCKET}/nightly/7/", "--suite", "rooms", "--agent", "w1", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["posted"] == ["rooms:w1:lid:0", "rooms:w1:lid:1"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["posted"] == []
    assert set(Episode.objects.values_list("external_id", flat=True)) == {"rooms:w1:lid:0", "rooms:w1:lid:1"}
