"""A worker agrees, takes it back and is asked again; staff write instructions, and the worker sees them."""

import io

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server, sign_in
from tests.support.accessibility import barriers_on
from tests.support.annotator_pages import MarkerPage

pytestmark = pytest.mark.browser
CHECKS = "Some tasks check the work."


@pytest.fixture(scope="module")
def project(server: Server) -> str:
    consent = "# What this is\n\nYou watch videos of a computer program."
    return server.project_of_clips("told-first", ["longgop", "bframes"], consent=consent, reference_rate=0.1)


def agree(page: Page) -> None:
    page.get_by_role("button", name="I agree", exact=True).click()


def test_consent_is_given_taken_back_and_asked_for_again(server: Server, project: str, page: Page) -> None:
    page.goto(server.link(project, "changes-their-mind"))
    expect(page.get_by_text("You watch videos of a computer program.")).to_be_visible()
    expect(page.get_by_text(CHECKS)).to_be_visible()
    assert barriers_on(page) == []
    agree(page)
    page.get_by_role("dialog").get_by_role("link", name="Your data and consent").click()
    expect(page.get_by_text("✓ agreed")).to_be_visible()
    expect(page.get_by_text(CHECKS)).to_be_visible()

    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Take my agreement back").click()
    expect(page.get_by_text("✓ agreed")).to_be_visible()

    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Take my agreement back").click()
    expect(page.get_by_text("You took your agreement back")).to_be_visible()
    page.get_by_role("link", name="Read the information page again").click()
    agree(page)
    page.locator("[data-close-instructions]").click()
    MarkerPage(page).ready()


@pytest.mark.long
def test_a_worker_reads_and_takes_along_what_is_stored(server: Server, project: str, page: Page) -> None:
    page.goto(server.link(project, "curious"))
    page.get_by_role("link", name="Your data and consent").click()
    page.get_by_role("link", name="Show it").click()
    expect(page.get_by_role("heading", name="What is stored about you")).to_be_visible()
    expect(page.get_by_text("curious", exact=True)).to_be_visible()
    with page.expect_download() as kept:
        page.get_by_role("link", name="Download all of it").click()
    assert "curious" in kept.value.path().read_text()


@pytest.mark.long
def test_the_pages_of_a_worker_fit_a_phone(server: Server, project: str, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    try:
        page = context.new_page()
        page.goto(server.link(project, "phone"))
        for path in ("", "privacy/", "my-data/", "summary/"):
            page.goto(f"{server.url}/work/{project}/{path}")
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
    finally:
        context.close()


@pytest.mark.long
def test_instructions_with_a_picture_reach_the_worker_once_more(server: Server, chromium: Browser, page: Page) -> None:
    project = server.project_of_clips("written-anew", ["longgop"])
    page.goto(server.link(project, "reader"))
    page.locator("[data-close-instructions]").click()
    MarkerPage(page).ready()
    page.reload()
    MarkerPage(page).ready()
    expect(page.locator("dialog[data-instructions]")).not_to_be_visible()

    other = chromium.new_context(viewport={"width": 1280, "height": 800})
    try:
        staff = sign_in(other.new_page(), server, f"projects/{project}/instructions/")
        first = staff.get_by_label("Markdown").first
        first.fill("# First page\n\nWatch *closely*.")
        expect(staff.locator("#preview-0 em")).to_have_text("closely")
        picture = io.BytesIO()
        Image.new("RGB", (320, 180), "crimson").save(picture, "PNG")
        staff.get_by_label("File").set_input_files(
            {"name": "ball.png", "mimeType": "image/png", "buffer": picture.getvalue()}
        )
        staff.get_by_label("What it shows").fill("A red ball")
        staff.get_by_role("button", name="Add it").click()
        expect(staff.locator("#preview-0").get_by_alt_text("A red ball")).to_be_visible()
        staff.get_by_role("button", name="Save as a new version").click()
        expect(staff.get_by_text("✓ Saved as version 2")).to_be_visible()
    finally:
        other.close()

    page.reload()
    expect(page.get_by_text("The instructions have changed since you last read them.")).to_be_visible()
    shown = page.get_by_role("dialog").get_by_alt_text("A red ball")
    expect(shown).to_be_visible()
    assert shown.evaluate("picture => picture.naturalWidth") == 320
    page.locator("[data-close-instructions]").click()
    page.reload()
    MarkerPage(page).ready()
    expect(page.locator("dialog[data-instructions]")).not_to_be_visible()
