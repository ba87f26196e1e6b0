"""Plots of staff pages and reports: their values show at the pointer and at the focus, and they can be printed."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.support.accessibility import barriers_on

pytestmark = pytest.mark.browser
TIP = ".plot-mark .plot-tip"


@pytest.fixture(scope="module")
def suite(server: Server) -> str:
    # No other module takes these clips, so the suite has no other project.
    clips = ["longgop", "bframes", "longgop"]
    slug = server.project_of_clips("plotted", clips)
    # Tests of this module may run in two parts, and share a server.
    if not server.annotations(slug):
        assert server.answer(slug, "plotter", "success", 40) == 201
    return server.suite_of_clips(clips)


def opacity(page: Page) -> str:
    return str(page.locator(TIP).first.evaluate("tip => getComputedStyle(tip).opacity"))


@pytest.mark.parametrize("place", ["staff/suites/{}/", "report"])
def test_the_values_of_a_mark_show_at_the_pointer_and_at_the_focus(
    staff: Page, server: Server, suite: str, place: str
) -> None:
    if place == "report":
        staff.goto(f"{server.url}/staff/suites/{suite}/reports/")
        staff.get_by_role("button", name="Make a report").click()
        staff.locator("tbody th a").first.click()
    else:
        staff.goto(f"{server.url}/{place.format(suite)}")
    mark = staff.locator(".plot-mark[tabindex]").first
    expect(mark).to_have_attribute("aria-label", staff.locator(TIP).first.text_content() or "none")
    assert opacity(staff) == "0"
    mark.hover()
    assert opacity(staff) == "1"
    staff.mouse.move(0, 0)
    assert opacity(staff) == "0"
    mark.focus()
    assert opacity(staff) == "1"
    assert barriers_on(staff) == []


def test_a_ranking_is_printed_black_on_white_and_whole(staff: Page, server: Server, suite: str) -> None:
    staff.goto(f"{server.url}/staff/suites/{suite}/")
    staff.emulate_media(media="print", color_scheme="dark")
    staff.set_viewport_size({"width": 680, "height": 960})
    assert not staff.locator(".rail").is_visible()
    assert not staff.locator(".toolbar").first.is_visible()
    table = staff.locator(".table-wrap").first
    assert table.evaluate(
        "frame => [getComputedStyle(frame).overflowX, frame.scrollWidth - frame.clientWidth <= 0]"
    ) == [
        "visible",
        True,
    ]
    ink = table.locator("td").first.evaluate("cell => getComputedStyle(cell).color")
    ground = staff.locator("html").evaluate("page => getComputedStyle(page).backgroundColor")
    assert (ink, ground) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
