"""A suite as a file: what another server exports is here the same, and files that were changed are refused."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.storage import default_storage
from rest_framework.test import APIClient

from agents.keys import Limits, create_key
from agents.models import Agent, ApiKey
from audit.models import AuditEvent
from evaluation.episodes import PostedFile, post_episode
from evaluation.models import Episode, Suite, Upload, Version
from evaluation.suites import freeze
from jobs.models import Job
from tests.support.api_clients import with_key
from tests.support.builders import NOON, make_agent, make_scenario, make_suite
from tests.support.calls import problem

pytestmark = pytest.mark.django_db
VIDEO = b"a recording of what happens before" * 5000


@pytest.fixture
def suite() -> Suite:
    """Two versions, a wording of today, and a recording that was posted against the first wording."""
    suite = make_suite("s")
    suite.description, suite.continuations = "Lids.", 3
    suite.save()
    make_scenario(suite, "lid", media={"episode": "context"}, takeover_s=2, source={"interaction": "i-1"})
    make_agent("human-1")
    Agent.objects.update(kind="human", name="People", metadata={"who": "us"})
    data = {"external_id": "context", "agent": "human-1", "suite": "s", "scenario": "lid", "continuation": 0}
    video = PostedFile("a.mp4", hashlib.sha256(VIDEO).hexdigest(), io.BytesIO(VIDEO))
    post_episode(data=data, video=video, trajectory=None, at=NOON)
    freeze(suite=suite, slug="v1", by="system", at=NOON)
    make_scenario(suite, "Pot", chance=0.5, tags=["pot"], difficulty=3)
    make_scenario(suite, "lid", media={"episode": "context"}, instruction="lift the lid")
    freeze(suite=suite, slug="v2", by="system", at=NOON)
    make_scenario(suite, "pot", instruction="fill the pot")
    return suite


def export(pipe: APIClient, slug: str = "s") -> bytes:
    response = pipe.get(f"/api/v1/suites/{slug}.zip")
    assert (response.status_code, response["Content-Type"]) == (200, "application/zip")
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]


def put(client: APIClient, content: bytes, slug: str = "s") -> Any:
    return client.put(f"/api/v1/suites/{slug}.zip", content, content_type="application/zip")


def content_of(file: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(file)) as whole:
        found: dict[str, Any] = json.loads(whole.read("suite.json"))
        return found


def versions(pipe: APIClient) -> list[Any]:
    return [pipe.get(f"/api/v1/suites/s/versions/{slug}/").json() for slug in ("v1", "v2")]


def forget_everything() -> None:
    """As on a server that never had the suite."""
    for model in (Episode, Job, Upload):
        model.objects.all().delete()
    Suite.objects.get().scenarios.update(current=None)
    Suite.objects.all().delete()
    Agent.objects.all().delete()


def test_another_server_has_the_same_suite(pipe: APIClient, suite: Suite) -> None:
    file, frozen = export(pipe), versions(pipe)
    scenarios = pipe.get("/api/v1/suites/s/scenarios/").json()["results"]
    posted = Episode.objects.get().revision.digest
    forget_everything()
    made = put(pipe, file)
    assert made.status_code == 201, made.content
    assert made.json() == {
        "suite": "s",
        "scenarios": 3,
        "episodes": 1,
        "versions": [{"version": one["version"], "sha256": one["sha256"]} for one in frozen],
    }
    assert (versions(pipe), pipe.get("/api/v1/suites/s/").json()["continuations"]) == (frozen, 3)
    by_key = {one["key"]: one for one in pipe.get("/api/v1/suites/s/scenarios/").json()["results"]}
    assert by_key == {one["key"]: one for one in scenarios}
    recording = Episode.objects.get()
    assert (recording.agent.kind, recording.agent.metadata) == ("human", {"who": "us"})
    assert (recording.revision.digest, recording.external_id) == (posted, "context")
    with default_storage.open(recording.source) as video:
        assert video.read() == VIDEO
    assert Job.objects.filter(subject=str(recording.pk)).exists()
    assert export(pipe) == file


def test_a_repeat_changes_nothing(pipe: APIClient, suite: Suite) -> None:
    file = export(pipe)
    events = AuditEvent.objects.exclude(verb="export.taken").count()
    tables = [list(model.objects.order_by("pk").values()) for model in (Suite, Version, Episode, Upload, Agent)]
    assert put(pipe, file).status_code == 200
    assert [list(model.objects.order_by("pk").values()) for model in (Suite, Version, Episode, Upload, Agent)] == tables
    assert AuditEvent.objects.exclude(verb="export.taken").count() == events
    assert export(pipe) == file


def test_what_the_file_lacks_is_no_longer_present_and_versions_stay(pipe: APIClient, suite: Suite) -> None:
    file = export(pipe)
    make_scenario(suite, "later")
    freeze(suite=suite, slug="v3", by="system", at=NOON)
    assert put(pipe, file).status_code == 200
    assert "later" not in {one["key"] for one in pipe.get("/api/v1/suites/s/scenarios/").json()["results"]}
    assert pipe.get("/api/v1/suites/s/versions/v3/").json()["scenarios"] == ["Pot", "later", "lid", "pot"]
    detail = AuditEvent.objects.get(verb="suite.imported").detail
    assert (detail["left_out"], detail["changed"], detail["versions"]) == (["later"], 0, [])


def changed(file: bytes, change: Callable[[dict[str, Any]], object], *, is_honest: bool = True) -> bytes:
    """The file with another `suite.json`, of which an honest manifest has the SHA-256."""
    with zipfile.ZipFile(io.BytesIO(file)) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    content = json.loads(parts["suite.json"])
    change(content)
    parts["suite.json"] = json.dumps(content).encode()
    manifest = json.loads(parts["manifest.json"])
    if is_honest:
        manifest["parts"][0] |= {
            "bytes": len(parts["suite.json"]),
            "sha256": hashlib.sha256(parts["suite.json"]).hexdigest(),
        }
    parts["manifest.json"] = json.dumps(manifest).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as whole:
        for name, part in parts.items():
            whole.writestr(name, part)
    return out.getvalue()


def _other_wording(content: dict[str, Any]) -> None:
    content["wordings"][0]["wording"]["instruction"] = "quite another"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        (_other_wording, "#/wordings/0/sha256"),
        (lambda content: content["versions"][0]["wordings"].pop(), "#/versions/0/sha256"),
        (lambda content: content["wordings"].pop(), "#/present"),
        (lambda content: content["wordings"].append(content["wordings"][0]), "#/wordings"),
        (lambda content: content["present"].append({**content["wordings"][1]}), "#/present/3/wording"),
        (lambda content: content["versions"].append(content["versions"][0]), "#/versions"),
        (lambda content: content["episodes"].clear(), "#/episodes"),
        (lambda content: content["episodes"][0].update(video="media/" + "0" * 64), "#/episodes"),
        (lambda content: content["episodes"][0]["data"].update(agent="a"), "#/episodes/0/data/agent"),
        (lambda content: content["wordings"][0]["wording"].update(chance=2), "#/wordings/0/wording/chance"),
        (lambda content: content.update(more=1), "#/more"),
    ],
)
def test_a_file_that_was_changed_is_refused_and_changes_nothing(
    change: Callable[[dict[str, Any]], object], pointer: str, pipe: APIClient, suite: Suite
) -> None:
    file = export(pipe)
    answer = put(pipe, changed(file, change), "fresh")
    assert answer.status_code == 422, answer.content
    assert pointer in {fault["pointer"] for fault in problem(answer)["errors"]}
    assert "SHA-256" in problem(put(pipe, changed(file, _other_wording, is_honest=False), "fresh"))["detail"]
    assert not Suite.objects.filter(slug="fresh").exists()
    assert not Upload.objects.exists()


@pytest.mark.parametrize("body", [b"", b"PK", b"not a zip" * 100])
def test_a_body_that_is_no_file_of_a_suite_is_refused(body: bytes, pipe: APIClient, suite: Suite) -> None:
    assert problem(put(pipe, body))["status"] == 422
    other = pipe.put("/api/v1/suites/s.zip", b"{}", content_type="application/json")
    assert problem(other)["status"] == 415


def test_a_version_that_is_here_with_other_scenarios_is_a_conflict(pipe: APIClient, suite: Suite) -> None:
    file = export(pipe)
    forget_everything()
    make_scenario(make_suite("s"), "other")
    freeze(suite=make_suite("s"), slug="v2", by="system", at=NOON)
    answer = put(pipe, file)
    assert (answer.status_code, "'v2'" in problem(answer)["detail"]) == (409, True)
    assert not Episode.objects.exists()
    assert list(Suite.objects.get().versions.values_list("slug", flat=True)) == ["v2"]


def test_an_episode_that_is_here_with_other_content_is_a_conflict(pipe: APIClient, suite: Suite) -> None:
    file = export(pipe)
    assert put(pipe, file, "copy").status_code == 409
    assert not Suite.objects.filter(slug="copy").exists()


def test_sizes_are_bounded(pipe: APIClient, suite: Suite, settings: Any) -> None:
    file = export(pipe)
    settings.SUITE_MAX_BYTES = len(file) - 1
    assert problem(put(pipe, file))["status"] == 413


def test_a_key_that_acts_as_one_agent_puts_no_recordings_of_another(pipe: APIClient, suite: Suite) -> None:
    file = export(pipe)
    for agents, status in ((["human-1"], 200), (["other"], 404)):
        key = create_key(name="k", scopes=ApiKey.Scope.values, limits=Limits([], ["s"], agents), at=NOON)
        assert put(with_key(key), file).status_code == status
