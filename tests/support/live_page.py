"""The page of the live session as a test drives it, and what the server's log says of it."""

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
"""How long an agent may take that shares its processors with a browser."""
MOST_SHIFT = 0.05
"""What may move by itself in a whole session, all in all: each question moves what was said before a little. Of the
worst moment of a visit 0.1 is called good.
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
    """What staff can read of the sessions of a project: their logs."""

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
        """What the events of this kind say."""
        return [event["body"] for event in self.log() if event["type"] == kind and sender in (None, event["from"])]

    def wait_for(self, kind: str, holds: Callable[[dict[str, Any]], bool] = lambda body: True) -> dict[str, Any]:
        """The newest event of the worker that is so, once there is one."""
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while not (found := [body for body in self.bodies(kind, sender="worker") if holds(body)]):
            assert time.monotonic() < deadline, f"no such {kind} came to the server"
            time.sleep(0.1)
        return found[-1]

    def are_once(self) -> None:
        """That what the worker did came to the server once each, and that the log has no gaps."""
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
"""Notes what moved by itself on the page, and each status that it showed."""
UNNAMED = """() => {
    const all = 'button, input, select, textarea, a[href], [tabindex="0"], [role=region], [role=application]'
    const named = one => one.ariaLabel || one.labels?.length || one.ariaLabelledByElements?.length
        || one.textContent.trim() && !one.matches('select')
    return [...document.querySelectorAll(all)]
        .filter(one => one.checkVisibility() && !named(one)).map(one => one.outerHTML.slice(0, 120))
}"""
"""What can be reached and has no name for those who do not see it."""


class LivePage:
    """What a worker does on the page, and what it says."""

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
        """What is asked: a `node` of the decision tree, "ask" or "start"; once it is."""
        found = self.page.locator(f"[data-node={what}], [data-card={what}]")
        expect(found).to_be_visible(timeout=PATIENCE_MS)
        return found

    def pick(self, what: str, choice: int) -> None:
        """A choice by its button, once that is asked."""
        self.card(what).locator(f"[data-choice='{choice}']").click()

    def obeyed(self, text: str) -> None:
        """Give a command and find it done."""
        self.tell(text)
        self.pick("done", 0)
        self.await_field()

    def talk(self) -> list[str]:
        """What was said, each line with its speaker."""
        return self.lines.all_text_contents()

    def statuses(self) -> list[str]:
        """Each that was shown since the page came, "" where none was."""
        return list(self.page.evaluate("() => window.statuses"))

    # The world

    def place(self, block: int) -> None:
        """Put this on the ground a few steps ahead, as one looks when the session begins."""
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

    # What is seen

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for what the page alone does not say."""
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
        """That nothing is wider than the screen, unnamed or jumping."""
        assert self.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert self.page.evaluate(UNNAMED) == []
        shifts = self.page.evaluate("() => window.shifts")
        assert sum(value for value, _ in shifts) < MOST_SHIFT, shifts


def bluish(picture: Picture) -> int:
    """How many pixels are rather blue."""
    red, green, blue = (picture[..., one] for one in range(3))
    return int(((blue - red > 40) & (blue - green > 40)).sum())


def yellowish(picture: Picture) -> int:
    """How many pixels are rather yellow, as what flashes."""
    red, green, blue = (picture[..., one] for one in range(3))
    return int(((red - blue > 60) & (green - blue > 60) & (red - green > -10)).sum())
