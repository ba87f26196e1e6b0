"""The time that a session's worker is owed, and the limits and the budget that it counts against."""

from datetime import timedelta
from decimal import Decimal

import pytest

from annotation.models import Project
from annotation.work.claims import BudgetSpent, LimitReached, claim_next
from annotation.work.leases import expire_overdue
from interaction.agents import matching
from interaction.session import opening, ticks
from tests.interaction.session.test_ending import PAYING, owed
from tests.support.builders import make_enrolment, make_worker
from tests.support.sessions import MINIMUM_S, LiveWorker, both

pytestmark = pytest.mark.django_db


def begun(**columns: object) -> LiveWorker:
    """A worker who has given a command in a paying project with these columns."""
    worker, _ = both(columns=PAYING | columns)
    worker.send("command", id="c1", text="build a cube")
    return worker


def test_a_session_that_was_partly_paid_counts_against_the_limit_of_its_worker() -> None:
    worker = begun(limit_per_worker=1)
    worker.wait(MINIMUM_S)
    worker.leave()
    assert owed() == [("partial", Decimal("1.5000"))]
    with pytest.raises(LimitReached):
        claim_next(enrolment=make_enrolment(worker.session.project, worker.enrolment.worker), at=worker.at)


def test_a_session_without_a_command_is_owed_nothing_and_does_not_count() -> None:
    worker, _ = both(columns=PAYING | {"limit_per_worker": 1})
    worker.wait(MINIMUM_S)
    worker.leave()
    assert owed() == []
    assert claim_next(enrolment=make_enrolment(worker.session.project, worker.enrolment.worker), at=worker.at)


def test_a_worker_is_owed_the_time_in_which_no_agent_was_there() -> None:
    worker, agent = both(columns=PAYING)
    matching.disconnect(agent.process, at=worker.at)
    worker.wait(60)
    ticks.tick(at=worker.at)
    worker.wait(40)
    assert worker.leave().owed_s == 100


def test_time_is_owed_up_to_the_moment_at_which_the_worker_left() -> None:
    worker = begun()
    worker.wait(100)
    opening.leave(worker.session.pk, worker.sender, at=worker.at)
    worker.wait(50)
    assert worker.leave().owed_s == 100


def test_time_with_an_open_page_is_owed_up_to_the_end_though_not_each_sign_is_noted() -> None:
    assert begun().leave(unseen_s=20).owed_s == 20


def test_a_worker_who_was_cut_off_together_with_the_server_is_owed_up_to_their_last_sign() -> None:
    """Nobody noted that they left: the lease runs out a quarter of an hour later."""
    worker, _ = both(columns=PAYING)
    worker.wait(5)
    worker.send("command", id="c1", text="build a cube")
    # Not `wait`: no page is open meanwhile.
    later = worker.at + timedelta(seconds=2 * worker.session.project.lease_s)
    expire_overdue(at=later)
    ticks.tick(at=later)
    assert (worker.now().reason, worker.now().owed_s) == ("expired", 5)


def test_the_time_owed_for_a_lost_hold_is_within_the_budget() -> None:
    """The claim of another takes the lost hold back, before anything has looked at its session."""
    worker = begun(budget=Decimal("1.50"))
    project = worker.session.project
    worker.wait(project.lease_s + 1)
    with pytest.raises(BudgetSpent):
        claim_next(enrolment=make_enrolment(project, make_worker("another")), at=worker.at)
    expire_overdue(at=worker.at)
    ticks.tick(at=worker.at)
    assert Project.objects.get().spent == Decimal("1.50")
    with pytest.raises(BudgetSpent):
        claim_next(enrolment=make_enrolment(project, make_worker("a third")), at=worker.at)
