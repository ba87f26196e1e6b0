"""Naming what is in a scene, which feeds the marking; and the quiz of four scenes, whose answers no page gives away."""

import html
import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from demo import scene_quiz
from tests.browser.conftest import Server
from tests.support.voxels_page import SOFTWARE_WEBGL, VoxelsPage, answers, project_of_scenes, scene, steps

pytestmark = [pytest.mark.browser, pytest.mark.long]
CHROMIUM_FLAGS = SOFTWARE_WEBGL


def test_what_is_named_is_to_be_marked_in_the_project_that_is_fed(server: Server, page: Page) -> None:
    target = project_of_scenes(server, "voxels-fed", [])
    settings = {"stage": "name", "feeds": target}
    bare = {**scene(), "blocks": [block for block in scene()["blocks"] if block[1] < 2]}
    names = project_of_scenes(server, "voxels-names", [{"scene": scene()}, {"scene": bare}], settings=settings)
    worker = VoxelsPage(page).enter(server.link(names, "namer"))
    assert page.locator("[data-pane]").count() == 1
    assert page.locator("[data-tool], [data-undo], [data-absent]").count() == 0
    given = []
    for _ in range(2):
        has_shaft = "yellow wool" in page.locator(".legend-materials").inner_text()
        field = page.locator("[data-naming]")
        if has_shaft:
            page.locator("[data-done]").click()
            expect(page.locator("[data-remark]")).to_contain_text("Name one thing first")
            field.fill("  the yellow   shaft ")
            # Loaded anew, the words are still there.
            page.reload()
            worker.ready()
            expect(field).to_have_value("  the yellow   shaft ")
        before = worker.root.get_attribute("data-assignment")
        if not has_shaft:
            page.locator("[data-nothing]").click()
            expect(page.locator("[data-remark]")).to_contain_text("there is nothing here")
        with page.expect_response(lambda answer: "/submit/" in answer.url) as sent:
            if has_shaft:
                field.press("Enter")
            else:
                page.keyboard.press("Control+Enter")
        assert sent.value.status == 201, sent.value.text()
        given.append({"phrase": "the yellow shaft"} if has_shaft else {"nothing": True})
        page.wait_for_function(
            "old => document.querySelector('.screen') "
            "|| (document.querySelector('[data-voxels]')?.dataset.assignment ?? old) !== old",
            arg=before,
        )
    expect(page.get_by_text("That was the last one for now")).to_be_visible()
    assert answers(server, names) == given

    marker = VoxelsPage(page).enter(server.link(target, "marker"))
    expect(page.locator("[data-phrase]")).to_have_text("the yellow shaft")
    assert page.locator("[data-pane]").count() == 2
    assert marker.marked == 0


def test_four_scenes_are_marked_before_the_work_and_no_page_gives_the_answers_away(server: Server, page: Page) -> None:
    asked = scene_quiz.questions()
    server.put(
        "/qualifications/voxels-quiz/",
        title="Before you start",
        pages=[],
        questions=[
            {
                "id": one["id"],
                "ask": one["ask"],
                "kind": "task",
                "tool": "voxels",
                "payload": {"scene": one["scene"], "phrase": one["phrase"]},
                "accept": [one["accept"]],
            }
            for one in asked
        ],
        pass_mark=1,
        attempts=2,
        cool_off_s=60,
    )
    payload = {"scene": scene(), "phrase": "the cube"}
    project = project_of_scenes(server, "voxels-with-quiz", [payload], qualification="voxels-quiz")
    heard: list[Response] = []
    page.on("response", lambda one: heard.append(one))
    page.goto(server.link(project, "learner"))
    worker = VoxelsPage(page)
    given: list[Any] = []
    for one in asked:
        worker.ready()
        expect(page.get_by_text(one["ask"])).to_be_visible()
        expect(page.locator("[data-phrase]")).to_have_text(one["phrase"])
        assert page.get_by_text("Skip this one").count() == 0
        for response in heard:
            _assert_no_answer(response, [later["accept"] for later in asked[len(given) :]])
        heard.clear()
        _mark(worker, one["accept"])
        given.append(one["accept"])
        with page.expect_navigation():
            page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="You passed")).to_be_visible()
    page.get_by_role("link", name="Start").click()
    page.locator("[data-close-instructions]").click()
    worker.ready()
    assert page.url.endswith(f"/work/{project}/")


def _mark(worker: VoxelsPage, answer: dict[str, Any]) -> None:
    """Mark the answer by keyboard: it is a box, of blocks or of air."""
    press = worker.page.keyboard.press
    if "absent" in answer:
        press("n")
        return
    first, last = answer["voxels"][0], answer["voxels"][-1]
    if worker.page.locator("[data-phrase]").inner_text().startswith("the doorway"):
        press("a")
    press("2")
    worker.page.locator("[data-picture]").focus()
    press("Home")
    for x, y, z in (first, last):
        for key in [*steps(worker.cursor, (x, y, z)), "Enter"]:
            press(key)
    assert worker.marked == len(answer["voxels"])


def _assert_no_answer(response: Response, accepts: list[dict[str, Any]]) -> None:
    """Neither the list of voxels nor the word for it is in what the server sent."""
    if response.status in (204, 301, 302, 303) or not re.search("html|json|script", response.headers["content-type"]):
        return
    body = re.sub(r"\s", "", html.unescape(response.text()))
    assert '"accept"' not in body
    assert '"absent":true' not in body
    for accept in accepts:
        if "voxels" in accept:
            # A block of the scene has its material as a fourth number: these lists are no part of it.
            assert json.dumps(accept["voxels"], separators=(",", ":"))[1:-1] not in body
