"""Who may open and do what on the staff pages: every address, every kind of account, one table.

A new address is one line in `TABLE`. Its key is the path, with names of `World` for what stands in it; what is not
named answers 405. The same table feeds the crawl that looks for names of workers where they must not be.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from pytest_django import DjangoDbBlocker

from annotation.access.members import give_role
from annotation.access.roles import Role, pseudonym_of
from annotation.models import Category, FlaggedText, GateAction, Project
from annotation.offer.instructions import keep_instructions
from annotation.work.leases import report
from annotation.work.submissions import submit
from jobs.models import Job
from lib.voxels.scene import read_scene
from tests.support.builders import (
    NOON,
    Made,
    annotate,
    claim,
    client_of,
    made_once,
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
from tests.support.commands import default_tree, kept_scene, make_bare_route, make_report, make_sending
from tests.support.pages import assert_flat, compact, text_of, words_of
from tests.support.sessions import come_in, judged, make_live_project, process_of
from tests.support.tool_workers import (
    TOWER,
    make_parse_project,
    make_voxels_project,
    marks,
    post_commands,
    post_phrases,
    scene,
)
from workforce.blocking import block
from workforce.models import Grant, LedgerEntry, Worker

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

VIEWER, REVIEWER, ADMIN = Role.VIEWER, Role.REVIEWER, Role.ADMIN
WHO = ("stranger", "visitor", "newcomer", "viewer", "outsider", "reviewer", "admin", "chief")
"""Nobody; signed in but not staff; staff without a role; of this project; of another; of this one; everywhere."""
Statuses = tuple[int, int, int, int, int, int, int, int]


def in_project(role: Role, ok: int) -> Statuses:
    """For what belongs to the project: 404 for strangers to it, 403 for those whose role there is too small."""
    allowed = [ok if Role.values.index(mine) >= Role.values.index(role) else 403 for mine in (VIEWER, REVIEWER, ADMIN)]
    return (302, 403, 403, allowed[0], 404, allowed[1], allowed[2], ok)


def anywhere(role: Role, ok: int) -> Statuses:
    """For whoever has this role in any project; the outsider is a viewer there."""
    viewer, reviewer, admin = in_project(role, ok)[3], in_project(role, ok)[5], in_project(role, ok)[6]
    return (302, 403, 403, viewer, viewer, reviewer, admin, ok)


def everywhere(ok: int, *, stranger: int = 403) -> Statuses:
    """For admins of every project; `stranger` is what an outsider gets."""
    return (302, 403, 403, 403, stranger, 403, 403, ok)


def own(ok: int) -> Statuses:
    """For every staff account, with or without a role."""
    return (302, 403, ok, ok, ok, ok, ok, ok)


def everyone(ok: int) -> Statuses:
    return (ok,) * 8


NEVER = anywhere(VIEWER, 405)


class Row(NamedTuple):
    """One address: what a GET and a POST with this body answer to each of `WHO`."""

    get: Statuses = NEVER
    post: Statuses = NEVER
    body: dict[str, str] = {}


NAME = "known-to-admins-only"
"""What every worker of the world is called on their platform."""

TABLE = {
    # The overview, projects, workers
    "/staff/": Row(get=anywhere(VIEWER, 200)),
    "/staff/projects/": Row(get=anywhere(VIEWER, 200)),
    "/staff/projects/{slug}/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{slug}/quality/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{slug}/status/": Row(post=in_project(ADMIN, 302), body={"status": "paused"}),
    "/staff/projects/{slug}/links/": Row(post=in_project(ADMIN, 200), body={"worker": "somebody"}),
    "/staff/projects/{slug}/instructions/": Row(
        get=in_project(ADMIN, 200), post=in_project(ADMIN, 302), body={"page": "Watch.", "based_on": "1", "act": "save"}
    ),
    "/staff/projects/{slug}/instructions/preview/": Row(post=in_project(ADMIN, 200), body={"page": "Watch."}),
    "/staff/projects/{slug}/instructions/versions/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{slug}/instructions/versions/1/restore/": Row(post=in_project(ADMIN, 302)),
    "/staff/projects/{slug}/consent/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{slug}/references/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{slug}/references/import/": Row(post=in_project(REVIEWER, 422)),  # without a file
    "/staff/projects/{slug}/references/of/{settled}/": Row(
        get=in_project(REVIEWER, 200),
        post=in_project(REVIEWER, 422),  # without a yes
    ),
    "/staff/projects/{slug}/references/{reference}/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{slug}/references/{reference}/correct/": Row(
        post=in_project(REVIEWER, 302), body={"answers": '{{"outcome": "success"}}', "reason": "I looked again"}
    ),
    "/staff/projects/{slug}/references/{reference}/retire/": Row(
        post=in_project(REVIEWER, 302), body={"reason": "the video is black"}
    ),
    # Commands of the parse annotator
    "/staff/projects/{parsing}/commands/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{parsing}/commands/{command}/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{parsing}/forms/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{parsing}/forms/download/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{parsing}/forms/import/": Row(post=in_project(REVIEWER, 422)),  # without a file
    "/staff/parse/check/": Row(post=anywhere(VIEWER, 400)),  # not JSON
    # Masks of the voxel annotator
    "/staff/projects/{masks}/masks/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{masks}/masks/download/": Row(get=in_project(VIEWER, 200)),
    "/staff/projects/{masks}/masks/import/": Row(post=in_project(REVIEWER, 422)),  # without a file
    "/staff/scenes/{scene}.svg": Row(get=in_project(VIEWER, 200)),
    # The audit log and what is kept of persons
    "/staff/audit/": Row(get=anywhere(ADMIN, 200)),
    "/staff/audit/audit.csv": Row(get=anywhere(ADMIN, 200)),
    "/staff/audit/audit.jsonl": Row(get=anywhere(ADMIN, 200)),
    "/staff/privacy/": Row(get=everywhere(200)),
    "/staff/privacy/texts/": Row(get=anywhere(REVIEWER, 200)),
    "/staff/privacy/texts/{text}/": Row(post=in_project(REVIEWER, 302), body={"act": "redact"}),
    "/staff/workers/{worker}/privacy/": Row(get=everywhere(200)),
    "/staff/workers/{worker}/privacy/data/": Row(get=everywhere(200)),
    "/staff/workers/{worker}/privacy/erase/": Row(post=everywhere(302), body={"confirm": f"direct:{NAME}-0"}),
    "/staff/workers/": Row(get=anywhere(VIEWER, 200)),
    "/staff/workers/{worker}/": Row(get=in_project(VIEWER, 200)),
    "/staff/workers/{worker}/block/": Row(post=in_project(ADMIN, 302), body={"reason": "answers at random"}),
    "/staff/workers/{worker}/unblock/": Row(post=in_project(ADMIN, 302)),
    "/staff/workers/{blocked}/weighting/": Row(post=in_project(ADMIN, 302), body={"weighting": "none"}),
    # Approvals and the ledger: who is paid what is for admins
    "/staff/approvals/": Row(get=anywhere(VIEWER, 200)),
    "/staff/approvals/{slug}/": Row(get=in_project(VIEWER, 200)),
    "/staff/approvals/{slug}/decide/": Row(
        post=in_project(REVIEWER, 302), body={"which": "waiting", "seen": "1", "act": "reject", "reason": "cut off"}
    ),
    "/staff/approvals/{slug}/overturn/": Row(post=in_project(REVIEWER, 422), body={"act": "pay"}),  # nothing chosen
    "/staff/ledger/": Row(get=anywhere(ADMIN, 200)),
    "/staff/ledger/ledger.csv": Row(get=anywhere(ADMIN, 200), post=anywhere(ADMIN, 200), body={"seen": "owed=1"}),
    "/staff/ledger/mark/": Row(post=anywhere(ADMIN, 302), body={"which": "listed", "seen": "owed=1", "act": "sent"}),
    "/staff/ledger/correct/": Row(
        post=in_project(ADMIN, 422), body={"project": "marking", "worker": "nobody", "amount": "1", "key": "k"}
    ),
    "/staff/ledger/{entry}/": Row(get=in_project(ADMIN, 200)),
    # Qualifications: the right answers stand there, so they are for admins
    "/staff/qualifications/": Row(get=anywhere(ADMIN, 200)),
    "/staff/qualifications/{quiz}/": Row(get=anywhere(ADMIN, 200)),
    "/staff/qualifications/{quiz}/grants/": Row(get=anywhere(ADMIN, 200)),
    "/staff/qualifications/{quiz}/give/": Row(post=everywhere(302), body={"worker": f"direct:{NAME}-1"}),
    "/staff/qualifications/{quiz}/grants/{grant}/revoke/": Row(post=everywhere(302), body={"reason": "by mistake"}),
    # People
    "/staff/people/": Row(get=anywhere(ADMIN, 200)),
    "/staff/people/add/": Row(post=everywhere(200), body={"name": "paula"}),
    "/staff/people/{person}/": Row(get=anywhere(ADMIN, 200)),
    "/staff/people/{person}/role/": Row(
        post=anywhere(ADMIN, 302), body={"project": "marking", "role": "reviewer", "reason": ""}
    ),
    "/staff/people/{person}/role/remove/": Row(post=anywhere(ADMIN, 302), body={"project": "marking"}),
    "/staff/people/{person}/switch/": Row(post=everywhere(302), body={"active": "no"}),
    # What belongs to no project
    "/staff/suites/": Row(get=anywhere(VIEWER, 200)),
    "/staff/suites/{suite}/": Row(get=anywhere(VIEWER, 200)),
    "/staff/suites/{suite}/ranking.csv": Row(get=anywhere(VIEWER, 200)),
    "/staff/agents/": Row(get=anywhere(VIEWER, 200)),
    "/staff/agents/{agent}/": Row(get=anywhere(VIEWER, 200)),
    "/staff/episodes/": Row(get=anywhere(VIEWER, 200)),
    "/staff/episodes/{episode}/": Row(get=anywhere(VIEWER, 200)),
    "/staff/agents/{agent}/health/": Row(get=anywhere(VIEWER, 200)),
    "/staff/tasks/{task}/": Row(get=in_project(VIEWER, 302)),
    "/staff/tasks/{task}/close/": Row(post=everywhere(302, stranger=404)),
    "/staff/tasks/{task}/reopen/": Row(post=everywhere(302, stranger=404)),
    "/staff/jobs/": Row(get=everywhere(200)),
    "/staff/jobs/{job}/retry/": Row(post=everywhere(302)),
    # Live sessions
    "/staff/efficiency/": Row(get=anywhere(VIEWER, 200)),
    "/staff/sessions/": Row(get=anywhere(VIEWER, 200)),
    "/staff/sessions/{session}/": Row(get=in_project(VIEWER, 200)),
    "/staff/sessions/{session}/events.json": Row(get=in_project(VIEWER, 200)),
    "/staff/sessions/{session}/log.jsonl": Row(get=in_project(ADMIN, 200)),
    "/staff/sessions/{session}/end/": Row(
        get=in_project(ADMIN, 200), post=in_project(ADMIN, 302), body={"reason": "the agent hangs"}
    ),
    "/staff/sessions/{session}/episodes/": Row(
        post=in_project(ADMIN, 409),  # it goes on
        body={"command": "1", "scenario": "sts/lift"},
    ),
    # Error reports and routes
    "/staff/reports/": Row(get=anywhere(VIEWER, 200)),
    "/staff/reports/reports.csv": Row(get=anywhere(VIEWER, 200)),
    "/staff/reports/act/": Row(
        post=in_project(REVIEWER, 302), body={"act": "dismiss", "reason": "a slip", "report": "{report}"}
    ),
    "/staff/reports/{report}/": Row(get=in_project(VIEWER, 200)),
    "/staff/reports/{report}/act/": Row(post=in_project(REVIEWER, 302), body={"act": "dismiss", "reason": "a slip"}),
    "/staff/reports/{report}/picture.svg": Row(get=in_project(VIEWER, 200)),
    "/staff/routes/": Row(get=everywhere(200)),
    "/staff/routes/{route}/": Row(
        get=everywhere(200), post=everywhere(302), body={"outcome": "*", "project": "parsing", "percent": "50"}
    ),
    "/staff/new-route/": Row(
        get=everywhere(200),
        post=everywhere(302),
        body={"slug": "new", "outcome": "*", "project": "parsing", "percent": "50"},
    ),
    # Decision trees
    "/staff/trees/": Row(get=anywhere(VIEWER, 200)),
    "/staff/trees/{tree}/": Row(get=anywhere(VIEWER, 200)),
    "/staff/trees/{tree}/try/": Row(get=anywhere(VIEWER, 200)),
    "/staff/trees/{tree}/versions/": Row(get=anywhere(VIEWER, 200)),
    "/staff/trees/{tree}/versions/1/restore/": Row(post=everywhere(302)),
    "/staff/trees/{tree}/edit/": Row(get=everywhere(200), post=everywhere(200), body={"act": "check"}),
    "/staff/new-tree/": Row(get=everywhere(200), post=everywhere(200), body={"act": "check"}),
    "/staff/check-tree/": Row(post=anywhere(VIEWER, 200)),
    "/staff/funnel/": Row(get=anywhere(VIEWER, 200)),
    # Review
    "/staff/review/": Row(get=anywhere(VIEWER, 200)),
    "/staff/review/next/": Row(get=anywhere(VIEWER, 302)),
    "/staff/review/tasks/{task}/": Row(get=in_project(VIEWER, 200)),
    "/staff/review/tasks/{task}/decide/": Row(
        post=in_project(REVIEWER, 302), body={"act": "unjudgeable", "reason": "the video is black"}
    ),
    "/staff/review/tasks/{task}/tags/": Row(post=in_project(REVIEWER, 302), body={"category": "{category}"}),
    "/staff/review/pauses/{pause}/": Row(get=in_project(VIEWER, 200)),
    "/staff/review/pauses/{pause}/decide/": Row(
        post=in_project(REVIEWER, 302), body={"act": "lift", "reason": "an honest mistake"}
    ),
    "/staff/review/taxonomies/": Row(get=anywhere(VIEWER, 200)),
    "/staff/review/taxonomies/add/": Row(
        post=everywhere(302), body={"taxonomy": "agent_failure", "label": "It fell over"}
    ),
    "/staff/review/taxonomies/{category}/": Row(post=everywhere(302), body={"act": "retire"}),
    "/staff/review/breakdown/": Row(get=anywhere(VIEWER, 200)),
    "/staff/review/findings/": Row(get=anywhere(VIEWER, 200)),
    # Coming in, and the own account
    "/staff/sign-in/": Row(get=everyone(200), post=everyone(200)),
    "/staff/sign-in/code/": Row(get=everyone(302), post=everyone(302)),
    "/staff/sign-in/service/": Row(get=everyone(404), post=everyone(405)),
    "/staff/sign-in/service/back/": Row(get=everyone(404), post=everyone(405)),
    "/staff/sign-out/": Row(get=everyone(405), post=everyone(302)),
    "/staff/account/": Row(get=own(200), post=own(200)),
    "/staff/account/password/": Row(get=own(200), post=own(200)),
    "/staff/account/confirm/": Row(get=own(200), post=own(200)),
    "/staff/account/confirm/code/": Row(get=own(302), post=own(302)),
    "/staff/account/second-factor/": Row(get=own(302), post=own(302)),
    "/staff/account/second-factor/off/": Row(get=own(404), post=own(404)),
    "/staff/account/recovery-codes/": Row(get=own(404), post=own(405)),
    "/staff/account/recovery-codes/new/": Row(get=own(302), post=own(302)),
}


class World(NamedTuple):
    """A project with everything in it that a page can show, and who comes to look."""

    clients: dict[str, Client]
    names: dict[str, str]
    workers: list[Worker]

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
        return World(clients, dict(self.names), deepcopy(self.workers))

    def at(self, path: str) -> str:
        return path.format(**self.names)

    def body(self, row: Row) -> dict[str, str]:
        return {name: value.format(**self.names) for name, value in row.body.items()}

    def get(self, who: str, path: str) -> "Answer":
        return self.clients[who].get(self.at(path))

    def post(self, who: str, path: str, *, follow: bool = False) -> "Answer":
        return self.clients[who].post(self.at(path), self.body(TABLE[path]), follow=follow)


@pytest.fixture(scope="module")
def made(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Made[World]]:
    with made_once(make_world, django_db_blocker, tmp_path_factory.mktemp("world")) as found:
        yield found


@pytest.fixture
def world(made: Made[World], db: None) -> World:
    return made.again(World.copy)


def make_world() -> World:
    suite = make_suite("sts")
    quiz = make_qualification("quiz")
    project = make_project("marking", suite=suite, redundancy=3)
    outside = make_project("elsewhere", qualification=quiz)
    keep_instructions(project=project, by="key:pipe", at=NOON)
    workers = [make_worker(f"{NAME}-{number}") for number in range(4)]
    settled = make_task(project, priority=1, redundancy=1)
    annotate(claim(project, workers[1]))
    task = make_task(project)
    for worker, outcome in zip(workers[:2], ("success", "failure"), strict=True):
        annotate(claim(project, worker), outcome=outcome)
    report(assignment=claim(project, workers[2]), problem="ambiguous", text="which ball? ask@example.org", at=NOON)
    reference = make_task(project, truth="failure")
    make_task(project)
    Project.objects.filter(pk=project.pk).update(reference_rate=1.0)
    project.refresh_from_db()
    answered = annotate(claim(project, workers[0]), outcome="success")
    assert answered.task == reference
    block(worker=workers[3], reason="answers at random", by="staff:dora", at=NOON)
    paused = make_enrolment(project, workers[3])
    pause = GateAction.objects.create(
        enrolment=paused, action="pause", rule={}, evidence={}, at=NOON, appeal="I was tired.", appealed_at=NOON
    )
    shown = task.shown.episode
    failed = {"kind": "test.job", "subject": "7", "due_at": NOON, "created_at": NOON, "finished_at": NOON}
    person = make_staff("paul", VIEWER, project)
    accounts = {
        "visitor": User.objects.create_user("eve"),
        "newcomer": make_staff("nina"),
        "viewer": make_staff("victor", VIEWER, project),
        "outsider": make_staff("olga", VIEWER, outside),
        "reviewer": make_staff("rita", REVIEWER, project),
        "admin": make_staff("adam", ADMIN, project),
        "chief": make_staff("clara", ADMIN),
    }
    names = {
        "slug": "marking",
        "tree": "default",
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
        "entry": str(_owed(workers[0], "marking").pk),
        "job": str(Job.objects.create(state="failed", **failed).pk),
        "pause": str(pause.pk),
        "text": str(FlaggedText.objects.get().pk),
        "category": str(Category.objects.create(taxonomy="agent_failure", code="melted", label="It melted").pk),
    }
    make_episode(scenario=make_scenario(suite))
    names |= commands_for(workers[0], [accounts["viewer"], accounts["reviewer"], accounts["admin"]])
    names |= masks_for(workers[0], [accounts["viewer"], accounts["reviewer"], accounts["admin"]])
    names |= sessions_for(f"{NAME}-0", [accounts["viewer"], accounts["reviewer"], accounts["admin"]])
    names |= reports_for(workers[0])
    clients = {"stranger": Client(), **{who: client_of(account) for who, account in accounts.items()}}
    return World(clients, names, workers)


def _owed(worker: Worker, account: str) -> LedgerEntry:
    fields = {"kind": "base", "reason": "base:annotation:x", "currency": "USD", "at": NOON, "account": account}
    return LedgerEntry.objects.create(worker=worker, amount=1, **fields)


def commands_for(worker: Worker, staff: list[User]) -> dict[str, str]:
    """A project of the parse annotator, where these accounts have roles from viewer to admin; one command is begun."""
    parsing = make_parse_project("parsing")
    for account, role in zip(staff, (VIEWER, REVIEWER, ADMIN), strict=True):
        give_role(account=account, project=parsing, role=role, by="staff:dora", at=NOON)
    (command,) = post_commands(parsing, {"command": "dig a hole"})
    hold = claim(parsing, worker)
    answer = {"answers": {"value": "HUMAN_GIVE_COMMAND"}}
    submit(enrolment=make_enrolment(parsing, worker), assignment=hold, answer=answer, active_s=3.0, at=NOON)
    return {"parsing": parsing.slug, "command": str(command.pk)}


def masks_for(worker: Worker, staff: list[User]) -> dict[str, str]:
    """A project of the voxel annotator with the same roles; a phrase and a reference are marked."""
    marking = make_voxels_project("voxels", reference_rate=1.0)
    for account, role in zip(staff, (VIEWER, REVIEWER, ADMIN), strict=True):
        give_role(account=account, project=marking, role=role, by="staff:dora", at=NOON)
    post_phrases(marking, {"tower": "the red tower"})
    post_phrases(marking, {"known": "the red tower"}, reference={"answers": [marks(TOWER)]})
    enrolment = make_enrolment(marking, worker)
    for _ in range(2):
        submit(enrolment=enrolment, assignment=claim(marking, worker), answer=marks(TOWER), active_s=3.0, at=NOON)
    return {"masks": marking.slug, "scene": read_scene(scene()).digest}


def sessions_for(worker: str, staff: list[User]) -> dict[str, str]:
    """A project of live sessions with the same roles; one goes on, with a command that was carried out."""
    living = make_live_project("living")
    for account, role in zip(staff, (VIEWER, REVIEWER, ADMIN), strict=True):
        give_role(account=account, project=living, role=role, by="staff:dora", at=NOON)
    agent = process_of(make_agent("agent-of-living"))
    here = come_in(living, worker)
    here.send("start")
    judged(here, agent)
    return {"session": here.session.public_id}


def reports_for(worker: Worker) -> dict[str, str]:
    """An error report with a scene in the project of live sessions, sent by a route to that of the parse annotator."""
    living, parsing = Project.objects.get(slug="living"), Project.objects.get(slug="parsing")
    make_enrolment(living, worker)
    route = make_bare_route(parsing, "every-command")
    report = make_report(living, worker=worker, scene=kept_scene(), tree=default_tree())
    make_sending(report, parsing, route=route)
    return {"report": report.public_id, "route": route.slug}


# Every address is in the table ----------------------------------------------------------------------------------


@cache
def staff_routes() -> frozenset[str]:
    """Every address below `/staff/`, as the resolver has it."""
    return frozenset(_routes(get_resolver().url_patterns))


def _routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        elif route.startswith("staff/"):
            yield route


def test_every_staff_address_is_in_the_table(world: World) -> None:
    covered = {resolve(world.at(path)).route for path in TABLE}
    assert sorted(staff_routes() - covered) == []


@pytest.mark.parametrize("who", WHO)
def test_each_account_gets_what_the_table_says(who: str, world: World) -> None:
    place, wrong = WHO.index(who), {}
    for path, row in TABLE.items():
        for method, expected in (("get", row.get[place]), ("post", row.post[place])):
            with world.undone(who):
                answer = world.get(who, path) if method == "get" else world.post(who, path)
            if answer.status_code != expected:
                wrong[f"{method} {path}"] = f"{answer.status_code}, not {expected}"
    assert wrong == {}


# Who a worker is ------------------------------------------------------------------------------------------------


def pages_for(world: World, who: str) -> dict[str, str]:
    """Everything that the account can get to see: every page, and what each act that it may do answers."""
    found = {}
    for path, row in TABLE.items():
        if row.get[WHO.index(who)] == 200:
            found[path] = world.get(who, path).getvalue().decode()
        if row.post[WHO.index(who)] in {200, 302}:
            with world.undone(who):
                found[f"POST {path}"] = world.post(who, path, follow=True).getvalue().decode()
    return found


@pytest.mark.parametrize("who", ["newcomer", "outsider", "viewer", "reviewer"])
def test_only_admins_read_who_a_worker_is(who: str, world: World) -> None:
    pages = pages_for(world, who)
    assert len(pages) > (5 if who == "newcomer" else 15)
    assert [path for path, page in pages.items() if NAME in page] == []


@pytest.mark.parametrize("who", ["admin", "chief"])
def test_no_page_tells_a_name_and_a_pseudonym_of_one_worker(who: str, world: World) -> None:
    pages = pages_for(world, who)
    named = [path for path, page in pages.items() if NAME in page]
    assert {"/staff/workers/", "/staff/workers/{worker}/", "/staff/projects/{slug}/"} <= set(named)
    assert "/staff/episodes/{episode}/" in named
    # What is stored about a worker is told to that worker: all of it.
    pages.pop("/staff/workers/{worker}/privacy/data/", "")
    for path, page in pages.items():
        both = [worker for worker in world.workers if pseudonym_of(worker) in page and worker.external_id in page]
        assert both == [], path


def test_a_reviewer_reads_pseudonyms_in_lists_titles_and_plots(world: World) -> None:
    first = world.workers[0]
    for path in ("/staff/projects/{slug}/", "/staff/workers/", "/staff/episodes/{episode}/"):
        assert pseudonym_of(first) in text_of(world.get("reviewer", path).content.decode()), path
    page = compact(world.get("reviewer", "/staff/workers/{worker}/").content.decode())
    assert f"<title>{pseudonym_of(first)} · Crosswalk</title>" in page
    assert first.pseudonym not in page


def test_a_worker_is_found_by_name_only_by_whoever_knows_it(world: World) -> None:
    address = f"/staff/workers/?q={NAME}-0"
    assert "No worker fits" in words_of(world.clients["reviewer"], address)
    assert f"direct:{NAME}-0" in words_of(world.clients["admin"], address)
    by_pseudonym = f"/staff/workers/?q={pseudonym_of(world.workers[0])}"
    for who in ("viewer", "reviewer", "admin", "chief"):
        assert f"/staff/workers/{world.workers[0].pk}/" in world.clients[who].get(by_pseudonym).content.decode(), who


def test_the_order_of_the_list_tells_no_names(world: World) -> None:
    page = compact(world.clients["reviewer"].get("/staff/workers/?sort=name").content.decode())
    shown = re.findall(r'<td><a href="/staff/workers/\d+/">([\w-]+)</a>', page)
    assert shown == [pseudonym_of(worker) for worker in Worker.objects.order_by("pseudonym")]


def test_an_admin_of_one_project_does_not_know_the_workers_of_another(world: World) -> None:
    stranger = make_worker(f"{NAME}-elsewhere")
    elsewhere = Project.objects.get(slug="elsewhere")
    make_enrolment(elsewhere, stranger)
    give_role(account=User.objects.get(username="adam"), project=elsewhere, role=VIEWER, by="staff:dora", at=NOON)
    page = words_of(world.clients["admin"], "/staff/workers/")
    assert f"direct:{NAME}-0" in page
    assert f"{NAME}-elsewhere" not in page
    assert pseudonym_of(stranger) in page


# What belongs to other projects ---------------------------------------------------------------------------------


def test_an_outsider_sees_nothing_of_the_project(world: World) -> None:
    project = Project.objects.get(slug="marking")
    pages = {path: page for path, page in pages_for(world, "outsider").items() if "{slug}" not in path}
    assert len(pages) > 10
    hidden = [f"/staff/projects/{project.slug}/", *(f"/staff/workers/{worker.pk}/" for worker in world.workers)]
    for path, page in pages.items():
        assert [address for address in hidden if address in page] == [], path


def test_a_workers_page_shows_only_what_they_did_in_projects_of_the_account(world: World) -> None:
    worker = world.workers[0]
    elsewhere = Project.objects.get(slug="elsewhere")
    task = make_task(elsewhere)
    annotate(claim(elsewhere, worker))
    page = f"/staff/workers/{worker.pk}/"
    assert task.key in words_of(world.clients["outsider"], page)
    assert task.key not in words_of(world.clients["viewer"], page)
    assert "Ledger" not in words_of(world.clients["viewer"], page)
    assert "Ledger" in words_of(world.clients["chief"], page)


def test_the_ranking_is_of_a_project_that_the_account_sees(world: World) -> None:
    seen = words_of(world.clients["viewer"], "/staff/suites/sts/?project=marking")
    assert "judged in marking" in seen
    refused = words_of(world.clients["outsider"], "/staff/suites/sts/?project=marking", status=422)
    assert "No project 'marking' takes episodes of this suite" in refused


# What the pages offer -------------------------------------------------------------------------------------------


def test_an_account_without_a_role_is_told_so(world: World) -> None:
    page = words_of(world.clients["newcomer"], "/staff/", status=403)
    assert "Your account has no role yet. Ask an admin" in page
    assert "Your account" in page
    assert "To the overview" not in page


FORM = re.compile(r'<form[^>]*method="post"[^>]*action="([^"]+)"')
LINK = re.compile(r'<a [^>]*href="(/(?:staff|admin)/[^"#]*)')
RAIL = re.compile(r'<nav class="rail".*?</nav>', re.DOTALL)


@pytest.mark.parametrize(
    ("who", "has", "lacks"),
    [
        ("viewer", ["Projects", "Workers"], ["People", "Background work"]),
        ("reviewer", ["Projects", "Workers"], ["People", "Background work"]),
        ("admin", ["Projects", "People"], ["Background work"]),
        ("chief", ["People", "Background work"], []),
    ],
)
def test_the_rail_shows_what_the_account_may_open(who: str, has: list[str], lacks: list[str], world: World) -> None:
    rail = RAIL.search(world.get(who, "/staff/").content.decode())
    assert rail is not None
    words = text_of(rail[0])
    assert [one for one in has if one not in words] == []
    assert [one for one in lacks if one in words] == []
    for address in re.findall(r'href="([^"]+)"', rail[0]):
        assert world.clients[who].get(address).status_code == 200, address


@pytest.mark.parametrize("who", ["viewer", "reviewer", "admin", "chief"])
def test_no_page_offers_what_would_be_refused(who: str, world: World) -> None:
    """Every form that posts and every link within the staff pages leads where the account may go."""
    offered: dict[tuple[str, str], str] = {}
    for path, row in TABLE.items():
        if row.get[WHO.index(who)] == 200:
            page = world.get(who, path).getvalue().decode()
            offered |= {("post", address): path for address in FORM.findall(page)}
            offered |= {("get", address): path for address in LINK.findall(page)}
    assert len(offered) > 30
    refused = {}
    for (method, address), path in offered.items():
        with world.undone(who) as client:
            status = getattr(client, method)(unescape(address)).status_code
        if status in {403, 404}:
            refused[f"{method} {address}"] = f"{status}, offered at {path}"
    assert refused == {}


@pytest.mark.parametrize("who", ["viewer", "admin"])
def test_a_role_costs_one_query_a_page_however_many_workers_it_names(who: str, world: World) -> None:
    project = Project.objects.get(slug="marking")
    assert_flat(world.clients[who], "/staff/workers/", lambda: make_enrolment(project))
    assert_flat(world.clients[who], "/staff/projects/marking/", lambda: make_enrolment(project))
