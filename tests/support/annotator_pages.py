"""The marker page and the parse page, driven by automation hooks, keyboard or touch."""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server
from tests.support.clips import read_barcode


class MarkerPage:
    """A worker's acts on the marker page, and the texts that it shows."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def enter(self, link: str) -> "MarkerPage":
        """Open the link and close the instructions of the first visit."""
        self.page.goto(link)
        self.page.locator("[data-close-instructions]").click()
        return self.ready()

    def ready(self) -> "MarkerPage":
        self.page.wait_for_selector("[data-scrub-root][data-ready='1']", state="attached")
        self.shown()
        return self

    def root(self, name: str) -> str:
        return self.page.locator("[data-scrub-root]").get_attribute(f"data-{name}") or ""

    def shown(self, frame: int | None = None) -> int:
        """Wait until exactly the wanted frame is painted (and is `frame`, if named); its number."""
        self.page.wait_for_function(
            """frame => {
                const {frameShown: shown, frameWanted} = document.querySelector('[data-scrub-root]').dataset
                return shown !== '' && shown === frameWanted && (frame === null || shown === String(frame))
            }""",
            arg=frame,
        )
        return int(self.root("frame-shown"))

    def slide_to(self, frame: int) -> None:
        """Move the slider, with the events that a hand causes."""
        self.page.locator("[data-scrub-slider]").evaluate(
            """(slider, frame) => {
                slider.value = String(frame)
                slider.dispatchEvent(new Event('input', {bubbles: true}))
                slider.dispatchEvent(new Event('change', {bubbles: true}))
            }""",
            frame,
        )

    def painted(self) -> int | None:
        """The number that is in the picture on the screen."""
        shot = self.page.locator("[data-scrub-surface]").screenshot()
        return read_barcode(np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")))

    def marker(self) -> tuple[str, str] | None:
        """Kind and frame of the placed marker."""
        found = self.page.locator("[data-marker-frame]")
        if not found.count():
            return None
        kind, frame = found.first.get_attribute("data-marker-kind"), found.first.get_attribute("data-marker-frame")
        return (kind or "", frame or found.first.inner_text())

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def request(self, part: str, method: str = "POST") -> Any:
        """Wait for the answer to a call whose address ends so, caused by the body of the `with`."""
        return self.page.expect_response(lambda answer: answer.url.endswith(part) and answer.request.method == method)


KEYS = [*"123456789abcdefghijklmopqrstvwxz"]
WORD_KEYS = [*"abcdefghijklmnopqrstvwxyz123456789"]
NOW = """() => {
    const step = document.querySelector('[data-parse]')
    const asked = document.querySelector('[data-question]')
    if (!step || !asked) return null
    return [step.dataset.assignment, step.dataset.step, asked.dataset.question, asked.dataset.kind]
}"""


def project_of_commands(server: Server, slug: str, commands: list[dict[str, Any]], **changes: Any) -> str:
    """A live project whose tasks are these commands, `{text, context?, form?}`, named c0, c1, …"""
    server.put(
        f"/projects/{slug}/",
        **{
            "tool": "parse",
            "title": "Say what it asks for",
            "instructions": ["# What you do\n\nYou answer small questions about a command."],
            "status": "live",
            "reference_rate": 0,
            "pay": {"base": {"amount": "0.05", "currency": "USD"}},
            **changes,
        },
    )
    tasks = [{"key": f"c{number}", "payload": payload} for number, payload in enumerate(commands)]
    server.post(f"/projects/{slug}/tasks/", tasks=tasks)
    return slug


def forms_of(server: Server, slug: str) -> dict[str, Any]:
    """The settled forms of a project, by the key of the command."""
    lines = server.api.get(f"/api/v1/projects/{slug}/consensus.jsonl")
    assert lines.is_success, lines.text
    rows = [json.loads(line) for line in lines.text.splitlines()]
    return {row["task"]: row["answer"]["form"] for row in rows if "form" in row["answer"]}


class ParsePage:
    """A worker's acts on the parse page, and the texts that it shows."""

    def __init__(self, page: Page, *, by_touch: bool = False) -> None:
        self.page = page
        self.by_touch = by_touch
        self.goes_on = False
        """The last key or tap answered the question, and the page goes on by itself."""
        self.count = 0
        """The keys that were pressed, but for words marked one by one."""

    def enter(self, link: str) -> "ParsePage":
        """Open the link and close the instructions of the first visit."""
        self.page.goto(link)
        self.page.locator("[data-close-instructions]").click()
        return self.ready()

    def ready(self) -> "ParsePage":
        self.page.wait_for_function(NOW)
        return self

    def now(self) -> tuple[str, str, str, str] | None:
        """The assignment, its step, the question in view and its kind; None where nothing is asked."""
        found = self.page.evaluate(NOW)
        return tuple(found) if found else None

    def marked(self) -> list[int]:
        """The marked words, as the page tells them to a screen reader."""
        found = self.page.locator("button[data-token][aria-pressed=true]").all()
        return [int(token.get_attribute("data-token") or "") for token in found]

    def work_through(self, records: Mapping[str, Mapping[str, Any]]) -> int:
        """Answer every step of every command; the number of questions.

        Args:
            records: The answers by the keys of the steps, by the text of the command.
        """
        count = 0
        while (now := self.now()) is not None:
            _, step, name, kind = now
            answers = {"right": True} if name in {"right", "wrong"} else records[self.command()][step]
            self.answer(kind, answers.get(name))
            self.next(now)
            count += 1
        return count

    def command(self) -> str:
        # Without the keys of the words.
        words = "tokens => tokens.map(token => token.firstChild.textContent).join(' ')"
        found: str = self.page.locator("button[data-token]").evaluate_all(words)
        return found

    def answer(self, kind: str, value: Any) -> None:
        match kind:
            case "choice" if value is not None:
                self.pick(value)
            case "choices":
                self.choose(value or [])
            case "yes_no" if value:
                # Enter says yes to the form that is shown, so `next` does.
                pass
            case "spans" if value and len(value) == 1 and not self.by_touch and value[0][1] < len(WORD_KEYS):
                self._mark_by_letters(*value[0])
            case "spans":
                for first, last in value or []:
                    self.mark(first, last)
            case "text" if value is not None:
                self.page.locator("[data-question] input").fill(value)

    def choose(self, values: list[str]) -> None:
        """Give several choices: as a usual answer, where there is this one, else one by one."""
        usual = self.page.locator(f'[data-value="={"+".join(values)}"]')
        if usual.count():
            self._press(usual)
            return
        if self.page.locator('[data-value="#one_by_one"]').count():
            self._press(self.page.locator('[data-value="#one_by_one"]'))
            self.goes_on = False
        for one in values:
            self.pick(one)
            expect(self.page.locator(f'[data-value="{one}"]')).to_have_attribute("aria-checked", "true")
        self.goes_on = False

    def pick(self, value: str) -> None:
        """Pick one option; the page goes on by itself."""
        for _ in range(9):
            if self.page.locator(f'[data-value="{value}"]').count():
                break
            self._press(self.page.locator('[data-value="#more"]'))
        self._press(self.page.locator(f'[data-value="{value}"]'))

    def _press(self, option: Locator) -> None:
        self.goes_on = True
        if self.by_touch:
            option.tap()
        else:
            self.count += 1
            self.page.keyboard.press(KEYS[int(option.get_attribute("data-option") or "")])

    def _mark_by_letters(self, first: int, last: int) -> None:
        if first < last:
            self.count += 1
            self.page.keyboard.press(f"Shift+{WORD_KEYS[first].upper()}")
        self.count += 1
        self.page.keyboard.press(WORD_KEYS[last])
        self.goes_on = True

    def mark(self, first: int, last: int) -> None:
        if self.by_touch:
            for word in range(first, last + 1):
                self.page.locator(f'button[data-token="{word}"]').tap()
        else:
            self.page.keyboard.press("Home")
            for _ in range(first):
                self.page.keyboard.press("ArrowRight")
            self.page.keyboard.press("Space")
            for _ in range(last - first):
                self.page.keyboard.press("Shift+ArrowRight")
        expect(self.page.locator(f'button[data-token="{last}"]')).to_have_attribute("aria-pressed", "true")

    def next(self, before: tuple[str, str, str, str]) -> None:
        """Go on, where the page has not by itself, and wait for the question after this one, or for the end."""
        if self.goes_on:
            self.goes_on = False
        elif self.by_touch:
            self.page.locator("[data-next]").tap()
        else:
            self.count += 1
            self.page.keyboard.press("Enter")
        self.page.wait_for_function(
            f"before => document.querySelector('.screen') || (found => found && found.join() !== before)(({NOW})())",
            arg=",".join(before),
        )
