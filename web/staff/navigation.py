"""The navigation of the staff pages: its entries, and which of them an account may open."""

from typing import NamedTuple

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.review import queue

REVIEW = "review"


class Entry(NamedTuple):
    """One entry of the navigation.

    Attributes:
        section: The word that pages below this entry give as `ctx["section"]`.
        url: The name of the address.
        needs: The least role that opens the page, in any project; `everywhere`: in all of them.
    """

    section: str
    label: str
    url: str
    needs: Role = Role.VIEWER
    everywhere: bool = False


# A new entry is one line here, at its place in the navigation. Its view asks for the same role.
ENTRIES = (
    Entry("overview", "Overview", "staff-overview"),
    Entry("projects", "Projects", "staff-projects"),
    Entry(REVIEW, "Review", "staff-review"),
    Entry("workers", "Workers", "staff-workers"),
    Entry("qualifications", "Qualifications", "staff-qualifications", Role.ADMIN),
    Entry("suites", "Suites", "staff-suites"),
    Entry("agents", "Agents", "staff-agents"),
    Entry("episodes", "Episodes", "staff-episodes"),
    Entry("sessions", "Sessions", "staff-sessions"),
    Entry("reports", "Error reports", "staff-reports"),
    Entry("routes", "Routes", "staff-routes", Role.ADMIN, everywhere=True),
    Entry("trees", "Trees", "staff-trees"),
    Entry("funnel", "Funnel", "staff-funnel"),
    Entry("efficiency", "Efficiency", "staff-efficiency"),
    Entry("approvals", "Approvals", "staff-approvals"),
    Entry("ledger", "Ledger", "staff-ledger", Role.ADMIN),
    Entry("people", "People", "staff-people", Role.ADMIN),
    Entry("audit", "Audit", "staff-audit", Role.ADMIN),
    Entry("privacy", "Privacy", "staff-privacy", Role.ADMIN, everywhere=True),
    Entry("background", "Background work", "staff-jobs", Role.ADMIN, everywhere=True),
)


class Shown(NamedTuple):
    """An entry that an account may open, and how many things wait for the account behind it; 0 is not shown."""

    entry: Entry
    is_current: bool
    waiting: int


def entries_for(user: Account, *, section: str = "") -> list[Shown]:
    """The entries that the account may open. 1 query, for the number of things that wait in the review queue.

    Every staff page calls this, so it may not cost more.
    """
    return [
        Shown(entry, entry.section == section, _waiting(user) if entry.section == REVIEW else 0)
        for entry in ENTRIES
        if may_open(user, entry)
    ]


def _waiting(user: Account) -> int:
    return queue.count(roles.projects_for(user)).total


def may_open(user: Account, entry: Entry) -> bool:
    may = roles.may_everywhere if entry.everywhere else roles.may_somewhere
    return may(user, entry.needs)
