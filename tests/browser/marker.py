"""The marker page as a test drives it, by the automation hooks of the contract."""

import io
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page

from tests.clips import read_barcode


class MarkerPage:
    """What a worker does on the marker page, and what the page says."""

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
        """As a hand does: the slider's value and its input event."""
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
