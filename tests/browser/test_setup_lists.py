"""From an empty list of projects to work on commands and on scenes, by mouse."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, sign_in
from tests.support.setup_walk import MOST_DECISIONS, Admin, pass_quiz

pytestmark = pytest.mark.browser

OF_COMMANDS = {
    "Build a tall red tower": "tall",
    "Hello, how are you?": "Not a command",
    "Dig a hole next to the house": "Dig a hole",
    "Two answers would do": "The one that I thought of first",
}
OF_SCENES = {
    "The words are “the house”": "All its blocks: walls, roof and door",
    "there is no blue tower": "I press “It is not there”",
    "What do you do before you hand in?": "I turn the world and look at the back of the thing",
}


@pytest.mark.long
def test_commands_are_pasted_mended_tried_and_answered(server: Server, page: Page) -> None:
    admin = Admin(page)
    sign_in(page, server, "projects/")
    admin.begin("What do these commands mean?", "Say what it asks for")
    commands = page.get_by_label("Paste commands, one a line")
    admin.type(commands, '{"text": "dig a hole"}\n{"text": }')
    admin.press(page.get_by_role("button", name="Add them"))
    expect(page.get_by_text("Line 2:")).to_be_visible()
    expect(commands).to_have_value('{"text": "dig a hole"}\n{"text": }')
    admin.type(commands, "dig a hole\ndance")
    admin.press(page.get_by_role("button", name="Add them"))
    expect(page.get_by_role("heading", name="2 tasks there")).to_be_visible()
    admin.press(page.get_by_role("link", name="Go on"))
    admin.settle(budget="20")
    admin.press(page.get_by_role("link", name="Try a task"))
    expect(page.locator("[data-question]")).to_be_visible()
    page.go_back()
    link = admin.go_live("anna")
    pass_quiz(page, link, OF_COMMANDS)
    expect(page.locator("[data-question]")).to_be_visible()
    assert admin.calls == []
    assert admin.decisions <= MOST_DECISIONS


@pytest.mark.long
def test_scenes_are_generated_tried_and_marked(server: Server, page: Page) -> None:
    admin = Admin(page)
    sign_in(page, server, "projects/")
    admin.begin("What is in these scenes?", "Find the thing")
    admin.type(page.get_by_label("How many scenes"), "4")
    admin.press(page.get_by_role("button", name="Make them"))
    expect(page.get_by_role("heading", name="4 tasks there")).to_be_visible()
    admin.press(page.get_by_role("link", name="Go on"))
    admin.settle(budget="20")
    admin.press(page.get_by_role("link", name="Try a task"))
    admin.press(page.get_by_role("button", name="It is not there"))
    admin.press(page.locator("[data-done]"))
    expect(page.get_by_text("Nothing was kept.")).to_be_visible()
    link = admin.go_live("anna")
    pass_quiz(page, link, OF_SCENES)
    expect(page.get_by_role("button", name="It is not there")).to_be_visible()
    assert admin.calls == []
    assert admin.decisions <= MOST_DECISIONS
