"""Videos of a bucket as the material of a project: which there are, which are chosen, and how they become episodes."""

from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client

from annotation.access.roles import Role
from annotation.models import Project
from evaluation import episodes
from evaluation.bucket_files import imports, postings
from evaluation.bucket_files.postings import Order
from evaluation.models import Episode, Upload
from jobs import outbox
from jobs.models import Job
from tests.support.bucket import BUCKET, Line, bucket_server, line_to, one_recording
from tests.support.builders import client_of, make_staff
from tests.support.pages import words_of
from web.staff.setup.material import bucket

pytestmark = pytest.mark.django_db

PAGE = "/staff/projects/mine/setup/material/"
BELOW = f"s3://{BUCKET}/nightly/"
SITUATION = {
    "act": "bucket",
    "prefix": BELOW,
    "agent_name": "Alpha",
    "instruction": "lift the ball",
    "continuation_s": "9",
}
FILES = ("7/lid.mp4", "7/log.jsonl", "8/lid.MP4", "8/pot.webm")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with bucket_server() as address:
        yield address


@pytest.fixture
def videos(dora: Client) -> Client:
    """Somebody who sets up a project about videos."""
    assert dora.post("/staff/new-project/", {"template": "marker", "title": "Mine"}).status_code == 302
    return dora


@pytest.fixture
def line(server: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """The line to a bucket with a few files."""
    settings.S3_IMPORTS = [f"{BUCKET}/nightly/"]
    with line_to(server) as line:
        monkeypatch.setattr(imports, "_storage", line.storage)
        for name in FILES:
            line.storage().client.put_object(Bucket=BUCKET, Key=f"nightly/{name}", Body=name.encode() * 100)
        yield line


def run_copies() -> list[str]:
    """Run each copy that waits once; their states."""
    waiting = list(Job.objects.unfinished().filter(kind=postings.POST).order_by("pk"))
    for job in waiting:
        assert outbox.run(job.pk)
    return [Job.objects.get(pk=job.pk).state for job in waiting]


def names() -> set[str]:
    return set(Episode.objects.values_list("external_id", flat=True))


@pytest.mark.long
def test_the_files_below_an_address_are_listed_and_the_ticked_ones_become_episodes(videos: Client, line: Line) -> None:
    page = words_of(videos, f"{PAGE}?prefix={BELOW}")
    assert "4 files, 3.8 KB" in page
    html = videos.get(f"{PAGE}?prefix={BELOW}").content.decode()
    assert html.count('name="file"') == 4
    assert html.count(" checked>") == 4, "the three videos, and that the ticked ones are taken"
    ticked = [f"{BELOW}7/lid.mp4", f"{BELOW}8/lid.MP4", f"s3://{BUCKET}/private/x.mp4"]
    assert videos.post(PAGE, {**SITUATION, "file": ticked, "outcome": "failure", "moment": "1,5"}).status_code == 302
    assert "0 of 2 copied from the bucket" in words_of(videos, PAGE)
    refused = videos.post(PAGE, {**SITUATION, "scenario": "", "instruction": "", "file": ticked[:1]}).content.decode()
    assert refused.count(" checked>") == 2, "what was ticked is kept"
    assert "data-refresh" in videos.get(PAGE).content.decode()
    assert run_copies() == ["done", "done"]
    made = {f"mine:lift-the-ball:alpha:{name}-lid" for name in ("7", "8")}
    assert names() == made, "each folder may have a file of the same name"
    assert {episode.reference["time_s"] for episode in Episode.objects.all() if episode.reference} == {1.5}
    assert "copied from the bucket" not in words_of(videos, PAGE)
    again = {**SITUATION, "scenario": "lift-the-ball", "which": "all"}
    assert videos.post(PAGE, {**again, "outcome": "failure", "moment": "1,5"}).status_code == 302
    assert run_copies() == ["done"] * 3
    assert names() == {*made, "mine:lift-the-ball:alpha:8-pot"}, "what was taken before is not taken twice"


@pytest.mark.long
def test_a_copy_waits_for_the_bucket_and_a_refused_file_is_named(videos: Client, line: Line) -> None:
    videos.post(PAGE, {**SITUATION, "file": [f"{BELOW}7/lid.mp4", f"{BELOW}8/pot.webm"]})
    line.refusal = (503, "SlowDown")
    assert run_copies() == ["waiting", "waiting"]
    assert "does not answer at the moment" in words_of(videos, PAGE)
    line.refusal = None
    line.storage().client.delete_object(Bucket=BUCKET, Key="nightly/7/lid.mp4")
    Job.objects.update(due_at=Job.objects.values_list("created_at", flat=True)[0])
    assert run_copies() == ["done", "done"]
    assert names() == {"mine:lift-the-ball:alpha:8-pot"}
    assert "7-lid.mp4: The bucket has no file" in words_of(videos, PAGE)
    line.storage().client.put_object(Bucket=BUCKET, Key="nightly/8/pot.webm", Body=b"another film")
    videos.post(PAGE, {**SITUATION, "scenario": "lift-the-ball", "file": f"{BELOW}8/pot.webm"})
    assert run_copies() == ["done"]
    assert "8-pot.webm:" in words_of(videos, PAGE)
    assert Upload.objects.filter(state=Upload.State.FAILED).count() == 2
    assert len(names()) == 1


@pytest.mark.long
def test_two_copies_that_read_the_same_number_both_become_episodes(
    videos: Client, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert videos.post(PAGE, {**SITUATION, "which": bucket.ALL}).status_code == 302
    same, real = iter([0, 0]), episodes.next_continuation
    monkeypatch.setattr(
        episodes, "next_continuation", lambda **which: real(**which) if (n := next(same, None)) is None else n
    )
    assert run_copies() == ["done"] * 3
    assert sorted(Episode.objects.values_list("continuation", flat=True)) == [0, 1, 2]


def test_a_long_list_is_turned_page_by_page(videos: Client, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket, "SHOWN", 3)
    html = videos.get(f"{PAGE}?prefix={BELOW}").content.decode()
    assert "8/pot.webm" not in html
    following = unescape(html.partition('rel="next"')[2].partition('href="')[2].partition('"')[0])
    html = videos.get(following).content.decode()
    assert html.count('name="file"') == 1
    assert "8/pot.webm" in html
    chosen = {**SITUATION, "after": f"{BELOW}8/lid.MP4", "file": [f"{BELOW}8/pot.webm", f"{BELOW}7/lid.mp4"]}
    assert videos.post(PAGE, chosen).status_code == 302
    assert [Order.of(job.subject).reference for job in Job.objects.filter(kind=postings.POST)] == [None]


REFUSED = {
    "nothing is ticked": ({}, "Choose videos first."),
    "another place": ({"prefix": "s3://other/", "which": "all"}, "CROSSWALK_S3_IMPORTS names"),
    "no agent": ({"which": "all", "agent_name": " "}, "Say which agent"),
    "a strange moment": ({"which": "all", "outcome": "failure", "moment": "soon"}, "a number of seconds"),
}


@pytest.mark.parametrize(("changes", "said"), REFUSED.values(), ids=list(REFUSED))
def test_what_is_refused_is_said_and_nothing_is_copied(changes: dict[str, str], said: str, videos: Client) -> None:
    with one_recording():
        refused = videos.post(PAGE, {**SITUATION, "prefix": "s3://recordings/", **changes})
    assert refused.status_code == 422
    assert said in refused.content.decode()
    assert not Job.objects.filter(kind=postings.POST).exists()


def test_too_many_or_too_large_files_are_refused(
    videos: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    form = {**SITUATION, "prefix": "s3://recordings/", "which": "all"}
    with one_recording():
        settings.VIDEO_MAX_BYTES = 3
        assert videos.post(PAGE, form).status_code == 413
        monkeypatch.setattr(bucket, "MOST_FILES", 0)
        assert "More than 0 files lie there" in videos.post(PAGE, form).content.decode()
    assert not Job.objects.filter(kind=postings.POST).exists()


def test_the_page_says_what_to_set_where_no_bucket_is_named(videos: Client) -> None:
    assert "name the bucket, or a folder in it, in the server's setting CROSSWALK_S3_IMPORTS" in words_of(videos, PAGE)
    with one_recording():
        assert "There is no file below this address." in words_of(videos, f"{PAGE}?prefix=s3://recordings/x")
        assert "this is none" in words_of(videos, f"{PAGE}?prefix=http://169.254.169.254/")


def test_an_admin_of_one_project_may_not_look_into_buckets(videos: Client) -> None:
    ada = client_of(make_staff("ada", Role.ADMIN, Project.objects.get()))
    with one_recording():
        assert "recordings" not in words_of(ada, f"{PAGE}?prefix=s3://recordings/")
        assert ada.post(PAGE, {**SITUATION, "prefix": "s3://recordings/", "which": "all"}).status_code == 403


def test_a_copy_that_fails_for_an_unknown_reason_is_told(videos: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*args: Any, **kwargs: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(postings, "post_own_video", breaks)
    with one_recording():
        assert videos.post(PAGE, {**SITUATION, "prefix": "s3://recordings/", "which": "all"}).status_code == 302
        Job.objects.filter(kind=postings.POST).update(max_attempts=1)
        assert run_copies() == ["failed"]
    assert "lid-0.mp4:" in words_of(videos, PAGE)
