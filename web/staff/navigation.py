"""The navigation of the staff pages: its groups and entries, the tabs inside them, and what an account may open."""

from typing import NamedTuple

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.review import queue

REVIEW = "review"


class Tab(NamedTuple):
    """One page of the navigation.

    Attributes:
        section: The word that the page, and pages below it, give as `ctx["section"]`.
        url: The name of the address.
        needs: The least role that opens the page, in any project; `everywhere`: in all of them.
    """

    section: str
    label: str
    url: str
    needs: Role = Role.VIEWER
    everywhere: bool = False


class Entry(NamedTuple):
    """One entry of the rail. Its tabs are shown on each of their pages; the entry leads to the first that may be
    opened."""

    label: str
    tabs: tuple[Tab, ...]


class Group(NamedTuple):
    label: str
    entries: tuple[Entry, ...]


def _one(section: str, label: str, url: str, needs: Role = Role.VIEWER, *, everywhere: bool = False) -> Entry:
    return Entry(label, (Tab(section, label, url, needs, everywhere),))


# A new page is one tab here, or one entry; the rail has twelve entries at most. Its view asks for the same role.
GROUPS = (
    Group("", (_one("overview", "Overview", "staff-overview"),)),
    Group(
        "Work",
        (_one("projects", "Projects", "staff-projects"), _one(REVIEW, "Review", "staff-review")),
    ),
    Group(
        "Agents",
        (
            Entry(
                "Evaluation",
                (
                    Tab("suites", "Suites", "staff-suites"),
                    Tab("agents", "Agents", "staff-agents"),
                    Tab("episodes", "Episodes", "staff-episodes"),
                ),
            ),
            Entry(
                "Sessions",
                (
                    Tab("sessions", "Sessions", "staff-sessions"),
                    Tab("funnel", "Funnel", "staff-funnel"),
                    Tab("efficiency", "Efficiency", "staff-efficiency"),
                ),
            ),
            Entry(
                "Repair, learning",
                (
                    Tab("reports", "Error reports", "staff-reports"),
                    Tab("routes", "Routes", "staff-routes", Role.ADMIN, everywhere=True),
                    Tab("trees", "Trees", "staff-trees"),
                    Tab("learning", "Learning", "staff-learning", Role.ADMIN, everywhere=True),
                ),
            ),
        ),
    ),
    Group(
        "Crowd",
        (
            _one("workers", "Workers", "staff-workers"),
            _one("qualifications", "Qualifications", "staff-qualifications", Role.ADMIN),
        ),
    ),
    Group(
        "Money",
        (
            _one("approvals", "Approvals", "staff-approvals"),
            _one("ledger", "Ledger", "staff-ledger", Role.ADMIN),
        ),
    ),
    Group(
        "System",
        (
            Entry(
                "People and keys",
                (
                    Tab("people", "People", "staff-people", Role.ADMIN),
                    Tab("keys", "API keys", "staff-keys", Role.ADMIN, everywhere=True),
                    Tab("webhooks", "Webhooks", "staff-webhooks", Role.ADMIN, everywhere=True),
                ),
            ),
            Entry(
                "Operation",
                (
                    Tab("background", "Background work", "staff-jobs", Role.ADMIN, everywhere=True),
                    Tab("audit", "Audit", "staff-audit", Role.ADMIN),
                    Tab("privacy", "Privacy", "staff-privacy", Role.ADMIN, everywhere=True),
                ),
            ),
        ),
    ),
)


class Shown(NamedTuple):
    """An entry with the first of its pages that the account may open, and how many things wait behind it; 0 is not
    shown."""

    label: str
    url: str
    is_current: bool
    waiting: int


class ShownGroup(NamedTuple):
    label: str
    entries: list[Shown]


class ShownTab(NamedTuple):
    label: str
    url: str
    is_current: bool


def groups_for(user: Account, *, section: str = "", waiting: queue.Counts | None = None) -> list[ShownGroup]:
    """The entries that the account may open, in their groups. 1 query, for the number of things that wait in the review
    queue, unless the page has counted them.

    Every staff page calls this, so it may not cost more.
    """
    shown = []
    for group in GROUPS:
        entries = []
        for entry in group.entries:
            tabs = [tab for tab in entry.tabs if may_open(user, tab)]
            if tabs:
                is_here = any(tab.section == section for tab in entry.tabs)
                count = _waiting(user, waiting) if tabs[0].section == REVIEW else 0
                entries.append(Shown(entry.label, tabs[0].url, is_here, count))
        if entries:
            shown.append(ShownGroup(group.label, entries))
    return shown


def tabs_for(user: Account, section: str) -> list[ShownTab]:
    """The tabs of the entry to which the section belongs; none if the account may open fewer than two. No query."""
    for entry in (entry for group in GROUPS for entry in group.entries):
        if any(tab.section == section for tab in entry.tabs):
            tabs = [ShownTab(tab.label, tab.url, tab.section == section) for tab in entry.tabs if may_open(user, tab)]
            return tabs if len(tabs) > 1 else []
    return []


def _waiting(user: Account, counted: queue.Counts | None) -> int:
    return (counted or queue.count(roles.projects_for(user))).total


def may_open(user: Account, tab: Tab) -> bool:
    may = roles.may_everywhere if tab.everywhere else roles.may_somewhere
    return may(user, tab.needs)
