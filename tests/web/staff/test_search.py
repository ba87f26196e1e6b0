"""The search over everything: by the beginning of a name, bounded, and of what the account may see alone."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.access.roles import Role
from tests.support.builders import (
    client_of,
    make_agent,
    make_enrolment,
    make_episode,
    make_project,
    make_staff,
    make_suite,
    make_task,
    make_worker,
)
from tests.support.commands import make_report
from tests.support.pages import cost_of, words_of

pytestmark = pytest.mark.django_db
SEARCH = "/staff/search/?q="


def test_each_kind_is_found_by_how_it_begins(dora: Client) -> None:
    project = make_project("marking", title="Mark the agent")
    make_agent("marvin")
    make_suite("marsh")
    make_episode(external_id="mar-episode")
    make_enrolment(project, make_worker("marge"))
    make_report(project, text="march forward")
    task = make_task(project)
    words = words_of(dora, f"{SEARCH}mar")
    for found in ("Mark the agent", "marvin", "marsh", "mar-episode", "direct:marge", "march forward"):
        assert found in words, found
    assert task.key in words_of(dora, SEARCH + task.key[:-1])
    assert "direct:marge" in words_of(dora, f"{SEARCH}direct:mar")
    assert "Mark the agent" in words_of(dora, f"{SEARCH}the+AGENT")
    assert "Nothing begins with" in words_of(dora, f"{SEARCH}arvin")
    assert "Nothing begins with" in words_of(dora, f"{SEARCH}%25")
    assert "Type the beginning" in words_of(dora, SEARCH)


def test_nothing_of_other_projects_and_no_names_are_found() -> None:
    mine, other = make_project("mine"), make_project("minted")
    worker, stranger = make_worker("minna"), make_worker("minos")
    make_enrolment(mine, worker)
    make_enrolment(other, stranger)
    make_report(other, text="mind the gap")
    viewer = client_of(make_staff("vic", Role.VIEWER, mine))
    words = words_of(viewer, f"{SEARCH}min")
    assert "mine" in words
    for hidden in ("minted", "minna", "minos", "mind the gap"):
        assert hidden not in words, hidden
    assert worker.pseudonym[:8] in words_of(viewer, SEARCH + worker.pseudonym[:6])
    assert "Nothing begins" in words_of(viewer, SEARCH + stranger.pseudonym[:6])
    admin = client_of(make_staff("ada", Role.ADMIN, mine))
    assert "direct:minna" in words_of(admin, f"{SEARCH}min")
    assert "minos" not in words_of(admin, f"{SEARCH}min")


def test_a_search_reads_few_rows_however_many_there_are(dora: Client) -> None:
    project = make_project("p")
    for number in range(3):
        make_enrolment(project, make_worker(f"x{number}"))
    few = cost_of(dora, f"{SEARCH}x")
    for number in range(3, 20):
        make_enrolment(project, make_worker(f"x{number}"))
    assert cost_of(dora, f"{SEARCH}x") == few
    with CaptureQueriesContext(connection) as queries:
        dora.get(f"{SEARCH}x")
    reads = [
        one["sql"]
        for one in queries
        # What one way of finding workers has found, the other need not.
        if re.search(r"LIMIT [2-8]$", one["sql"])
        and 'FROM "annotation_project"' not in one["sql"]
        and "EXPLAIN" not in one["sql"]
    ]
    assert len(reads) > 6
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        for sql in reads:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
            assert "SCAN" not in plan, (sql, plan)
