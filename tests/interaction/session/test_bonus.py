"""What a session costs its project: for which time, how often, and within which budget."""

from datetime import timedelta
from decimal import Decimal

import pytest

from annotation.models import Project
from annotation.work.claims import BudgetSpent, LimitReached, claim_next
from annotation.work.leases import expire_overdue, release
from interaction.agents import matching
from interaction.session import opening, ticks
from tests.interaction.session.test_ending import owed, paying_project
from tests.support.builders import make_enrolment, make_worker
from tests.support.sessions import MINIMUM_S, both

pytestmark = pytest.mark.django_db


def changed(project: Project, **columns: object) -> Project:
    Project.objects.filter(pk=project.pk).update(**columns)
    project.refresh_from_db()
    return project


def test_a_session_that_was_partly_paid_counts_against_the_limit_of_its_worker() -> None:
    project = changed(paying_project(), limit_per_worker=1)
    worker, _ = both(project)
    worker.send("command", id="c1", text="hi")
    worker.wait(MINIMUM_S)
    release(assignment=worker.hold, at=worker.at)
    ticks.tick(at=worker.at)
    assert owed() == [("partial", Decimal("1.5000"))]
    with pytest.raises(LimitReached):
        claim_next(enrolment=make_enrolment(project, worker.enrolment.worker), at=worker.at)


def test_a_session_for_which_nothing_is_owed_does_not_count() -> None:
    project = changed(paying_project(), limit_per_worker=1)
    worker, _ = both(project)
    worker.wait(MINIMUM_S)
    release(assignment=worker.hold, at=worker.at)
    ticks.tick(at=worker.at)
    assert owed() == []
    assert claim_next(enrolment=make_enrolment(project, worker.enrolment.worker), at=worker.at)


def test_who_could_not_work_because_no_agent_was_there_is_owed_their_time() -> None:
    worker, agent = both(paying_project())
    matching.disconnect(agent.process, at=worker.at)
    worker.wait(60)
    ticks.tick(at=worker.at)
    worker.wait(40)
    release(assignment=worker.hold, at=worker.at)
    ticks.tick(at=worker.at)
    assert worker.now().owed_s == 100


def test_time_is_owed_up_to_the_moment_at_which_the_worker_left() -> None:
    worker, _ = both(paying_project())
    worker.send("command", id="c1", text="build a cube")
    worker.wait(100)
    opening.leave(worker.session.pk, worker.sender, at=worker.at)
    worker.wait(50)
    release(assignment=worker.hold, at=worker.at)
    ticks.tick(at=worker.at)
    assert worker.now().owed_s == 100


def test_who_has_the_page_open_is_owed_up_to_the_end_though_not_each_sign_is_noted() -> None:
    worker, _ = both(paying_project())
    worker.send("command", id="c1", text="build a cube")
    # Not `wait`: the page gave signs, the last of which nobody has noted yet.
    release(assignment=worker.hold, at=worker.at + timedelta(seconds=20))
    ticks.tick(at=worker.at + timedelta(seconds=20))
    assert worker.now().owed_s == 20


def test_who_was_cut_off_together_with_the_server_is_owed_up_to_their_last_sign() -> None:
    """Nobody noted that they left: the lease runs out a quarter of an hour later."""
    project = paying_project()
    worker, _ = both(project)
    worker.wait(5)
    worker.send("command", id="c1", text="build a cube")
    # Not `wait`: no page is open meanwhile.
    later = worker.at + timedelta(seconds=2 * project.lease_s)
    expire_overdue(at=later)
    ticks.tick(at=later)
    assert worker.now().owed_s == 5


def test_what_is_owed_for_a_lost_hold_is_within_the_budget() -> None:
    """The claim of another takes the lost hold back, before anything has looked at its session."""
    project = changed(paying_project(), budget=Decimal("1.50"))
    worker, _ = both(project)
    worker.send("command", id="c1", text="hi")
    worker.wait(project.lease_s + 1)
    with pytest.raises(BudgetSpent):
        claim_next(enrolment=make_enrolment(project, make_worker("another")), at=worker.at)
    expire_overdue(at=worker.at)
    ticks.tick(at=worker.at)
    project.refresh_from_db()
    assert project.spent == Decimal("1.50")
    with pytest.raises(BudgetSpent):
        claim_next(enrolment=make_enrolment(project, make_worker("a third")), at=worker.at)
