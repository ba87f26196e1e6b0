"""An admin at the mouse, whose decisions are counted, on the pages that set a project up."""

from pathlib import Path

from playwright.sync_api import Locator, Page, Request, expect

MOST_DECISIONS = 40


class Admin:
    """The acts of a person with the mouse, counted: each choice, text or press.

    Attributes:
        calls: The requests to the API, but for a worker's page and the parts of an upload.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.decisions = 0
        self.calls: list[str] = []
        page.on("request", self._note)

    def _note(self, request: Request) -> None:
        if "/api/" in request.url and "/uploads/" not in request.url and "/work/" not in request.url:
            self.calls.append(request.url)

    def press(self, what: Locator) -> None:
        self.decisions += 1
        what.click()

    def type(self, what: Locator, text: str) -> None:
        self.decisions += 1
        what.fill(text)

    def choose(self, what: Locator) -> None:
        self.decisions += 1
        what.check()

    def begin(self, question: str, title: str) -> None:
        """A new draft from a template."""
        self.press(self.page.get_by_role("link", name="New project").first)
        self.choose(self.page.get_by_label(question))
        self.type(self.page.get_by_label("Title, as workers read it"), title)
        self.press(self.page.get_by_role("button", name="Make a draft"))
        expect(self.page.get_by_role("heading", name="Material draft")).to_be_visible()

    def settle(self, *, budget: str) -> None:
        """The words as they are, one answer for each task, and a budget."""
        self.press(self.page.get_by_role("button", name="Save and go on"))
        self.type(self.page.get_by_label("Answers for each task"), "1")
        self.type(self.page.get_by_label("Close a task when it is so sure"), "")
        self.press(self.page.get_by_role("button", name="Save and go on"))
        self.type(self.page.get_by_label("Budget"), budget)
        self.press(self.page.get_by_role("button", name="Save and go on"))

    def go_live(self, worker: str) -> str:
        """From the try to the link of a worker."""
        self.press(self.page.get_by_role("link", name="Go on"))
        self.press(self.page.get_by_role("button", name="Go live"))
        expect(self.page.get_by_text("is live. Make a link")).to_be_visible()
        self.type(self.page.get_by_label("The worker's name or number"), worker)
        self.press(self.page.get_by_role("button", name="Make a link"))
        return self.page.locator("#worker-link").inner_text()


class KeyboardAdmin(Admin):
    """An admin without a mouse: Tab leads to each control, and keys work it."""

    MOST_STEPS = 150

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        # Playwright takes dialogs over some time after it is asked to; one that opens before that is lost.
        page.on("filechooser", lambda dialog: None)

    def press(self, what: Locator) -> None:
        self.decisions += 1
        self.reach(what)
        self.page.keyboard.press("Enter")

    def type(self, what: Locator, text: str) -> None:
        self.decisions += 1
        self.reach(what)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text)

    def choose(self, what: Locator) -> None:
        """Choose one of several: Tab leads to the group, arrows lead through it."""
        self.decisions += 1
        group = self.page.locator(f"input[type=radio][name='{what.get_attribute('name')}']")
        self.reach(group)
        for _ in range(group.count()):
            if what.is_checked():
                return
            self.page.keyboard.press("ArrowDown")
        expect(what).to_be_checked()

    def choose_file(self, what: Locator, file: Path) -> None:
        """The browser's own dialog takes over where the key opens it."""
        self.decisions += 1
        self.reach(what)
        with self.page.expect_file_chooser() as chooser:
            self.page.keyboard.press("Enter")
        chooser.value.set_files(file)

    def reach(self, what: Locator) -> None:
        """Press Tab until one of these has the focus, as a person does who sees where it is."""
        expect(what.first).to_be_attached()
        for _ in range(self.MOST_STEPS):
            if what.evaluate_all("found => found.includes(document.activeElement)"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not lead to {what}")


def pass_quiz(page: Page, link: str, right: dict[str, str]) -> None:
    """A worker comes in by the link, and answers each question rightly."""
    page.goto(link)
    for ask, option in right.items():
        page.get_by_role("group", name=ask).get_by_label(option, exact=True).check()
    page.get_by_role("button", name="Hand in").click()
    page.get_by_role("link", name="Start").click()
    page.locator("[data-close-instructions]").click()
