"""The gateway of agents: which key lets in whom, and to which sessions."""

import pytest
from django.utils import timezone

from agents.keys import Limits, create_key
from agents.models import ApiKey
from interaction.db_threads import in_pool
from interaction.models import Session
from tests.support.sockets import End, Place, play
from web.sockets import connection

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sockets")]


@pytest.mark.parametrize(
    ("key", "code"), [("", connection.BAD_TOKEN), ("wrong", connection.BAD_TOKEN), ("reads", connection.NOT_YOURS)]
)
def test_an_agent_comes_in_with_a_key_for_agents_only(key: str, code: int) -> None:
    place = Place()
    if key == "reads":
        create_key(name="reader", scopes=[ApiKey.Scope.READ], at=timezone.now(), key="reads")

    async def story() -> None:
        end = End(f"/ws/agents/{place.agent}/", authorization=f"Api-Key {key}")
        await end.open()
        assert await end.next() == {"t": "close", "code": code}

    play(story)


@pytest.mark.parametrize(
    ("limits", "is_let_in"),
    [
        (Limits(agents=["another"]), False),
        (Limits(agents=["another", "{agent}"]), True),
        (Limits(suites=["s"]), False),
        (Limits(projects=["{project}"]), True),
    ],
)
def test_a_key_lets_in_as_its_agents_only(limits: Limits, is_let_in: bool) -> None:
    place = Place()
    named = [[slug.format(agent=place.agent, project=place.project.slug) for slug in slugs] for slugs in limits]
    place.key = create_key(name="limited", scopes=["agents"], limits=Limits(*named), at=timezone.now())

    async def story() -> None:
        if is_let_in:
            await place.process()
            return
        end = End(f"/ws/agents/{place.agent}/", authorization=f"Api-Key {place.key}")
        await end.open()
        assert await end.next() == {"t": "close", "code": connection.NOT_YOURS}

    play(story)


def test_a_process_gets_no_session_of_a_project_beyond_its_key() -> None:
    place = Place()
    elsewhere = create_key(name="elsewhere", scopes=["agents"], limits=Limits(projects=["other"]), at=timezone.now())
    here = create_key(name="here", scopes=["agents"], limits=Limits([place.project.slug]), at=timezone.now())

    async def story() -> None:
        place.key = elsewhere
        await place.process(resume="elsewhere")
        place.key = here
        await place.process(resume="here")
        await place.worker()
        session = await in_pool(Session.objects.select_related("process").get)
        assert session.process is not None
        assert session.process.resume == "here"
        # The process comes back with the other key.
        place.key = elsewhere
        await place.process(resume="here")
        assert (await in_pool(Session.objects.get)).process_id is None

    play(story)


def test_there_is_no_gateway_for_an_agent_that_is_not_known() -> None:
    place = Place()

    async def story() -> None:
        end = End("/ws/agents/nobody/", authorization=f"Api-Key {place.key}")
        await end.open()
        assert await end.next() == {"t": "close", "code": connection.NOT_YOURS}
        nowhere = End("/ws/elsewhere/")
        await nowhere.open()
        assert (await nowhere.next())["t"] == "close"

    play(story)


def test_an_agent_may_not_write_into_a_session_that_is_not_its_own() -> None:
    place = Place()

    async def story() -> None:
        agent = await place.process()
        await agent.send("say", "made-up-session", text="hello")
        error = await agent.frame_of("error")
        assert (error["code"], error["session"]) == ("closed", "made-up-session")
        await agent.close()

    play(story)
