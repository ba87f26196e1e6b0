"""Every page of the staff's table of addresses, over the rows of `million_rows` where these have such a subject."""

from typing import Any

from django.db import connection
from django.db.models import QuerySet

from annotation.models import Consensus, GateAction, Task
from bench.bulk_rows import first_id, insert, insert_tasks, mod, moment, refresh_statistics, text
from bench.million_rows import Filled
from evaluation.models import Episode, EpisodeTask, Suite
from evaluation.tallies import recount
from tests.support.builders import make_agent, make_project, make_scenario, make_suite
from tests.web.staff.access_table import TABLE, WHO
from tests.web.staff.conftest import World
from workforce.models import LedgerEntry

EPISODES, AGENTS, SCENARIOS = 1_000, 500, 20
"""At most so many; the episodes are one for a hundred annotations."""
FILES = (".csv", ".jsonl", ".json", ".svg", "download/")
"""The ends of addresses that give files and no pages."""
OWN = ("/staff/account/", "/staff/sign-in/")
"""Pages of the account itself, which need its password."""


def pages_over(filled: Filled, world: World) -> dict[str, str]:
    """The addresses of all staff pages, by their paths in the table: of a project, a worker, an agent, a suite… with as
    many rows as the size has. Pages of other tools, sessions and reports show what the world of the tests has."""
    suite, agent, episode = _fill_suite(filled)
    names = {
        **world.names,
        "slug": filled.project.slug,
        "suite": suite.slug,
        "agent": agent,
        "episode": episode,
        "worker": str(filled.worker + filled.workers // 2),
        "entry": str(_middle(LedgerEntry.objects.all())),
        "reference": str(_middle(Task.objects.references().filter(project=filled.project))),
        "task": str(_middle(Consensus.objects.filter(project=filled.project, needs_review=True))),
        "settled": str(_middle(Consensus.objects.filter(project=filled.project, needs_review=False))),
        "pause": str(_middle(GateAction.objects.filter(enrolment__project=filled.project))),
    }
    return {
        path: path.format(**names)
        for path, row in TABLE.items()
        if row.get[WHO.index("chief")] == 200 and not path.endswith(FILES) and not path.startswith(OWN)
    }


def _middle(rows: QuerySet[Any]) -> int:
    keys = rows.order_by("pk").values_list("pk", flat=True)
    found: int = keys[rows.count() // 2]
    return found


def _fill_suite(filled: Filled) -> tuple[Suite, str, str]:
    """A suite whose episodes show in all tasks of the filled project, and in those of a project that takes the suite.

    Returns:
        The suite, an agent and an episode.
    """
    number = min(EPISODES, filled.annotations // 100)
    suite = make_suite()
    project = make_project(suite=suite)
    agent, *others = [make_agent() for _ in range(min(AGENTS, number))]
    scenario, *_ = [make_scenario(suite) for _ in range(SCENARIOS)]
    assert scenario.current is not None
    episode, task = first_id(Episode), first_id(Task)
    key = f"{text('filled-')} || i"
    insert(
        Episode,
        number,
        external_id=key,
        agent_id=f"{agent.pk} + {mod('i', len(others) + 1)}",
        scenario_id=f"{scenario.pk} + {mod('i', SCENARIOS)}",
        revision_id=f"{scenario.current.pk} + {mod('i', SCENARIOS)}",
        continuation="i",
        instruction=text("Bring the ball."),
        takeover_s="1.0",
        digest="''",
        folder=f"{text('filled-')} || i",
        source=text("none"),
        source_sha256="''",
        status=text(Episode.Status.READY),
        ready_at=moment("i"),
        created_at=moment("i"),
    )
    insert_tasks(project, number, episode="", key=key)
    insert(EpisodeTask, number, task_id=f"{task} + i - 1", episode_id=f"{episode} + i - 1")
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO evaluation_episodetask (task_id, episode_id, counted_as)
            SELECT id, %s + id %% %s, '' FROM annotation_task WHERE project_id = %s
            """,
            [episode, number, filled.project.pk],
        )
    recount()
    refresh_statistics()
    return suite, agent.slug, "filled-1"
