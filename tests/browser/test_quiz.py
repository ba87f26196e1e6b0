"""The quiz in a real browser: read, fail, wait, pass with a real task among the questions, and start to work."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Server
from tests.support.accessibility import barriers_on
from tests.support.annotator_pages import MarkerPage

pytestmark = pytest.mark.browser
COOL_OFF_S = 2


@pytest.fixture(scope="module")
def project(server: Server) -> str:
    """A project that requires a quiz, whose last question is a clip of the project itself: frame 45 is right."""
    slug = server.project_of_clips("with-quiz", ["longgop", "bframes"], redundancy=3)
    server.put("/qualifications/with-quiz/", **_quiz(server))
    body = {name: value for name, value in server.get(f"/projects/{slug}/").items() if name not in {"slug", "progress"}}
    server.put(f"/projects/{slug}/", **{**body, "qualification": "with-quiz"})
    return slug


def _quiz(server: Server) -> dict[str, Any]:
    return {
        "title": "Before you start",
        "pages": ["# What you do\n\nYou mark **one** moment.", "# How\n\nPress S or F."],
        "questions": [
            {"id": "one", "ask": "How many?", "kind": "single", "options": ["none", "one", "many"], "accept": ["one"]},
            {"id": "keys", "ask": "Which keys?", "kind": "multiple", "options": ["S", "F", "Q"], "accept": ["S", "F"]},
            {"id": "word", "ask": "What begins the time that counts?", "kind": "text", "accept": ["takeover"]},
            {
                "id": "mark",
                "ask": "Mark the frame in the middle as a success.",
                "kind": "task",
                "payload": {"episode": f"{server.suite_of_clips(['longgop', 'bframes'])}-0"},
                "accept": [{"outcome": "success", "frame": 45}],
                "tolerance_s": 0.05,
            },
        ],
        "pass_mark": 1,
        "attempts": 2,
        "cool_off_s": COOL_OFF_S,
    }


def _read_pages(page: Page) -> None:
    expect(page.get_by_role("heading", name="What you do")).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", name="How", exact=True)).to_be_visible()
    page.get_by_role("link", name="To the questions").click()


def _answer(page: Page, *, how_many: str, keys: list[str]) -> None:
    page.get_by_label(how_many, exact=True).check()
    for key in keys:
        page.get_by_label(key, exact=True).check()
    page.get_by_label("What begins the time that counts?").fill(" TakeOver ")
    page.get_by_role("button", name="Next").click()


def _mark(page: Page, frame: int) -> None:
    marker = MarkerPage(page).ready()
    expect(page.get_by_text("Mark the frame in the middle as a success.")).to_be_visible()
    marker.slide_to(frame)
    assert marker.shown(frame) == frame
    assert marker.painted() == frame
    marker.press("s")
    assert marker.marker() == ("success", str(frame))
    page.locator("[data-submit]").click()


@pytest.mark.long
def test_a_worker_fails_cools_off_passes_and_claims_the_first_task(server: Server, project: str, page: Page) -> None:
    page.goto(server.link(project, "learner"))
    _read_pages(page)
    _answer(page, how_many="many", keys=["S"])
    _mark(page, 45)

    expect(page.get_by_role("heading", name="Not passed this time")).to_be_visible()
    expect(page.get_by_text("You got 50 % of the questions right; 100 % are needed.")).to_be_visible()
    expect(page.get_by_text("You have 1 attempt left.")).to_be_visible()
    assert barriers_on(page) == []
    page.wait_for_timeout(COOL_OFF_S * 1000)
    page.reload()
    page.get_by_role("link", name="Take the quiz again").click()

    _answer(page, how_many="one", keys=["S", "F"])
    # Back and forth: what was answered before is still there, and so is the marker.
    MarkerPage(page).ready()
    page.get_by_role("link", name="Back to the questions before").click()
    expect(page.get_by_label("one", exact=True)).to_be_checked()
    expect(page.get_by_label("What begins the time that counts?")).to_have_value(" TakeOver ")
    page.get_by_role("button", name="Next").click()
    _mark(page, 45)

    expect(page.get_by_role("heading", name="You passed")).to_be_visible()
    page.get_by_role("link", name="Start").click()
    page.locator("[data-close-instructions]").click()
    marker = MarkerPage(page).ready()
    assert page.url.endswith(f"/work/{project}/")
    marker.press("n")
    with marker.request("/submit/") as answer:
        marker.press("Enter")
    assert answer.value.status == 201


@pytest.mark.long
def test_the_plain_questions_need_no_javascript_and_no_mouse(server: Server, project: str, chromium: Any) -> None:
    context: BrowserContext = chromium.new_context(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(server.link(project, "plain"))
    page.get_by_role("link", name="Next").press("Enter")
    page.get_by_role("link", name="To the questions").press("Enter")
    page.get_by_label("one", exact=True).press("Space")
    page.get_by_label("What begins the time that counts?").fill("takeover")
    page.get_by_role("button", name="Next").press("Enter")
    expect(page.get_by_text("1 question still needs an answer")).to_be_visible()
    expect(page.get_by_text("Please choose at least one.")).to_be_visible()
    expect(page.get_by_label("one", exact=True)).to_be_checked()
    page.get_by_label("S", exact=True).press("Space")
    page.get_by_role("button", name="Next").press("Enter")
    expect(page.get_by_text("please switch JavaScript on")).to_be_visible()
    context.close()


def test_losing_the_grant_in_the_middle_of_work_leads_back_to_the_quiz(
    server: Server, project: str, page: Page
) -> None:
    """The marker page says so, and its button goes to the quiz."""
    link = server.link(project, "revoked")
    token = link.partition("token=")[2]
    headers = {"Authorization": f"Bearer {token}"}
    answers = {"one": "one", "keys": ["S", "F"], "word": "takeover", "mark": {"outcome": "success", "frame": 45}}
    passed = server.api.post("/api/v1/work/qualification/", headers=headers, json={"answers": answers})
    assert passed.json()["passed"] is True
    MarkerPage(page).enter(link)
    # Another quiz is needed from now on.
    body = {
        name: value for name, value in server.get(f"/projects/{project}/").items() if name not in {"slug", "progress"}
    }
    server.put("/qualifications/another/", **{**_quiz(server), "title": "One more", "pages": []})
    server.put(f"/projects/{project}/", **{**body, "qualification": "another"})
    try:
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Go to the quiz").click()
        expect(page.get_by_role("heading", name="One more")).to_be_visible()
    finally:
        server.put(f"/projects/{project}/", **{**body, "qualification": "with-quiz"})
