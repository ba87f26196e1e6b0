"""The learning loop by itself: real processes, real commands, and simulated people who err, at the pages of people."""

import asyncio
import json
import random
import signal
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.loop.known import read_lines
from demo.loop.session_page import Rates
from demo.loop.world import AGENT, CAMPAIGN, LIVE, SESSION_PAY, Plan, World
from lib.extras import is_installed
from lib.logical_form.normal import same
from lib.splits import same_words
from tests.support.servers import own_site, wait_alive
from tests.support.shared_data import DATA, ROOT

LARGE = DATA / "droidlet_lf_large.jsonl"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not LARGE.exists(), reason=f"../shared/data/{LARGE.name} is not here"),
    pytest.mark.skipif(not is_installed("nlu"), reason="the extra nlu is not installed"),
]
KEY = "the-key-of-the-loop-test"
SESSIONS, LENGTH, FIRST = 4, 8, 60


class Left:
    """The answer of the server once the campaign has ended."""

    def __init__(self, campaign: dict[str, Any], api: httpx.Client) -> None:
        self.campaign = campaign
        self.commands = [json.loads(line) for line in api.get(f"commands.jsonl?project={LIVE}").text.splitlines()]
        self.models = {one["model"]: one for one in api.get("models/").json()["results"]}
        parts = ("train", "valid", "test")
        self.items = [
            json.loads(line) for part in parts for line in api.get(f"tranches/nlu/1/{part}.jsonl").text.splitlines()
        ]


@pytest.fixture(scope="module")
def plan() -> Plan:
    commands = read_lines(LARGE)
    random.Random(7).shuffle(commands)
    rates = Rates(found=0.8, false=0.1)
    return Plan(commands[:FIRST], commands[FIRST:400], SESSIONS, length=LENGTH, iterations=1, seeds=1, rates=rates)


@pytest.fixture(scope="module")
def left(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Left:
    folder: Path = tmp_path_factory.mktemp("loop")
    with own_site(folder, CROSSWALK_API_KEY=KEY) as site:
        url, log = f"http://127.0.0.1:{site.port}", folder / "serve.log"
        with log.open("w") as said:
            command = [sys.executable, str(ROOT / "manage.py"), "serve"]
            server = subprocess.Popen(command, env=site.environment, cwd=ROOT, stdout=said, stderr=said)
        try:
            wait_alive(url, server, log)
            campaign = asyncio.run(_run(World(url, KEY, plan)))
            headers = {"Authorization": f"Api-Key {KEY}"}
            with httpx.Client(base_url=f"{url}/api/v1/", headers=headers, timeout=60) as api:
                return Left(campaign, api)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=60)


async def _run(world: World) -> dict[str, Any]:
    try:
        await world.prepare()
        await world.start()
        return await world.run()
    finally:
        await world.close()


def test_the_campaign_ends_by_its_rule_and_nobody_is_asked(left: Left) -> None:
    (turn,) = left.campaign["iterations"]
    assert (left.campaign["slug"], left.campaign["status"]) == (CAMPAIGN, "done")
    assert turn["outcome"] in {"deployed", "kept"}
    assert turn["gate"]["against"] in left.models, "it was compared with the weak first model"
    assert turn["gate"]["n"] > 0


def test_the_commands_are_real_ones_which_the_first_model_did_not_learn(left: Left, plan: Plan) -> None:
    given = [same_words(one["text"]) for one in left.commands]
    assert len(given) == SESSIONS * LENGTH
    assert not set(given) & {same_words(one.text) for one in plan.first}
    assert {one["agent"] for one in left.commands} == {AGENT}


def test_the_agent_errs_for_real_and_its_parses_name_the_model(left: Left, plan: Plan) -> None:
    first = left.campaign["iterations"][0]["gate"]["against"]
    assert {first} <= {one["model"] for one in left.commands} <= {first, "builder-1"}
    assert len(misread(left, plan)) >= 5


def test_workers_mark_as_often_as_their_rates_say(left: Left, plan: Plan) -> None:
    wrong = misread(left, plan)
    marked = [one for one in left.commands if one["outcome"] == "nlu_error"]
    assert len([one for one in marked if one in wrong]) > len(wrong) / 2
    assert len(marked) <= len(wrong) + 5


def misread(left: Left, plan: Plan) -> list[dict[str, Any]]:
    """The commands that the agent understood otherwise than they were meant."""
    meant = {same_words(one.text): one.form for one in plan.later}
    return [one for one in left.commands if not same(one["parse"], meant[same_words(one["text"])])]


def test_what_annotators_say_becomes_the_items_of_the_tranche(left: Left, plan: Plan) -> None:
    known = {same_words(one.text): one.form for one in plan.later}
    assert {one["origin"] for one in left.items} == {"annotated"}
    assert len(left.items) >= 0.8 * len(left.commands)
    right = [same(one["form"], known[same_words(one["text"])]) for one in left.items]
    assert sum(right) / len(right) > 0.6, "annotators err at some steps, and forms can be written in several ways"


def test_the_campaign_cost_its_sessions_and_their_annotation(left: Left) -> None:
    spent = Decimal(left.campaign["spent"]["amount"])
    sessions = SESSIONS * Decimal(SESSION_PAY)
    assert spent > sessions
    assert (spent - sessions) % Decimal("0.03") == 0
