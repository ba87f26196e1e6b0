"""Lists in a real browser: keys walk them, a missing reason is said at its field, phones get cards, thumbnails play."""

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.browser.conftest import Server

pytestmark = pytest.mark.browser
CLIPS = ["longgop", "bframes"]


@pytest.fixture(scope="module")
def listed(server: Server) -> str:
    """A project with two tasks."""
    return server.project_of_clips("listed", CLIPS)


def test_a_list_is_used_by_keys_alone(staff: Page, server: Server, listed: str) -> None:
    staff.goto(f"{server.url}/staff/projects/{listed}/tasks/")
    keys = staff.keyboard
    keys.press("?")
    expect(staff.get_by_role("dialog", name="Keys of this list")).to_be_visible()
    keys.press("Escape")
    keys.press("j")
    expect(staff.locator("tbody tr").first).to_be_focused()
    keys.press("ArrowDown")
    expect(staff.locator("tbody tr").nth(1)).to_be_focused()
    keys.press("x")
    expect(staff.locator("tbody tr").nth(1).get_by_role("checkbox")).to_be_checked()
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    staff.on("dialog", refuse)
    staff.get_by_role("button", name="Close as not judgeable").click()
    expect(staff.get_by_label("Why, once for all of them")).to_be_focused()
    assert asked == [], "the field comes before the question"
    staff.get_by_label("Why, once for all of them").fill("dark")
    staff.get_by_role("button", name="Close as not judgeable").click()
    assert len(asked) == 1
    staff.locator("tbody tr").first.focus()
    keys.press("/")
    expect(staff.get_by_label("Part of the key")).to_be_focused()
    name = staff.locator("tbody tr").first.get_by_role("link").first.inner_text()
    staff.locator("tbody tr").first.focus()
    keys.press("Enter")
    expect(staff.get_by_role("heading", name=name)).to_be_visible()


@pytest.mark.long
def test_a_view_is_saved_and_opened_again(staff: Page, server: Server, listed: str) -> None:
    staff.goto(f"{server.url}/staff/projects/{listed}/tasks/?status=open")
    staff.locator("summary", has_text="Columns").click()
    staff.get_by_label("Priority", exact=True).uncheck()
    staff.get_by_role("button", name="Show these").click()
    expect(staff.get_by_role("columnheader", name="Priority")).to_have_count(0)
    staff.locator("summary", has_text="Views").click()
    staff.get_by_label("Save this list as").fill("Open ones")
    staff.get_by_role("button", name="Save", exact=True).click()
    staff.goto(f"{server.url}/staff/projects/{listed}/tasks/")
    staff.locator("summary", has_text="Views").click()
    staff.get_by_role("link", name="Open ones").click()
    expect(staff.get_by_role("columnheader", name="Priority")).to_have_count(0)
    assert "status=open" in staff.url


@pytest.mark.long
def test_rows_are_cards_on_a_phone_and_nothing_is_cropped(staff: Page, server: Server, listed: str) -> None:
    for path in ("episodes/", f"projects/{listed}/tasks/", "agents/", "suites/", "projects/", "people/"):
        for width in (1280, 390):
            staff.set_viewport_size({"width": width, "height": 800})
            staff.goto(f"{server.url}/staff/{path}")
            hidden = staff.locator(".table-wrap").first.evaluate("one => one.scrollWidth - one.clientWidth")
            assert hidden <= 0, (path, width)
            drawn = staff.locator("tbody tr").first.evaluate("row => getComputedStyle(row).display")
            assert (drawn == "grid") is (width == 390), (path, width)


@pytest.mark.long
def test_a_thumbnail_plays_while_it_is_pointed_at(staff: Page, server: Server, listed: str) -> None:
    staff.goto(f"{server.url}/staff/episodes/")
    thumb = staff.locator(".thumb").first
    thumb.hover()
    expect(thumb.locator("video")).to_have_js_property("muted", True)
    staff.get_by_role("heading", name="Episodes").hover()
    expect(thumb.locator("video")).to_have_count(0)
    thumb.focus()
    expect(thumb.locator("video")).to_have_count(1)
