"""Each leaf of the default tree, reached in a browser by keys alone; and what becomes of each outcome."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from lib.trees import engine
from lib.trees.parser import read_tree
from lib.trees.shipped import shipped_tree
from lib.trees.tree import KNOWN_OUTCOMES
from tests.browser.conftest import KEY, Server, serving
from tests.browser.test_live_keyboard import Keys
from tests.support.live_page import PATIENCE_MS, LivePage, records_of, world
from tests.support.scripted_agent import FORM, VOXELS
from tests.support.shared_data import ROOT
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600), pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
TREE = read_tree(shipped_tree("default"))
AGENT, PROJECT = "scripted", "leaves"
WORDS = "in my own words"


class Leaf(NamedTuple):
    """A way to one outcome of the tree: what the agent does, the answers, and where they lead."""

    acts: tuple[str, ...]
    path: tuple[engine.Turn, ...]
    outcome: str

    @property
    def name(self) -> tuple[str, int]:
        """The choice that it ends with; no two leaves have the same."""
        return self.path[-1]["node"], self.path[-1]["choice"]


def facts_of(acts: tuple[str, ...]) -> engine.Facts:
    objects = [engine.FoundObject(phrase=word, voxels=voxels) for word, voxels in VOXELS.items() if word in acts]
    return {
        "parse": FORM if "read" in acts else None,
        "objects": objects,
        "status": "failed" if "quiet" in acts else "done",
        "reason": "silent" if "quiet" in acts else "",
    }


def ways(acts: tuple[str, ...]) -> Iterator[Leaf]:
    """Every way through the tree after that."""
    facts = facts_of(acts)
    ahead: list[engine.Question] = [engine.begin(TREE, facts)]
    while ahead:
        question = ahead.pop()
        for number, choice in enumerate(question.node.choices):
            text = WORDS if choice.has_text else None
            step = engine.answer(TREE, facts, question.path, question.node.name, number, text)
            if isinstance(step, engine.Question):
                ahead.append(step)
            else:
                yield Leaf(acts, step.path, step.outcome)


def leaves() -> list[Leaf]:
    """For each leaf the shortest way."""
    deeds: list[tuple[str, ...]] = [("read",), ("plain",), ("read", "found"), ("read", "lost"), ("quiet",)]
    found: dict[tuple[str, int], Leaf] = {}
    for leaf in sorted((leaf for acts in deeds for leaf in ways(acts)), key=lambda leaf: len(leaf.path)):
        found.setdefault(leaf.name, leaf)
    return list(found.values())


def test_the_ways_lead_to_every_leaf_and_every_known_outcome() -> None:
    every = {
        (name, number)
        for name, node in TREE.nodes.items()
        for number, choice in enumerate(node.choices)
        if choice.outcome is not None
    }
    assert {leaf.name for leaf in leaves()} == every
    assert {leaf.outcome for leaf in leaves()} == set(KNOWN_OUTCOMES)


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that soon gives up an agent, with the agent that the test needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CROSSWALK_AGENT_SILENCE_S", "4")
        with serving(tmp_path_factory.mktemp("leaves")) as server:
            server.put(f"/agents/{AGENT}/", name="Scripted")
            url = server.url.replace("http", "ws", 1)
            command = [sys.executable, "-m", "tests.support.scripted_agent", url, KEY, AGENT]
            agent = subprocess.Popen(command, cwd=ROOT)
            try:
                yield server
            finally:
                agent.kill()
                agent.wait()


def test_each_leaf_by_keyboard(impatient: Server, page: Page) -> None:
    server, all_leaves = impatient, leaves()
    _make_project(server)
    worker, keys = LivePage(page), Keys(page)
    worker.enter(server.link(PROJECT, "keys")).begin()
    keys.await_focus("[data-command]")
    for number, leaf in enumerate(all_leaves):
        worker.await_field()
        keys.type(f"take number {number} {' '.join(leaf.acts)}")
        keys.press("Enter")
        for turn in leaf.path:
            page.wait_for_function(
                "node => document.activeElement?.matches(`[data-node=${node}]`)",
                arg=turn["node"],
                timeout=PATIENCE_MS,
            )
            keys.press(str(turn["choice"] + 1))
            if "text" in turn:
                keys.await_focus("[data-card-words]")
                keys.type(turn["text"])
                keys.press("Enter")
        keys.await_focus("[data-command]")
    expect(page.locator("[data-light]")).to_be_visible()
    worker.checks()
    with records_of(server, PROJECT) as records:
        assert [body["outcome"] for body in records.bodies("outcome")] == [leaf.outcome for leaf in all_leaves]
        assert len(records.bodies("score")) == len(all_leaves)
        records.are_once()
    _every_error_is_reported(server, all_leaves)


def _make_project(server: Server) -> None:
    server.put(
        f"/projects/{PROJECT}/",
        tool="interaction",
        title="Command an assistant",
        instructions=["# What you do\n\nTell it what to do."],
        status="live",
        redundancy=1,
        reference_rate=0,
        settings={"agent": AGENT, "sessions": 1, "tree": "default", "minimum_s": 1},
    )
    server.post(f"/projects/{PROJECT}/tasks/", tasks=[{"key": "s0", "payload": {"agent": AGENT, "world": world()}}])


def _every_error_is_reported(server: Server, all_leaves: list[Leaf]) -> None:
    def lines(address: str) -> list[dict[str, Any]]:
        found = server.api.get(f"/api/v1/{address}", params={"project": PROJECT})
        found.raise_for_status()
        return [json.loads(line) for line in found.text.splitlines()]

    commands = lines("commands.jsonl")
    assert [[dict(turn) for turn in leaf.path] for leaf in all_leaves] == [one["path"] for one in commands]
    errors = [leaf.outcome for leaf in all_leaves if leaf.outcome != "ok"]
    assert [one["outcome"] for one in lines("error_reports.jsonl")] == errors
