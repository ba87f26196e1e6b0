"""A session on a phone: walked by the buttons on the screen, told and answered by finger, with the world in view."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.support.live_page import PATIENCE_MS, LivePage, Records, project_of_sessions, records_of
from tests.support.voxels_page import SOFTWARE_WEBGL, phone

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
YES = 0
FINGER_PX = 40
"""The least height and width of a control that a finger must hit."""
TOO_SMALL = """least => [...document.querySelectorAll('.live button, .live select, .live input, .live-last button')]
    .filter(one => one.checkVisibility())
    .map(one => [one.outerHTML.slice(0, 100), one.getBoundingClientRect()])
    .filter(([, {width, height}]) => height < least || width < least - 10)
    .map(([html, {width, height}]) => `${html} ${width} x ${height}`)"""

WIDE, SHORT, TALL = 390, 664, 844
"""A phone's screen with and without the lines of its browser."""
NOT_WHOLE = """names => names.filter(name => {
    const one = document.querySelector(`[data-${name}]`)
    if (!one) return true
    const {left, right, top, bottom} = one.getBoundingClientRect()
    const corners = [[left, top], [right, top], [left, bottom], [right, bottom]]
    const [x, y] = [(left + right) / 2, (top + bottom) / 2]
    const inwards = ([a, b]) => [a + Math.sign(x - a) * 3, b + Math.sign(y - b) * 3]
    return !corners.map(inwards).every(([a, b]) => one.contains(document.elementFromPoint(a, b)))
})"""
"""Those that are not there, or beyond the screen or covered at one of their corners."""


def test_a_session_on_a_phone(server: Server, chromium: Browser) -> None:
    project = project_of_sessions(server, "live-phone")
    with phone(chromium) as page, records_of(server, project) as records:
        worker = LivePage(page)
        page.goto(server.link(project, "phone"))
        page.locator("[data-close-instructions]").tap()
        worker.ready()
        assert page.evaluate(TOO_SMALL, FINGER_PX) == []
        page.locator("[data-start]").tap()
        page.wait_for_selector("[data-phase=running]")
        _walk_by_finger(page, records)

        worker.field.tap()
        worker.field.fill("turn left")
        page.locator("[data-send]").tap()
        worker.card("done")
        # What is asked and the world that it is asked about are in view together.
        expect(worker.card("done").locator("[data-choice='1']")).to_be_in_viewport(ratio=1)
        expect(worker.world).to_be_in_viewport(ratio=0.9)
        assert page.evaluate(TOO_SMALL, FINGER_PX) == []
        worker.checks()
        worker.card("done").locator(f"[data-choice='{YES}']").tap()
        worker.await_field()

        page.locator("[data-to-last]").tap()
        page.locator("[name=usability][value='7']").tap()
        page.locator("[name=performance][value='5']").tap()
        assert page.evaluate(TOO_SMALL, FINGER_PX) == []
        worker.checks()
        page.locator("[data-finish]").tap()
        expect(page.locator("[data-ended=finished]")).to_be_visible()
        worker.checks()
    assert server.annotations(project)[0]["answer"]["usability"] == 7


def test_the_clock_finish_stop_and_send_are_always_in_view_at_work(server: Server, chromium: Browser) -> None:
    project = project_of_sessions(server, "phone-held", stoplight={"preset": "default"})
    with phone(chromium) as page:
        worker = LivePage(page)
        page.goto(server.link(project, "holder"))
        page.locator("[data-close-instructions]").tap()
        worker.ready().begin()
        worker.tell("dance forever")
        expect(page.locator("[data-status=acting]")).to_be_visible()
        for height in (TALL, SHORT):
            page.set_viewport_size({"width": WIDE, "height": height})
            for scrolled in (100_000, 150, 0):
                page.evaluate("y => scrollTo(0, y)", scrolled)
                assert page.evaluate(NOT_WHOLE, ["clock", "to-last", "stop", "send"]) == [], (height, scrolled)
        page.locator("[data-stop]").tap()
        # What is asked stands between the world and the foot of the screen, whole.
        worker.card("done")
        worker.until(lambda: page.evaluate(NOT_WHOLE, ["card", "clock", "to-last"]) == [])


def test_a_prompt_stands_only_while_a_command_may_be_given(server: Server, chromium: Browser) -> None:
    prompts = ["Have it move in some unusual way, and then ask it a question about what it has just done."]
    project = project_of_sessions(server, "phone-prompt", minimum_s=6, evaluation=True, prompts=prompts)
    with phone(chromium) as page:
        worker = LivePage(page)
        page.set_viewport_size({"width": WIDE, "height": SHORT})
        page.goto(server.link(project, "prompted"))
        page.locator("[data-close-instructions]").tap()
        worker.ready().begin()
        expect(page.locator("[data-prompt]")).to_contain_text(prompts[0])
        assert page.evaluate(NOT_WHOLE, ["prompt", "clock", "to-last", "command", "send"]) == []
        expect(page.locator("[data-hint=time_over]")).to_be_visible(timeout=PATIENCE_MS)
        expect(page.locator("[data-prompt]")).to_have_count(0)
        assert page.evaluate(NOT_WHOLE, ["clock", "to-last", "hint"]) == []


def _walk_by_finger(page: Page, records: Records) -> None:
    with held(page, "Walk ahead"):
        records.wait_for("pose", lambda pose: pose["z"] > 3.5)
    for _ in range(2):
        page.get_by_label("Look down").tap()
    page.locator("[data-block='57']").tap()
    page.get_by_label("Place a block").tap()
    placed = records.wait_for("place")
    assert placed["block"] == 57
    page.get_by_label("Take a block away").tap()
    assert records.wait_for("destroy") == {"at": placed["at"]}
    # A finger that is drawn over the world turns the gaze, and scrolls nothing.
    before = page.evaluate("scrollY")
    hand = page.context.new_cdp_session(page)
    for step in range(8):
        kind = "touchMove" if step else "touchStart"
        hand.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": 150 + 10 * step, "y": 150 - 5 * step}]}
        )
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    records.wait_for("pose", lambda pose: pose["yaw"] != 0)
    assert page.evaluate("scrollY") == before


@contextmanager
def held(page: Page, label: str) -> Iterator[None]:
    """A finger that stays on a button."""
    box = page.get_by_label(label).bounding_box()
    assert box is not None
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    hand = page.context.new_cdp_session(page)
    hand.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    yield
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_nothing_is_wider_than_the_screen(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-width")
    worker = LivePage(page).enter(server.link(project, "wide"))
    for width in (390, 768, 1024, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        worker.ready().checks()
