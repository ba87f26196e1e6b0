"""The practice task in a real browser: the coach follows, a wrong answer says why, a right one leads to the work."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.support.accessibility import barriers_on
from tests.support.annotator_pages import MarkerPage

pytestmark = pytest.mark.browser
MIDDLE = 45


@pytest.fixture(scope="module")
def project(server: Server) -> str:
    """A marker project whose practice comes first: frame 45 of one of its clips is right."""
    slug = server.project_of_clips("with-practice", ["longgop", "bframes"], redundancy=3)
    practice: dict[str, Any] = {
        "ask": "Mark the picture in the middle.",
        "payload": {"episode": f"{server.suite_of_clips(['longgop', 'bframes'])}-0"},
        "accept": [{"outcome": "success", "frame": MIDDLE}],
        "tolerance_s": 0.05,
        "why": "It is picture 45.",
        "first": True,
    }
    body = {name: value for name, value in server.get(f"/projects/{slug}/").items() if name not in {"slug", "progress"}}
    server.put(f"/projects/{slug}/", **{**body, "settings": {**body["settings"], "practice": practice}})
    return slug


def test_a_new_worker_practises_on_the_real_page_and_then_works(server: Server, project: str, page: Page) -> None:
    page.goto(server.link(project, "beginner"))
    page.wait_for_url("**/practice/")
    marker = MarkerPage(page).ready()
    step = page.locator("[data-coach-step]")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(step).to_contain_text("press Space to play")
    assert barriers_on(page) == []
    expect(page.locator("[data-skip-practice]")).to_have_count(0)

    marker.press(" ")
    expect(step).to_contain_text("one picture at a time")
    marker.press(" ")
    marker.press("n")
    expect(step).to_contain_text("press Enter")
    marker.press("Enter")
    expect(step).to_contain_text("Not yet. It is picture 45.")
    page.keyboard.press("F1")
    expect(page.locator("dialog[open]")).to_be_visible()
    page.keyboard.press("Escape")

    marker.slide_to(MIDDLE)
    assert marker.shown(MIDDLE) == MIDDLE
    marker.press("s")
    marker.press("Enter")
    expect(page.get_by_role("heading", name="That is right")).to_be_visible()
    assert barriers_on(page) == []
    page.keyboard.press("Enter")

    # The work: the practice is over for this browser, and the instructions do not open by themselves.
    MarkerPage(page).ready()
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.goto(server.link(project, "beginner"))
    MarkerPage(page).ready()
    assert page.url.endswith(f"/work/{project}/")
    page.goto(page.url + "practice/")
    expect(page.locator("[data-skip-practice]")).to_be_visible()


def test_after_three_wrong_answers_the_coach_lets_the_worker_go(server: Server, project: str, page: Page) -> None:
    page.goto(server.link(project, "unlucky"))
    marker = MarkerPage(page).ready()
    wrong = page.locator(".coach-wrong")
    for _ in range(3):
        marker.press("n")
        with page.expect_response("**/api/v1/work/practice/"):
            marker.press("Enter")
        expect(wrong).to_be_visible()
        expect(page.locator("[data-submit]")).to_contain_text("Submit")
    page.locator("[data-skip-practice]").click()
    MarkerPage(page).ready()
    assert "/practice/" not in page.url
