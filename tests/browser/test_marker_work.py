"""A worker's day on the marker page: in by link, marks, submits, leaves, comes back, loses the line."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Server
from tests.support.accessibility import barriers_on
from tests.support.annotator_pages import MarkerPage

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def project(server: Server) -> str:
    """Three episodes, which each worker of this module does by themselves."""
    return server.project_of_clips("marker-work", ["longgop", "bframes", "vfr"], redundancy=50)


def test_a_worker_marks_with_the_mouse_and_gets_the_next(server: Server, project: str, page: Page) -> None:
    marker = MarkerPage(page).enter(server.link(project, "mouse"))
    surface, slider = (
        page.locator("[data-scrub-surface]").bounding_box(),
        page.locator("[data-scrub-slider]").bounding_box(),
    )
    assert surface is not None
    assert slider is not None
    assert surface["y"] + surface["height"] < slider["y"] + slider["height"] <= 720
    page.mouse.click(slider["x"] + slider["width"] / 2, slider["y"] + slider["height"] / 2)
    frame = marker.shown()
    assert 40 <= frame <= 50
    page.get_by_role("button", name="Success here").click()
    assert marker.marker() == ("success", str(frame))
    assert barriers_on(page) == []
    with marker.request("/submit/") as answer:
        page.locator("[data-submit]").click()
    assert answer.value.status == 201
    page.wait_for_function("() => !document.querySelector('[data-marker-frame]')")
    marker.ready()
    [annotation] = server.annotations(project, "mouse")
    assert annotation["answer"]["outcome"] == "success"
    assert annotation["answer"]["frame"] == frame
    assert annotation["active_s"] is not None


def test_a_worker_does_everything_by_keyboard(server: Server, project: str, page: Page) -> None:
    page.goto(server.link(project, "keys"))
    page.keyboard.press("Escape")
    marker = MarkerPage(page).ready()
    given = []
    for key in ("s", "f", "n"):
        marker.press("Home", "PageUp", "Shift+ArrowRight", ".")
        marker.shown()
        marker.press(key)
        page.wait_for_selector("[data-marker-frame]")
        placed = marker.marker()
        assert placed is not None
        given.append(placed)
        with marker.request("/submit/") as answer:
            marker.press("Enter")
        assert answer.value.status == 201
        page.wait_for_function("() => !document.querySelector('[data-marker-frame]')")
    expect(page.get_by_text("That was the last one for now")).to_be_visible()
    stored = {(row["answer"]["outcome"], str(row["answer"]["frame"])) for row in server.annotations(project, "keys")}
    assert stored == set(given)
    assert ("failure", "89") in stored


@pytest.mark.long
def test_a_marker_is_moved_and_taken_away_and_never_stands_before_the_takeover(
    server: Server, project: str, page: Page
) -> None:
    marker = MarkerPage(page).enter(server.link(project, "mover"))
    marker.slide_to(3)
    marker.shown(3)
    marker.press("s")
    expect(page.locator(".marking-notice")).to_contain_text("takes over")
    assert marker.marker() is None
    marker.slide_to(30)
    marker.shown(30)
    marker.press("s")
    assert marker.marker() == ("success", "30")
    marker.slide_to(60)
    marker.shown(60)
    marker.press("f")
    assert marker.marker() == ("failure", "60")
    marker.press("u")
    page.wait_for_function("() => document.querySelector('[data-marker-frame]')?.dataset.markerFrame !== '60'")
    expect(page.locator("[data-submit]")).to_be_enabled(enabled=marker.marker() is not None)


@pytest.mark.long
def test_a_closed_tab_loses_nothing_and_the_draft_follows_to_another_browser(
    server: Server, project: str, context: BrowserContext, chromium: Browser
) -> None:
    link = server.link(project, "leaver")
    marker = MarkerPage(context.new_page()).enter(link)
    marker.slide_to(50)
    marker.shown(50)
    with marker.page.expect_response(lambda answer: answer.request.method == "PATCH") as saved:
        marker.press("f")
    assert saved.value.status == 204
    marker.page.close()
    again = MarkerPage(context.new_page())
    again.page.goto(link)
    again.ready()
    assert again.marker() == ("failure", "50")
    assert again.shown() == 50
    other = chromium.new_context()
    try:
        assert MarkerPage(other.new_page()).enter(link).marker() == ("failure", "50")
    finally:
        other.close()


def test_a_lost_line_is_told_and_the_answer_is_sent_when_it_is_back(
    server: Server, project: str, context: BrowserContext, page: Page
) -> None:
    marker = MarkerPage(page).enter(server.link(project, "offline"))
    marker.slide_to(50)
    marker.shown(50)
    marker.press("s")
    context.set_offline(True)
    marker.press("Enter")
    expect(page.locator(".marking-notice")).to_contain_text("Your answer is kept here")
    assert server.annotations(project, "offline") == []
    with marker.request("/submit/") as answer:
        context.set_offline(False)
    assert answer.value.status == 201
    assert [row["answer"]["frame"] for row in server.annotations(project, "offline")] == [50]


@pytest.mark.long
def test_a_lost_lease_is_told_with_the_answer_kept(server: Server, page: Page) -> None:
    slug = server.project_of_clips("short-lease", ["longgop"], lease_s=4)
    marker = MarkerPage(page).enter(server.link(slug, "slow"))
    marker.slide_to(50)
    marker.shown(50)
    marker.press("s")
    server.sleep_until_another_claims(slug, page)
    marker.press("Enter")
    expect(page.get_by_text("Your time for this video ended")).to_be_visible()
    expect(page.get_by_text("success").first).to_be_visible()


@pytest.mark.long
def test_reporting_and_skipping_go_on_to_the_next(server: Server, project: str, page: Page) -> None:
    marker = MarkerPage(page).enter(server.link(project, "reporter"))
    page.get_by_role("button", name="Report a problem").click()
    page.get_by_label("It could be judged either way").check()
    with marker.request("/report/") as reported:
        page.get_by_role("dialog").locator("[type=submit]").click()
    assert reported.value.status == 204
    marker.ready()
    with marker.request("/release/") as released:
        page.get_by_role("button", name="Skip this one").click()
    assert released.value.status == 204
    marker.ready()


def test_the_page_works_on_a_phone(server: Server, project: str, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    try:
        page = context.new_page()
        marker = MarkerPage(page).enter(server.link(project, "phone"))
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        slider = page.locator("[data-scrub-slider]").bounding_box()
        assert slider is not None
        page.touchscreen.tap(slider["x"] + slider["width"] * 0.6, slider["y"] + slider["height"] / 2)
        frame = marker.shown()
        page.get_by_role("button", name="Failure here").tap()
        assert marker.marker() == ("failure", str(frame))
        with marker.request("/submit/") as answer:
            page.locator("[data-submit]").tap()
        assert answer.value.status == 201
    finally:
        context.close()


@pytest.mark.long
def test_the_next_video_is_loaded_before_it_is_wanted(server: Server, project: str, page: Page) -> None:
    with page.expect_response(lambda answer: answer.url.endswith("/work/ahead/") and answer.status == 200) as ahead:
        marker = MarkerPage(page).enter(server.link(project, "ahead"))
    promised = ahead.value.json()["assignment"]
    marker.slide_to(50)
    marker.shown(50)
    marker.press("s")
    with marker.request("/claim/") as claimed:
        marker.press("Enter")
    assert claimed.value.json()["assignment"] == promised


def test_a_blocked_worker_reads_why_and_a_bad_link_says_so(server: Server, project: str, page: Page) -> None:
    link = server.link(project, "blocked")
    server.post("/workers/direct/blocked/block/", reason="answers at random")
    page.goto(link)
    page.keyboard.press("Escape")
    expect(page.get_by_text("cannot take new")).to_be_visible()
    page.goto(link[:-4])
    expect(page.get_by_text("This link does not work")).to_be_visible()
