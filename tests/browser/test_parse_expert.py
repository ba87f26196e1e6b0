"""The expert's page: the whole form as a tree and as JSON, checked while one writes, submitted when it is right."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lib.logical_form.normal import same
from tests.browser.conftest import Server
from tests.support.annotator_pages import forms_of, project_of_commands
from tests.support.shared_data import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.long]

TEXT = "build a tall red tower next to the house"
NAME = "/event_sequence/0/schematic/filters/where_clause/AND/0"


def _form(name: int, colour: int | None = None) -> dict[str, Any]:
    clauses = [{"pred_text": "has_name", "obj_text": [0, [name, name]]}]
    if colour is not None:
        clauses.append({"pred_text": "has_colour", "obj_text": [0, [colour, colour]]})
    build = {"action_type": "BUILD", "schematic": {"filters": {"where_clause": {"AND": clauses}}}}
    return {"dialogue_type": "HUMAN_GIVE_COMMAND", "event_sequence": [build]}


@pytest.fixture
def editor(server: Server, page: Page, request: pytest.FixtureRequest) -> Page:
    """The editor with the agent's parse in it, which names the wrong word."""
    slug = request.node.name.removeprefix("test_")[:40].replace("_", "-")
    project_of_commands(server, slug, [{"text": TEXT, "form": _form(3)}], settings={"given_to": "experts"})
    page.goto(server.link(slug, "expert"))
    page.locator("[data-close-instructions]").click()
    expect(page.locator("[data-faults='0']")).to_be_attached()
    return page


def test_an_expert_mends_the_agents_parse_in_the_tree_and_submits(server: Server, editor: Page) -> None:
    expect(editor.locator("[data-in-words]")).to_contain_text("red")
    editor.locator(f'[data-mark="{NAME}/obj_text"]').click()
    editor.locator('button[data-token="3"]').click()
    editor.locator('button[data-token="4"]').click()
    expect(editor.locator("[data-in-words]")).to_contain_text("tower")
    where = NAME.rpartition("/")[0]
    editor.locator(f'[data-add-item="{where}"]').click()
    # A member of which nothing is said yet: a fault that leads to its place, and no submitting.
    expect(editor.locator("[data-fault]").first).to_be_visible()
    expect(editor.locator("[data-submit]")).to_have_attribute("aria-disabled", "true")
    editor.locator("[data-fault]").first.click()
    place = editor.locator(f'[data-path="{where}/1"]')
    expect(place.locator("select").first).to_be_focused()
    place.locator("[data-shape]").first.select_option(index=1)
    editor.locator(f'[data-path="{where}/1/pred_text"] select').select_option("has_colour")
    obj = editor.locator(f'[data-path="{where}/1/obj_text"]')
    obj.locator("[data-shape]").select_option(label="words of the command")
    obj.locator("[data-mark]").click()
    editor.locator('button[data-token="3"]').click()
    expect(editor.locator("[data-faults='0']")).to_be_attached()
    expect(editor.locator("[data-submit]")).to_have_attribute("aria-disabled", "false")
    with editor.expect_response(lambda answer: "/submit/" in answer.url) as sent:
        editor.locator("[data-submit]").click()
    assert sent.value.status == 201
    expect(editor.get_by_text("That was the last one for now")).to_be_visible()
    slug = editor.url.rstrip("/").rpartition("/")[2]
    assert same(forms_of(server, slug)["c0"], _form(4, 3))


def test_json_and_tree_stay_in_step(server: Server, editor: Page) -> None:
    editor.locator("[data-tab=json]").click()
    raw = editor.locator("[data-raw]")
    assert json.loads(raw.input_value()) == _form(3)
    raw.fill("{ nothing")
    expect(editor.locator("[data-submit]")).to_have_attribute("aria-disabled", "true")
    raw.fill(json.dumps(_form(4)))
    expect(editor.locator("[data-in-words]")).to_contain_text("tower")
    expect(editor.locator("[data-submit]")).to_have_attribute("aria-disabled", "false")
    editor.locator("[data-tab=tree]").click()
    expect(editor.locator(f'[data-mark="{NAME}/obj_text"]')).to_contain_text("tower")


def test_only_what_may_stand_there_is_offered_and_a_draft_survives(server: Server, editor: Page) -> None:
    keys = editor.locator("[data-add='/event_sequence/0'] option").evaluate_all("all => all.map(one => one.value)")
    assert "location" in keys
    assert "schematic" not in keys
    assert "target_action_type" not in keys
    with editor.expect_response(lambda answer: answer.request.method == "PATCH"):
        editor.locator(f'[data-path="{NAME}/pred_text"] select').select_option("has_tag")
    editor.reload()
    expect(editor.locator(f'[data-path="{NAME}/pred_text"] select')).to_have_value("has_tag")


PAGE = """<!doctype html><html lang="en"><title>t</title><body><main>
<form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="t"><input type="hidden" name="edited">
<div data-form-editor><textarea name="form">plain</textarea></div>
<script type="application/json" id="form-editor-config">{config}</script>
<button data-needs-form>Decide</button></form></main>
<script type="module" src="/static/{entry}"></script></body></html>"""


def test_a_page_of_the_staff_mounts_the_editor_and_gets_the_form_in_a_hidden_field(server: Server, page: Page) -> None:
    manifest = json.loads((ROOT / "frontend/dist/manifest.json").read_text())
    config = {
        "text": TEXT,
        "tokens": TEXT.split(),
        "form": _form(3),
        "schema_url": "/api/v1/logical_form.schema.json?spellings=current",
        "check_url": "/check/",
        "input": "edited",
    }
    body = PAGE.format(config=json.dumps(config), entry=manifest["src/staff/form_editor/main.tsx"]["file"])
    page.route("**/mounted/", lambda route: route.fulfill(body=body, content_type="text/html"))
    found = {"faults": [], "changes": [], "form": _form(4), "words": "Build it.", "outline": []}
    page.route("**/check/", lambda route: route.fulfill(json=found))
    page.goto(f"{server.url}/mounted/")
    expect(page.get_by_text("Build it.")).to_be_visible()
    assert json.loads(page.locator("[name=edited]").input_value()) == _form(3)
    page.locator(f'[data-mark="{NAME}/obj_text"]').click()
    page.locator('button[data-token="3"]').click()
    page.locator('button[data-token="4"]').click()
    assert json.loads(page.locator("[name=edited]").input_value()) == _form(4)
    assert page.locator("textarea[name=form]").count() == 0
    expect(page.locator("[data-needs-form]")).to_be_enabled()


def test_without_the_grammar_the_page_of_the_staff_keeps_its_plain_field(server: Server, page: Page) -> None:
    manifest = json.loads((ROOT / "frontend/dist/manifest.json").read_text())
    config = {
        "text": TEXT,
        "tokens": TEXT.split(),
        "form": _form(3),
        "schema_url": "data:,",
        "check_url": "/",
        "input": "edited",
    }
    body = PAGE.format(config=json.dumps(config), entry=manifest["src/staff/form_editor/main.tsx"]["file"])
    page.route("**/mounted/", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(f"{server.url}/mounted/")
    expect(page.get_by_text("The editor did not load")).to_be_visible()
    expect(page.locator("textarea[name=form]")).to_have_value("plain")
    assert page.locator("[name=edited]").input_value() == ""
