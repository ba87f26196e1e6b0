"""A world in which a campaign runs by itself: an agent, workers who command it, and workers who repair its data.

Everything goes over HTTP and sockets to a running server. Nothing here knows the server's database.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import islice
from typing import Any, Final

import httpx

from builder.mind import Mind
from builder.models.store import ModelStore, fetch_from
from builder.runner import Pace, serve_with
from crosswalk_client.gateway import AgentClient
from demo.crowds.parsers import CANNOT_TELL, CAREFUL, Kind, Parser
from demo.loop.known import Json, KnownCommand, Truths
from demo.loop.session_page import Rates, SessionPage

logger = logging.getLogger(__name__)
AGENT, LIVE, PARSES, ROUTE, CAMPAIGN = "loop-agent", "loop", "loop-parses", "loop-commands", "loop"
SESSION_PAY, STEP_PAY, CURRENCY = "1.50", "0.03", "USD"
PATIENCE_S, LOOK_EVERY_S = 60.0, 2.0
SEED: Final = 4
MOST_POSTED = 1000
QUICK = Pace(step=0.01, edit=0.01)
"""Nobody watches, so the agent need not wait after each act."""


class Unexpected(Exception):
    """The server gave an answer that ends the simulation."""


@dataclass
class Plan:
    """The size and the errors of a simulated campaign.

    Attributes:
        first: The commands that the first, weak model learns from and is tested on.
        later: Those that the workers will give, in this order.
        sessions: In each iteration.
        length: Commands in a session.
        at_once: How many sessions run at a time.
        annotators: How many workers annotate at a time.
        rates: How often workers err when they judge; `errs`: when they annotate.
        asks: When the campaign asks a person.
    """

    first: Sequence[KnownCommand]
    later: Sequence[KnownCommand]
    sessions: int
    length: int = 10
    iterations: int = 3
    seeds: int = 3
    budget: str = "10000.00"
    at_once: int = 6
    annotators: int = 4
    rates: Rates = field(default_factory=Rates)
    errs: Kind = CAREFUL
    asks: str = "never"


class World:
    """One server with its simulated people."""

    def __init__(self, url: str, key: str, plan: Plan) -> None:
        """
        Args:
            url: Of the server: http://…
            key: An API key with every scope.
        """
        self.plan = plan
        self._url, self._key = url.rstrip("/"), key
        self._truths = Truths([*plan.first, *plan.later])
        self._left = iter(plan.later)
        self._chance = random.Random(SEED)
        self._api = httpx.AsyncClient(
            base_url=f"{self._url}/api/v1/", headers={"Authorization": f"Api-Key {key}"}, timeout=PATIENCE_S
        )
        self._tokens: dict[tuple[str, str], str] = {}

    async def close(self) -> None:
        await self._api.aclose()

    # What staff and pipelines do --------------------------------------------------------------------------------------

    async def prepare(self) -> None:
        """Make the projects, the route and tranche 0, and deploy a weak first model that learnt from it."""
        await self._call("PUT", f"agents/{AGENT}/", {"name": "The built-in agent, without pauses"})
        offer = {"instructions": ["# Simulated\n\nPrograms work here."], "reference_rate": 0, "status": "live"}
        await self._call(
            "PUT",
            f"projects/{PARSES}/",
            {
                **offer,
                "tool": "parse",
                "title": "Say what the command means",
                "redundancy": 2,
                "pay": {"base": {"amount": STEP_PAY, "currency": CURRENCY}},
                "aggregation": {"method": "majority", "confidence": 0.7, "least": 2, "most": 3},
                # Nobody sees the agent's guess: so every command may become a test item.
                "settings": {"given_to": "one_worker", "blank_share": 1.0},
            },
        )
        await self._call(
            "PUT",
            f"projects/{LIVE}/",
            {
                **offer,
                "status": "paused",
                "tool": "interaction",
                "title": "Command an assistant in a world of blocks",
                "pay": {"base": {"amount": SESSION_PAY, "currency": CURRENCY}},
                "settings": {"agent": AGENT, "sessions": 1, "tree": "default", "minimum_s": 0},
            },
        )
        await self._call("PUT", f"routes/{ROUTE}/", {"outcome": "*", "project": PARSES, "rate": 1.0, "sources": [LIVE]})
        items = [one._asdict() for one in self.plan.first]
        for start in range(0, len(items), MOST_POSTED):
            await self._call("POST", "tranches/nlu/0/items/", {"items": items[start : start + MOST_POSTED]})
        model = await self._first_model()
        await self._call("POST", f"models/{model}/deploy/", {"force_reason": "The first model, weak on purpose."})

    async def _first_model(self) -> str:
        wanted = {"module": "nlu", "tranches": [0], "kind": "baseline", "seeds": self.plan.seeds}
        training = (await self._call("POST", "trainings/", wanted))["training"]
        while (found := await self._call("GET", f"trainings/{training}/"))["status"] in ("queued", "running"):
            await asyncio.sleep(LOOK_EVERY_S)
        if found["status"] != "done":
            raise Unexpected(f"the first training ended as {found['status']}: {found['runs']}")
        return str(found["runs"][0]["model"])

    async def start(self) -> None:
        """Plan the campaign, and start it."""
        plan = self.plan
        wanted = {
            "project": LIVE,
            "modules": ["nlu"],
            "sessions": plan.sessions,
            "budget": {"amount": plan.budget, "currency": CURRENCY},
            # More than can come: a tranche closes when all sessions have ended and all commands are settled.
            "close_after": 100 * plan.sessions * plan.length,
            "gate": {"seeds": plan.seeds, "ask": plan.asks},
            "stop": {"iterations": plan.iterations},
        }
        await self._call("PUT", f"campaigns/{CAMPAIGN}/", wanted)
        await self._call("POST", f"campaigns/{CAMPAIGN}/start/", {})

    async def campaign(self) -> Json:
        """The campaign as the API shows it."""
        found: Json = await self._call("GET", f"campaigns/{CAMPAIGN}/")
        return found

    # The people -------------------------------------------------------------------------------------------------------

    async def run(self, *, told: Callable[[Json], None] = lambda _: None) -> Json:
        """Let everybody work until the campaign has ended; the campaign then."""
        people = [
            asyncio.create_task(one)
            for one in (
                self._serve_agent(),
                *(self._again_and_again(self._have_session, f"guest-{n}") for n in range(self.plan.at_once)),
                *(self._again_and_again(self._annotate_as(f"reader-{n}"), "") for n in range(self.plan.annotators)),
            )
        ]
        try:
            while True:
                with suppress(httpx.TransportError):
                    found = await self.campaign()
                    told(found)
                    if found["status"] not in ("draft", "running"):
                        return found
                self._raise_of(people)
                await asyncio.sleep(LOOK_EVERY_S)
        finally:
            for one in people:
                one.cancel()
            await asyncio.gather(*people, return_exceptions=True)

    def _raise_of(self, people: "Sequence[asyncio.Task[None]]") -> None:
        for one in people:
            if one.done() and not one.cancelled() and (error := one.exception()) is not None:
                raise error

    async def _serve_agent(self) -> None:
        store = ModelStore(fetch_from(self._url, self._key))
        serve = serve_with(lambda scene: Mind(scene, random.Random(SEED)), QUICK, store)
        url = self._url.replace("http", "ws", 1)
        await AgentClient(url, self._key, AGENT, 2 * self.plan.at_once, serve).run()

    async def _again_and_again(self, act: Callable[[str], Awaitable[bool]], name: str) -> None:
        """Act until the campaign ends; wait where there is nothing to do, and where the server is away."""
        while True:
            try:
                has_acted = await act(name)
            except httpx.TransportError:
                has_acted = False
            if not has_acted:
                await asyncio.sleep(LOOK_EVERY_S)

    async def _have_session(self, name: str) -> bool:
        held = await self._claim(LIVE, name)
        if held is None:
            return False
        address = f"{self._url.replace('http', 'ws', 1)}/ws/work/{held['assignment']}/"
        token, chance = await self._token(LIVE, name), random.Random(f"{SEED}:{held['assignment']}")
        page = SessionPage(address, token, self._truths, self.plan.rates, chance)
        texts = [one.text for one in islice(self._left, self.plan.length)]
        if not texts:
            raise Unexpected("the workers have given all their commands")
        await page.work(texts)
        return True

    def _annotate_as(self, name: str) -> Callable[[str], Awaitable[bool]]:
        parser = Parser(name, self.plan.errs, seed=SEED)

        async def annotate(_: str) -> bool:
            held = await self._claim(PARSES, name)
            if held is None:
                return False
            answer = parser.answers(held["payload"], self._truths.record_of(held["payload"]["text"]))
            address = f"work/assignments/{held['assignment']}/submit/"
            sent = await self._work(PARSES, name, address, {"answer": answer, "active_s": 5.0})
            if sent.status_code == HTTPStatus.UNPROCESSABLE_ENTITY:
                # An answer by mistake may contradict itself; the worker's page would refuse it too.
                await self._work(PARSES, name, address, {"answer": CANNOT_TELL, "active_s": 5.0})
            return True

        return annotate

    async def _claim(self, project: str, name: str) -> Json | None:
        answer = await self._work(project, name, "work/claim/", {})
        if answer.status_code == HTTPStatus.OK:
            found: Json = answer.json()
            return found
        if answer.status_code in (HTTPStatus.NO_CONTENT, HTTPStatus.CONFLICT):
            return None
        raise Unexpected(f"claim of {name} in {project}: {answer.status_code} {answer.text}")

    async def _work(self, project: str, name: str, path: str, body: Json) -> httpx.Response:
        token = await self._token(project, name)
        return await self._api.post(path, json=body, headers={"Authorization": f"Bearer {token}"})

    async def _token(self, project: str, name: str) -> str:
        if (project, name) not in self._tokens:
            made = await self._call("POST", f"projects/{project}/links/", {"worker": f"{project}-{name}"})
            self._tokens[project, name] = made["token"]
            entered = await self._api.get("work/", headers={"Authorization": f"Bearer {made['token']}"})
            if (entered.json().get("missing") or {}).get("consent"):
                await self._work(project, name, "work/consent/", {})
        return self._tokens[project, name]

    async def _call(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self._api.request(method, path, json=body)
        if not answer.is_success:
            raise Unexpected(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json()
