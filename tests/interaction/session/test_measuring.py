"""Interactive evaluation: an episode of set length, whose outcomes are the agent's metric."""

import pytest

from agents.models import Metric
from interaction.session import ticks
from interaction.session.measuring import METRIC, VERSION
from tests.interaction.session.test_ending import WELL, ready
from tests.support.builders import NOON
from tests.support.sessions import MINIMUM_S, both, make_live_project

pytestmark = pytest.mark.django_db


def test_numbers_of_the_same_name_that_pipelines_posted_stay_and_keep_nobody_from_handing_in() -> None:
    worker = ready(make_live_project(evaluation=True))
    agent, suite = worker.session.agent, worker.session.project.slug
    for _ in range(2):
        Metric.objects.create(agent=agent, metric=METRIC, value=0.5, suite=suite, created_at=NOON)
    worker.send("finish")
    assert worker.now().reason == "finished"
    found = Metric.objects.filter(agent=agent, metric=METRIC, suite=suite).order_by("pk")
    assert list(found.values_list("version", "value")) == [("", 0.5), ("", 0.5), (VERSION, 1.0)]


def test_an_episode_without_commands_can_be_handed_in_and_says_nothing_of_the_agent() -> None:
    """No more may be given after its minutes, so a worker who gave none would be caught in it."""
    worker, _ = both(evaluation=True)
    worker.wait(MINIMUM_S + 1)
    ticks.tick(at=worker.at)
    assert worker.said("may_finish") == [{"allowed": True}]
    worker.send("reflect", **WELL)
    worker.send("finish")
    assert worker.now().reason == "finished"
    assert not Metric.objects.exists()
