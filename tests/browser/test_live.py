"""A session with the built-in agent by mouse and keys, from the instructions to the end; and the other ways to end."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.support.accessibility import barriers_on
from tests.support.live_page import FAR_CUBE, LivePage, Records, bluish, project_of_sessions, records_of, yellowish
from tests.support.voxels_page import SOFTWARE_WEBGL

pytestmark = pytest.mark.browser
CHROMIUM_FLAGS = SOFTWARE_WEBGL
IN_ORDER = ["sending", "received", "thinking", "acting"]
WHITE_WOOL = 46
YES, NO = 0, 1


def test_a_session_from_the_instructions_to_the_end(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-whole", minimum_s=3)
    worker = LivePage(page)
    page.goto(server.link(project, "whole"))
    _read_instructions(page)
    worker.ready()
    expect(page.locator("[data-capabilities]")).to_contain_text("build a small red cube")
    # Nothing can be sent before the start.
    expect(page.locator("[data-hint]")).to_have_text("Press Start first.")
    expect(worker.field).to_have_attribute("readonly", "")
    guide = page.locator("[data-first-minute]")
    expect(guide).to_contain_text("walk a little")
    worker.begin()
    with records_of(server, project) as records:
        _walk_and_build(worker, records)
        _choose_one_of_two(worker, records)
        assert barriers_on(page) == []
        expect(guide).to_have_attribute("data-first-minute", "3")
        _see_each_status(worker)
        _say_what_went_wrong(worker, records)
        _see_what_it_took_the_words_for(worker, records)
        worker.checks()
        expect(page.locator("[data-clock]")).to_contain_text("✓")
        worker.reflect(usability=6, performance=4, feedback="It was fun.")
        worker.checks()
        worker.finish()
        expect(page.locator("[data-ended]")).to_contain_text("$1.50")
        expect(page.locator("[data-ended] [data-summary]")).to_contain_text("You did 1 session")
        _is_handed_in(server, project, records)


def _read_instructions(page: Page) -> None:
    """They are there by themselves once, page by page; then only where they are asked for."""
    dialog = page.locator("dialog[data-instructions]")
    expect(dialog).to_contain_text("Tell it what to do.")
    page.locator("[data-next-page]").click()
    expect(dialog).to_contain_text("How you walk")
    page.locator("[data-close-instructions]").click()
    page.reload()
    page.wait_for_selector("[data-live]")
    expect(dialog).to_be_hidden()
    again = page.locator("[data-instructions-again]")
    again.click()
    expect(page.locator("#live-instructions")).to_contain_text("Tell it what to do.")
    page.keyboard.press("Escape")
    expect(page.locator("#live-instructions")).to_be_hidden()


def _walk_and_build(worker: LivePage, records: Records) -> None:
    """A click gives the world the keys and the mouse; what is done there reaches the server."""
    page = worker.page
    expect(page.locator("[data-invite]")).to_be_visible()
    worker.world.click()
    expect(page.locator("[data-invite]")).to_have_count(0)
    expect(worker.world).to_have_attribute("data-mouse", "caught")
    page.keyboard.down("w")
    records.wait_for("pose", lambda pose: pose["z"] > 3.5)
    page.keyboard.up("w")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    records.wait_for("pose", lambda pose: pose["pitch"] == -30)
    page.mouse.down()
    page.mouse.up()
    placed = records.wait_for("place")
    assert placed["block"] == WHITE_WOOL
    page.mouse.down(button="right")
    page.mouse.up(button="right")
    assert records.wait_for("destroy") == {"at": placed["at"]}
    for _ in range(2):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    expect(worker.world).to_have_attribute("data-mouse", "free")


def _choose_one_of_two(worker: LivePage, records: Records) -> None:
    """Two things fit: the agent asks of one, then of the other, and does it to what was chosen."""
    before = worker.look()
    worker.tell("destroy the cube")
    expect(worker.card("ask")).to_contain_text("This one?")
    worker.until(lambda: yellowish(worker.look()) > yellowish(before) + 1000)
    worker.pick("ask", NO)
    page = worker.page
    expect(page.locator("[data-card=ask] [data-choice='1'][aria-pressed=false]")).to_be_visible()
    worker.pick("ask", YES)
    worker.pick("done", YES)
    worker.await_field()
    gone = {(x, y, z) for body in records.bodies("blocks") for x, y, z, block in body["changes"] if block == 0}
    assert gone == set(FAR_CUBE)
    assert [body["choice"] for body in records.bodies("choose")] == [NO, YES]


def _see_each_status(worker: LivePage) -> None:
    """The four statuses in their order, each shown until the next; when it is done none is."""
    begun = len(worker.statuses())
    worker.tell("dance 3 times")
    expect(worker.page.locator("[data-status=acting]")).to_be_visible()
    steps = worker.page.locator("[data-status] [data-step]")
    assert steps.evaluate_all("all => all.map(one => one.dataset.step)") == IN_ORDER
    worker.pick("done", YES)
    worker.await_field()
    shown = worker.statuses()[begun:]
    assert shown[:2] == ["sending", "received"]
    assert shown[-2:] == ["acting", ""]
    assert shown[:-1] == [one for one in IN_ORDER if one in shown]


def _say_what_went_wrong(worker: LivePage, records: Records) -> None:
    """Built blocks are seen; the questions show the understood parts, lead back, and take words."""
    page = worker.page
    before = worker.look()
    worker.tell("build a small blue cube")
    worker.card("done")
    assert bluish(worker.look()) > bluish(before) + 1000
    worker.pick("done", NO)
    expect(worker.card("understood").locator("[data-parse]")).to_contain_text("“cube”, size “small”, colour “blue”")
    page.locator("[data-back]").click()
    worker.pick("done", NO)
    worker.pick("understood", YES)
    worker.pick("what", 4)
    page.locator("[data-card-words]").fill("It stands in my way.")
    page.locator("[data-send-words]").click()
    worker.await_field()
    assert records.bodies("outcome")[-1]["outcome"] == "other_error"
    assert records.bodies("mark")[-1]["text"] == "It stands in my way."
    assert len(records.bodies("back")) == 1


def _see_what_it_took_the_words_for(worker: LivePage, records: Records) -> None:
    worker.tell("how many red cubes are there?")
    worker.pick("done", NO)
    before = worker.look()
    worker.pick("understood", YES)
    expect(worker.card("object").locator("[data-found]")).to_have_attribute("data-found", "27")
    worker.until(lambda: yellowish(worker.look()) > yellowish(before) + 1000)
    worker.pick("object", NO)
    worker.await_field()
    assert records.bodies("outcome")[-1]["outcome"] == "vision_error"


def _is_handed_in(server: Server, project: str, records: Records) -> None:
    """One annotation with the reflection, and a log that ends so."""
    annotation = server.annotations(project)[0]["answer"]
    assert annotation["commands"] == 4
    assert (annotation["usability"], annotation["performance"]) == (6, 4)
    assert annotation["feedback"] == "It was fun."
    assert records.bodies("closed") == [{"reason": "finished"}]
    assert [body["outcome"] for body in records.bodies("outcome")] == ["ok", "ok", "other_error", "vision_error"]


@pytest.mark.long
def test_a_command_is_stopped_midway_and_the_next_one_is_taken(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-stop")
    worker = LivePage(page).enter(server.link(project, "stopper")).begin()
    worker.tell("dance forever")
    expect(page.locator("[data-status=acting]")).to_be_visible()
    expect(page.locator("[data-hint]")).to_contain_text("still at work")
    page.locator("[data-stop]").click()
    worker.card("done")
    expect(page.locator("[data-went=stopped]")).to_contain_text("stopped")
    expect(page.locator("[data-stop]")).to_have_count(0)
    worker.pick("done", YES)
    worker.obeyed("turn left")
    with records_of(server, project) as records:
        command = records.bodies("command")[0]["id"]
        assert records.bodies("stop") == [{"command": command}]
        ends = [body for body in records.bodies("status") if body["state"] in {"done", "failed"}]
        assert [(body["state"], body.get("reason")) for body in ends] == [("failed", "stopped"), ("done", None)]


@pytest.mark.long
def test_it_cannot_be_handed_in_too_early(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-early", minimum_s=600)
    worker = LivePage(page).enter(server.link(project, "early")).begin()
    worker.obeyed("turn left")
    worker.reflect()
    expect(page.locator("[data-finish]")).to_be_disabled()
    expect(page.locator("[data-finish-hint]")).to_contain_text("Not yet")
    page.locator("[data-to-last]").click()
    worker.await_field()
    expect(worker.field).to_be_focused()


@pytest.mark.long
def test_who_leaves_early_reads_the_rule_first(server: Server, page: Page) -> None:
    project = project_of_sessions(server, "live-leave", minimum_s=600)
    worker = LivePage(page).enter(server.link(project, "leaver")).begin()
    worker.obeyed("turn left")
    page.locator("[data-leave]").click()
    expect(page.locator("dialog[open]")).to_contain_text("paid for the part of the minimum time that you worked")
    page.locator("[data-stay]").click()
    worker.obeyed("turn right")
    page.locator("[data-leave]").click()
    page.locator("[data-leave-now]").click()
    expect(page.locator("[data-ended=left]")).to_be_visible()
    worker.checks()
    with records_of(server, project) as records:
        worker.until(lambda: records.bodies("closed") == [{"reason": "left"}])
    assert server.annotations(project) == []
    page.locator("[data-more]").click()
    expect(page.locator("[data-ended]")).to_have_count(0)
