"""A table of every call of the API with a body that succeeds, for tests of facts that hold for all calls."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern
from django.utils import timezone

from annotation.models import Annotation, Assignment
from evaluation.suite_files.writing import suite_file
from lib.trees.shipped import RATE, shipped_tree
from lib.voxels.scene import read_scene
from tests.support.api_clients import Browserless, with_key, with_token
from tests.support.bucket import one_recording
from tests.support.builders import (
    RIGHT_ANSWERS,
    annotate,
    make_suite,
    make_worker,
    quiz_body,
)
from tests.support.call_world import HALF, NOBODY, PIPELINE, SCENARIO, SMALL_SCENE, WHOLE, WORKER, World
from tests.support.crowds import insert_answers
from tests.support.models import HELD_TOKEN
from web.api.urls import urlpatterns

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
        if self.template.endswith(".zip") and self.method == "PUT":
            changes = {"content_type": "application/zip", **changes}
            data = b"".join(suite_file(make_suite("s"))) if isinstance(data, dict) else data
        elif self.template.startswith("uploads/{upload}/parts/"):
            changes = {"content_type": "application/octet-stream", **changes}
            data = HALF if isinstance(data, dict) else data
        elif "content_type" not in changes:
            changes["format"] = "json"
        if self.template.startswith("imports/"):
            with one_recording():
                return client.send(self.method, world.address(template), data, **changes)
        return client.send(self.method, world.address(template), data, **changes)


PROJECT = {
    "tool": "marker",
    "title": "P",
    "instructions": ["Mark it."],
    "suite": "s",
    "qualification": "passed",
    "status": "live",
}
NOOP = {"dialogue_type": "NOOP"}
PAIR = f"what a day|{json.dumps(NOOP)}"
SMALL_DIGEST = read_scene(SMALL_SCENE).digest
CAMPAIGN: dict[str, Any] = {
    "project": "lives-planned",
    "modules": ["nlu"],
    "sessions": 5,
    "budget": {"amount": "20.00", "currency": "USD"},
    "close_after": 100,
    "stop": {"iterations": 3},
}
TAGGED = {
    "scenes": [{"blocks": [[-1, 0, 2, 60]], "inst_seg_tags": [{"tags": ["the red thing"], "locs": [[-1, 0, 2]]}]}],
    "as": "references",
    "key_prefix": "told",
}
ANSWER = {"answer": {"outcome": "success", "frame": 20}}
TASKS = {"tasks": [{"key": "t", "payload": {"episode": "e3"}, "reference": {"answers": [{"outcome": "success"}]}}]}
BLOCK = {"reason": "asks to", "annotations": "keep"}
AS_EPISODE = {"command": 1, "suite": "s", "scenario": "k"}
HOOK = "webhooks/{webhook}/"
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


def _artefact(world: World) -> dict[str, Any]:
    return {"upload": world.complete.public_id, "token": HELD_TOKEN}


def _parts(world: World) -> dict[str, Any]:
    return {"parts": [{"number": 1, "etag": world.upload_etag}]}


def _waiting(world: World) -> dict[str, Any]:
    """An answer that nobody has decided on; the same once more, for a call that is sent again."""
    if not Annotation.objects.filter(project=world.project).exists():
        insert_answers(world.project, [(world.assignment.task, make_worker(), "success")])
    return {"annotations": [Annotation.objects.latest("pk").public_id], "decision": "approved"}


def _submitted(world: World) -> dict[str, Any]:
    """The answer that stands already, for a correction that changes nothing."""
    held = Assignment.objects.get(pk=world.assignment.pk)
    if held.status == Assignment.Status.CLAIMED:
        annotate(held, at=timezone.now())
    return ANSWER


CALLS = [
    Call("GET", "agents/"),
    Call("GET", "agents/alfa/", names=("alfa",)),
    Call("PUT", "agents/alfa/", 200, {"name": "Alfa"}),
    Call("PATCH", "agents/alfa/", 200, {"description": "x"}, names=("alfa",)),
    Call("GET", "agents/alfa/metrics/", names=("alfa",)),
    Call("POST", "agents/alfa/metrics/", 201, {"metric": "probe", "value": 0.5}, names=("alfa",)),
    Call("GET", "suites/"),
    Call("GET", "suites/s/", names=("s",)),
    Call("PUT", "suites/s/", 200, {"title": "S"}),
    Call("PATCH", "suites/s/", 200, {"description": "x"}, names=("s",)),
    Call("GET", "suites/s.zip", names=("s.zip",)),
    Call("PUT", "suites/s.zip", 200, {}),
    Call("DELETE", "suites/t/", 204, names=("t",)),
    Call("POST", "suites/t/restore/", 200, {}, names=("t",)),
    Call("GET", "suites/s/scenarios/", names=("s",)),
    Call("GET", "suites/s/scenarios/k/", names=("s", "k")),
    Call("PUT", "suites/s/scenarios/k/", 200, SCENARIO, names=("s",)),
    Call("PATCH", "suites/s/scenarios/k/", 200, {"tags": []}, names=("s", "k")),
    Call("GET", "suites/s/versions/v1/", names=("s", "v1")),
    Call("PUT", "suites/s/versions/v1/", 200, {}, names=("s",)),
    Call("PATCH", "suites/s/versions/v1/", 200, {}, names=("s", "v1")),
    Call("GET", "suites/s/ranking/", names=("s",)),
    Call("GET", "suites/s/time_to_completion/", names=("s",)),
    Call("GET", "suites/s/correlations/", names=("s",)),
    Call("GET", "suites/s/better_measures/", names=("s",)),
    Call("GET", "suites/s/consistency/", names=("s",)),
    Call("GET", "suites/s/difficulty/", names=("s",)),
    Call("GET", "suites/s/scenario_notes/", names=("s",)),
    Call("GET", "suites/s/information/", names=("s",)),
    Call("GET", "suites/s/failures/", names=("s",)),
    Call("GET", "suites/s/human_time/", names=("s",)),
    Call("GET", "suites/s/comparison/?a=alfa&b=rival", names=("s",)),
    Call("GET", "suites/s/runs/", names=("s",)),
    Call("GET", "suites/s/repeats/", names=("s",)),
    Call("POST", "suites/s/reports/", 201, {"version": "v1"}, names=("s",)),
    Call("GET", "suites/s/reports/{made_report}/", names=("s", "{made_report}")),
    Call("GET", "suites/s/reports/{made_report}/report.pdf", names=("s", "{made_report}")),
    Call("GET", "suites/s/reports/{made_report}/files.zip", names=("s", "{made_report}")),
    Call("POST", "suites/s/plan/", 200, {"agents": 2, "scenarios": 40}, names=("s",)),
    Call("GET", "episodes/"),
    Call("POST", "episodes/", 201, _episode),
    Call("GET", "episodes/e/", names=("e",)),
    Call("DELETE", "episodes/e3/", 204, names=("e3",)),
    Call("POST", "episodes/e3/restore/", 200, {}, names=("e3",)),
    Call("GET", "episodes/e/trajectory", names=("e",)),
    Call("POST", "uploads/", 201, _announced),
    Call("GET", "imports/?prefix=s3://recordings/"),
    Call("POST", "imports/", 201, {"address": "s3://recordings/lid-0.mp4"}),
    Call("GET", "imports/{copy}/", names=("{copy}",)),
    Call("PUT", "uploads/{upload}/parts/1/?{query}", 200, {}, kind=NOBODY, names=("{upload}", "1")),
    Call("POST", "uploads/{upload}/complete/", 200, _parts, names=("{upload}",)),
    Call("GET", "projects/"),
    Call("GET", "projects/p/", names=("p",)),
    Call("PUT", "projects/p/", 200, PROJECT),
    Call("PATCH", "projects/p/", 200, {"lease_s": 60}, names=("p",)),
    Call("DELETE", "projects/scenes/", 204, names=("scenes",)),
    Call("POST", "projects/scenes/restore/", 200, {}, names=("scenes",)),
    Call("GET", "projects/p/tasks/", names=("p",)),
    Call("GET", "projects/p/tasks/e2/", names=("p", "e2")),
    Call("DELETE", "projects/p/tasks/e2/", 204, names=("p", "e2")),
    Call("POST", "projects/p/tasks/e2/restore/", 200, {}, names=("p", "e2")),
    Call("POST", "projects/p/tasks/", 200, TASKS, names=("p",)),
    Call("POST", "projects/p/links/", 201, {"worker": "alice"}, scope="workers", names=("p",)),
    Call("POST", "projects/p/approvals/", 200, _waiting, scope="workers", names=("p",)),
    Call("GET", "projects/p/annotations.jsonl", names=("p",)),
    Call("GET", "projects/p/consensus.jsonl", names=("p",)),
    Call("GET", "projects/p/findings.jsonl", names=("p",)),
    Call("GET", "projects/p/effort/", names=("p",)),
    Call("GET", "projects/parses/effort/questions/", names=("parses",)),
    Call("GET", "projects/parses/forms.jsonl", names=("parses",)),
    Call("GET", "projects/p/annotations.parquet", names=("p",)),
    Call("GET", "projects/p/consensus.parquet", names=("p",)),
    Call("GET", "projects/parses/forms.parquet", names=("parses",)),
    Call("GET", "projects/masks/masks.parquet", names=("masks",)),
    Call("GET", "projects/p/commands.parquet", names=("p",)),
    Call("GET", "projects/p/dataset_card.md", names=("p",)),
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
    Call("PATCH", "trees/rating/", 200, {"title": "How was it?"}, names=("rating",)),
    Call("GET", "routes/"),
    Call("GET", "routes/words/", names=("words",)),
    Call("PUT", "routes/words/", 200, {"outcome": "nlu_error", "project": "parses"}),
    Call("PATCH", "routes/words/", 200, {"rate": 0.5}, names=("words",)),
    Call("GET", "error_reports.jsonl"),
    Call("GET", "campaigns/"),
    Call("GET", "campaigns/planned/", names=("planned",)),
    Call("PUT", "campaigns/planned/", 200, CAMPAIGN),
    Call("PATCH", "campaigns/planned/", 200, {"sessions": 9}, names=("planned",)),
    Call("POST", "campaigns/planned/start/", 200, {}, names=("planned",)),
    Call("POST", "campaigns/turning/stop/", 200, {}, names=("turning",)),
    Call("POST", "campaigns/asking/decide/", 200, {"decision": "keep", "reason": "later"}, names=("asking",)),
    Call("GET", "campaigns/over/replays/", names=("over",)),
    Call("POST", "campaigns/over/replays/", 202, {"module": "nlu"}, names=("over",)),
    Call("GET", "tranches/"),
    Call("GET", "tranches/nlu/1/", names=("nlu", "1")),
    Call("PUT", "tranches/nlu/1/", 200, {"project": "parses"}, names=("nlu",)),
    Call("PATCH", "tranches/nlu/1/", 200, {"close_after": 5}, names=("nlu", "1")),
    Call("POST", "tranches/nlu/0/items/", 200, {"items": [{"text": "dance", "form": NOOP}]}, names=("nlu",)),
    Call("POST", "tranches/nlu/0/close/", 200, {}, names=("nlu", "0")),
    Call("GET", "tranches/nlu/1/train.jsonl", names=("nlu", "1")),
    Call("GET", "tranches/nlu/1/test.parquet", names=("nlu", "1")),
    Call("GET", "trainings/"),
    Call("POST", "trainings/claim/", 204, {}),
    Call("POST", "trainings/", 202, {"module": "nlu", "trainer": "external", "tranches": [3], "kind": "updated"}),
    Call("POST", "trainings/{training}/artefact/", 201, _artefact, names=("{training}",)),
    Call("GET", "trainings/{training}/", names=("{training}",)),
    Call("DELETE", "trainings/{training}/", 204, names=("{training}",)),
    Call("GET", "models/"),
    Call("GET", "models/{model}/", names=("{model}",)),
    Call("GET", "models/{model}/artefact/", scope="agents", names=("{model}",)),
    Call("POST", "models/{model}/gate/", 200, {}, names=("{model}",)),
    Call("POST", "models/{model}/deploy/", 200, {"force_reason": "try it"}, names=("{model}",)),
    Call("POST", "models/{model}/rollback/", 200, {}, names=("{model}",)),
    Call("GET", "models/{model}/predictions/3/test.jsonl", names=("{model}", "3")),
    Call("GET", "qualifications/"),
    Call("GET", "qualifications/passed/", names=("passed",)),
    Call("PUT", "qualifications/passed/", 200, quiz_body()),
    Call("PATCH", "qualifications/passed/", 200, {"attempts": 3}, names=("passed",)),
    Call("GET", "workers/direct/alice/data/", scope="identity", names=ALICE),
    Call("POST", "workers/direct/leaver/erase/", 202, {}, scope="workers", names=("direct", "leaver")),
    Call("GET", "erasures/{report}/", scope="workers", names=("{report}",)),
    Call("GET", "audit.jsonl", scope="identity"),
    Call("GET", "events/"),
    Call("GET", "webhooks/"),
    Call("POST", "webhooks/", 201, {"url": "https://93.184.216.34/hook", "events": ["episode.*"]}),
    Call("GET", HOOK, names=("{webhook}",)),
    Call("POST", f"{HOOK}test/", 202, {}, names=("{webhook}",)),
    Call("POST", f"{HOOK}rotate/", 200, {}, names=("{webhook}",)),
    Call("GET", f"{HOOK}deliveries/", names=("{webhook}",)),
    Call("POST", f"{HOOK}deliveries/{{delivery}}/resend/", 202, {}, names=("{webhook}", "{delivery}")),
    Call("DELETE", HOOK, 204, names=("{webhook}",)),
    Call("GET", "work/", kind=WORKER),
    Call("GET", "work/consent/", 204, kind=WORKER),
    Call("POST", "work/consent/", 204, {}, kind=WORKER),
    Call("DELETE", "work/consent/", 204, kind=WORKER),
    Call("GET", "work/qualification/", kind=WORKER),
    Call("POST", "work/qualification/", 200, {"answers": RIGHT_ANSWERS}, kind=WORKER),
    Call("GET", "work/summary/", kind=WORKER),
    Call("GET", "work/practice/", kind=WORKER),
    Call("POST", "work/practice/", 200, ANSWER, kind=WORKER),
    Call("POST", "work/notice/", 204, {}, kind=WORKER),
    Call("POST", "work/claim/", 200, {}, kind=WORKER),
    Call("POST", "work/ahead/", 200, {}, kind=WORKER),
    Call("POST", "work/parse/check/", 200, {"text": "dig a hole", "form": NOOP}, kind=WORKER),
    Call("POST", "work/parse/next/", 200, {"text": "dig a hole", "record": {}}, kind=WORKER),
    Call("PATCH", HELD, 204, {"draft": {"frame": 3}}, kind=WORKER, names=("{assignment}",)),
    Call("POST", f"{HELD}heartbeat/", 200, {}, kind=WORKER, names=("{assignment}",)),
    Call("POST", f"{HELD}submit/", 201, ANSWER, kind=WORKER, names=("{assignment}",)),
    Call("POST", f"{HELD}correct/", 201, _submitted, kind=WORKER, names=("{assignment}",)),
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
