"""The compare room and the other pages of a suite: both videos follow one clock, and keys go from pair to pair."""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, sign_in
from tests.support.accessibility import barriers_on

pytestmark = pytest.mark.browser
CLIPS = ["longgop", "bframes"]
TIMES = "[...document.querySelectorAll('video')].map((video) => video.currentTime)"
PAUSED = "[...document.querySelectorAll('video')].map((video) => video.paused)"


def wait_for(page: Page, condition: str) -> None:
    """Wait until the JavaScript expression is true; the policy of the page forbids `wait_for_function`."""
    deadline = time.monotonic() + 20
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, (condition, page.evaluate(TIMES))
        page.wait_for_timeout(50)


@pytest.fixture(scope="module")
def suite(server: Server) -> str:
    """A suite at which two agents have two tries each."""
    suite = server.suite_of_clips(CLIPS)
    server.add_agent("rival-of-clips", suite, CLIPS)
    return suite


@pytest.mark.long
def test_both_videos_play_in_step_and_keys_go_on(page: Page, server: Server, suite: str) -> None:
    sign_in(page, server, f"suites/{suite}/pairs/")
    expect(page.get_by_role("button", name="Play both")).to_be_visible()
    wait_for(page, f"{TIMES}.every((time) => Math.abs(time - 0.5) < 0.01)")
    page.keyboard.press(" ")
    wait_for(page, f"{TIMES}.every((time) => time > 0.8)")
    page.keyboard.press(" ")
    assert page.evaluate(PAUSED) == [True, True]
    first, second = page.evaluate(TIMES)
    assert first == pytest.approx(second, abs=0.01)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    wait_for(page, f"{TIMES}.every((time) => Math.abs(time - 1.5) < 0.01)")
    page.keyboard.press("n")
    expect(page.get_by_text("2 of 2")).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_text("1 of 2")).to_be_visible()


def test_the_pages_of_a_suite_fit_and_have_no_barrier(page: Page, server: Server, suite: str) -> None:
    for path in ("pairs", "wall", "plan", "reports"):
        if path == "pairs":
            sign_in(page, server, f"suites/{suite}/{path}/")
        else:
            page.goto(f"{server.url}/staff/suites/{suite}/{path}/")
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (path, width)
        assert barriers_on(page) == [], path
