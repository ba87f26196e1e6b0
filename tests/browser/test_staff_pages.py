"""Staff pages in a real browser: the policy holds, the console is silent, one can get everywhere."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from websockets.sync.client import connect

from tests.browser.conftest import Server, sign_in
from tests.support.accessibility import barriers_on
from tests.support.annotator_pages import MarkerPage
from tests.support.sign_in import app_code

pytestmark = pytest.mark.browser
CLIPS = ["longgop", "bframes"]
PAGES = [
    *(
        "",
        "alarms/",
        "webhooks/",
        "projects/",
        "workers/",
        "qualifications/",
        "people/",
        "suites/",
        "agents/",
        "episodes/",
        "jobs/",
        "audit/",
    ),
    *("privacy/", "privacy/texts/", "review/", "review/taxonomies/", "review/breakdown/", "review/findings/"),
    *("trees/", "trees/default/", "trees/default/try/", "trees/default/edit/", "trees/default/versions/", "new-tree/"),
]


@pytest.fixture(scope="module")
def marked(server: Server) -> str:
    """A project with one marked episode."""
    slug = server.project_of_clips("staff-tour", CLIPS)
    # Tests of this module may run in two parts, and share a server.
    if not server.annotations(slug):
        assert server.answer(slug, "tourist", "success", 40) == 201
    return slug


def test_each_page_opens_fits_and_has_no_barrier(staff: Page, server: Server, marked: str) -> None:
    for path in PAGES:
        answer = staff.goto(f"{server.url}/staff/{path}")
        assert answer is not None
        assert answer.status == 200
        for width in (1280, 390):
            staff.set_viewport_size({"width": width, "height": 800})
            assert staff.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (path, width)
        assert barriers_on(staff) == [], path


@pytest.mark.long
def test_an_open_overview_draws_itself_anew_and_keeps_the_focus(staff: Page, server: Server, marked: str) -> None:
    expect(staff.locator("[data-live-state]")).to_contain_text("as of")
    link = staff.get_by_role("link", name=re.compile("to review|waiting|live project")).first
    link.focus()
    server.put("/projects/later/", tool="parse", title="It came later", instructions=["Read."], status="live")
    expect(staff.get_by_role("link", name="It came later")).to_be_visible(timeout=15_000)
    expect(link).to_be_focused()


@pytest.mark.long
def test_every_column_of_the_sessions_is_in_view(staff: Page, server: Server) -> None:
    server.put("/agents/an-agent-with-quite-a-long-name/", name="Never here")
    project = "an-evaluation-with-a-long-name"
    server.put(
        f"/projects/{project}/",
        tool="interaction",
        title="Say what the assistant shall do, and how it went",
        instructions=["# What you do"],
        status="live",
        redundancy=1,
        settings={
            "agent": "an-agent-with-quite-a-long-name",
            "sessions": 2,
            "tree": "default",
            "minimum_s": 60,
            "evaluation": True,
        },
    )
    token = server.post(f"/projects/{project}/links/", worker="5f3a9c1d2b4e6f708192a3b4c5d6e7f8")["token"]
    held = server.api.post("/api/v1/work/claim/", headers={"Authorization": f"Bearer {token}"})
    hello = {"t": "hello", "token": token, "resume": "tab", "have": 0}
    address = f"{server.url.replace('http', 'ws')}/ws/work/{held.json()['assignment']}/"
    with connect(address) as line:
        line.send(json.dumps(hello))
        assert json.loads(line.recv())["t"] == "welcome"
    for width in (1280, 390):
        staff.set_viewport_size({"width": width, "height": 800})
        staff.goto(f"{server.url}/staff/sessions/?project={project}")
        expect(staff.get_by_role("cell", name="waiting for an agent evaluation")).to_be_attached()
        hidden = staff.locator(".table-wrap").evaluate("one => one.scrollWidth - one.clientWidth")
        assert hidden <= 0 or width < 1280
        assert staff.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.long
def test_one_gets_from_the_ranking_to_a_marker(staff: Page, server: Server, marked: str) -> None:
    staff.get_by_role("link", name="Evaluation", exact=True).click()
    staff.get_by_role("link", name=server.suite_of_clips(CLIPS)).first.click()
    expect(staff.locator("svg").first).to_be_visible()
    staff.get_by_role("link", name="Episodes").click()
    staff.get_by_role("link", name=server.annotations(marked)[0]["task"]).first.click()
    expect(staff.locator("video")).to_be_visible()
    staff.get_by_role("link", name="tourist").first.click()
    expect(staff.get_by_role("heading", name="tourist")).to_be_visible()


def test_the_admin_and_the_api_docs_keep_to_their_policies(staff: Page, server: Server) -> None:
    for path in ("/admin/", "/admin/annotation/task/", "/api/v1/docs/"):
        answer = staff.goto(server.url + path)
        assert answer is not None
        assert answer.status == 200
        staff.wait_for_load_state("networkidle")
    expect(staff.get_by_text("/api/v1/agents/").first).to_be_visible()


@pytest.mark.long
def test_a_worker_page_is_no_way_into_staff_pages(server: Server, page: Page) -> None:
    project = server.project_of_clips("nosy", ["longgop"])
    MarkerPage(page).enter(server.link(project, "nosy"))
    page.goto(f"{server.url}/staff/")
    expect(page.get_by_label("Password")).to_be_visible()


@pytest.mark.long
def test_a_second_factor_is_set_up_used_and_turned_off(server: Server, page: Page) -> None:
    sign_in(page, server, "account/")
    page.get_by_role("link", name="Turn it on").click()
    picture = page.get_by_alt_text("QR code")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")
    secret = page.locator("code.secret").inner_text()
    page.get_by_label("Code").fill(app_code(secret))
    page.get_by_role("button", name="Turn it on").click()
    shown = re.findall(r"\d{8}", page.locator("#recovery-codes").inner_text())
    assert len(shown) == 10
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert Path(download.value.path()).read_text().split() == shown

    page.get_by_role("button", name="Sign out").click()
    sign_in(page, server, "account/")
    page.get_by_label("Code").fill(shown[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("9 recovery codes left")).to_be_visible()

    page.get_by_role("link", name="Turn it off").click()
    page.get_by_role("button", name="Turn it off").click()
    expect(page.get_by_role("status")).to_contain_text("Two-factor sign-in is off")
