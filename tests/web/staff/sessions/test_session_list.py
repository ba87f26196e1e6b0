"""The list of live sessions in the staff pages."""

import re

from django.test import Client
from django.utils import timezone

from annotation.access.roles import Role, pseudonym_of
from interaction.agents import matching
from interaction.models import AgentProcess, Session
from interaction.session import ending
from tests.support.builders import client_of, make_agent, make_project, make_staff
from tests.support.pages import compact, words_of
from tests.support.sessions import NO, both, come_in, judged, make_live_project, process_of

LIST = "/staff/sessions/"


def shown(client: Client, address: str = LIST) -> list[str]:
    """The beginnings of the sessions' ids in the list, in order."""
    page = compact(client.get(address).content.decode())
    return re.findall(r'<td[^>]*><a href="/staff/sessions/[\w-]+/" title="([\w-]+)"', page)


def end(session: Session, reason: Session.Reason = Session.Reason.STAFF) -> None:
    ending.end_session(session.pk, reason, at=timezone.now())


def test_a_row_says_who_what_and_how_it_went(dora: Client, db: None) -> None:
    worker, agent = both(make_live_project("living"))
    judged(worker, agent)
    worker.send("command", id="c2", text="dance")
    agent.carry_out(worker, "c2", state="failed", reason="cannot")
    worker.send("mark", command="c2", node="done", choice=NO)
    worker.send("mark", command="c2", node="guessed", choice=NO)
    worker.send("command", id="c3", text="come here")
    page = words_of(dora, LIST)
    assert "1 session, of which 1 live" in page
    assert f"living running agent-of-living here {worker.enrolment.worker.identity} here" in page
    assert "of 5:00 3 1 1" in page
    assert "Commands of these sessions: 3 , of which 1 OK and 1 with errors" in page


def test_a_session_whose_agent_is_gone_is_told_from_one_that_had_none(dora: Client, db: None) -> None:
    both(make_live_project("living"))
    come_in(make_live_project("lonely"))
    left, looked = timezone.now(), timezone.now() + 2 * matching.GRACE
    matching.disconnect(AgentProcess.objects.get(), at=left)
    assert "agent-of-living away" in words_of(dora, LIST)
    matching.release_lost(at=looked)
    page = words_of(dora, LIST)
    assert "waiting for an agent agent-of-living gone" in page
    assert "waiting for an agent agent-of-lonely none yet" in page


def test_each_state_is_found_by_its_filter(dora: Client, db: None) -> None:
    project = make_live_project("living")
    waiting = come_in(project).session
    agent = process_of(make_agent("agent-of-living"))
    before, running, left = (come_in(project) for _ in range(3))
    running.send("start")
    end(left.session, Session.Reason.LEFT)
    # The one that waited was the first to get the process when it came.
    Session.objects.filter(pk=waiting.pk).update(process=None)
    expected = {
        "waiting": [waiting],
        "before": [before.session],
        "running": [running.session],
        "left": [left.session],
        "ended": [left.session],
        "live": [running.session, before.session, waiting],
        "expired": [],
    }
    assert agent.process.is_connected
    found = {state: shown(dora, f"{LIST}?state={state}") for state in expected}
    assert found == {state: [one.public_id for one in sessions] for state, sessions in expected.items()}
    assert "No session fits" in words_of(dora, f"{LIST}?state=expired")
    in_order = [running.session, before.session, waiting, left.session]
    assert shown(dora, f"{LIST}?state=nonsense") == [one.public_id for one in in_order], (
        "live ones first, then the newest"
    )


def test_projects_and_agents_narrow_it(dora: Client, db: None) -> None:
    ours, theirs = (come_in(make_live_project(slug)).session for slug in ("ours", "theirs"))
    assert shown(dora, f"{LIST}?project=ours") == [ours.public_id]
    assert shown(dora, f"{LIST}?agent=agent-of-theirs") == [theirs.public_id]
    assert "Of what is chosen: 1 session" in words_of(dora, f"{LIST}?project=ours")


def test_an_account_sees_the_sessions_of_its_projects_and_pseudonyms(db: None) -> None:
    ours, theirs = make_live_project("ours"), make_live_project("theirs")
    worker = come_in(ours).enrolment.worker
    come_in(theirs)
    page = words_of(client_of(make_staff("victor", Role.VIEWER, ours)), LIST)
    assert "1 session, of which 1 live" in page
    assert pseudonym_of(worker) in page
    assert worker.external_id not in page
    assert "theirs" not in page
    stranger = client_of(make_staff("olga", Role.VIEWER, make_project("elsewhere")))
    assert "No sessions yet" in words_of(stranger, LIST)
