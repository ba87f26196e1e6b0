"""The ranking of a large suite, compared with a plain read of its rows, and with counting all of it anew."""

import json
from itertools import count
from typing import Any

from django.db import connection

from annotation.models import Consensus, Project, Record, Task
from bench.bulk_rows import as_json, first_id, insert, insert_tasks, mod, moment, refresh_statistics, text
from bench.rows import Row, compared, seconds_of
from evaluation.models import Episode, EpisodeTask, Suite
from evaluation.ranking import rank_agents
from evaluation.tallies import recount
from tests.support.builders import make_agent, make_project, make_scenario, make_suite
from workforce.models import Worker

SHAPES = ((20, 80, 32_000), (20, 80, 333_000), (500, 100, 333_000))
"""Agents, scenarios, and continuations; with three answers each, a third of a million of these have a million."""
WORKERS = 10_000
ROUNDS = 6
READ, RANK, BY, RECOUNT = "bare read of the rows", "ranking", "ranking by category", "counted anew"
BUDGET = "300 ms"
_number = count(1)


def run() -> list[Row]:
    rows = []
    for agents, scenarios, continuations in SHAPES:
        suite = make_suite()
        project = make_project(suite=suite)
        _fill(suite, project, agents, scenarios, continuations)
        anew = seconds_of(recount)
        refresh_statistics()
        seconds: dict[str, list[float]] = {READ: [], RANK: [], BY: []}
        for _ in range(ROUNDS):
            seconds[READ].append(seconds_of(lambda: _read(suite, project, continuations)))  # noqa: B023
            seconds[RANK].append(seconds_of(lambda: _rank(suite, project, agents, None)))  # noqa: B023
            seconds[BY].append(seconds_of(lambda: _rank(suite, project, agents, "category")))  # noqa: B023
        part = f"{agents} agents, {scenarios} scenarios, {continuations:,} continuations"
        found = compared(part, seconds, against=READ)
        rows += [row._replace(budget=BUDGET if row.case != READ else "") for row in found]
        rows.append(Row(part, RECOUNT, anew * 1000, None, "ms", anew * 1000 / found[0].median, READ))
    return rows


def _rank(suite: Suite, project: Project, agents: int, by: str | None) -> None:
    ranking = rank_agents(suite=suite, project=project, by=by)
    assert len(ranking.rows) == agents
    assert all(not standing.pending for standing in ranking.rows)


def _read(suite: Suite, project: Project, continuations: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT a.slug, s.key, r.category, r.skill, c.answer
            FROM evaluation_episode e
            JOIN agents_agent a ON a.id = e.agent_id
            JOIN evaluation_scenario s ON s.id = e.scenario_id
            JOIN evaluation_revision r ON r.id = e.revision_id
            JOIN evaluation_episodetask et ON et.episode_id = e.id
            JOIN annotation_task t ON t.id = et.task_id
            JOIN annotation_consensus c ON c.task_id = t.id
            WHERE s.suite_id = %s AND t.project_id = %s
            """,
            [suite.pk, project.pk],
        )
        assert len(cursor.fetchall()) == continuations


def _fill(suite: Suite, project: Project, agents: int, scenarios: int, continuations: int) -> None:
    """Every continuation with its settled task, spread evenly; and the records of the workers, as after references."""
    number = next(_number)
    scenario, *_ = [make_scenario(suite, category=f"category {i % 8}") for i in range(scenarios)]
    agent, *_ = [make_agent() for _ in range(agents)]
    assert scenario.current is not None
    place, who = mod("i", scenarios), mod(f"i / {scenarios}", agents)
    episode, task = first_id(Episode), first_id(Task)
    insert(
        Episode,
        continuations,
        external_id=f"{text(f'ranked-{number}-')} || i",
        agent_id=f"{agent.pk} + {who}",
        scenario_id=f"{scenario.pk} + {place}",
        revision_id=f"{scenario.current.pk} + {place}",
        continuation="i",
        instruction="''",
        takeover_s="1.0",
        digest="''",
        folder=f"{text(f'folder-{number}-')} || i",
        source="'none'",
        source_sha256="''",
        status=text(Episode.Status.READY),
        ready_at=moment("i"),
        created_at=moment("i"),
    )
    done: dict[str, Any] = {
        "slots_left": "0",
        "open": "false",
        "status": text(Task.Status.DONE),
        "closed_at": moment("i"),
    }
    insert_tasks(project, continuations, episode="", key=f"{text(f'ranked-{number}-')} || i", **done)
    insert(EpisodeTask, continuations, task_id=f"{task} + i - 1", episode_id=f"{episode} + i - 1")
    right, wrong = (json.dumps({"outcome": said, "frame": 20, "time_s": 2.0}) for said in ("success", "failure"))
    insert(
        Consensus,
        continuations,
        task_id=f"{task} + i - 1",
        project_id=str(project.pk),
        answer=as_json(f"CASE WHEN {mod('i * 7919', agents)} <= {who} THEN {text(right)} ELSE {text(wrong)} END"),
        method=text(Consensus.Method.MAJORITY),
        confidence="1.0",
        annotations="3",
        settled_at=moment("i"),
        updated_at=moment("i"),
    )
    worker = first_id(Worker)
    insert(
        Worker,
        WORKERS,
        platform=text("bulk"),
        external_id=f"{text(f'person-{number}-')} || i",
        pseudonym=f"{text(f'pseudonym-{number}-')} || i",
        created_at=moment("i"),
    )
    insert(
        Record,
        WORKERS,
        worker_id=f"{worker} + i - 1",
        project_id=str(project.pk),
        submitted="100",
        success_success="5",
        success_failure="1",
        failure_failure="4",
        references="10",
        measured_at=moment("i"),
    )
