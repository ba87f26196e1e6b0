"""A world with everything in it that a staff page can show, and every kind of account that looks at it."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NamedTuple

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from agents.keys import create_key
from agents.models import ApiKey
from annotation.access.invitations import invite
from annotation.access.members import give_role
from annotation.access.roles import Role
from annotation.models import Category, Enrolment, FlaggedText, GateAction, Project
from annotation.offer.instructions import keep_instructions
from annotation.work.enrolments import make_link
from annotation.work.leases import report
from annotation.work.submissions import submit
from audit.blocked_content import count as count_blocked
from audit.log import Subject, record
from evaluation.figures.rank_intervals import Asked
from evaluation.models import Candidate, Episode, EpisodeTask, FailureSample, SampledFailure, Suite
from jobs.models import Job
from lib.voxels.scene import read_scene
from routing.tree_versions import put_tree
from tests.support.builders import (
    NOON,
    Made,
    annotate,
    claim,
    client_of,
    for_module,
    make_agent,
    make_enrolment,
    make_episode,
    make_project,
    make_qualification,
    make_scenario,
    make_staff,
    make_suite,
    make_task,
    make_worker,
)
from tests.support.call_world import make_delivery
from tests.support.campaigns import make_campaign
from tests.support.commands import default_tree, kept_scene, make_bare_route, make_report, make_sending
from tests.support.models import make_model, make_tranche
from tests.support.sessions import Agents, LiveWorker, come_in, judged, make_live_project, process_of
from tests.support.tool_workers import (
    TOWER,
    make_parse_project,
    make_voxels_project,
    marks,
    post_commands,
    post_phrases,
    scene,
)
from tests.support.trees import SMALL, changed
from web.models import SavedView
from web.staff.evaluation.report.making import make_report as make_suite_report
from workforce.blocking import block
from workforce.models import Grant, LedgerEntry, Worker

VIEWER, REVIEWER, ADMIN = Role.VIEWER, Role.REVIEWER, Role.ADMIN
NAME = "known-to-admins-only"
"""The beginning of every worker's name on their platform."""
EVIL = "</script></textarea><script>alert(1)</script>"
"""A mark in every text of the world that people or programs write."""


class World(NamedTuple):
    """A project with everything in it that a page can show, and who comes to look."""

    clients: dict[str, Client]
    names: dict[str, str]
    workers: list[Worker]
    live: tuple[LiveWorker, Agents]
    kept: dict[str, Any]
    """The objects that the tests of one module share."""

    @contextmanager
    def undone(self, who: str) -> Iterator[Client]:
        """The account's browser; what it does is undone at the end, in the database and in its cookies."""
        client = self.clients[who]
        kept = deepcopy(client.cookies)
        with transaction.atomic():
            yield client
            transaction.set_rollback(True)
        client.cookies = kept

    def copy(self) -> "World":
        """The same rows, with browsers of their own that are signed in as these are."""
        clients = {who: Client() for who in self.clients}
        for who, client in clients.items():
            client.cookies = deepcopy(self.clients[who].cookies)
        return World(clients, dict(self.names), deepcopy(self.workers), deepcopy(self.live), self.kept)

    def at(self, path: str, **changes: str) -> str:
        return path.format(**{**self.names, **changes})


def make_world() -> World:
    suite = make_suite("sts")
    quiz = make_qualification("quiz")
    project = make_project("marking", suite=suite, redundancy=3, title=EVIL, instructions=[EVIL])
    outside = make_project("elsewhere", qualification=quiz)
    keep_instructions(project=project, by="key:pipe", at=NOON)
    workers = [make_worker(f"{NAME}-{number}") for number in range(4)]
    settled = make_task(project, priority=1, redundancy=1)
    annotate(claim(project, workers[1]))
    task = make_task(project)
    for worker, outcome in zip(workers[:2], ("success", "failure"), strict=True):
        annotate(claim(project, worker), outcome=outcome)
    report(
        assignment=claim(project, workers[2]), problem="ambiguous", text=f"which ball? ask@example.org {EVIL}", at=NOON
    )
    reference = make_task(project, truth="failure")
    make_task(project)
    Project.objects.filter(pk=project.pk).update(reference_rate=1.0)
    project.refresh_from_db()
    answered = annotate(claim(project, workers[0]), outcome="success")
    assert answered.task == reference
    count_blocked(page=EVIL, directive="img-src", blocked=EVIL, at=NOON)
    block(worker=workers[3], reason=EVIL, by="staff:dora", at=NOON)
    paused = make_enrolment(project, workers[3])
    pause = GateAction.objects.create(
        enrolment=paused, action="pause", rule={}, evidence={}, at=NOON, appeal=EVIL, appealed_at=NOON
    )
    shown = task.shown.episode
    times = {"due_at": NOON, "created_at": NOON, "finished_at": NOON}
    job = Job.objects.create(state="failed", kind="test.job", subject="7", error=EVIL, **times)
    person = make_staff("paul", VIEWER, project)
    accounts = {
        "visitor": User.objects.create_user("eve"),
        "newcomer": make_staff("nina"),
        "viewer": make_staff("victor", VIEWER, project),
        "outsider": make_staff("olga", ADMIN, outside),
        "reviewer": make_staff("rita", REVIEWER, project),
        "admin": make_staff("adam", ADMIN, project),
        "chief": make_staff("clara", ADMIN),
    }
    names = {
        "slug": "marking",
        "tree": "evil",
        "worker": str(workers[0].pk),
        "blocked": str(workers[3].pk),
        "quiz": quiz.slug,
        "grant": str(Grant.objects.create(qualification=quiz, worker=workers[0], granted_at=NOON).pk),
        "person": str(person.pk),
        "suite": suite.slug,
        "agent": shown.agent.slug,
        "episode": shown.external_id,
        "task": str(task.pk),
        "settled": str(settled.pk),
        "reference": str(reference.pk),
        "enrolment": str(_with_link(workers[0], project).pk),
        "entry": str(_owed(workers[0], "marking").pk),
        "job": str(job.pk),
        "pause": str(pause.pk),
        "text": str(FlaggedText.objects.get().pk),
        "key": str(_key_named(EVIL).pk),
        "view": str(_saved_view(accounts["chief"]).pk),
        "category": str(Category.objects.create(taxonomy="agent_failure", code="melted", label=EVIL).pk),
    }
    candidate = Candidate.objects.create(
        suite=suite, kind="continuation", source=shown.external_id, episode=shown, is_failure=True, created_at=NOON
    )
    names["candidate"] = str(candidate.pk)
    names["suite_report"] = make_report_of(suite, project)
    names["scenario"] = make_episode(scenario=make_scenario(suite)).scenario.key
    names |= failures_for(suite, project, shown)
    delivery = make_delivery()
    names |= {"hook": delivery.webhook.public_id, "delivery": delivery.public_id}
    invitation, token = invite(role=VIEWER, project=project, days=7, note=EVIL, by=accounts["chief"], at=timezone.now())
    names |= {"invitation": str(invitation.pk), "invitation_token": token}
    names |= commands_for(workers[0], [accounts["viewer"], accounts["reviewer"], accounts["admin"]])
    names |= masks_for(workers[0], [accounts["viewer"], accounts["reviewer"], accounts["admin"]])
    model = make_model(make_tranche(0, test=2), right=1)
    names |= {"model": model.public_id, "training": model.training.public_id}
    names["campaign"] = make_campaign("loop", project=make_live_project("lives")).slug
    live = session_for(f"{NAME}-0", [accounts["viewer"], accounts["reviewer"], accounts["admin"]])
    names["session"] = live[0].session.public_id
    names |= reports_for(workers[0])
    names |= changes_of({"change": project.audit_subject, "suite_change": Subject("suite", suite.slug)})
    names |= changes_of({"quiz_change": Subject("qualification", quiz.slug)})
    names |= changes_of(
        {"agent_change": Subject("agent", names["agent"]), "route_change": Subject("route", names["route"])}
    )
    clients = {"stranger": Client(), **{who: client_of(account) for who, account in accounts.items()}}
    return World(clients, names, workers, live, {})


def changes_of(subjects: dict[str, Subject]) -> dict[str, str]:
    """An event for each of these things, by the name of the event in the world: its title was changed."""
    before, after = {"title": EVIL}, {"title": "Another"}
    events = {
        name: record(
            verb=f"{subject.kind}.changed", actor="staff:dora", subject=subject, at=NOON, before=before, after=after
        )
        for name, subject in subjects.items()
    }
    return {name: str(event.pk) for name, event in events.items()}


def failures_for(suite: Suite, project: Project, shown: Episode) -> dict[str, str]:
    """A failure that can be drawn, and a sample with one that waits for a second code and one in dispute."""
    EpisodeTask.objects.filter(episode__scenario__suite=suite, task__project=project).update(counted_as="failure")
    sample = FailureSample.objects.create(
        suite=suite,
        project=project,
        kind="agent",
        seed=1,
        failures=2,
        categories=[{"source": "a", "name": "b"}, {"source": "c", "name": "d"}],
        first_coder="staff:somebody",
        made_by="staff:somebody",
        created_at=NOON,
    )
    other = make_episode(scenario=shown.scenario)
    waiting = SampledFailure.objects.create(sample=sample, episode=shown, first_code="a: b")
    dispute = SampledFailure.objects.create(sample=sample, episode=other, first_code="a: b", second_code="c: d")
    return {"sample": str(sample.pk), "failure": str(waiting.pk), "failure_in_dispute": str(dispute.pk)}


def make_report_of(suite: Suite, project: Project) -> str:
    return make_suite_report(Asked(suite, project, None, None), by="staff:dora", at=NOON).public_id


def _saved_view(account: User) -> SavedView:
    return SavedView.objects.create(account=account, page="/staff/workers/", name=EVIL, created_at=NOON)


def _key_named(name: str) -> ApiKey:
    create_key(name=name, scopes=["read"], at=NOON)
    return ApiKey.objects.get(name=name)


def _with_link(worker: Worker, project: Project) -> Enrolment:
    enrolment = make_enrolment(project, worker)
    make_link(enrolment=enrolment, by="staff:dora", at=timezone.now())
    return enrolment


def _owed(worker: Worker, account: str) -> LedgerEntry:
    fields = {"kind": "base", "reason": "base:annotation:x", "currency": "USD", "at": NOON, "account": account}
    return LedgerEntry.objects.create(worker=worker, amount=1, **fields)


def commands_for(worker: Worker, staff: list[User]) -> dict[str, str]:
    """A project of the parse annotator, where these accounts have roles from viewer to admin; one command is begun."""
    parsing = make_parse_project("parsing")
    for account, role in zip(staff, (VIEWER, REVIEWER, ADMIN), strict=True):
        give_role(account=account, project=parsing, role=role, by="staff:dora", at=NOON)
    (command,) = post_commands(parsing, {"command": f"dig {EVIL} hole"})
    hold = claim(parsing, worker)
    answer = {"answers": {"value": "HUMAN_GIVE_COMMAND"}}
    submit(enrolment=make_enrolment(parsing, worker), assignment=hold, answer=answer, active_s=3.0, at=NOON)
    return {"parsing": parsing.slug, "command": str(command.pk)}


def masks_for(worker: Worker, staff: list[User]) -> dict[str, str]:
    """A project of the voxel annotator with the same roles; a phrase and a reference are marked."""
    marking = make_voxels_project("voxels", reference_rate=1.0)
    for account, role in zip(staff, (VIEWER, REVIEWER, ADMIN), strict=True):
        give_role(account=account, project=marking, role=role, by="staff:dora", at=NOON)
    post_phrases(marking, {"tower": EVIL})
    post_phrases(marking, {"known": "the red tower"}, reference={"answers": [marks(TOWER)]})
    enrolment = make_enrolment(marking, worker)
    for _ in range(2):
        submit(enrolment=enrolment, assignment=claim(marking, worker), answer=marks(TOWER), active_s=3.0, at=NOON)
    return {"masks": marking.slug, "scene": read_scene(scene()).digest}


def session_for(worker: str, staff: list[User]) -> tuple[LiveWorker, Agents]:
    """A project of live sessions with the same roles; one goes on, with a command that was carried out."""
    living = make_live_project("living")
    for account, role in zip(staff, (VIEWER, REVIEWER, ADMIN), strict=True):
        give_role(account=account, project=living, role=role, by="staff:dora", at=NOON)
    agent = process_of(make_agent("agent-of-living"))
    here = come_in(living, worker)
    here.send("start")
    judged(here, agent, text=EVIL)
    return here, agent


def reports_for(worker: Worker) -> dict[str, str]:
    """An error report with a scene in the project of live sessions, sent by a route to that of the parse annotator."""
    living, parsing = Project.objects.get(slug="living"), Project.objects.get(slug="parsing")
    make_enrolment(living, worker)
    route = make_bare_route(parsing, "every-command")
    report = make_report(living, worker=worker, scene=kept_scene(), tree=default_tree(), text=EVIL, feedback=EVIL)
    put_tree(slug="evil", content=changed(SMALL, "#/nodes/done/ask", EVIL), by="staff:dora", at=NOON)
    make_sending(report, parsing, route=route)
    return {"report": report.public_id, "route": route.slug, "route_id": str(route.pk)}


made_world = for_module(make_world)


@pytest.fixture
def world(made_world: Made[World], db: None) -> World:
    return made_world.again(World.copy)
