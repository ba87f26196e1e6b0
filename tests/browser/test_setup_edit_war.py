"""Two admins have one project's settings open: the second reads what the first changed, and nothing is lost."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server, sign_in, silent_page

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_the_second_to_save_is_told_and_both_keep_their_work(staff: Page, server: Server, chromium: Browser) -> None:
    server.put(
        "/projects/fought/", tool="marker", title="Doors", instructions=["Mark it."], redundancy=1, status="draft"
    )
    server.reviewer("second", "second-password", role="admin")
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    settings = f"{server.url}/staff/projects/fought/settings/"
    with silent_page(context) as other:
        sign_in(other, server, "projects/fought/settings/", name="second", password="second-password")
        staff.goto(settings)
        staff.get_by_label("Title", exact=True).fill("Red doors")
        staff.get_by_label("Tasks for each worker, at most").fill("7")
        staff.get_by_role("button", name="Save", exact=True).click()
        expect(staff.get_by_text("✓ Saved.")).to_be_visible()
        other.get_by_label("Title", exact=True).fill("Blue doors")
        other.get_by_label("A worker holds a task for").fill("120")
        other.get_by_role("button", name="Save", exact=True).click()
        expect(other.get_by_text("Somebody else saved this page while you had it open.")).to_be_visible()
        expect(other.get_by_text("Meanwhile this became “Red doors”.")).to_be_visible()
        expect(other.get_by_label("Title", exact=True)).to_have_value("Blue doors")
        expect(other.get_by_label("Tasks for each worker, at most")).to_have_value("7")
        assert server.get("/projects/fought/")["title"] == "Red doors"
        other.get_by_role("button", name="Save", exact=True).click()
        expect(other.get_by_text("✓ Saved.")).to_be_visible()
    context.close()
    stored = server.get("/projects/fought/")
    assert (stored["title"], stored["limit_per_worker"], stored["lease_s"]) == ("Blue doors", 7, 120)
