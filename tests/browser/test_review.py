"""Reviewing in a real browser: by keyboard alone, by two persons, on a real clip; and a pause."""

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PASSWORD, Server, sign_in
from tests.support.annotator_pages import MarkerPage
from tests.support.sockets import cable_to

pytestmark = pytest.mark.browser

SECRET = "a-long-enough-password"
Enter = Callable[..., Page]


@pytest.fixture
def enter(chromium: Browser, server: Server) -> Iterator[Enter]:
    """Pages of people who have signed in, each in a browser of their own whose console must stay silent."""
    contexts = []
    said: list[str] = []

    def come(name: str, password: str = SECRET) -> Page:
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        return sign_in(page, server, "review/", name=name, password=password)

    yield come
    for context in contexts:
        context.close()
    # What a test provokes on purpose (a refused decision) the browser reports as a failed resource.
    assert [line for line in said if "Failed to load resource" not in line] == []


@pytest.fixture(scope="module")
def people(server: Server) -> tuple[str, str]:
    """Two reviewers."""
    for name in ("rae", "sam"):
        server.reviewer(name, SECRET)
    return "rae", "sam"


def tie(server: Server, slug: str, *, clips: int = 1, **changes: Any) -> str:
    """A project with tasks on which two workers disagree: success at 40, failure at 60."""
    server.project_of_clips(slug, ["longgop"] * clips, redundancy=2, **changes)
    # Tasks come at random. Anna's answer is the first of every task only if she has answered all before Ben begins.
    for worker, outcome, frame in (("anna", "success", 40), ("ben", "failure", 60)):
        for _ in range(clips):
            assert server.answer(slug, f"{slug}-{worker}", outcome, frame) == 201
    return slug


def consensus(server: Server, slug: str) -> list[tuple[str, str | None, int | None]]:
    rows = server.api.get(f"/api/v1/projects/{slug}/consensus.jsonl").text.splitlines()
    told = [json.loads(row) for row in rows]
    return [(one["method"], one["answer"]["outcome"], one["answer"]["frame"]) for one in told]


def type_reason(page: Page, words: str) -> None:
    expect(page.get_by_label("Reason")).to_be_focused()
    page.keyboard.type(words)


@pytest.mark.long
def test_ties_are_decided_by_keyboard_alone(server: Server, people: tuple[str, str], enter: Enter) -> None:
    slug = tie(server, "review-keys", clips=2)
    page = enter(people[0])
    page.goto(f"{server.url}/staff/review/?project={slug}")
    expect(page.get_by_role("link", name="Begin with the worst")).to_be_focused()
    page.keyboard.press("Enter")
    marker = MarkerPage(page).ready()

    # To an answer by its number, exactly.
    page.keyboard.press("2")
    assert marker.shown(60) == marker.painted() == 60
    page.keyboard.press("1")
    assert marker.shown(40) == marker.painted() == 40
    # One picture on, set it there, and say why.
    page.keyboard.press(".")
    marker.shown(41)
    page.keyboard.press("s")
    expect(page.locator("[data-marker-frame='41']")).to_be_visible()
    # Nothing goes without a reason, and the focus is where it is missing.
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Say why").first).to_be_visible()
    type_reason(page, "It touches the key from the next picture on.")
    page.keyboard.press("Control+Enter")

    # The next of the same queue is there; take the second worker's answer as it is.
    expect(page.get_by_text("is decided.")).to_be_visible()
    assert f"project={slug}" in page.url
    marker.ready()
    page.keyboard.press("2")
    marker.shown(60)
    page.keyboard.press("Enter")
    expect(page.locator("[data-marker-frame='60'][data-marker-kind='failure']")).to_be_visible()
    type_reason(page, "Ben is right.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Nothing of this waits")).to_be_visible()
    assert sorted(consensus(server, slug), key=str) == [("adjudicated", "failure", 60), ("adjudicated", "success", 41)]


@pytest.mark.long
def test_a_refused_answer_is_said_and_what_was_typed_stays(
    server: Server, people: tuple[str, str], enter: Enter
) -> None:
    slug = tie(server, "review-refused")
    page = enter(people[0])
    with cable_to(urlsplit(server.url).port or 0) as cable:
        page.goto(f"http://127.0.0.1:{cable.port}/staff/review/next/?project={slug}")
        MarkerPage(page).ready()
        page.keyboard.press("x")
        type_reason(page, "The video is black.")
        cable.pull()
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("No connection.")).to_be_visible()
        expect(page.get_by_label("Reason")).to_have_value("The video is black.")
        assert consensus(server, slug)[0][0] != "adjudicated"
        cable.plug()
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("is closed as not judgeable")).to_be_visible()


@pytest.mark.long
def test_a_marker_before_the_agent_takes_over_is_refused(server: Server, people: tuple[str, str], enter: Enter) -> None:
    slug = tie(server, "review-early")
    page = enter(people[0])
    page.goto(f"{server.url}/staff/review/next/?project={slug}")
    marker = MarkerPage(page).ready()
    page.keyboard.press("Home")
    marker.shown(0)
    page.keyboard.press("s")
    expect(page.get_by_text("The agent only takes over at")).to_be_visible()


@pytest.mark.long
def test_two_persons_decide_together(server: Server, people: tuple[str, str], enter: Enter) -> None:
    slug = tie(server, "review-two", two_person_review=True)
    rae, sam = (enter(name) for name in people)
    rae.goto(f"{server.url}/staff/review/next/?project={slug}")
    MarkerPage(rae).ready()
    rae.keyboard.press("1")
    MarkerPage(rae).shown(40)
    rae.keyboard.press("Enter")
    type_reason(rae, "Anna is right.")
    expect(rae.get_by_role("button", name="Propose this answer")).to_be_visible()
    rae.keyboard.press("Control+Enter")
    expect(rae.get_by_text("It counts once a second reviewer confirms it")).to_be_visible()
    assert consensus(server, slug) == [("majority", None, None)]

    # The same person finds no way to confirm.
    rae.goto(f"{server.url}/staff/review/next/?project={slug}")
    MarkerPage(rae).ready()
    expect(rae.get_by_text("Another reviewer confirms it.")).to_be_visible()
    expect(rae.get_by_role("button", name="Confirm")).to_have_count(0)

    sam.goto(f"{server.url}/staff/review/?project={slug}")
    expect(sam.get_by_text("rae proposed an answer")).to_be_visible()
    sam.goto(f"{server.url}/staff/review/next/?project={slug}")
    MarkerPage(sam).ready()
    expect(sam.get_by_text("“Anna is right.”")).to_be_visible()
    sam.keyboard.press("c")
    type_reason(sam, "I see it too.")
    sam.keyboard.press("Control+Enter")
    expect(sam.get_by_text("✓ Confirmed")).to_be_visible()
    assert consensus(server, slug) == [("adjudicated", "success", 40)]


def test_an_answer_and_the_task_are_tagged_by_keyboard(server: Server, people: tuple[str, str], enter: Enter) -> None:
    slug = tie(server, "review-tags")
    page = enter(people[0])
    page.goto(f"{server.url}/staff/review/next/?project={slug}")
    MarkerPage(page).ready()
    page.keyboard.press("2")
    page.keyboard.press("t")
    dialog = page.get_by_role("dialog", name="Put it into a category")
    expect(dialog.get_by_role("combobox", name="What")).to_be_focused()
    expect(dialog.get_by_text("Did nothing")).to_have_count(0)
    page.keyboard.press("Tab")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("Answer 2: Ambiguity")).to_be_visible()
    page.goto(f"{server.url}/staff/review/breakdown/?project={slug}")
    page.get_by_role("link", name="Ambiguity").click()
    expect(page.get_by_role("cell", name="Ambiguity")).to_be_visible()


@pytest.mark.long
def test_a_pause_is_decided(server: Server, people: tuple[str, str], enter: Enter) -> None:
    slug = "review-pause"
    server.project_of_clips(
        slug, ["longgop"], reference_rate=1.0, gates=[{"action": "pause", "below": 0.7, "minimum_n": 3}]
    )
    episode = f"{server.suite_of_clips(['longgop'])}-0"
    tasks = [
        {
            "key": f"check-{number}",
            "payload": {"episode": episode},
            "reference": {"answers": [{"outcome": "failure" if number % 2 else "success"}]},
        }
        for number in range(12)
    ]
    server.post(f"/projects/{slug}/tasks/", tasks=tasks)
    wrong = [server.answer(slug, "hasty", outcome, 40) for outcome in ["success"] * 12]
    assert 403 in wrong, "the gate never paused"
    page = enter(people[0])
    page.goto(f"{server.url}/staff/review/next/?project={slug}")
    expect(page.get_by_role("heading", name="What it rests on")).to_be_visible()
    expect(page.get_by_text("✕ wrong").first).to_be_visible()
    type_reason(page, "The truths of these were disputed.")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Lift the pause")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("may work again")).to_be_visible()
    assert server.answer(slug, "hasty", "success", 40) == 201


@pytest.mark.long
def test_the_page_of_a_task_fits(server: Server, enter: Enter) -> None:
    slug = tie(server, "review-fits")
    page = enter("admin", PASSWORD)
    page.goto(f"{server.url}/staff/review/next/?project={slug}")
    for address in (page.url, f"{page.url}&plain=1"):
        page.goto(address)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (address, width)
