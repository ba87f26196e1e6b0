"""From an empty server to a comparison of agents with own videos: by mouse to a ranking, by keyboard to live."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PASSWORD, serving, sign_in, silent_page
from tests.support.annotator_pages import MarkerPage
from tests.support.clips import barcode_clip
from tests.support.setup_walk import MOST_DECISIONS, Admin, KeyboardAdmin, pass_quiz

pytestmark = pytest.mark.browser

FRAMES_OF_ALPHA = 90
RIGHT = {
    "The assistant succeeds at 8 seconds": "A success at 8 seconds",
    "The thing is done in the dimmed part": "No, only what happens after the assistant takes over counts",
    "The assistant first walks the wrong way": "A success, at the first picture in which the thing is done",
    "The video ends, and the assistant has not done it": "Never did it",
}


@pytest.mark.long
def test_an_admin_comes_from_nothing_to_a_ranking_by_mouse(chromium: Browser, tmp_path: Path) -> None:
    for folder in ("beta", "empty"):
        (tmp_path / folder).mkdir()
    alpha = barcode_clip(tmp_path / "run-1", kind="longgop", frames=FRAMES_OF_ALPHA).path
    beta = barcode_clip(tmp_path / "beta" / "run-1", kind="longgop", frames=60).path
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    with serving(tmp_path / "empty") as empty, silent_page(context) as page:
        admin = Admin(page)
        sign_in(page, empty, "projects/")
        admin.begin("Which agent is best?", "Which one lifts the ball?")
        _upload(admin, page, "Alpha", alpha, is_first=True)
        _upload(admin, page, "Beta", beta, is_first=False)
        expect(page.locator("#episodes").get_by_text("ready", exact=True)).to_have_count(2, timeout=60_000)
        admin.press(page.get_by_role("link", name="Go on"))
        expect(page.get_by_text("As workers see it").first).to_be_visible()
        admin.settle(budget="20")
        _try(admin, page)
        link = admin.go_live("anna")
        _work(page, link)
        page.goto(f"{empty.url}/staff/suites/")
        admin.press(page.get_by_role("link", name="Which one lifts the ball?"))
        expect(page.get_by_role("row", name="alpha")).to_contain_text("100.0 %")
        expect(page.get_by_role("row", name="beta")).to_contain_text("0.0 %")
    context.close()
    assert admin.calls == []
    assert admin.decisions <= MOST_DECISIONS


@pytest.mark.long
def test_an_admin_comes_from_nothing_to_a_live_project_by_keyboard(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    video = barcode_clip(tmp_path / "run-1", kind="longgop", frames=60).path
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    with serving(tmp_path / "empty") as empty, silent_page(context) as page:
        admin = KeyboardAdmin(page)
        page.goto(f"{empty.url}/staff/projects/")
        admin.type(page.get_by_label("User"), "admin")
        admin.type(page.get_by_label("Password"), PASSWORD)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        admin.begin("Which agent is best?", "Which one lifts the ball?")
        admin.choose_file(page.locator("[data-files]").first, video)
        admin.type(page.get_by_label("Which agent is it?"), "Alpha")
        admin.type(page.get_by_label("What the agent was asked to do"), "lift the ball")
        admin.type(page.get_by_label("What counts as done"), "The ball does not touch the ground.")
        expect(page.locator("[data-slider]")).to_be_visible()
        admin.reach(page.locator("[data-slider]"))
        for _ in range(50):
            page.keyboard.press("ArrowRight")
        admin.press(page.get_by_role("button", name="The agent takes over here"))
        expect(page.get_by_label("The agent takes over at")).to_have_value("0.50")
        with page.expect_navigation():
            admin.press(page.get_by_role("button", name="Upload"))
        expect(page.locator("#episodes").get_by_text("ready", exact=True)).to_have_count(1, timeout=60_000)
        admin.press(page.get_by_role("link", name="Go on"))
        expect(page.get_by_text("As workers see it").first).to_be_visible()
        admin.settle(budget="20")
        admin.press(page.get_by_role("link", name="Try a task"))
        MarkerPage(page).ready().press("n")
        admin.press(page.locator("[data-submit]"))
        expect(page.get_by_text("Nothing was kept.")).to_be_visible()
        link = admin.go_live("anna")
        assert link.startswith(empty.url)
    context.close()
    assert admin.calls == []
    assert admin.decisions <= MOST_DECISIONS


def _upload(admin: Admin, page: Page, agent: str, video: Path, *, is_first: bool) -> None:
    """Choose the video of an agent and send it; the first time, say what it is about."""
    admin.decisions += 1
    page.locator("[data-files]").first.set_input_files([video])
    admin.type(page.get_by_label("Which agent is it?"), agent)
    if is_first:
        admin.type(page.get_by_label("What the agent was asked to do"), "lift the ball")
        admin.type(page.get_by_label("What counts as done"), "The ball does not touch the ground.")
        page.locator("[data-slider]").evaluate(
            "slider => { slider.value = '0.5'; slider.dispatchEvent(new Event('input', {bubbles: true})) }"
        )
        admin.press(page.get_by_role("button", name="The agent takes over here"))
        expect(page.get_by_label("The agent takes over at")).to_have_value("0.50")
    with page.expect_navigation():
        admin.press(page.get_by_role("button", name="Upload"))
    expect(page.get_by_role("link", name=f":{agent.lower()}:run-1")).to_be_visible()


def _try(admin: Admin, page: Page) -> None:
    """Answer a task as a worker would; nothing is kept."""
    admin.press(page.get_by_role("link", name="Try a task"))
    MarkerPage(page).ready().press("n")
    admin.press(page.locator("[data-submit]"))
    expect(page.get_by_text("Nothing was kept.")).to_be_visible()


def _work(page: Page, link: str) -> None:
    """A worker marks both videos: alpha's as a success, beta's as a failure."""
    pass_quiz(page, link, RIGHT)
    for _ in range(2):
        marker = MarkerPage(page).ready()
        last = int(page.locator("[data-scrub-slider]").get_attribute("max") or "")
        marker.slide_to(40)
        marker.press("s" if last == FRAMES_OF_ALPHA - 1 else "n")
        with marker.request("/submit/") as answer:
            marker.press("Enter")
        assert answer.value.status == 201
        page.wait_for_function("() => !document.querySelector('[data-marker-frame]')")
    expect(page.get_by_text("That was the last one for now")).to_be_visible()
