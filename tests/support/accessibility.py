"""The findings of axe, a checker of web pages, on a page that is open in the browser."""

from functools import cache

from playwright.sync_api import Page

from tests.support.shared_data import ROOT

SERIOUS = ("serious", "critical")
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
RUN = """async (rules) => {
  const found = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
  return found.violations.map(({ id, impact, nodes }) => [impact, id, nodes[0].html.slice(0, 200)]);
}"""


@cache
def _axe() -> str:
    return (ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js").read_text()


def barriers_on(page: Page) -> list[tuple[str, str]]:
    """The rule and the first element of each serious or critical finding, WCAG 2.2 A and AA and best practice."""
    page.evaluate(_axe())
    return [(rule, html) for impact, rule, html in page.evaluate(RUN, list(RULES)) if impact in SERIOUS]
