"""The page of the live session as a test drives it, and the session's log on the server."""

import io
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import httpx
import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PASSWORD, Server
from tests.support.voxels_page import DIRT, GRASS, Picture, block_of

RED, BLUE = 60, 57
GROUND_TOP = 1
NEAR_CUBE = block_of((15, 2, 14), (17, 4, 16))
"""The one that the agent asks about first."""
FAR_CUBE = block_of((6, 2, 14), (8, 4, 16))
PATIENCE_MS = 20_000
"""The longest wait for an agent that shares its processors with a browser."""
MOST_SHIFT = 0.05
"""The largest sum of layout shifts in a whole session: each question moves earlier lines a little. For the worst moment
of a visit 0.1 counts as good.
"""

Event = dict[str, Any]


def world() -> dict[str, Any]:
    """Level ground with two equal red cubes; the agent stands ahead of the worker and looks at them."""
    ground = {cell: GRASS if cell[1] == GROUND_TOP else DIRT for cell in block_of((0, 0, 0), (23, GROUND_TOP, 23))}
    blocks = ground | dict.fromkeys([*NEAR_CUBE, *FAR_CUBE], RED)
    return {
        "size": [24, 12, 24],
        "blocks": sorted([*cell, block] for cell, block in blocks.items()),
        "agent": {"x": 12, "y": 2, "z": 10, "pitch": 0, "yaw": 180},
        "player": {"x": 12, "y": 2, "z": 3, "pitch": 0, "yaw": 0},
    }


def project_of_sessions(server: Server, slug: str, *, sessions: int = 1, minimum_s: int = 1, **changes: Any) -> str:
    """A live project with so many sessions with the built-in agent, all in `world`."""
    server.put(
        f"/projects/{slug}/",
        tool="interaction",
        title="Command an assistant",
        instructions=["# What you do\n\nTell it what to do.", "# How you walk\n\nWith **W A S D**."],
        status="live",
        redundancy=1,
        reference_rate=0,
        pay={"base": {"amount": "1.50", "currency": "USD"}},
        settings={
            "agent": "builder",
            "sessions": sessions,
            "tree": "default",
            "minimum_s": minimum_s,
            **changes,
        },
    )
    tasks = [{"key": f"s{number}", "payload": {"agent": "builder", "world": world()}} for number in range(sessions)]
    server.post(f"/projects/{slug}/tasks/", tasks=tasks)
    return slug


class Records:
    """The logs of the sessions of a project, as staff read them."""

    def __init__(self, staff: httpx.Client, project: str) -> None:
        self._staff = staff
        self._project = project

    def sessions(self) -> list[str]:
        """The sessions' names, the latest first."""
        said = self._staff.get("/staff/sessions/", params={"project": self._project}).text
        return list(dict.fromkeys(re.findall(r'/staff/sessions/([^/"?]+)/"', said)))

    def log(self, session: int = 0) -> list[Event]:
        """Every event of a session so far, oldest first."""
        answer = self._staff.get(f"/staff/sessions/{self.sessions()[session]}/log.jsonl")
        return [json.loads(line) for line in answer.text.splitlines()]

    def bodies(self, kind: str, *, sender: str | None = None) -> list[dict[str, Any]]:
        """The bodies of the events of this kind."""
        return [event["body"] for event in self.log() if event["type"] == kind and sender in (None, event["from"])]

    def wait_for(self, kind: str, holds: Callable[[dict[str, Any]], bool] = lambda body: True) -> dict[str, Any]:
        """Wait for an event of the worker for which `holds` is true; the newest."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not (found := [body for body in self.bodies(kind, sender="worker") if holds(body)]):
            assert time.monotonic() < deadline, f"no such {kind} came to the server"
            time.sleep(0.1)
        return found[-1]

    def are_once(self) -> None:
        """Assert that each act of the worker came to the server once, and that the log has no gaps."""
        log = self.log()
        assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
        cseqs = [event["cseq"] for event in log if event["from"] == "worker"]
        assert len(cseqs) == len(set(cseqs))
        for kind in ("command", "place", "destroy"):
            told = [str(event["body"]) for event in log if event["type"] == kind]
            assert len(told) == len(set(told)), f"{kind} came twice"


@contextmanager
def records_of(server: Server, project: str) -> Iterator[Records]:
    """Signed in as staff, until the end."""
    with httpx.Client(base_url=server.url, follow_redirects=True, timeout=30) as staff:
        form = staff.get("/staff/")
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form.text)
        assert found is not None
        data = {"csrfmiddlewaretoken": found[1], "login": "admin", "password": PASSWORD}
        staff.post(form.url, data=data, headers={"Referer": str(form.url)})
        yield Records(staff, project)


WATCH = """() => {
    window.shifts = []
    const add = list => list.getEntries().filter(one => !one.hadRecentInput).forEach(({value, sources}) => {
        window.shifts.push([value, sources.map(({node}) => (node?.outerHTML ?? node?.data ?? '').slice(0, 80)).join()])
    })
    new PerformanceObserver(add).observe({type: 'layout-shift', buffered: true})
    window.statuses = []
    const note = () => {
        const status = document.querySelector('[data-status]')?.dataset.status
        if (status !== undefined && status !== window.statuses.at(-1)) window.statuses.push(status)
    }
    const all = {subtree: true, childList: true, attributes: true, attributeFilter: ['data-status']}
    new MutationObserver(note).observe(document, all)
}"""
"""Notes the layout shifts of the page, and each status that it showed."""
UNNAMED = """() => {
    const all = 'button, input, select, textarea, a[href], [tabindex="0"], [role=region], [role=application]'
    const named = one => one.ariaLabel || one.labels?.length || one.ariaLabelledByElements?.length
        || one.textContent.trim() && !one.matches('select')
    return [...document.querySelectorAll(all)]
        .filter(one => one.checkVisibility() && !named(one)).map(one => one.outerHTML.slice(0, 120))
}"""
"""The controls without a name for a screen reader."""


class LivePage:
    """A worker's acts on the page, and the texts that it shows."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.world = page.locator("[data-world]")
        self.field = page.locator("[data-command]")
        self.lines = page.locator("[data-lines] li")
        page.add_init_script(f"({WATCH})()")

    def enter(self, link: str) -> Self:
        """Open the link and close the instructions of the first visit."""
        self.page.goto(link)
        self.page.locator("[data-close-instructions]").click()
        return self.ready()

    def ready(self) -> Self:
        """Wait until the world is painted and the line is up."""
        self.page.wait_for_selector("[data-world][data-ready='1']")
        expect(self.page.locator("[data-presence]")).to_have_text("✓ here", timeout=PATIENCE_MS)
        return self

    def begin(self) -> Self:
        """Start the clock."""
        self.page.locator("[data-start]").click()
        self.page.wait_for_selector("[data-phase=running]")
        return self

    # The talk

    def tell(self, text: str) -> None:
        self.await_field()
        self.field.fill(text)
        self.field.press("Enter")

    def await_field(self) -> None:
        """Wait until a command may be given."""
        expect(self.page.locator("[data-hint]")).to_have_attribute("data-hint", "", timeout=PATIENCE_MS)

    def card(self, what: str) -> Locator:
        """Wait for this question: a `node` of the decision tree, "ask" or "start"."""
        found = self.page.locator(f"[data-node={what}], [data-card={what}]")
        expect(found).to_be_visible(timeout=PATIENCE_MS)
        return found

    def pick(self, what: str, choice: int) -> None:
        """Wait for a question, and press the button of a choice."""
        self.card(what).locator(f"[data-choice='{choice}']").click()

    def obeyed(self, text: str) -> None:
        """Give a command and find it done."""
        self.tell(text)
        self.pick("done", 0)
        self.await_field()

    def talk(self) -> list[str]:
        """The lines of the talk, each with its speaker."""
        return self.lines.all_text_contents()

    def statuses(self) -> list[str]:
        """The statuses shown since the page was loaded, "" for none."""
        return list(self.page.evaluate("() => window.statuses"))

    # The world

    def place(self, block: int) -> None:
        """Place this block on the ground a few steps ahead of the first view."""
        self.page.locator("[data-block-list]").select_option(str(block))
        self.world.focus()
        for key in ("ArrowDown", "ArrowDown", "e", "ArrowUp", "ArrowUp"):
            self.page.keyboard.press(key)

    # The end

    def reflect(self, *, usability: int = 6, performance: int = 4, feedback: str = "") -> None:
        """Open the last page and say how it went."""
        self.page.locator("[data-to-last]").click()
        self.page.locator(f"[name=usability][value='{usability}']").check()
        self.page.locator(f"[name=performance][value='{performance}']").check()
        self.page.locator("[data-feedback]").fill(feedback)

    def finish(self) -> None:
        """Hand in, and wait until the server has it."""
        self.page.locator("[data-finish]").click()
        expect(self.page.locator("[data-ended=finished]")).to_be_visible(timeout=PATIENCE_MS)

    # The picture

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for a condition that the page itself does not show."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not holds():
            assert time.monotonic() < deadline, "this never came"
            self.page.wait_for_timeout(100)

    def look(self) -> Picture:
        """The pixels of the world, with the pointer away from it."""
        self.page.mouse.move(3, 3)
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        picture = Image.open(io.BytesIO(self.world.screenshot()))
        return np.asarray(picture.convert("RGB")).astype(np.int16)

    def checks(self) -> None:
        """Assert that nothing is wider than the screen, lacks a name or moves by itself."""
        assert self.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert self.page.evaluate(UNNAMED) == []
        shifts = self.page.evaluate("() => window.shifts")
        assert sum(value for value, _ in shifts) < MOST_SHIFT, shifts


def bluish(picture: Picture) -> int:
    """The number of rather blue pixels."""
    red, green, blue = (picture[..., one] for one in range(3))
    return int(((blue - red > 40) & (blue - green > 40)).sum())


def yellowish(picture: Picture) -> int:
    """The number of rather yellow pixels, the colour that flashes."""
    red, green, blue = (picture[..., one] for one in range(3))
    return int(((red - blue > 60) & (green - blue > 60) & (red - green > -10)).sum())
