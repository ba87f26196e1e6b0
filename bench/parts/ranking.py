"""The ranking of a large suite, compared with a plain read of its rows."""

from typing import Any

from django.db import connection

from annotation.models import Consensus, Project, Task
from bench.rows import Row, compared, seconds_of
from evaluation.models import Episode, EpisodeTask, Suite
from evaluation.ranking import rank_agents
from tests.support.builders import NOON, make_agent, make_project, make_scenario, make_suite

AGENTS, CONTINUATIONS, SCENARIOS = 20, 1_600, 80
ROUNDS = 6


def run() -> list[Row]:
    suite = make_suite()
    project = make_project(suite=suite)
    _fill(suite, project)
    seconds: dict[str, list[float]] = {"bare read of the rows": [], "ranking": []}
    for _ in range(ROUNDS):
        seconds["bare read of the rows"].append(seconds_of(lambda: _read(suite, project)))
        seconds["ranking"].append(seconds_of(lambda: _rank(suite, project)))
    part = f"{AGENTS} agents x {CONTINUATIONS:,} continuations"
    return compared(part, seconds, against="bare read of the rows")


def _rank(suite: Suite, project: Project) -> None:
    ranking = rank_agents(suite=suite, project=project)
    assert len(ranking.rows) == AGENTS
    assert all(standing.success.n == CONTINUATIONS for standing in ranking.rows)


def _read(suite: Suite, project: Project) -> None:
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
        assert len(cursor.fetchall()) == AGENTS * CONTINUATIONS


def _fill(suite: Suite, project: Project) -> None:
    scenarios = [make_scenario(suite) for _ in range(SCENARIOS)]
    agents = [make_agent() for _ in range(AGENTS)]
    done: dict[str, Any] = {"wanted": 1, "slots_left": 0, "open": False, "status": Task.Status.DONE, "closed_at": NOON}
    for rank, agent in enumerate(agents):
        numbers = range(CONTINUATIONS)
        episodes = Episode.objects.bulk_create(
            Episode(
                external_id=f"{agent.slug}-{number}",
                agent=agent,
                scenario=scenarios[number % SCENARIOS],
                revision=scenarios[number % SCENARIOS].current,
                continuation=number,
                instruction="",
                takeover_s=1.0,
                digest="",
                source="none",
                source_sha256="",
                status=Episode.Status.READY,
                ready_at=NOON,
                created_at=NOON,
            )
            for number in numbers
        )
        tasks = Task.objects.bulk_create(
            Task(project=project, key=one.external_id, payload={}, digest="", shuffle=0.5, created_at=NOON, **done)
            for one in episodes
        )
        EpisodeTask.objects.bulk_create(
            EpisodeTask(task=task, episode=episode) for task, episode in zip(tasks, episodes, strict=True)
        )
        Consensus.objects.bulk_create(
            Consensus(
                task=task,
                project=project,
                answer={"outcome": "success" if number % AGENTS <= rank else "failure", "frame": 20, "time_s": 2.0},
                method=Consensus.Method.MAJORITY,
                confidence=1.0,
                annotations=1,
                settled_at=NOON,
                updated_at=NOON,
            )
            for number, task in enumerate(tasks)
        )
