"""A worker errs, is warned, then paused in the middle of the work, asks to be looked at again, and goes on."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server, sign_in
from tests.support.annotator_pages import MarkerPage

pytestmark = pytest.mark.browser

# All truths are successes and all answers failures, so the second wrong one warns and the third pauses.
WARN = {"action": "warn", "below": 0.7, "minimum_n": 2, "alpha": 0.3, "beta": 0.3}
PAUSE = {"action": "pause", "below": 0.7, "minimum_n": 3, "alpha": 0.1, "beta": 0.1}
WIDTHS = (1280, 390)


@pytest.fixture
def project(server: Server) -> str:
    """Two episodes to judge at leisure, and ten references to fail at before."""
    slug = server.project_of_clips(
        "pause", ["longgop", "bframes"], reference_rate=1.0, redundancy=50, gates=[WARN, PAUSE]
    )
    known = {"answers": [{"outcome": "success"}]}
    payload = {"episode": f"{server.suite_of_clips(['longgop', 'bframes'])}-0"}
    references = [{"key": f"known-{number}", "payload": payload, "reference": known} for number in range(10)]
    server.post(f"/projects/{slug}/tasks/", tasks=references)
    return slug


def never_did_it(marker: MarkerPage) -> None:
    marker.press("n")
    marker.page.wait_for_selector("[data-marker-frame]")
    with marker.request("/submit/") as answer:
        marker.press("Enter")
    assert answer.value.status == 201


def the_next_one(marker: MarkerPage) -> None:
    marker.page.wait_for_function("() => !document.querySelector('[data-marker-frame]')")
    marker.ready()


def fits(page: Page, name: str) -> None:
    """On a laptop and on a phone, by day and by night; with `CROSSWALK_SHOTS` the pictures stay there."""
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, (name, width, scheme)
            if folder := os.environ.get("CROSSWALK_SHOTS"):
                page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="light")


def lift(chromium: Browser, server: Server, reason: str) -> None:
    """Staff look at the first appeal in the queue and lift the pause."""
    context = chromium.new_context()
    staff = sign_in(context.new_page(), server, "review/?kind=appeal")
    staff.locator("a[href*='/staff/review/pauses/']").first.click()
    expect(staff.get_by_text("The video did not load.")).to_be_visible()
    expect(staff.get_by_text("3 of the 3 answers that it rests on did not match")).to_be_visible()
    staff.get_by_label("Reason").fill(reason)
    staff.get_by_role("button", name="Lift the pause").click()
    expect(staff.get_by_text("may work again")).to_be_visible()
    context.close()


@pytest.mark.long
def test_from_a_warning_to_a_pause_to_an_appeal_and_on(
    server: Server, project: str, page: Page, chromium: Browser
) -> None:
    marker = MarkerPage(page).enter(server.link(project, "hasty"))
    never_did_it(marker)
    the_next_one(marker)
    never_did_it(marker)

    warning = page.get_by_text("2 of your last 2 check tasks did not match.")
    expect(warning).to_be_visible()
    the_next_one(marker)
    surface, slider = (page.locator(f"[data-scrub-{name}]").bounding_box() for name in ("surface", "slider"))
    assert surface is not None
    assert slider is not None
    assert slider["y"] + slider["height"] <= 720, "the warning moves nothing out of sight"
    fits(page, "warning")
    with marker.request("/notice/") as closed:
        page.locator("[data-close-notice]").click()
    assert closed.value.status == 204
    expect(warning).to_be_hidden()

    marker.ready()
    never_did_it(marker)
    expect(page.get_by_role("heading", name="We paused your work on this project")).to_be_visible()
    expect(page.get_by_text("3 of your last 3 check tasks did not match")).to_be_visible()
    expect(page.get_by_text("You are paid for what you did: 0.90 USD so far")).to_be_visible()
    assert len(server.annotations(project)) == 3, "nothing is lost"
    page.get_by_text("Read the instructions again").click()
    expect(page.get_by_role("heading", name="Second page")).to_be_visible()
    fits(page, "paused")

    words = page.get_by_label("Why you think your answers were right")
    words.focus()
    page.keyboard.type("The video did not load.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="We are looking at it")).to_be_visible()
    expect(page.get_by_role("button", name="Ask us to look again")).to_be_hidden()
    fits(page, "appealed")

    lift(chromium, server, "The server was slow that day.")
    page.reload()
    marker.ready()
    expect(page.get_by_text("you can go on. The server was slow that day.")).to_be_visible()
    page.locator("[data-close-notice]").click()
    never_did_it(marker)
    the_next_one(marker)
    assert len(server.annotations(project)) == 4
