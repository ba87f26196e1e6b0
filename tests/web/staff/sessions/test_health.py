"""How an agent serves live sessions, in the staff pages."""

import csv
import io

import pytest
from django.test import Client

from agents.models import Agent
from annotation.access.roles import Role
from interaction.agents import matching
from interaction.models import AgentProcess, LiveCommand, Session
from interaction.session import ending
from tests.support.builders import client_of, make_agent, make_staff
from tests.support.pages import assert_flat, words_of
from tests.support.sessions import NO, Agents, LiveWorker, ago, begun, judged, make_live_project, process_of
from web.staff.sessions.figures import latencies_of, latency, quantile, seconds_of

HEALTH = "/staff/agents/agent-of-living/health/"


HOUR = 3600


def slowly(
    worker: LiveWorker, agent: Agents, name: str, *, steps: tuple[float, float, float], state: str = "done"
) -> None:
    """A command, each step of which takes so many seconds; judged at once."""
    worker.send("command", id=name, text="dance")
    worker.wait(steps[0])
    agent.send(worker, "status", command=name, state="received")
    worker.wait(steps[1])
    agent.send(worker, "status", command=name, state="acting")
    worker.wait(steps[2])
    reason = {"reason": "crashed"} if state == "failed" else {}
    agent.send(worker, "status", command=name, state=state, **reason)
    worker.send("mark", command=name, node="done", choice=NO)
    worker.send("mark", command=name, node="guessed", choice=NO)


def test_an_agent_that_never_came_says_where_it_connects(dora: Client, db: None) -> None:
    make_agent("agent-of-living")
    page = words_of(dora, HEALTH)
    assert "ws://testserver/ws/agents/agent-of-living/" in page
    assert "None failed." in page
    assert "Health in live sessions" in words_of(dora, "/staff/agents/agent-of-living/")


def test_processes_are_told_with_their_sessions(dora: Client, db: None) -> None:
    begun(at=ago(HOUR))
    gone = process_of(Agent.objects.get(slug="agent-of-living"), resume="the-old-one", capacity=2)
    matching.disconnect(gone.process, at=ago(HOUR))
    page = words_of(dora, HEALTH)
    assert "p1 here 1 4" in page
    assert "the-old- gone 0 2" in page


def test_sessions_and_commands_are_counted_in_a_day_and_in_a_week(dora: Client, db: None) -> None:
    worker, agent = begun(at=ago(72 * HOUR))
    judged(worker, agent)
    ending.end_session(worker.session.pk, Session.Reason.LEFT, at=worker.at)
    recent, agent = begun(at=ago(2 * HOUR))
    slowly(recent, agent, "c1", steps=(1, 1, 1), state="failed")
    page = words_of(dora, HEALTH)
    assert "24 hours 1 1 – 1 1 (100 %)" in page
    assert "7 days 2 1 1 worker left 2 1 (50 %)" in page
    assert "crashed 1" in page


def test_each_step_has_its_median_and_its_95th_percentile(dora: Client, db: None) -> None:
    worker, agent = begun(at=ago(HOUR))
    for number, seconds in enumerate([1, 2, 3, 4, 50]):
        slowly(worker, agent, f"c{number}", steps=(0.1, seconds, 2 * seconds))
    page = words_of(dora, HEALTH)
    assert "received 5 0.100 s 0.100 s" in page
    assert "thinking 5 3.000 s 50.000 s" in page
    assert "acting 5 6.000 s 100.000 s" in page


def test_a_plot_can_be_taken_along(dora: Client, db: None) -> None:
    worker, agent = begun(at=ago(HOUR))
    for number, seconds in enumerate([0.0, 0.3, 0.4, 70]):
        slowly(worker, agent, f"c{number}", steps=(seconds, 1, 1))
    judged(worker, agent, "good")
    assert "plot-bar" in dora.get(HEALTH).content.decode()
    rows = list(csv.DictReader(io.StringIO(dora.get(f"{HEALTH}?plot=latency-received&as=csv").content.decode())))
    filled = [(row["from_s"], row["to_s"], row["commands"]) for row in rows if row["commands"] != "0"]
    assert filled == [("0.0", "0.05", "2"), ("0.2", "0.5", "2"), ("60.0", "", "1")]
    assert b"<svg" in dora.get(f"{HEALTH}?plot=latency-received&as=svg").content
    assert dora.get(f"{HEALTH}?plot=weather&as=csv").status_code == 404
    shares = list(csv.DictReader(io.StringIO(dora.get(f"{HEALTH}?plot=outcomes&as=csv").content.decode())))
    assert [(row["outcome"], row["commands"], row["share"]) for row in shares] == [
        ("ok", "1", "0.2"),
        ("nlu_error", "4", "0.8"),
    ]
    assert float(shares[0]["low"]) < 0.2 < float(shares[0]["high"])


def test_only_a_day_is_looked_at_where_that_is_chosen(dora: Client, db: None) -> None:
    worker, agent = begun(at=ago(72 * HOUR))
    slowly(worker, agent, "c1", steps=(1, 1, 1), state="failed")
    assert "crashed 1" in words_of(dora, HEALTH)
    assert "None failed." in words_of(dora, f"{HEALTH}?days=1")


def test_commands_of_other_projects_are_not_counted(db: None) -> None:
    worker, agent = begun(at=ago(HOUR))
    slowly(worker, agent, "c1", steps=(1, 1, 1), state="failed")
    olga = client_of(make_staff("olga", Role.ADMIN, make_live_project("elsewhere")))
    page = words_of(olga, HEALTH)
    assert "p1 here" in page
    assert "7 days 0 0 – 0 0" in page
    assert "None failed." in page


def test_health_costs_the_same_for_2_commands_and_6(dora: Client, db: None) -> None:
    worker, agent = begun(at=ago(HOUR))
    names = iter(range(100))
    assert_flat(dora, HEALTH, lambda: judged(worker, agent, f"c{next(names)}"))
    processes = iter(range(100))
    owner = AgentProcess.objects.get().agent
    assert_flat(dora, HEALTH, lambda: process_of(owner, resume=f"p-{next(processes)}"))


# The numbers themselves ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "expected"), [(0.01, 1.0), (0.5, 5.0), (0.51, 6.0), (0.9, 9.0), (0.95, 10.0), (1.0, 10.0)]
)
def test_a_quantile_is_the_nearest_rank(share: float, expected: float) -> None:
    assert quantile([float(n) for n in range(1, 11)], share) == expected


def test_a_command_that_is_not_over_has_no_times_yet(db: None) -> None:
    worker, _ = begun(at=ago(HOUR))
    worker.send("command", id="c1", text="dance")
    times = seconds_of(LiveCommand.objects.all(), newest=10)
    assert [(step.n, step.median) for step in latencies_of(times)] == [(0, None)] * 3
    assert latency(times, "acting").is_empty
