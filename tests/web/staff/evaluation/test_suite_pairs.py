"""The compare room: pairs of continuations, those first where two agents differ most."""

import pytest
from django.test import Client

from annotation.models import Project, Task
from annotation.work.leases import report
from evaluation.models import Episode
from tests.support.builders import (
    NOON,
    claim,
    make_agent,
    make_episode,
    make_project,
    make_scenario,
    make_suite,
    make_worker,
)
from tests.support.crowds import say
from tests.support.pages import assert_flat, text_of, words_of

pytestmark = pytest.mark.django_db
ROOM = "/staff/suites/s/pairs/"


@pytest.fixture
def project() -> Project:
    return make_project("p", suite=make_suite("s"))


def tried(project: Project, agent: str, key: str, outcome: str = "", *, takeover_s: float = 1.0) -> Episode:
    scenario = make_scenario(make_suite("s"), key, takeover_s=takeover_s)
    shown = make_episode(scenario=scenario, agent=make_agent(agent))
    if outcome:
        say(Task.objects.get(project=project, key=shown.external_id), outcome, frame=30)
    return shown


def test_the_first_pair_is_where_the_agents_differ_most(dora: Client, project: Project) -> None:
    for key, first, second in (("same", "success", "success"), ("apart", "success", "failure"), ("open", "", "")):
        tried(project, "alfa", key, first)
        tried(project, "bravo", key, second)
    tried(project, "alfa", "alone", "success")
    page = dora.get(ROOM).content.decode()
    words = text_of(page)
    assert "apart: alfa differs from bravo by +100.0 points there" in words
    assert "1 of 3" in words
    assert page.count("<video") == 2
    assert page.count('data-takeover="1.0"') == 2
    assert 'rel="next"' in page
    assert 'rel="prev"' not in page
    assert "alfa: Consensus" in words
    assert "bravo: Consensus" in words
    assert "same: " in words_of(dora, f"{ROOM}?pair=2")
    last = dora.get(f"{ROOM}?pair=99").content.decode()
    assert "Nobody has judged these two yet" in text_of(last)
    assert 'rel="next"' not in last
    assert "same: " in words_of(dora, f"{ROOM}?scenario=same")


def test_within_a_scenario_different_outcomes_come_first(dora: Client, project: Project) -> None:
    for first, second in (("success", "success"), ("success", "failure")):
        tried(project, "alfa", "k", first)
        tried(project, "bravo", "k", second)
    words = words_of(dora, ROOM)
    assert "✕ failure" in words
    assert "1 of 2" in words


def test_what_a_worker_reported_stands_below(dora: Client, project: Project) -> None:
    tried(project, "alfa", "k")
    tried(project, "bravo", "k", "success")
    report(assignment=claim(project, make_worker()), problem="ambiguous", text="which ball?", at=NOON)
    words = words_of(dora, ROOM)
    assert "alfa, reported by a worker" in words
    assert "which ball?" in words


def test_without_two_agents_the_room_says_so(dora: Client, project: Project) -> None:
    assert "this suite has 0" in words_of(dora, ROOM)
    tried(project, "alfa", "k")
    tried(project, "bravo", "l")
    assert "no ready continuations at the same scenario" in words_of(dora, ROOM)


def test_the_room_costs_the_same_for_2_and_6(dora: Client, project: Project) -> None:
    def one_more() -> None:
        tried(project, "alfa", "k")
        tried(project, "bravo", "k")

    assert_flat(dora, ROOM, one_more)
