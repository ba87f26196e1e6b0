"""The pages of decision trees in a real browser: faults while one types, walks by keyboard, nothing lost on the way."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_tree_is_drawn_before_the_first_paint_with_answers_in_order_and_no_jump(staff: Page, server: Server) -> None:
    staff.goto(f"{server.url}/staff/trees/default/")
    drawing = staff.locator(".tree-drawing.is-drawn")
    top, left = (f"boxes => boxes.map(box => box.getBoundingClientRect().{side})" for side in ("top", "left"))
    answers = drawing.locator("[data-question=silent] .tree-choice")
    questions = drawing.locator("[data-question=silent] .tree-question, [data-question=done] .tree-question")
    silent, done = questions.evaluate_all(top)
    assert silent < answers.evaluate_all(top)[0] < done
    places = answers.evaluate_all(left)
    assert places == sorted(places)
    assert drawing.locator(".tree-line").count() > drawing.locator(".tree-tip").count() > 0
    shifts = "new Promise(done => { new PerformanceObserver(list => done(list.getEntries().length))"
    shifts += ".observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(0), 300) })"
    assert staff.evaluate(shifts) == 0


def test_without_scripts_a_tree_is_a_list_that_names_its_targets(
    chromium: Browser, staff: Page, server: Server
) -> None:
    context = chromium.new_context(java_script_enabled=False, storage_state=staff.context.storage_state())
    page = context.new_page()
    page.goto(f"{server.url}/staff/trees/default/")
    expect(page.locator("[data-question=silent]").get_by_text("→ understood")).to_be_visible()
    context.close()


def test_faults_follow_the_typing_and_lead_to_their_line(staff: Page, server: Server) -> None:
    staff.goto(f"{server.url}/staff/trees/default/edit/?as=text")
    field, checked = staff.get_by_label("Text"), staff.locator("#checked")
    expect(checked).to_contain_text("✓ Every way through it ends in an outcome")
    text = field.input_value()
    field.fill(text.replace('"next": "guessed"', '"next": "gessed"').replace('"else": "guessed"', '"else": "gessed"'))
    expect(checked).to_contain_text("There is no node 'gessed'.")
    expect(checked.locator(".is-faulty").first).to_be_visible()
    checked.get_by_role("link", name="Line").first.click()
    expect(field).to_be_focused()
    chosen = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert field.evaluate(chosen).strip() == '"else": "gessed",'
    field.fill(text)
    expect(checked).to_contain_text("✓ Every way through it ends in an outcome")


def test_a_tree_is_walked_by_keyboard(staff: Page, server: Server) -> None:
    staff.goto(f"{server.url}/staff/trees/parse-first/try/")
    for key, question in [("1", "Did the assistant do what you asked?"), ("2", "Is it the right thing?")]:
        staff.keyboard.press(key)
        expect(staff.get_by_role("group")).to_contain_text(question)
    staff.keyboard.press("1")
    expect(staff.get_by_role("group")).to_contain_text("What else went wrong?")
    staff.keyboard.press("5")
    expect(staff.get_by_role("alert")).to_have_text("Please say it in a few words.")
    staff.get_by_label("In their own words").fill("it sang 12 songs")
    staff.keyboard.press("Enter")
    expect(staff.get_by_role("status")).to_contain_text("other_error")
    expect(staff.get_by_role("status")).to_contain_text("it sang 12 songs")
    expect(staff.get_by_role("button", name="Back")).to_be_focused()
    staff.keyboard.press("Enter")
    expect(staff.get_by_role("group")).to_contain_text("What else went wrong?")


def test_a_draft_is_tried_and_stays_as_it_was_typed(staff: Page, server: Server) -> None:
    staff.goto(f"{server.url}/staff/new-tree/?from=rate&as=text")
    field = staff.get_by_label("Text")
    draft = field.input_value().replace("Did the assistant do what you asked?", "Was all of it done?")
    field.fill(draft)
    staff.get_by_role("button", name="Try it").click()
    expect(staff.get_by_role("group", name="Was all of it done?")).to_be_visible()
    staff.keyboard.press("2")
    expect(staff.get_by_role("status").last).to_contain_text("task_error")
    expect(field).to_have_value(draft)
    staff.get_by_label("Name").fill("all-of-it")
    staff.get_by_role("button", name="Save").click()
    expect(staff.get_by_role("status").first).to_contain_text("✓ The tree all-of-it is there, as version 1.")
    expect(staff.get_by_role("heading", name="Was it done? ✓ version 1")).to_be_visible()
