"""Posting a command from the session's page in the staff pages."""

import pytest
from django.template import Context, Template
from django.test import Client

from annotation.access.roles import Role
from audit.models import AuditEvent
from interaction.models import Posting, Session
from interaction.session.ending import end_session
from tests.support.builders import client_of, make_scenario, make_staff, make_suite
from tests.support.pages import text_of
from tests.support.sessions import LiveWorker, both, judged, make_live_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker() -> LiveWorker:
    make_scenario(make_suite("live"), "build")
    worker, agent = both()
    judged(worker, agent, text="build <b>")
    judged(worker, agent, "c2", "dance")
    end_session(worker.session.pk, Session.Reason.LEFT, at=worker.at)
    return worker


def address(worker: LiveWorker) -> str:
    return f"/staff/sessions/{worker.session.public_id}/episodes/"


def part(worker: LiveWorker, *, may_post: bool = True) -> str:
    """The part of the page about the episode."""
    template = Template("{% load session_episodes %}{% session_episodes session may_post %}")
    return template.render(Context({"session": worker.now(), "may_post": may_post, "csrf_token": "x"}))


def test_an_admin_posts_a_command_once(worker: LiveWorker) -> None:
    adam = client_of(make_staff("adam", Role.ADMIN, worker.session.project))
    for _ in range(2):
        answer = adam.post(address(worker), {"command": "1", "scenario": "live/build", "context_s": "2.5"})
        assert answer.status_code == 302
        assert answer["Location"] == f"/staff/sessions/{worker.session.public_id}/#episodes"
    posting = Posting.objects.get()
    assert (posting.number, posting.suite, posting.scenario, posting.context_s) == (1, "live", "build", 2.5)
    assert (posting.asked_by, posting.status) == ("staff:adam", "queued")
    noted = AuditEvent.objects.get(verb="session.posted")
    assert (noted.actor, noted.subject, noted.detail) == (
        "staff:adam",
        worker.session.public_id,
        {"episode": posting.episode},
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"command": ""}, "Choose a command."),
        ({"command": "²"}, "Choose a command."),
        ({"scenario": ""}, "Choose a scenario."),
        ({"scenario": "live"}, "Choose a scenario."),
        ({"context_s": "nan"}, "0 to 60 seconds"),
        ({"context_s": "61"}, "0 to 60 seconds"),
    ],
)
def test_what_the_form_would_not_say_is_refused(
    body: dict[str, str], words: str, dora: Client, worker: LiveWorker
) -> None:
    answer = dora.post(address(worker), {"command": "1", "scenario": "live/build", "context_s": "5", **body})
    assert answer.status_code == 422
    assert words in text_of(answer.content.decode())
    assert not Posting.objects.exists()


def test_the_page_offers_what_is_not_posted_and_lists_what_is(dora: Client, worker: LiveWorker) -> None:
    offered = part(worker)
    assert ("1. build &lt;b&gt;" in offered, "2. dance" in offered) == (True, True)
    assert 'value="live/build"' in offered
    dora.post(address(worker), {"command": "1", "scenario": "live/build"})
    shown = part(worker)
    assert ("1. build" in shown, "2. dance" in shown) == (False, True)
    assert f"1 session-{worker.session.public_id}-1 live / build – queued" in text_of(shown)
    assert "<form" not in part(worker, may_post=False)
    Posting.objects.update(status="failed", problem="Too long.")
    assert "failed Too long." in text_of(part(worker))
    assert "1. build" in part(worker), "it may be tried again"
    going_on, agent = both(make_live_project("going-on"))
    judged(going_on, agent)
    assert part(going_on).strip() == ""
