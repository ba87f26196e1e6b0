"""The project `babyai-crowd`: the same episodes, marked for some days by a simulated crowd, good and bad.

It gives the staff pages something to show: plots, a paused worker who appeals, warnings, reports. It is a separate
project, so that the project for people keeps its tasks.
"""

import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from django.db import transaction

from annotation.consensus import rater_fit
from annotation.models import Enrolment, GateAction, Method, Project
from annotation.quality import gates, pauses, worker_records
from annotation.tool_registry import tool_named
from annotation.work import claims, leases
from annotation.work.enrolments import enrol
from annotation.work.submissions import submit
from demo.crowds.markers import Member, make_crowd, turn_order
from demo.crowds.simulation import PLATFORM
from demo.crowds.work_api import Json, KnownTask, marker_answer
from demo.projects import put_demo_project
from evaluation.project_feeds import set_feed
from workforce.blocking import worker_on

PROJECT = "babyai-crowd"
SEED = 3
SIZE, ANSWERS = 15, 16
KINDS = {"honest": 8, "careless": 2, "spammer": 2, "always_success": 1, "colluding": 2}
BEGAN = timedelta(days=3)
GAP_S = 900.0
"""Average seconds between two answers of the crowd."""
REPORTS_EVERY = 60
APPEAL = "I watched every recording to the end. I think some of the checks are wrong. Please look again."


def load(*, suite: str, version: str, pages: list[str], truths: Mapping[str, Json], at: datetime) -> int:
    """Make the project and let the crowd work in it up to `at`. Returns the number of answers.

    Args:
        truths: For each episode: `{outcome, time_s}`.
    """
    project = _project(suite=suite, version=version, pages=pages, at=at)
    # The seed makes every demo look much the same; nothing secret depends on it.
    luck = random.Random(SEED)
    members = make_crowd(SIZE, seed=SEED, shares=KINDS)
    # The turns are in order of time, so that lists show the oldest work first.
    moments = _moments(len(members) * ANSWERS, luck, at=at)
    enrolments = {one.name: _let_in(project, one, at=at - BEGAN) for one in members}
    done = sum(
        _take_turn(enrolments[one.name], one, truths, luck, number=number, at=next(moments))
        for number, one in enumerate(turn_order(members, ANSWERS, seed=SEED), start=1)
    )
    _let_gates_look(project, at=at)
    _appeal(project, at=at)
    rater_fit.refit(project_id=project.pk, at=at)
    worker_records.measure_outdated(at=at)
    return done


@transaction.atomic
def _project(*, suite: str, version: str, pages: list[str], at: datetime) -> Project:
    project = put_demo_project(
        slug=PROJECT,
        tool="marker",
        title="Mark what the agent did: a simulated crowd",
        instructions=pages,
        redundancy=4,
        reference_rate=0.5,
        limit_per_worker=ANSWERS,
        pay="0.12",
        gates=[
            {"action": "warn", "below": 0.7, "minimum_n": 3, "alpha": 0.2, "beta": 0.2},
            {"action": "pause", "below": 0.7, "minimum_n": 4, "alpha": 0.2, "beta": 0.2},
        ],
        aggregation={"method": Method.DAWID_SKENE, "confidence": 0.9, "least": 2, "most": 6},
        at=at,
    )
    set_feed(project=project, suite=suite, version=version, agents=None, by="system", at=at)
    return project


def _moments(number: int, luck: random.Random, *, at: datetime) -> Iterator[datetime]:
    """This many moments before `at`, ascending, with irregular gaps."""
    gaps = [luck.expovariate(1 / GAP_S) + 1 for _ in range(number + 1)]
    scale, now = BEGAN.total_seconds() / sum(gaps), at - BEGAN
    for gap in gaps[:-1]:
        now += timedelta(seconds=gap * scale)
        yield now


def _let_in(project: Project, one: Member, *, at: datetime) -> Enrolment:
    return enrol(project=project, worker=worker_on(PLATFORM, one.name, at=at, is_simulated=True), at=at)


def _take_turn(
    enrolment: Enrolment, one: Member, truths: Mapping[str, Json], luck: random.Random, *, number: int, at: datetime
) -> bool:
    """Claims a task and answers it, or sometimes reports it. Returns False without an answer."""
    seconds = one.takes_s()
    try:
        hold = claims.claim_next(enrolment=enrolment, at=at - timedelta(seconds=seconds), chance=luck.random)
    except claims.Paused:
        return False
    if hold is None:
        return False
    if number % REPORTS_EVERY == 0:
        text = "The ball is hidden behind the door all the time, so I cannot tell."
        leases.report(assignment=hold, problem="ambiguous", text=text, at=at)
        return False
    episode = hold.task.payload["episode"]
    truth = truths[episode]
    asked = KnownTask(episode, truth["outcome"] == "success", truth["time_s"])
    payload = tool_named(enrolment.project.tool).present(hold.task, hold=hold.public_id)
    answer = marker_answer(one, payload, asked, said=one.says(episode, asked.truth))
    submit(enrolment=enrolment, assignment=hold, answer=answer, active_s=round(seconds, 1), at=at)
    return True


def _let_gates_look(project: Project, *, at: datetime) -> None:
    """Apply the gates to those whose next look is still to come: the crowd does not work so long."""
    for enrolment in Enrolment.objects.filter(project=project, gates_due__isnull=False).select_related("worker"):
        enrolment.project = project
        gates.apply_gates(enrolment=enrolment, at=at)


def _appeal(project: Project, *, at: datetime) -> None:
    """One paused worker appeals."""
    paused = GateAction.objects.pauses().current().filter(enrolment__project=project).order_by("pk").first()
    if paused is not None:
        pauses.appeal(action=paused, text=APPEAL, at=at)
