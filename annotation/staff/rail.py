"""The rail of the staff pages: which entries there are, and which of them an account may open."""

from collections.abc import Callable
from typing import NamedTuple

from annotation import roles
from annotation.roles import Account, Role


class Entry(NamedTuple):
    """One entry. `section` is the word that its pages give as `ctx["section"]`.

    Attributes:
        url: The name of the address; the apps above may own it.
        needs: The least role that opens the page, in any project; `everywhere`: in all of them.
    """

    section: str
    label: str
    url: str
    needs: Role = Role.VIEWER
    everywhere: bool = False


# A new page of the rail is one line here, in the order of the rail. Its view asks for the same role.
ENTRIES = (
    Entry("overview", "Overview", "staff-overview"),
    Entry("projects", "Projects", "staff-projects"),
    Entry("review", "Review", "staff-review"),
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

Count = Callable[[Account], int]
_counts: dict[str, Count] = {}


def count_in_rail(section: str, count: Count) -> None:
    """Show how many things wait behind an entry, for the account that looks; 0 shows nothing.

    It is asked on every staff page, so it may take one query and no more. Register in `AppConfig.ready`.
    """
    _counts[section] = count


class Shown(NamedTuple):
    """An entry that an account may open; `waiting` 0 is not shown."""

    entry: Entry
    is_current: bool
    waiting: int


def entries_for(user: Account, *, section: str = "") -> list[Shown]:
    """The entries that the account may open. 1 query for each count."""
    return [
        Shown(entry, entry.section == section, _counts[entry.section](user) if entry.section in _counts else 0)
        for entry in ENTRIES
        if may_open(user, entry)
    ]


def may_open(user: Account, entry: Entry) -> bool:
    may = roles.may_everywhere if entry.everywhere else roles.may_somewhere
    return may(user, entry.needs)
