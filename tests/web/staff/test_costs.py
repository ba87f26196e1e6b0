"""The cost of staff pages: as many queries for a few rows as for many."""

from decimal import Decimal
from itertools import count

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agents.models import Agent
from annotation.access.members import give_role
from annotation.models import Category, GateAction, InstructionVersion, Project, Task
from annotation.references.reference_health import FEW
from annotation.work.enrolments import make_link
from annotation.work.leases import report
from audit.blocked_content import count as count_blocked
from audit.log import Subject, record
from evaluation.models import Suite
from jobs.models import Job
from routing.models import ErrorReport, Route
from routing.tree_versions import put_tree
from tests.support.builders import (
    NOON,
    annotate,
    claim,
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
from tests.support.commands import make_bare_route, make_report, make_sending
from tests.support.crowds import say
from tests.support.sessions import come_in, judged, process_of
from tests.support.tool_workers import (
    HOUSE_FORM,
    TOWER,
    decided,
    make_parse_project,
    marks,
    post_command,
    post_phrases,
    work,
)
from tests.support.trees import SMALL, changed
from tests.web.staff.access_table import TABLE, WHO
from tests.web.staff.conftest import VIEWER, World
from workforce.models import Grant, LedgerEntry, Qualification, Worker

_number = count(1)


def grow(world: World) -> None:
    """One more of everything that a page lists."""
    n = next(_number)
    marking, voxels, living, parsing = (
        Project.objects.get(slug=slug) for slug in ("marking", "voxels", "living", "parsing")
    )
    first = Worker.objects.get(pk=world.names["worker"])
    _grow_tasks(marking, int(world.names["task"]))
    _grow_evaluation(n, Agent.objects.get(slug=world.names["agent"]))
    # Projects, the worker's own page, people
    elsewhere = make_project(base_pay=Decimal("0.10"))
    make_task(elsewhere)
    annotate(claim(elsewhere, first))
    make_link(enrolment=make_enrolment(marking, make_worker()), by="x", at=NOON)
    InstructionVersion.objects.create(project=marking, number=n + 100, pages=[str(n)], by="x", created_at=NOON)
    give_role(account=User.objects.get(pk=world.names["person"]), project=elsewhere, role=VIEWER, by="x", at=NOON)
    make_staff(f"person-{n}", VIEWER, marking)
    record(
        verb="worker.noted", actor="staff:dora", subject=Subject("worker", str(first.pk)), at=NOON, project="marking"
    )
    count_blocked(page="staff/", directive="img-src", blocked=f"https://{n}.example", at=NOON)
    LedgerEntry.objects.create(
        worker=make_worker(), account="marking", reason=f"r{n}", kind="bonus", amount=1, currency="USD", at=NOON
    )
    make_qualification()
    quiz = Qualification.objects.get(slug=world.names["quiz"])
    Grant.objects.create(qualification=quiz, worker=make_worker(), granted_at=NOON)
    # Commands and masks
    decided(post_command(parsing, f"c{n}", "build a house", form=HOUSE_FORM), HOUSE_FORM)
    post_phrases(voxels, {f"r{n}": "a tower"}, reference={"answers": [marks(TOWER)]})
    post_phrases(voxels, {f"t{n}": "the tower"})
    work(voxels, f"w{n}", lambda _: marks(TOWER))
    # Sessions
    here, agent = world.live
    judged(here, agent, f"more-{n}")
    process_of(here.session.agent, resume=f"p-{n}", capacity=2)
    come_in(living).send("start")
    # Reports, routes, trees
    shown, route = (
        ErrorReport.objects.get(public_id=world.names["report"]),
        Route.objects.get(slug=world.names["route"]),
    )
    make_sending(shown, parsing, route=route, phrase=f"phrase {n}")
    make_report(living, state="dismissed", why_dismissed="the same", merged_into=shown)
    record(verb="error_report.noted", actor="x", subject=Subject("error_report", shown.public_id), at=NOON)
    route.agents.add(make_agent())
    route.sources.add(make_project())
    make_bare_route(make_parse_project()).sources.add(living)
    put_tree(slug=f"tree-{n}", content=SMALL, by="x", at=NOON)
    put_tree(slug="default", content=changed(SMALL, "#/title", f"Title {n}"), by="x", at=NOON)


def _grow_tasks(marking: Project, reviewed: int) -> None:
    """Answers, references, reports, ties, pauses and flagged texts."""
    make_task(marking, truth="success")
    make_task(marking)
    annotate(claim(marking, make_worker(), chance=lambda: 0.0))
    Task.objects.filter(pk=reviewed).update(own_redundancy=100, wanted=100, slots_left=90, open=True)
    say(Task.objects.get(pk=reviewed), "success")
    task = make_task(marking, redundancy=2)
    say(task, "success", "failure")
    held = claim(marking, make_worker(), chance=lambda: 0.99)
    report(assignment=held, problem="other", text="write to ask@example.org", at=NOON)
    paused = make_enrolment(marking, make_worker())
    appeal = {"appeal": "I was tired.", "appealed_at": NOON}
    GateAction.objects.create(enrolment=paused, action="pause", rule={}, evidence={}, at=NOON, **appeal)


def _grow_evaluation(n: int, agent: Agent) -> None:
    """Suites, agents, episodes and failed work."""
    make_episode(scenario=make_scenario(Suite.objects.get(slug="sts")), agent=agent)
    make_episode(scenario=make_scenario(make_suite()), agent=make_agent())
    episode = make_episode(is_ready=False)
    episode.status, episode.problem_code = "failed", "no_video"
    episode.save()
    for state, finished in (("failed", NOON), ("waiting", None)):
        fields = {"kind": "test.job", "due_at": NOON, "created_at": NOON, "finished_at": finished}
        Job.objects.create(state=state, subject=f"{state}-{n}", **fields)
    Category.objects.create(taxonomy="agent_failure", code=f"melted-{n}", label=f"It melted {n}")


def cost_of(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        client.get(address).getvalue()
    return len(queries)


def costs_of(world: World, pages: list[tuple[str, str]]) -> dict[tuple[str, str], int]:
    for who, address in pages:
        if who == "chief":
            # From now on what a process reads once, such as a scene, and what is kept until something changes, such as
            # a figure, are at hand.
            world.clients[who].get(address)
    return {(who, address): cost_of(world.clients[who], address) for who, address in pages}


def test_each_page_costs_the_same_however_much_there_is(world: World) -> None:
    for _ in range(FEW):
        grow(world)
    pages = [
        (who, world.at(path))
        for path, row in TABLE.items()
        for who in ("viewer", "chief")
        if row.get[WHO.index(who)] == 200
    ]
    few = costs_of(world, pages)
    for _ in range(3):
        grow(world)
    assert costs_of(world, pages) == few
