"""Episodes are posted once and prepared in the background; the API shows their status and problem."""

import errno
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from common.file_storage import FileStorage
from evaluation import preparation
from evaluation.models import Episode, Scenario
from jobs import identity, outbox
from jobs.models import Job
from tests.support.builders import (
    NOON,
    annotate,
    claim,
    make_agent,
    make_episode,
    make_project,
    make_scenario,
    make_suite,
    make_task,
)
from tests.support.calls import content, problem
from tests.support.clips import barcode_clip
from workforce.models import Worker

DATA = {"external_id": "e", "agent": "alfa", "suite": "s", "scenario": "k", "continuation": 0}


@pytest.fixture(autouse=True)
def _world(db: None) -> None:
    make_agent("alfa")
    make_scenario(make_suite("s"), "k")


def _post(pipe: APIClient, video: bytes = b"video", trajectory: bytes | None = None, **changes: Any) -> Any:
    files: dict[str, Any] = {"data": json.dumps({**DATA, **changes}), "video": SimpleUploadedFile("a.mp4", video)}
    if trajectory is not None:
        files["trajectory"] = SimpleUploadedFile("t.bin", trajectory)
    return pipe.post("/api/v1/episodes/", files, format="multipart")


def _run() -> Job:
    job = Job.objects.latest("pk")
    assert outbox.run(job.pk)
    job.refresh_from_db()
    return job


def _fail(episode: str = "e") -> None:
    Episode.objects.filter(external_id=episode).update(status="failed", problem_code="broken", problem_detail="It is.")


def test_an_episode_takes_its_scenarios_instruction_and_takeover(pipe: APIClient) -> None:
    scenario = Scenario.objects.get()
    assert scenario.current is not None
    shown = _post(pipe).json()
    assert shown == {
        **DATA,
        "instruction": scenario.current.instruction,
        "takeover_s": scenario.current.takeover_s,
        "transcript": [],
        "step_frames": [],
        "metadata": {},
        "reference": None,
        "status": "preparing",
        "problem": None,
        "video": None,
        "picture": None,
        "consensus": None,
    }
    assert pipe.get("/api/v1/episodes/e/").json() == shown


def test_the_api_returns_every_posted_field(pipe: APIClient) -> None:
    said: dict[str, Any] = {
        "instruction": "lift it",
        "takeover_s": 0.25,
        "transcript": [{"at_s": 0.5, "speaker": "agent", "text": "I lift."}],
        "step_frames": [0, 0, 12],
        "metadata": {"seed": 3, "nested": {"a": [1, 2.5, None, True]}},
        "reference": {"outcome": "failure", "time_s": 2.0, "tolerance_s": 0.5},
    }
    shown = _post(pipe, **said).json()
    assert {name: shown[name] for name in said} == said


def test_posting_again_is_200_and_creates_nothing(pipe: APIClient) -> None:
    data = SimpleUploadedFile("data.json", json.dumps(DATA).encode())  # The data of a form may be a file too.
    first = pipe.post(
        "/api/v1/episodes/", {"data": data, "video": SimpleUploadedFile("v", b"video")}, format="multipart"
    )
    again = _post(pipe)
    assert (first.status_code, again.status_code) == (201, 200)
    assert problem(pipe.get("/api/v1/episodes/e/trajectory"))["status"] == 404
    assert again.json() == first.json()
    assert (Episode.objects.count(), Job.objects.count()) == (1, 1)


def test_posts_are_compared_with_defaults_applied(pipe: APIClient) -> None:
    scenario = Scenario.objects.get()
    assert scenario.current is not None
    shown = _post(pipe, reference={"outcome": "success"}).json()
    assert shown["reference"] == {"outcome": "success", "time_s": None, "tolerance_s": 1.0}
    spelled_out: dict[str, Any] = {
        "instruction": scenario.current.instruction,
        "takeover_s": scenario.current.takeover_s,
        "transcript": None,
        "step_frames": [],
        "metadata": {},
        "reference": {"tolerance_s": 1, "time_s": None, "outcome": "success"},
    }
    assert _post(pipe, **spelled_out).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"external_id": "other"},
        {"instruction": "another"},
        {"takeover_s": 0.5},
        {"continuation": 1},
        {"metadata": {"a": 1}},
        {"reference": {"outcome": "success"}},
        {"step_frames": [0]},
        {"video": b"another"},
        {"agent": "bravo"},
        {"scenario": "other"},
    ],
    ids=str,
)
def test_other_content_under_the_same_id_or_the_same_try_under_another_is_a_conflict(
    changes: dict[str, Any], pipe: APIClient
) -> None:
    make_agent("bravo")
    make_scenario(make_suite("s"), "other")
    first = _post(pipe).json()
    refused = _post(pipe, **changes)
    assert (refused.status_code, problem(refused)["code"]) == (409, "conflict")
    assert (
        problem(refused)["errors"][0]["pointer"] == f"#/{'continuation' if 'external_id' in changes else 'external_id'}"
    )
    assert Episode.objects.count() == 1
    assert pipe.get("/api/v1/episodes/e/").json() == first
    assert Job.objects.count() == 1


def test_a_new_wording_of_the_scenario_does_not_make_a_repeat_a_conflict(pipe: APIClient) -> None:
    _post(pipe)
    make_scenario(make_suite("s"), "k", instruction="quite another")
    assert _post(pipe).status_code == 200
    assert _post(pipe, external_id="f", continuation=1).json()["instruction"] == "quite another"


def test_a_failed_episode_may_be_posted_anew_with_other_content(pipe: APIClient) -> None:
    _post(pipe, trajectory=b"old")
    _fail()
    shown = pipe.get("/api/v1/episodes/e/").json()
    assert (shown["status"], shown["problem"]) == ("failed", {"code": "broken", "detail": "It is."})
    old = pipe.get("/api/v1/episodes/e/trajectory")["ETag"]
    pipe.delete("/api/v1/episodes/e/")
    assert "is archived" in problem(_post(pipe, video=b"better"))["detail"]
    pipe.post("/api/v1/episodes/e/restore/")
    anew = _post(pipe, video=b"better", trajectory=b"new", metadata={"try": 2})
    assert anew.status_code == 201
    assert (anew.json()["status"], anew.json()["problem"]) == ("preparing", None)
    assert anew.json()["metadata"] == {"try": 2}
    assert Job.objects.count() == 2
    got = pipe.get("/api/v1/episodes/e/trajectory")
    assert content(got) == b"new"
    assert got["ETag"] != old
    assert _post(pipe, video=b"better", metadata={"try": 2}).status_code == 200


def test_the_trajectory_comes_back_byte_for_byte(pipe: APIClient) -> None:
    steps = bytes(range(256)) * 3000
    _post(pipe, trajectory=steps)
    got = pipe.get("/api/v1/episodes/e/trajectory")
    assert (content(got), got["Content-Type"]) == (steps, "application/octet-stream")
    part = pipe.get("/api/v1/episodes/e/trajectory", HTTP_RANGE="bytes=1-2")
    assert (part.status_code, content(part)) == (206, steps[1:3])


WHOLE: dict[str, str | bytes] = {"data": json.dumps(DATA), "video": b"v"}
FORMS: dict[str, tuple[dict[str, str | bytes], int, str, list[str]]] = {
    "no data": ({"video": b"v"}, 422, "invalid", ["#/data"]),
    "no video": ({"data": json.dumps(DATA)}, 422, "invalid", ["#/video"]),
    "video as text": ({**WHOLE, "video": "v"}, 422, "invalid", ["#/video"]),
    "trajectory as text": ({**WHOLE, "trajectory": "steps"}, 422, "invalid", ["#/trajectory"]),
    "data that is not JSON": ({**WHOLE, "data": "{"}, 400, "malformed", []),
    "data with NaN": ({**WHOLE, "data": '{"a": NaN}'}, 400, "malformed", []),
    "data nested without end": ({**WHOLE, "data": "[" * 99_999}, 400, "malformed", []),
    "data that is a list": ({**WHOLE, "data": "[1]"}, 422, "invalid", ["#"]),
    "data that is not UTF-8": ({**WHOLE, "data": b'{"a": "\xe9"}'}, 400, "malformed", []),
    "another part": ({**WHOLE, "audio": b"a"}, 422, "unknown_field", ["#/audio"]),
    "an unknown field": ({**WHOLE, "data": json.dumps({**DATA, "colour": 1})}, 422, "unknown_field", ["#/colour"]),
    "an upload in a form": ({**WHOLE, "data": json.dumps({**DATA, "upload": "x"})}, 422, "unknown_field", ["#/upload"]),
}
"""Parts that are bytes are sent as files."""


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_is_not_right_is_refused(form: str, pipe: APIClient) -> None:
    parts, status, code, pointers = FORMS[form]
    sent = {name: SimpleUploadedFile(name, part) if isinstance(part, bytes) else part for name, part in parts.items()}
    body = problem(pipe.post("/api/v1/episodes/", sent, format="multipart"))
    assert (body["status"], body["code"], [fault["pointer"] for fault in body["errors"]]) == (status, code, pointers)
    assert Episode.objects.count() == 0


def test_a_form_that_is_cut_short_is_malformed(pipe: APIClient) -> None:
    broken: Any = b"--x\r\nContent-Disposition: form-data"
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x"):
        response = pipe.generic("POST", "/api/v1/episodes/", broken, content_type=kind)
        assert response.status_code in (400, 422)
        problem(response)


def test_json_with_the_parts_of_a_form_names_its_faults(pipe: APIClient) -> None:
    refused = pipe.post("/api/v1/episodes/", {"data": DATA, "video": "v"}, format="json")
    assert problem(refused)["code"] == "unknown_field"
    assert {fault["pointer"] for fault in problem(refused)["errors"]} == {"#/data", "#/video"}


@pytest.mark.parametrize(("part", "setting"), [("video", "VIDEO_MAX_BYTES"), ("trajectory", "TRAJECTORY_MAX_BYTES")])
def test_a_file_that_is_too_large_is_413(part: str, setting: str, pipe: APIClient, settings: Any) -> None:
    setattr(settings, setting, 5)
    assert _post(pipe, b"12345", b"12345").status_code == 201
    files = {"video": b"1", "trajectory": b"1", part: b"123456"}
    refused = _post(pipe, files["video"], files["trajectory"], external_id="f", continuation=1)
    assert (refused.status_code, problem(refused)["code"]) == (413, "too_large")
    assert Episode.objects.count() == 1


def test_a_video_that_cannot_be_used_fails_with_a_reason(pipe: APIClient) -> None:
    _post(pipe, b"this is not a video")
    assert _run().state == Job.State.DONE
    shown = pipe.get("/api/v1/episodes/e/").json()
    assert (shown["status"], shown["video"]) == ("failed", None)
    assert shown["problem"]["code"]
    assert shown["problem"]["detail"]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder: Path = tmp_path_factory.mktemp("clips")
    return barcode_clip(folder / "a", kind="faststart", frames=30, width=64, height=48).path.read_bytes()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"takeover_s": 1.0}, "takeover_outside"),
        ({"takeover_s": 0, "reference": {"outcome": "success", "time_s": 1.5}}, "reference_outside"),
        ({"takeover_s": 0, "step_frames": [0, 30]}, "steps_outside"),
    ],
)
def test_a_moment_outside_the_video_makes_it_fail(
    changes: dict[str, Any], code: str, clip: bytes, pipe: APIClient
) -> None:
    _post(pipe, clip, **changes)
    _run()
    assert pipe.get("/api/v1/episodes/e/").json()["problem"]["code"] == code


def test_an_episode_whose_preparation_keeps_crashing_is_given_up(
    pipe: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crashes(*args: object, **kwargs: object) -> None:
        raise MemoryError("out of it")

    monkeypatch.setattr("lib.video.prepare.prepare", crashes)
    _post(pipe)
    job = _run()
    while job.state == Job.State.WAITING:
        Job.objects.update(due_at=job.created_at)
        job = _run()
    assert (job.state, job.attempts) == (Job.State.FAILED, 3)
    assert pipe.get("/api/v1/episodes/e/").json()["problem"]["code"] == preparation.CRASHED


def _gone(source: Path, patch: pytest.MonkeyPatch) -> Callable[[], object]:
    source.rename(source.with_suffix(".away"))
    return lambda: source.with_suffix(".away").rename(source)


def _replaced(source: Path, patch: pytest.MonkeyPatch) -> Callable[[], object]:
    whole = source.read_bytes()
    source.write_bytes(whole[:-100])
    return lambda: source.write_bytes(whole)


def _storage_away(source: Path, patch: pytest.MonkeyPatch) -> Callable[[], object]:
    def falls(storage: FileStorage, name: str, *args: object) -> None:
        # The file with the identity is not there in any case.
        raise FileNotFoundError if name == identity.FILE else RuntimeError("the bucket does not answer")

    patch.setattr(FileStorage, "open", falls)
    return patch.undo


def _no_space(source: Path, patch: pytest.MonkeyPatch) -> Callable[[], object]:
    def falls(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    patch.setattr("evaluation.preparation.scratch_folder", falls)
    return patch.undo


def _no_encoder(source: Path, patch: pytest.MonkeyPatch) -> Callable[[], object]:
    patch.setattr("lib.video.encoder.H264", "an_encoder_that_is_not_there")
    return patch.undo


@pytest.mark.parametrize("breaks", [_gone, _replaced, _storage_away, _no_space, _no_encoder])
def test_a_fault_of_the_server_lets_the_episode_wait_however_long_and_then_it_is_prepared(
    breaks: Callable[[Path, pytest.MonkeyPatch], Callable[[], object]],
    clip: bytes,
    pipe: APIClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _post(pipe, clip, takeover_s=0)
    with monkeypatch.context() as patch:
        mend = breaks(Path(default_storage.path(Episode.objects.get().source)), patch)
        held = set()
        for _ in range(5):
            job = _run()
            held.add(job.held_since)
            assert (job.state, job.attempts) == (Job.State.WAITING, 0)
            assert job.error
            Job.objects.update(due_at=job.created_at)
        assert len(held) == 1
        assert pipe.get("/api/v1/episodes/e/").json()["status"] == "preparing"
        mend()
    assert (_run().state, Job.objects.get().held_since) == (Job.State.DONE, None)
    assert pipe.get("/api/v1/episodes/e/").json()["status"] == "ready"


def test_preparing_twice_changes_nothing(clip: bytes, pipe: APIClient) -> None:
    project = make_project(suite=Scenario.objects.get().suite)
    _post(pipe, clip, takeover_s=0)
    _run()
    first = pipe.get("/api/v1/episodes/e/").json()
    Job.objects.update(state="waiting", finished_at=None, due_at=NOON - timedelta(days=1))
    assert _run().state == Job.State.DONE
    assert pipe.get("/api/v1/episodes/e/").json() == first
    assert (first["status"], project.tasks.count()) == ("ready", 1)


def test_a_task_with_the_same_key_does_not_make_a_good_episode_fail(clip: bytes, pipe: APIClient) -> None:
    project = make_project(suite=Scenario.objects.get().suite)
    make_task(project, key="e", priority=3)
    _post(pipe, clip, takeover_s=0)
    assert _run().state == Job.State.DONE
    assert pipe.get("/api/v1/episodes/e/").json()["status"] == "ready"
    assert project.tasks.filter(key="e").count() == 1


def test_the_consensus_shown_is_that_of_the_suites_oldest_project(pipe: APIClient, alice: Worker, bob: Worker) -> None:
    suite = Scenario.objects.get().suite
    older, newer = make_project(suite=suite), make_project(suite=suite)
    make_episode(scenario=Scenario.objects.get(), external_id="e")
    annotate(claim(newer, alice), outcome="failure", frame=30)
    assert pipe.get("/api/v1/episodes/e/").json()["consensus"] is None
    annotate(claim(older, bob), outcome="success", frame=25)
    expected = {"outcome": "success", "frame": 25, "time_s": 2.5, "annotations": 1}
    assert pipe.get("/api/v1/episodes/e/").json()["consensus"] == expected
    assert pipe.get("/api/v1/episodes/").json()["results"][0]["consensus"] == expected
