"""A perfect worker at each page of the work in Chromium: keys, pointer actions, seconds of the keystroke-level model,
empty time between tasks, JavaScript and requests.

The worker knows every right answer and takes the shortest way that the page offers. Seconds follow Card, Moran and
Newell (1980): 0.28 for a key, 1.1 to point, 0.2 to press and let go, 0.4 to change between keys and mouse, 1.35 to
think before each thing that is asked.
"""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from typing import Any

from playwright.sync_api import Page

from bench.rows import Row
from demo.commands import read_commands
from lib.logical_form.asking.walk import record_of
from tests.browser.conftest import FLAGS, Server, launched, serving
from tests.support.annotator_pages import MarkerPage, ParsePage, project_of_commands
from tests.support.voxels_page import SOFTWARE_WEBGL, VoxelsPage, project_of_scenes

Json = dict[str, Any]
KEY_S, POINT_S, CLICK_S, HAND_S, THINK_S = 0.28, 1.1, 0.2, 0.4, 1.35
ROUNDS = 4
RIGHT_FRAME = 45
COMMANDS = ("destroy every tower higher than 5 blocks", "undo that", "build a tall red tower next to the house")
RED, GRASS, TOWER = 60, 8, [[3, y, 5] for y in range(1, 5)]
# Every act of a hand, with its time. Kept in the tab: a quiz goes from page to page.
COUNTER = """(() => {
    const note = (kind) => {
        const all = JSON.parse(sessionStorage.getItem('effort') ?? '[]')
        sessionStorage.setItem('effort', JSON.stringify([...all, [kind, Date.now()]]))
    }
    const held = ['Shift', 'Control', 'Alt', 'Meta']
    addEventListener('keydown', (event) => event.isTrusted && !event.repeat && !held.includes(event.key) && note('key'),
        true)
    addEventListener('pointerdown', (event) => event.isTrusted && note('pointer'), true)
})()"""
LOADED = """() => {
    const all = performance.getEntriesByType('resource')
    const scripts = all.filter(({name}) => name.endsWith('.js'))
    return [scripts.reduce((sum, one) => sum + one.encodedBodySize, 0), all.length + 1]
}"""


@dataclass
class Effort:
    """The acts of one judgement or page.

    Attributes:
        acts: `key` or `pointer`, in their order.
        asked: How many things were asked, each of which takes a thought.
        empty_ms: From the last act until the next task can be judged; None where nothing follows.
    """

    acts: list[str]
    asked: int = 1
    empty_ms: float | None = None

    @property
    def model_s(self) -> float:
        hands = sum(one != other for one, other in zip(self.acts, self.acts[1:], strict=False))
        pointers = self.acts.count("pointer")
        keys = len(self.acts) - pointers
        return keys * KEY_S + pointers * (POINT_S + CLICK_S) + hands * HAND_S + self.asked * THINK_S


@dataclass
class Watch:
    """Counts what is done on a page."""

    page: Page
    efforts: list[Effort] = field(default_factory=list)

    def of(self, act: Callable[[], int | None], *, then: str = "") -> None:
        """Count one judgement.

        Args:
            act: Does it, and returns how many things were asked (None: one).
            then: A condition in JavaScript, true once the next task can be judged.
        """
        self.page.evaluate("sessionStorage.removeItem('effort')")
        asked = act() or 1
        empty = None
        if then:
            ready = self.page.wait_for_function(f"() => ({then}) && Date.now()", polling="raf").json_value()
            empty = ready - self._acts()[-1][1]
        self.efforts.append(Effort([kind for kind, _ in self._acts()], asked, empty))

    def _acts(self) -> list[tuple[str, float]]:
        found: list[tuple[str, float]] = self.page.evaluate("JSON.parse(sessionStorage.getItem('effort') ?? '[]')")
        return found


def run() -> list[Row]:
    folder = Path(os.environ["CROSSWALK_DATA_DIR"]) / "server"
    folder.mkdir()
    rows: list[Row] = []
    with serving(folder) as server, launched([*FLAGS, *SOFTWARE_WEBGL]) as chromium:
        for name, play in FLOWS.items():
            page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.add_init_script(COUNTER)
            watch = Watch(page)
            play(server, watch)
            rows += _rows(name, watch)
            page.context.close()
    return rows


def _rows(name: str, watch: Watch) -> Iterable[Row]:
    efforts = watch.efforts
    part = f"worker, {name}"
    keys, pointers = ([one.acts.count(kind) for one in efforts] for kind in ("key", "pointer"))
    yield Row(part, "keys", fmean(keys), None, "", 1, "itself")
    yield Row(part, "pointer actions", fmean(pointers), None, "", 1, "itself")
    yield Row(part, "keystroke-level model", fmean(one.model_s for one in efforts), None, "s", 1, "itself")
    empty = [one.empty_ms for one in efforts if one.empty_ms is not None]
    if empty:
        yield Row(part, "empty time between tasks", median(empty), None, "ms", 1, "itself")
    scripts, requests = watch.page.evaluate(LOADED)
    yield Row(part, "JavaScript of the last page, compressed", scripts / 1024, None, "KiB", 1, "itself")
    yield Row(part, "requests of the last page", requests, None, "", 1, "itself")


# The flows ---------------------------------------------------------------------------------------------------------


NEXT_VIDEO = (
    "document.querySelector('.screen') || (!document.querySelector('[data-marker-frame]')"
    " && document.querySelector(\"[data-scrub-root][data-ready='1']\")?.dataset.frameShown)"
)
"""The condition that another video is shown, or none is left."""


def _marker(server: Server, watch: Watch) -> None:
    """Every other agent never does it; the others succeed in the middle of the clip."""
    page = watch.page
    project = server.project_of_clips("effort-marker", ["longgop", "bframes"] * (ROUNDS // 2))
    page.goto(server.link(project, "effort"))
    page.keyboard.press("Escape")
    worker = MarkerPage(page).ready()

    def succeed() -> None:
        _press_timeline(page, RIGHT_FRAME, last=89)
        while (off := RIGHT_FRAME - worker.shown()) != 0:
            page.keyboard.press("." if off > 0 else ",")
        worker.press("s", "Enter")

    for number in range(ROUNDS):
        act = succeed if number % 2 else lambda: worker.press("n", "Enter")
        watch.of(act, then=NEXT_VIDEO)


def _press_timeline(page: Page, frame: int, *, last: int) -> None:
    box = page.locator("[data-scrub-slider]").bounding_box()
    assert box is not None
    thumb = 20
    page.mouse.click(box["x"] + thumb / 2 + frame / last * (box["width"] - thumb), box["y"] + box["height"] / 2)


def _parse(server: Server, watch: Watch, *, guess: bool) -> None:
    forms = {command["text"]: command["form"] for command in read_commands() if command["text"] in COMMANDS}
    commands: list[Json] = [{"text": text, **({"form": form} if guess else {})} for text, form in forms.items()]
    settings = {"given_to": "one_worker", "blank_share": 0}
    slug = f"effort-parse-{'guess' if guess else 'blank'}"
    page = watch.page
    page.goto(server.link(project_of_commands(server, slug, commands, settings=settings), "effort"))
    page.keyboard.press("Escape")
    if guess:
        for _ in commands:
            page.wait_for_selector("[data-guess], [data-next]")
            words = page.locator("main").inner_text()
            watch.of(
                lambda: page.keyboard.press("Enter"),
                then=f"document.querySelector('.screen') || document.querySelector('main').innerText !== {words!r}",
            )
        return
    records = {text: record_of(form) for text, form in forms.items()}
    worker = ParsePage(page).ready()

    def answer() -> int:
        asked, command = 0, worker.command()
        while (now := worker.now()) is not None and worker.command() == command:
            _, step, name, kind = now
            value = True if name in {"right", "wrong"} else records[command][step].get(name)
            worker.answer("yes_no" if name in {"right", "wrong"} else kind, value)
            worker.next(now)
            asked += 1
        return asked

    for _ in commands:
        watch.of(answer)


def _scene() -> Json:
    ground = [[x, 0, z, GRASS] for x in range(9) for z in range(9)]
    return {"size": [9, 7, 9], "blocks": sorted([*ground, *([*cell, RED] for cell in TOWER)])} | {
        "agent": None,
        "player": None,
    }


def _voxels(server: Server, watch: Watch, *, way: str) -> None:
    page = watch.page
    stage = {"stage": "name"} if way == "name" else {}
    payload = {"scene": _scene()} | ({} if way == "name" else {"phrase": "the red tower"})
    project = project_of_scenes(server, f"effort-voxels-{way}", [payload] * 3, settings=stage)
    page.goto(server.link(project, "effort"))
    page.keyboard.press("Escape")
    worker = VoxelsPage(page)
    worker.ready()

    def by_keys() -> None:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_function("n => document.querySelector('[data-voxels]').dataset.marked === n", arg=str(len(TOWER)))
        page.keyboard.press("Control+Enter")

    def by_mouse() -> None:
        page.mouse.click(*worker.places([(3.5, 3.5, 5)])[0])
        page.wait_for_function("n => document.querySelector('[data-voxels]').dataset.marked === n", arg=str(len(TOWER)))
        page.locator("[data-done]").click()

    def name() -> None:
        page.keyboard.type("red tower")
        page.keyboard.press("Enter")

    acts = {"keys": by_keys, "mouse": by_mouse, "name": name}
    for _ in range(3):
        before = worker.root.get_attribute("data-assignment")
        another = f"(document.querySelector(\"[data-voxels][data-ready='1']\")?.dataset.assignment ?? '{before}')"
        watch.of(acts[way], then=f"document.querySelector('.screen') || {another} !== '{before}'")


def _quiz(server: Server, watch: Watch) -> None:
    """Two questions with three options each, answered with the mouse."""
    asked = [
        {"id": f"q{n}", "ask": f"Which one, {n}?", "kind": "single", "options": ["a", "b", "c"], "accept": ["b"]}
        for n in range(2)
    ]
    body: Json = {"title": "Before you start", "pages": [], "questions": asked, "pass_mark": 1, "attempts": 2}
    server.put("/qualifications/effort-quiz/", **body, cool_off_s=1)
    project = server.project_of_clips("effort-quiz", ["longgop", "bframes"], qualification="effort-quiz")
    page = watch.page
    page.goto(server.link(project, "effort"))

    def answer() -> int:
        for option in page.get_by_label("b", exact=True).all():
            option.click()
        page.get_by_role("button", name="Hand in").click()
        page.get_by_role("link", name="Start").click()
        return len(asked)

    watch.of(answer)


def _instructions(server: Server, watch: Watch) -> None:
    """Read to the last page and close."""
    project = server.project_of_clips("effort-instructions", ["longgop", "bframes"])
    page = watch.page
    page.goto(server.link(project, "effort"))
    page.locator("[data-next-page]").wait_for()

    def read() -> int:
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        return 2

    watch.of(read)
    assert not page.locator("dialog[open]").count()


def _practice(server: Server, watch: Watch) -> None:
    payload = {"scene": _scene(), "phrase": "the red tower"}
    project = project_of_scenes(server, "effort-practice", [payload])
    page = watch.page
    page.goto(server.link(project, "effort"))
    page.locator("[data-practice-link]").wait_for()

    def practise() -> int:
        page.keyboard.press("Enter")
        page.wait_for_url("**/practice/")
        VoxelsPage(page).ready()
        _mark_red_by_keys(page)
        page.locator("[data-start-work]").wait_for()
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("practised"))
        return 3

    watch.of(practise)


def _mark_red_by_keys(page: Page) -> None:
    """Tab to the thing that makes four blocks, and hand it in; another thing is taken back."""
    for _ in range(4):
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
        if page.locator("[data-voxels]").get_attribute("data-marked") == str(len(TOWER)):
            break
        page.keyboard.press("c")
    page.keyboard.press("Control+Enter")


FLOWS: dict[str, Callable[[Server, Watch], None]] = {
    "marker": _marker,
    "parse with a right guess": lambda server, watch: _parse(server, watch, guess=True),
    "parse blank": lambda server, watch: _parse(server, watch, guess=False),
    "voxels, mark by keys": lambda server, watch: _voxels(server, watch, way="keys"),
    "voxels, mark by mouse": lambda server, watch: _voxels(server, watch, way="mouse"),
    "voxels, name": lambda server, watch: _voxels(server, watch, way="name"),
    "quiz of two questions": _quiz,
    "instructions of two pages": _instructions,
    "practice in a scene": _practice,
}
