"""The rows that the calls of `tests/support/calls.py` name."""

import hashlib
from dataclasses import dataclass, field
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from agents.keys import create_key
from agents.models import ApiKey
from annotation.models import Assignment, Project
from annotation.projects.projects import project_named
from annotation.scene_store import keep
from evaluation.models import Report, Upload
from evaluation.reports import keep_report
from evaluation.suites import freeze
from evaluation.uploads import begin, parts_of
from events.models import Delivery, Event, Webhook
from interaction.models import Session
from interaction.session.ending import end_session
from learning.data.tranches import TrancheBody, fill, put_tranche
from learning.models import TrainedModel
from lib.trees.shipped import RATE, shipped_tree
from lib.voxels.scene import read_scene
from routing.routes import RouteBody, put_route
from routing.tree_versions import put_tree
from tests.support.api_clients import with_token
from tests.support.builders import (
    RIGHT_ANSWERS,
    make_agent,
    make_episode,
    make_project,
    make_qualification,
    make_scenario,
    make_suite,
    make_worker,
    token_for,
)
from tests.support.campaigns import make_campaign
from tests.support.models import in_the_shadow, make_model, make_tranche, make_verdict
from tests.support.sessions import both, judged, make_live_project
from workforce.models import PrivacyReport
from workforce.qualifications import hand_in

PIPELINE, WORKER, NOBODY = "pipeline", "worker", "nobody"
ROOT = "/api/v1/"
HALF = b"half of a video"
WHOLE = b"a whole video"
SMALL_SCENE = {"size": [2, 2, 2], "blocks": [[0, 0, 0, 60], [1, 1, 1, 57]], "agent": None, "player": None}
SCENARIO = {
    "instruction": "lift the lid",
    "category": "lift",
    "skill": "grasping",
    "takeover_s": 1.0,
    "continuation_s": 5.0,
}


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
    delivery: Delivery
    report: Report
    model: TrainedModel
    tokens: dict[str, str] = field(default_factory=dict)

    def address(self, template: str) -> str:
        return ROOT + template.format(
            assignment=self.assignment.public_id,
            upload=self.upload.public_id,
            copy=self.complete.public_id,
            query=self.part_query,
            report=self.erasure.pk,
            session=self.session.public_id,
            webhook=self.delivery.webhook.public_id,
            delivery=self.delivery.public_id,
            made_report=self.report.public_id,
            model=self.model.public_id,
            training=self.model.training.public_id,
        )


def make_world() -> World:
    """An agent, a suite with a frozen scenario, three episodes, a live project, a worker who holds a task."""
    now = timezone.now()
    agent, suite = make_agent("alfa"), make_suite("s")
    make_suite("t")
    make_agent("rival")
    scenario = make_scenario(suite, "k", **SCENARIO, criteria="")
    freeze(suite=suite, slug="v1", by="system", at=now)
    quiz = make_qualification("passed")
    practice = {"payload": {"episode": "e"}, "accept": [{"outcome": "failure", "time_s": 0.1}], "tolerance_s": 9}
    project = make_project("p", suite=suite, qualification=quiz, settings={"practice": practice})
    for number, name in enumerate(("e", "e2", "e3")):
        make_episode(scenario=scenario, agent=agent, external_id=name, continuation=number)
    first = agent.episodes.get(external_id="e")
    first.trajectory = default_storage.save("trajectory", ContentFile(b"steps"))
    first.save()
    make_project("parses", tool="parse")
    make_project("masks", tool="voxels")
    model = make_model(make_tranche(3, test=1))
    in_the_shadow(model, make_verdict(model))
    fill(module="nlu", items=[{"text": "dig a hole", "form": {"dialogue_type": "NOOP"}}], by="key:table", at=now)
    tranche = TrancheBody(project="parses", opens_at=None, closes_at=None, close_after=None)
    put_tranche(module="nlu", number=1, body=tranche, by="key:table", at=now)
    keep([read_scene(SMALL_SCENE)], at=now)
    make_project("scenes", tool="voxels", settings={})
    put_tree(slug="rating", content=shipped_tree(RATE), by="key:table", at=now)
    route = RouteBody(outcome="nlu_error", project="parses", rate=1.0)
    put_route(slug="words", body=route, by="key:table", at=now)
    make_campaigns()
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
        source="s3://recordings/b.mp4",
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
        delivery=make_delivery(),
        report=keep_report(
            suite=suite,
            inputs={"version": None, "project": None},
            content=b"a report",
            files=lambda: iter([b"a zip"]),
            by="key:table",
            at=now,
        ),
        model=model,
        tokens={WORKER: token, PIPELINE: create_key(name="table", scopes=ApiKey.Scope.values, at=now)},
    )


def make_campaigns() -> None:
    """One that was not started, one that runs, one that asks a person, and one that has ended."""
    for name, status in (("planned", "draft"), ("turning", "running"), ("asking", "waiting"), ("over", "done")):
        make_campaign(name, project=make_live_project(f"lives-{name}"), status=status)


def make_delivery() -> Delivery:
    """A delivery of a webhook without a key, which every key without limits reaches."""
    now = timezone.now()
    hook = Webhook.objects.create(url="https://93.184.216.34/", events=["episode.*"], made_by="table", created_at=now)
    event = Event.objects.create(type="episode.ready", subject="e", at=now)
    status = Delivery.Status.DELIVERED
    more = {"status": status, "delivered_at": now, "give_up_at": now + timedelta(days=3), "created_at": now}
    return Delivery.objects.create(webhook=hook, event=event, subject="e", **more)


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
