"""From an empty list of projects to a live session with the built-in agent, by mouse."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, sign_in
from tests.support.live_page import LivePage
from tests.support.setup_walk import MOST_DECISIONS, Admin, pass_quiz
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = pytest.mark.browser
CHROMIUM_FLAGS = SOFTWARE_WEBGL

RIGHT = {
    "You asked for a red house": "No",
    "Which commands help us most?": "Many different ones",
    "What do you never write?": "Names and private things",
}


@pytest.mark.long
def test_live_sessions_are_set_up_and_a_worker_meets_the_agent(server: Server, page: Page) -> None:
    admin = Admin(page)
    sign_in(page, server, "projects/")
    admin.begin("Where does my agent fail live?", "Tell it what to build")
    admin.decisions += 3
    page.get_by_label("Agent", exact=True).select_option("builder")
    page.get_by_label("Questions after each command").select_option("default")
    page.get_by_label("How many sessions").fill("5")
    admin.press(page.get_by_role("button", name="Save and go on"))
    expect(page.get_by_text("As workers see it").first).to_be_visible()
    admin.settle(budget="20")
    link = admin.go_live("anna")
    pass_quiz(page, link, RIGHT)
    worker = LivePage(page).ready()
    worker.begin()
    worker.obeyed("build a small red cube")
    assert admin.calls == []
    assert admin.decisions <= MOST_DECISIONS
