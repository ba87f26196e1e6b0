"""A table of every call of the API with a body that succeeds, for tests of facts that hold for all calls."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import URLPattern
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import create_key
from agents.models import ApiKey
from annotation.models import Annotation, Assignment, Project
from annotation.projects.projects import project_named
from annotation.scene_store import keep
from evaluation.models import Upload
from evaluation.suites import freeze
from evaluation.uploads import begin, parts_of
from interaction.models import Session
from interaction.session.ending import end_session
from lib.trees.shipped import RATE, shipped_tree
from lib.voxels.scene import read_scene
from routing.routes import RouteBody, put_route
from routing.tree_versions import put_tree
from tests.support.builders import (
    RIGHT_ANSWERS,
    make_agent,
    make_episode,
    make_project,
    make_qualification,
    make_scenario,
    make_suite,
    make_worker,
    quiz_body,
    token_for,
)
from tests.support.crowds import insert_answers
from tests.support.sessions import both, judged
from web.api.urls import urlpatterns
from workforce.models import PrivacyReport
from workforce.qualifications import hand_in

PIPELINE, WORKER, NOBODY = "pipeline", "worker", "nobody"
ROOT = "/api/v1/"
HALF = b"half of a video"
WHOLE = b"a whole video"


@dataclass
class World:
    """The rows that the addresses of the table name."""

    project: Project
    assignment: Assignment
    upload: Upload
    upload_etag: str
    complete: Upload
    part_query: str
    erasure: PrivacyReport
    session: Session
    tokens: dict[str, str] = field(default_factory=dict)

    def address(self, template: str) -> str:
        return ROOT + template.format(
            assignment=self.assignment.public_id,
            upload=self.upload.public_id,
            query=self.part_query,
            report=self.erasure.pk,
            session=self.session.public_id,
        )


Body = dict[str, Any] | Callable[[World], dict[str, Any]] | None


@dataclass(frozen=True)
class Call:
    """One method of one address; `names` are the words in it that name rows which might not exist."""

    method: str
    template: str
    status: int = 200
    body: Body = None
    kind: str = PIPELINE
    scope: str = ""
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.method} {self.template}"

    @property
    def needed(self) -> str:
        return self.scope or ("read" if self.method == "GET" else "write")

    def content(self, world: World) -> dict[str, Any] | None:
        return self.body(world) if callable(self.body) else self.body

    def send(self, client: "Browserless", world: World, **changes: Any) -> Any:
        """Send the call, with changes of `data`, of `template`, or of the request itself."""
        template = changes.pop("template", self.template)
        data = changes.pop("data", self.content(world))
        if self.template.startswith("uploads/{upload}/parts/"):
            changes = {"content_type": "application/octet-stream", **changes}
            data = HALF if isinstance(data, dict) else data
        elif "content_type" not in changes:
            changes["format"] = "json"
        return client.send(self.method, world.address(template), data, **changes)


class Browserless(APIClient):
    """A client that sends its data byte for byte."""

    def send(self, method: str, path: str, data: Any, **extra: Any) -> Any:
        if extra.pop("format", None):
            return getattr(self, method.lower())(path, data, format="json", **extra)
        return self.generic(method, path, data or "", **extra)


SCENARIO = {
    "instruction": "lift the lid",
    "category": "lift",
    "skill": "grasping",
    "takeover_s": 1.0,
    "continuation_s": 5.0,
}
PROJECT = {"tool": "marker", "title": "P", "instructions": ["Mark it."], "suite": "s", "status": "live"}
NOOP = {"dialogue_type": "NOOP"}
PAIR = f"what a day|{json.dumps(NOOP)}"
SMALL_SCENE = {"size": [2, 2, 2], "blocks": [[0, 0, 0, 60], [1, 1, 1, 57]], "agent": None, "player": None}
SMALL_DIGEST = read_scene(SMALL_SCENE).digest
TAGGED = {
    "scenes": [{"blocks": [[-1, 0, 2, 60]], "inst_seg_tags": [{"tags": ["the red thing"], "locs": [[-1, 0, 2]]}]}],
    "as": "references",
    "key_prefix": "told",
}
ANSWER = {"answer": {"outcome": "success", "frame": 20}}
TASKS = {"tasks": [{"key": "t", "payload": {"episode": "e"}, "reference": {"answers": [{"outcome": "success"}]}}]}
BLOCK = {"reason": "asks to", "annotations": "keep"}
AS_EPISODE = {"command": 1, "suite": "s", "scenario": "k"}
HELD, ALICE = "work/assignments/{assignment}/", ("direct", "alice")


def _announced(world: World) -> dict[str, Any]:
    return {"filename": "a.mp4", "bytes": len(WHOLE), "sha256": hashlib.sha256(WHOLE).hexdigest()}


def _episode(world: World) -> dict[str, Any]:
    return {
        "external_id": "fresh",
        "agent": "alfa",
        "suite": "s",
        "scenario": "k",
        "continuation": 7,
        "upload": world.complete.public_id,
    }


def _past_command(world: World) -> dict[str, Any]:
    body = {"command": "c-1", "project": world.session.project.slug, "text": "dig a hole", "parse": NOOP}
    return {"commands": [{**body, "outcome": "nlu_error", "worker": "direct:alice", "agent": "alfa"}]}


def _parts(world: World) -> dict[str, Any]:
    return {"parts": [{"number": 1, "etag": world.upload_etag}]}


def _waiting(world: World) -> dict[str, Any]:
    """An answer that nobody has decided on; the same once more, for a call that is sent again."""
    if not Annotation.objects.filter(project=world.project).exists():
        insert_answers(world.project, [(world.assignment.task, make_worker(), "success")])
    return {"annotations": [Annotation.objects.latest("pk").public_id], "decision": "approved"}


CALLS = [
    Call("GET", "agents/"),
    Call("GET", "agents/alfa/", names=("alfa",)),
    Call("PUT", "agents/alfa/", 200, {"name": "Alfa"}),
    Call("GET", "agents/alfa/metrics/", names=("alfa",)),
    Call("POST", "agents/alfa/metrics/", 201, {"metric": "probe", "value": 0.5}, names=("alfa",)),
    Call("GET", "suites/"),
    Call("GET", "suites/s/", names=("s",)),
    Call("PUT", "suites/s/", 200, {"title": "S"}),
    Call("GET", "suites/s/scenarios/", names=("s",)),
    Call("GET", "suites/s/scenarios/k/", names=("s", "k")),
    Call("PUT", "suites/s/scenarios/k/", 200, SCENARIO, names=("s",)),
    Call("GET", "suites/s/versions/v1/", names=("s", "v1")),
    Call("PUT", "suites/s/versions/v1/", 200, {}, names=("s",)),
    Call("GET", "suites/s/ranking/", names=("s",)),
    Call("GET", "episodes/"),
    Call("POST", "episodes/", 201, _episode),
    Call("GET", "episodes/e/", names=("e",)),
    Call("GET", "episodes/e/trajectory", names=("e",)),
    Call("POST", "uploads/", 201, _announced),
    Call("PUT", "uploads/{upload}/parts/1/?{query}", 200, {}, kind=NOBODY, names=("{upload}", "1")),
    Call("POST", "uploads/{upload}/complete/", 200, _parts, names=("{upload}",)),
    Call("GET", "projects/"),
    Call("GET", "projects/p/", names=("p",)),
    Call("PUT", "projects/p/", 200, PROJECT),
    Call("POST", "projects/p/tasks/", 200, TASKS, names=("p",)),
    Call("POST", "projects/p/links/", 201, {"worker": "alice"}, scope="workers", names=("p",)),
    Call("POST", "projects/p/approvals/", 200, _waiting, scope="workers", names=("p",)),
    Call("GET", "projects/p/annotations.jsonl", names=("p",)),
    Call("GET", "projects/p/consensus.jsonl", names=("p",)),
    Call("GET", "projects/p/findings.jsonl", names=("p",)),
    Call("GET", "projects/parses/forms.jsonl", names=("parses",)),
    Call("POST", "projects/parses/forms/", 200, {"lines": PAIR}, names=("parses",)),
    Call("POST", "projects/scenes/generated_scenes/", 200, {"n": 1, "seed": 7}, names=("scenes",)),
    Call("GET", "generated_scenes.jsonl"),
    Call("GET", "projects/masks/masks.jsonl", names=("masks",)),
    Call("GET", "projects/masks/masks.npz", names=("masks",)),
    Call("GET", "projects/masks/scene_list.json", names=("masks",)),
    Call("POST", "projects/masks/masks/import/", 200, TAGGED, names=("masks",)),
    Call("POST", "scenes/", 200, {"scenes": [SMALL_SCENE]}),
    Call("GET", f"scenes/{SMALL_DIGEST}/", names=(SMALL_DIGEST,)),
    Call("GET", "logical_form.schema.json", kind=NOBODY),
    Call("GET", "workers/direct/alice/", names=ALICE),
    Call("POST", "workers/direct/alice/block/", 200, BLOCK, scope="workers", names=ALICE),
    Call("POST", "workers/direct/alice/unblock/", 200, {}, scope="workers", names=ALICE),
    Call("GET", "sessions/{session}/episodes/", names=("{session}",)),
    Call("POST", "sessions/{session}/episodes/", 202, AS_EPISODE, names=("{session}",)),
    Call("POST", "commands/", 200, _past_command),
    Call("GET", "commands.jsonl"),
    Call("GET", "funnel/"),
    Call("GET", "trees/"),
    Call("GET", "trees/rating/", names=("rating",)),
    Call("PUT", "trees/rating/", 200, shipped_tree(RATE)),
    Call("GET", "routes/"),
    Call("GET", "routes/words/", names=("words",)),
    Call("PUT", "routes/words/", 200, {"outcome": "nlu_error", "project": "parses"}),
    Call("GET", "error_reports.jsonl"),
    Call("GET", "qualifications/"),
    Call("GET", "qualifications/passed/", names=("passed",)),
    Call("PUT", "qualifications/passed/", 200, quiz_body()),
    Call("GET", "workers/direct/alice/data/", scope="identity", names=ALICE),
    Call("POST", "workers/direct/leaver/erase/", 202, {}, scope="workers", names=("direct", "leaver")),
    Call("GET", "erasures/{report}/", scope="workers", names=("{report}",)),
    Call("GET", "audit.jsonl", scope="identity"),
    Call("GET", "work/", kind=WORKER),
    Call("GET", "work/consent/", 204, kind=WORKER),
    Call("POST", "work/consent/", 204, {}, kind=WORKER),
    Call("DELETE", "work/consent/", 204, kind=WORKER),
    Call("GET", "work/qualification/", kind=WORKER),
    Call("POST", "work/qualification/", 200, {"answers": RIGHT_ANSWERS}, kind=WORKER),
    Call("POST", "work/notice/", 204, {}, kind=WORKER),
    Call("POST", "work/claim/", 200, {}, kind=WORKER),
    Call("POST", "work/ahead/", 200, {}, kind=WORKER),
    Call("POST", "work/parse/check/", 200, {"text": "dig a hole", "form": NOOP}, kind=WORKER),
    Call("POST", "work/parse/next/", 200, {"text": "dig a hole", "record": {}}, kind=WORKER),
    Call("PATCH", HELD, 204, {"draft": {"frame": 3}}, kind=WORKER, names=("{assignment}",)),
    Call("POST", f"{HELD}heartbeat/", 200, {}, kind=WORKER, names=("{assignment}",)),
    Call("POST", f"{HELD}submit/", 201, ANSWER, kind=WORKER, names=("{assignment}",)),
    Call("POST", f"{HELD}release/", 204, {}, kind=WORKER, names=("{assignment}",)),
    Call("POST", f"{HELD}report/", 204, {"problem": "ambiguous"}, kind=WORKER, names=("{assignment}",)),
]
"""The table. `names` of a PUT leave out the last word, which it would make."""

DESCRIPTIONS = {"schema/", "docs/"}
"""Addresses of the API that describe it, and are open to everyone."""


def addresses() -> Iterator[tuple[str, str]]:
    """Method and route of every call that `web.api.urls` mounts."""
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        view = getattr(pattern.callback, "view_class", None)
        route = str(pattern.pattern)
        if view is None or route in DESCRIPTIONS:
            continue
        for method in ("get", "put", "post", "patch", "delete"):
            if hasattr(view, method):
                yield method.upper(), route


def make_world() -> World:
    """An agent, a suite with a frozen scenario, three episodes, a live project, a worker who holds a task."""
    now = timezone.now()
    agent, suite = make_agent("alfa"), make_suite("s")
    scenario = make_scenario(suite, "k", **SCENARIO, criteria="")
    freeze(suite=suite, slug="v1", at=now)
    quiz = make_qualification("passed")
    project = make_project("p", suite=suite, qualification=quiz)
    for number, name in enumerate(("e", "e2", "e3")):
        make_episode(scenario=scenario, agent=agent, external_id=name, continuation=number)
    first = agent.episodes.get(external_id="e")
    first.trajectory = default_storage.save("trajectory", ContentFile(b"steps"))
    first.save()
    make_project("parses", tool="parse")
    make_project("masks", tool="voxels")
    keep([read_scene(SMALL_SCENE)], at=now)
    make_project("scenes", tool="voxels", settings={})
    put_tree(slug="rating", content=shipped_tree(RATE), by="key:table", at=now)
    route = RouteBody(outcome="nlu_error", project="parses", rate=1.0)
    put_route(slug="words", body=route, by="key:table", at=now)
    make_worker("leaver")
    worker = make_worker("alice")
    # Passed already, so that the worker may claim too: the same answers again get the same reply.
    hand_in(worker=worker, qualification=quiz, answers=RIGHT_ANSWERS, at=now)
    token = token_for(project, worker)
    client = with_token(token)
    held = client.post("/api/v1/work/claim/").json()["assignment"]
    upload, etag, query = _half_uploaded()
    complete = Upload.objects.create(
        filename="b.mp4",
        bytes=len(WHOLE),
        sha256=hashlib.sha256(WHOLE).hexdigest(),
        state=Upload.State.COMPLETE,
        file=default_storage.save("whole", ContentFile(WHOLE)),
        created_at=now,
    )
    return World(
        project=project_named("p"),
        assignment=Assignment.objects.get(public_id=held),
        upload=upload,
        upload_etag=etag,
        complete=complete,
        part_query=query,
        erasure=PrivacyReport.objects.create(kind="erasure", requested_by="key:table", requested_at=now),
        session=_ended_session(),
        tokens={WORKER: token, PIPELINE: create_key(name="table", scopes=ApiKey.Scope.values, at=now)},
    )


def _ended_session() -> Session:
    """One live session with one command."""
    worker, agent = both()
    judged(worker, agent)
    end_session(worker.session.pk, Session.Reason.STAFF, at=worker.at)
    return worker.now()


def _half_uploaded() -> tuple[Upload, str, str]:
    sha256 = hashlib.sha256(HALF).hexdigest()
    upload = begin(filename="a.mp4", size=len(HALF), sha256=sha256, at=timezone.now())
    url = parts_of(upload)[0]["url"]
    answer = APIClient().put(url, HALF, content_type="application/octet-stream")
    return upload, answer["ETag"], url.partition("?")[2]


def with_key(key: str) -> Browserless:
    client = Browserless(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Api-Key {key}")
    return client


def with_token(token: str) -> Browserless:
    client = Browserless(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return client


def client_for(call: Call, world: World) -> Browserless:
    """A client that may make this call."""
    if call.kind == NOBODY:
        return Browserless(raise_request_exception=False)
    return with_key(world.tokens[PIPELINE]) if call.kind == PIPELINE else with_token(world.tokens[WORKER])


def problem(response: Any) -> dict[str, Any]:
    """The response's problem, after a look at its form."""
    assert response["Content-Type"] == "application/problem+json", (response.status_code, response["Content-Type"])
    body: dict[str, Any] = response.json()
    assert list(body) == ["type", "title", "status", "detail", "code", "errors"]
    assert body["status"] == response.status_code
    assert all(isinstance(body[name], str) and body[name] for name in ("type", "title", "detail", "code"))
    for fault in body["errors"]:
        assert sorted(fault) == ["detail", "pointer"]
        assert fault["pointer"].startswith("#")
        assert fault["detail"]
    return body


def content(response: Any) -> bytes:
    """The whole of a response that may come in pieces."""
    return b"".join(response.streaming_content) if response.streaming else bytes(response.content)


def lines(response: Any) -> list[dict[str, Any]]:
    """The objects of a JSON Lines export."""
    assert response.status_code == 200
    assert response["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in content(response).splitlines()]
