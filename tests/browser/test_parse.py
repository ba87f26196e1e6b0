"""A worker's day on the page of the parse annotator: whole commands by keyboard and by touch, drafts, odd input."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from demo.commands import read_commands
from lib.logical_form.asking.walk import record_of
from lib.logical_form.normal import same
from tests.browser.conftest import Server
from tests.support.accessibility import barriers_on
from tests.support.annotator_pages import ParsePage, forms_of, project_of_commands

pytestmark = pytest.mark.browser

FIVE = (
    "build a tall red tower next to the house",
    "dig a hole 4 blocks deep between the river and the road",
    "fill the pit with sand then build a roof over it",
    "destroy every tower higher than 5 blocks",
    "undo that",
)
COMMANDS: dict[str, Any] = {command["text"]: command for command in read_commands() if command["text"] in FIVE}
RECORDS = {text: record_of(command["form"]) for text, command in COMMANDS.items()}
HOSTILE = (
    "<b>come</b> here &amp; <img src=x onerror=alert(1)> <script>alert(2)</script>",
    "🏠 build a 🟥 house 👩‍👩‍👧 please",
    "ابن بيتا احمر كبيرا هنا ثم come here",
    " ".join(["build a very tall red tower"] * 50),
    "x" * 400,
)


def _five() -> list[dict[str, Any]]:
    return [{"text": text, "context": COMMANDS[text]["context"]} for text in FIVE]


def _assert_true_forms(server: Server, project: str, *, number: int = 5) -> None:
    forms = forms_of(server, project)
    assert [text for n, text in enumerate(FIVE[:number]) if not same(forms.get(f"c{n}"), COMMANDS[text]["form"])] == []


@pytest.mark.long
def test_five_commands_by_keyboard_alone(server: Server, page: Page) -> None:
    project = project_of_commands(server, "parse-keys", _five())
    page.goto(server.link(project, "keys"))
    page.keyboard.press("Escape")
    worker = ParsePage(page).ready()
    assert barriers_on(page) == []
    worker.work_through(RECORDS)
    expect(page.get_by_text("That was the last one for now")).to_be_visible()
    _assert_true_forms(server, project)


def test_two_commands_by_touch_on_a_phone(server: Server, chromium: Browser) -> None:
    project = project_of_commands(server, "parse-touch", _five()[:2])
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    try:
        page = context.new_page()
        worker = ParsePage(page, by_touch=True).enter(server.link(project, "touch"))
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        worker.work_through(RECORDS)
        expect(page.get_by_text("That was the last one for now")).to_be_visible()
    finally:
        context.close()
    _assert_true_forms(server, project, number=2)


@pytest.fixture
def spans(server: Server, request: pytest.FixtureRequest) -> str:
    """A project with one command, for this test alone."""
    slug = f"parse-{request.node.name.removeprefix('test_')[:40].replace('_', '-')}"
    return project_of_commands(server, slug, [_five()[0]])


def _to_spans(worker: ParsePage) -> tuple[str, str, str, str]:
    """Answer truly until words are asked for."""
    while (now := worker.now()) is not None and now[3] != "spans":
        worker.answer(now[3], RECORDS[FIVE[0]][now[1]].get(now[2]))
        worker.next(now)
    assert now is not None
    return now


@pytest.mark.long
def test_words_are_drawn_over_with_the_mouse_extended_with_shift_and_undone(
    server: Server, spans: str, page: Page
) -> None:
    worker = ParsePage(page).enter(server.link(spans, "mouse"))
    _to_spans(worker)
    boxes = [token.bounding_box() for token in page.locator("button[data-token]").all()]
    middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]
    page.mouse.move(*middles[1])
    page.mouse.down()
    for word in (2, 3, 4, 3):
        page.mouse.move(*middles[word])
    page.mouse.up()
    assert worker.marked() == [1, 2, 3]
    page.mouse.click(*middles[6])
    page.locator('button[data-token="8"]').click(modifiers=["Shift"])
    assert worker.marked() == [1, 2, 3, 6, 7, 8]
    expect(page.locator("[data-marked]")).to_contain_text("a tall red … to the house")
    page.keyboard.press("u")
    assert worker.marked() == [1, 2, 3, 6]
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    assert worker.marked() == []
    # To an earlier step by its name.
    earlier = page.locator("select[data-back] option").nth(1).get_attribute("value")
    page.locator("select[data-back]").select_option(index=1)
    page.locator("[data-go-back]").click()
    page.wait_for_function("step => document.querySelector('[data-parse]')?.dataset.step === step", arg=earlier)


@pytest.mark.long
def test_a_finger_draws_sideways_and_a_tap_marks_one(server: Server, spans: str, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    try:
        page = context.new_page()
        worker = ParsePage(page, by_touch=True).enter(server.link(spans, "finger"))
        _to_spans(worker)
        boxes = [token.bounding_box() for token in page.locator("button[data-token]").all()]
        points = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2} for box in boxes if box]
        finger = context.new_cdp_session(page)
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [points[1]]})
        # In small steps, as a finger goes: one leap would be no movement sideways.
        for step in range(1, 11):
            x = points[1]["x"] + (points[3]["x"] - points[1]["x"]) * step / 10
            finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{**points[1], "x": x}]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert worker.marked() == [1, 2, 3]
        page.locator('button[data-token="2"]').tap()
        assert worker.marked() == [1, 3]
    finally:
        context.close()


@pytest.mark.long
def test_what_was_marked_outlives_the_tab_and_follows_to_another_browser(
    server: Server, spans: str, context: BrowserContext, chromium: Browser
) -> None:
    link = server.link(spans, "leaver")
    worker = ParsePage(context.new_page()).enter(link)
    before = _to_spans(worker)
    with worker.page.expect_response(lambda answer: answer.request.method == "PATCH") as saved:
        worker.mark(2, 3)
    assert saved.value.status == 204
    worker.page.close()
    again = ParsePage(context.new_page())
    again.page.goto(link)
    other = chromium.new_context()
    try:
        for page in (again.ready(), ParsePage(other.new_page()).enter(link)):
            assert (page.now(), page.marked()) == (before, [2, 3])
    finally:
        other.close()


@pytest.mark.long
def test_a_no_at_the_end_leads_back_to_the_part_named(server: Server, spans: str, page: Page) -> None:
    worker = ParsePage(page).enter(server.link(spans, "doubter"))
    while (now := worker.now()) is not None and now[2] != "right":
        worker.answer(now[3], RECORDS[FIVE[0]][now[1]].get(now[2]))
        worker.next(now)
    assert now is not None
    expect(page.locator("[data-so-far]")).not_to_be_empty()
    page.keyboard.press("n")
    expect(page.locator("[data-remark]")).to_contain_text("part that is wrong")
    part = page.locator("[data-wrong]").first
    wanted = (part.get_attribute("data-wrong") or "").rpartition("?")[0]
    part.click()
    page.wait_for_function("step => document.querySelector('[data-parse]')?.dataset.step === step", arg=wanted)


@pytest.mark.long
def test_i_cannot_tell_wants_a_second_press_and_goes_on(server: Server, page: Page) -> None:
    project = project_of_commands(server, "parse-unsure", _five()[:2])
    worker = ParsePage(page).enter(server.link(project, "unsure"))
    before = worker.now()
    button = page.locator('[data-way="unknown"]')
    button.click()
    expect(page.locator("[data-remark]")).to_contain_text("once more")
    assert worker.now() == before
    with page.expect_response(lambda answer: "/submit/" in answer.url) as sent:
        button.click()
    assert sent.value.status == 201


def test_a_lost_line_is_told_and_the_answer_is_sent_when_it_is_back(
    server: Server, spans: str, context: BrowserContext, page: Page
) -> None:
    worker = ParsePage(page).enter(server.link(spans, "offline"))
    now = worker.now()
    assert now is not None
    context.set_offline(True)
    worker.answer(now[3], RECORDS[FIVE[0]][now[1]][now[2]])
    page.keyboard.press("Enter")
    expect(page.locator("[data-remark]")).to_contain_text("Your answer is kept here")
    with page.expect_response(lambda answer: "/submit/" in answer.url) as sent:
        context.set_offline(False)
    assert sent.value.status == 201


@pytest.mark.long
def test_a_lost_lease_is_told_with_the_answer_kept(server: Server, page: Page) -> None:
    settings = {"given_to": "many_workers"}
    project = project_of_commands(server, "parse-lease", _five()[:1], lease_s=4, settings=settings)
    worker = ParsePage(page).enter(server.link(project, "slow"))
    server.sleep_until_another_claims(project, page)
    worker.pick("HUMAN_GIVE_COMMAND")
    expect(page.get_by_text("Your time for this command ended")).to_be_visible()
    expect(page.locator(".screen-answer")).to_contain_text("several things, one after the other")


@pytest.mark.long
def test_odd_commands_are_shown_as_text_and_nothing_breaks(server: Server, chromium: Browser) -> None:
    told = [{"text": text, "context": [{"speaker": "worker", "text": text}]} for text in HOSTILE]
    project = project_of_commands(server, "parse-odd", told)
    context = chromium.new_context()
    said: list[str] = []
    try:
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
        page.on("dialog", lambda dialog: said.append(dialog.message))
        worker = ParsePage(page).enter(server.link(project, "odd"))
        seen = set()
        for _ in HOSTILE:
            assert page.locator("[data-tokens] img, [data-tokens] script, [data-tokens] b").count() == 0
            for width in (390, 1280):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
                box = page.locator("[data-tokens]").bounding_box()
                assert box is not None
                assert box["height"] <= 400
                expect(page.locator("[data-next]")).to_be_in_viewport()
            seen.add(page.locator("button[data-token]").count())
            before = worker.now()
            assert before is not None
            for _ in range(2):
                page.locator('[data-way="not_a_command"]').click()
            page.wait_for_function(
                "old => document.querySelector('.screen') "
                "|| document.querySelector('[data-parse]')?.dataset.assignment !== old",
                arg=before[0],
            )
            while (now := worker.now()) is not None and now[2] == "right":
                worker.answer("yes_no", True)
                worker.next(now)
        assert 300 in seen
        assert said == []
    finally:
        context.close()


@pytest.mark.long
def test_a_command_is_a_question_of_a_quiz(server: Server, page: Page) -> None:
    """Step by step in the browser; loaded anew in the middle it goes on where it was; the whole record is handed in."""
    text = FIVE[0]
    question = {"id": "tower", "ask": "What does this ask for?", "kind": "task", "tool": "parse"}
    server.put(
        "/qualifications/parse-quiz/",
        title="Before you start",
        pages=[],
        questions=[question | {"payload": {"text": text}, "accept": [{"form": COMMANDS[text]["form"]}]}],
        pass_mark=1,
        attempts=2,
        cool_off_s=2,
    )
    project = project_of_commands(server, "parse-with-quiz", _five()[1:2], qualification="parse-quiz")
    page.goto(server.link(project, "learner"))
    worker = ParsePage(page).ready()
    expect(page.get_by_text("What does this ask for?")).to_be_visible()
    assert page.locator("[data-way]").count() == 0
    for _ in range(4):
        now = worker.now()
        assert now is not None
        worker.answer(now[3], RECORDS[text][now[1]].get(now[2]))
        worker.next(now)
    before = worker.now()
    page.reload()
    worker.ready()
    again = worker.now()
    assert before is not None
    assert again is not None
    assert again[1] == before[1]
    while (now := worker.now()) is not None and now[2] != "right":
        worker.answer(now[3], RECORDS[text][now[1]].get(now[2]))
        worker.next(now)
    page.keyboard.press("y")
    expect(page.get_by_role("heading", name="You passed")).to_be_visible()


def test_a_guess_is_accepted_by_enter_or_corrected_by_one_key(server: Server, page: Page) -> None:
    """The wrong part is asked alone; then the whole is right."""
    text = "build a tall red tower next to the house"
    true = COMMANDS[text]["form"]
    wrong = json.loads(json.dumps(true))
    clauses = wrong["event_sequence"][0]["schematic"]["filters"]["where_clause"]["AND"]
    for clause in clauses:
        if clause["pred_text"] == "has_colour":
            clause["obj_text"] = [0, [2, 2]]
    told = [{"text": text, "parse": true}, {"text": text, "parse": wrong}]
    project = project_of_commands(server, "parse-guess", told, settings={"blank_share": 0})
    worker = ParsePage(page).enter(server.link(project, "guess"))
    expect(page.get_by_text("Is this right?")).to_be_visible()
    for _ in told:
        part = page.locator("[data-wrong]", has_text="its colour").first
        if "red" not in (part.inner_text()):
            page.keyboard.press((part.locator("kbd").inner_text()).lower())
            page.wait_for_function("() => document.querySelector('[data-kind=spans]')")
            page.keyboard.press("d")
            page.wait_for_selector("[data-correct]")
        before = worker.now()
        assert before is not None
        worker.next(before)
    expect(page.get_by_text("That was the last one for now")).to_be_visible()
    forms = forms_of(server, project)
    assert all(same(forms[f"c{number}"], true) for number in range(2))
