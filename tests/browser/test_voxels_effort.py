"""The effort of a perfect worker in generated scenes: keys alone, and mouse alone."""

import json
import logging
import re
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lib.voxels.generator import generate
from lib.voxels.generator_options import Options
from tests.browser.conftest import Server
from tests.support.voxels_page import SOFTWARE_WEBGL, Cell, VoxelsPage, project_of_scenes

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
SCENES = 20
MOST_KEYS = 6
MOST_ACTIONS = 3
OPTIONS = Options(shapes=(2, 4), negatives=0.1, size=(24, 14, 24))
PLACE = re.compile(r"x (\d+), y (\d+), z (\d+)")


def _scenes() -> list[dict[str, Any]]:
    return [next(iter(one.rows())) for one in generate(22, SCENES, OPTIONS)]


class PerfectWorker:
    """A worker who knows the right blocks, and counts keys and presses of the mouse."""

    def __init__(self, page: Page, rows: list[dict[str, Any]]) -> None:
        self.page = page
        self.worker = VoxelsPage(page)
        self.answers = {(row["phrase"], str(sorted(map(list, row["scene"]["blocks"])))): row["answer"] for row in rows}
        self.actions = 0

    def key(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.actions += 1

    def click(self, x: float, y: float) -> None:
        self.page.mouse.click(x, y)
        self.actions += 1

    def answer_to(self, payload: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.answers[payload["phrase"], str(sorted(map(list, payload["scene"]["blocks"])))]
        return found

    def by_keys(self, payload: dict[str, Any]) -> int:
        """The keys for one scene, submitted with the right blocks."""
        self.actions = 0
        answer = self.answer_to(payload)
        if "absent" in answer:
            self.key("n")
        else:
            wanted = {tuple(cell) for cell in answer["voxels"]}
            for _ in range(20):
                self.key("Tab")
                if self.worker.cursor in wanted:
                    break
            self.key("Enter")
            while self.worker.marked < len(wanted):
                self.key("Enter")
            assert self.worker.marked == len(wanted)
        self._send(lambda: self.key("Control+Enter"), answer)
        return self.actions

    def by_mouse(self, payload: dict[str, Any]) -> int:
        """The presses for one scene, submitted with the right blocks."""
        self.actions = 0
        answer = self.answer_to(payload)
        done = self.page.locator("[data-done]")
        if "absent" in answer:
            self.page.locator("[data-absent]").click()
            self.actions += 1
        else:
            wanted = {tuple(cell) for cell in answer["voxels"]}
            self.click(*self._seen_spot(wanted))
            while self.worker.marked < len(wanted):
                self.click(*self._seen_spot(wanted))
            assert self.worker.marked == len(wanted)

        def press() -> None:
            done.click()
            self.actions += 1

        self._send(press, answer)
        return self.actions

    def _seen_spot(self, wanted: set[Cell]) -> tuple[float, float]:
        """A place of the window where one of these blocks is in front: a person just sees it."""
        for x, y, z in sorted(wanted, key=lambda cell: -cell[1]):
            for point in ((x + 0.5, y + 1, z + 0.5), (x + 0.5, y + 0.5, z), (x, y + 0.5, z + 0.5)):
                spot = self.worker.places([point])[0]
                self.page.mouse.move(*spot)
                shown = PLACE.search(self.page.locator("[data-info]").inner_text())
                if shown and tuple(map(int, shown.groups())) in wanted:
                    return spot
        raise AssertionError("no block of the object is seen")

    def _send(self, act: Callable[[], None], answer: dict[str, Any]) -> None:
        with self.page.expect_response(lambda one: "/submit/" in one.url) as sent:
            act()
        assert sent.value.status == 201
        told = json.loads(sent.value.request.post_data or "")["answer"]
        assert told == answer or sorted(told["voxels"]) == sorted(answer["voxels"])


@pytest.mark.parametrize(("way", "most"), [("by_keys", MOST_KEYS), ("by_mouse", MOST_ACTIONS)])
def test_a_scene_takes_few_keys_or_presses(server: Server, page: Page, *, way: str, most: int) -> None:
    rows = _scenes()
    payloads = [{"scene": row["scene"], "phrase": row["phrase"]} for row in rows]
    project = project_of_scenes(server, f"voxels-effort-{way.replace('_', '-')}", payloads)
    claims: list[dict[str, Any]] = []
    page.on(
        "response",
        lambda one: claims.append(one.json()["payload"]) if one.url.endswith("/claim/") and one.status == 200 else None,
    )
    page.goto(server.link(project, "effort"))
    page.keyboard.press("Escape")
    perfect = PerfectWorker(page, rows)
    perfect.worker.ready()
    spent = []
    for number in range(SCENES):
        before = perfect.worker.root.get_attribute("data-assignment")
        spent.append(getattr(perfect, way)(claims[number]))
        page.wait_for_function(
            "old => document.querySelector('.screen') || (document.querySelector(\"[data-voxels][data-ready='1']\")"
            "?.dataset.assignment ?? old) !== old",
            arg=before,
        )
    expect(page.get_by_text("That was the last one for now")).to_be_visible()
    logging.getLogger(__name__).info("%s: median %s, most %s, all %s", way, median(spent), max(spent), sorted(spent))
    assert median(spent) <= most
