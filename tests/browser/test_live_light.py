"""The light of a session on the worker's page: what it says, when, to whom, and what becomes of it at the end."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server
from tests.support.live_page import PATIENCE_MS, LivePage, project_of_sessions, records_of
from tests.support.voxels_page import SOFTWARE_WEBGL, phone

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL
PAID = {"per_point": "0.30", "most": "3.00"}
WORDS = {"red": "Needs more", "amber": "Getting there", "green": "Good"}


def told(page: Page, *, after: int) -> None:
    """Wait until the page has as many scores."""
    expect(page.locator("[data-marks]")).to_have_attribute("data-marks", str(after), timeout=PATIENCE_MS)


def test_the_light_follows_each_command(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "light-paid", stoplight=PAID)
    worker = LivePage(page).enter(server.link(project, "lit"))
    light, advice = page.locator("[data-light]"), page.locator("[data-advice]")
    expect(light).to_contain_text("No score yet 0 of 10")
    expect(light).to_contain_text("Bonus: up to $3.00")
    expect(light).to_have_attribute("data-light", "")
    worker.begin()
    expect(advice).to_contain_text("No score yet")
    before = advice.bounding_box()
    with records_of(server, project) as records:
        worker.obeyed("build a small red cube")
        told(page, after=1)
        assert advice.bounding_box() == before
        (first,) = records.bodies("score")
        expect(light).to_have_attribute("data-light", first["colour"])
        expect(light.locator("[data-light-word]")).to_have_text(WORDS[first["colour"]])
        expect(light.locator("[data-light-score]")).to_have_text(f"{first['score']:.1f} of 10")
        expect(light.locator("[data-light-bonus]")).to_have_text(f"Expected bonus: ${first['bonus']['amount']}")
        expect(advice.locator("[data-advice-words]")).to_have_text(first["advice"])
        # It is told aloud as well, and not again after a reload.
        aloud = page.get_by_role("log").get_by_text(f"The light: {WORDS[first['colour']].lower()}")
        expect(aloud).to_have_count(1)

        worker.obeyed("Build a small red cube!")
        told(page, after=2)
        repeated = records.bodies("score")[1]
        assert not repeated["counted"]
        expect(advice).to_contain_text("not count")
        expect(page.locator("[data-mark=none]")).to_have_count(1)
        worker.tell("dance")
        worker.card("done")
        # One thing at a time.
        expect(advice).to_have_count(0)
        worker.pick("done", 0)
        told(page, after=3)
        worker.checks()

        page.reload()
        worker.ready()
        told(page, after=3)
        last = records.bodies("score")[2]
        expect(light.locator("[data-light-score]")).to_have_text(f"{last['score']:.1f} of 10")
        expect(page.get_by_role("log").get_by_text("The light:")).to_have_count(0)


def test_the_history_is_opened_by_key_and_says_what_is_still_open(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "light-history", stoplight=PAID)
    worker = LivePage(page).enter(server.link(project, "reader")).begin()
    worker.obeyed("build a small red cube")
    worker.obeyed("build a small red cube.")
    told(page, after=2)
    page.locator("[data-light-button]").focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Your light")
    expect(panel).to_be_focused()
    expect(panel).to_contain_text("the final figure is fixed when your work has been looked at")
    lines = panel.locator("[data-light-history] li")
    expect(lines).to_have_text(
        [re.compile("“build a small red cube.”.*not count"), re.compile("“build a small red cube”.* of 10")]
    )
    page.keyboard.press("Escape")
    expect(page.locator("[data-light-button]")).to_be_focused()
    expect(panel).to_be_hidden()
    for width in (390, 861, 1041, 1121):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, width


def test_at_the_end_the_worker_reads_what_becomes_of_the_bonus(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "light-end", sessions=2, stoplight=PAID)
    worker = LivePage(page).enter(server.link(project, "earner")).begin()
    with records_of(server, project) as records:
        for text in ("build a small red cube", "dance", "dig a deep hole behind you"):
            worker.obeyed(text)
        told(page, after=3)
        amount = records.bodies("score")[-1]["bonus"]["amount"]
    page.locator("[data-leave]").click()
    expect(page.locator("[data-bonus-if-left]")).to_contain_text(f"${amount} is only for sessions that are handed in")
    page.locator("[data-stay]").click()
    worker.reflect()
    worker.finish()
    expect(page.locator("[data-expected-bonus]")).to_have_text(
        f"Expected bonus ${amount}. It is fixed when your work has been looked at."
    )
    expect(page.locator("[data-light]")).to_have_count(0)


def test_without_a_bonus_nothing_is_said_of_money_and_where_agents_are_measured_there_is_no_light(
    server: Server, page: Page
) -> None:
    project = project_of_sessions(server, "light-unpaid")
    worker = LivePage(page).enter(server.link(project, "unpaid")).begin()
    worker.obeyed("build a small red cube")
    told(page, after=1)
    expect(page.locator("[data-light-bonus]")).to_have_count(0)
    page.locator("[data-light-button]").click()
    expect(page.get_by_role("region", name="Your light")).not_to_contain_text(re.compile("bonus|estimate"))
    page.keyboard.press("Escape")
    worker.reflect()
    worker.finish()
    expect(page.locator("[data-expected-bonus]")).to_have_count(0)

    project = project_of_sessions(server, "light-none", evaluation=True)
    worker.enter(server.link(project, "measurer")).begin()
    expect(page.locator("[data-clock]")).to_be_visible()
    expect(page.locator("[data-light], [data-advice]")).to_have_count(0)


def test_the_light_on_a_phone(server: Server, chromium: Browser) -> None:
    project = project_of_sessions(server, "light-phone", stoplight=PAID)
    with phone(chromium) as page:
        worker = LivePage(page)
        page.goto(server.link(project, "phone"))
        page.locator("[data-close-instructions]").tap()
        worker.ready().begin()
        worker.obeyed("build a small red cube")
        told(page, after=1)
        for part in ("[data-light-word]", "[data-light-score]", "[data-light-bonus]"):
            expect(page.locator(part)).to_be_visible()
        worker.checks()
        button = page.locator("[data-light-button]")
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        button.tap()
        expect(page.get_by_role("region", name="Your light")).to_be_in_viewport()
        worker.checks()
