"""Which error reports a staff account may see: those of commands that were given in its projects."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.db.models import QuerySet

from annotation import roles
from annotation.models import Project
from annotation.roles import Account, Role
from common.errors import NotFound
from routing.models import ErrorReport, Sending
from routing.routes import TOOLS

By = tuple[int, str]
"""What a command is named by: its project's primary key, and its name there."""


def reports_for(user: Account, role: Role = Role.VIEWER) -> QuerySet[ErrorReport]:
    """The reports of the projects in which the account has at least this role."""
    if roles.may_everywhere(user, role):
        return ErrorReport.objects.all()
    return ErrorReport.objects.filter(project__in=roles.projects_for(user, role))


def report_for(user: Account, public_id: str, role: Role = Role.VIEWER) -> ErrorReport:
    """The report with all that belongs to it, for somebody who may do what this role may. 1 query.

    Raises:
        NotFound: there is none, or the account has no role in its project.
        Forbidden: it may look, but not do that.
    """
    rows = reports_for(user).select_related("project", "worker", "agent", "tree__tree", "scene", "merged_into__project")
    # What stands in the scene is read from the store of scenes, which keeps it at hand.
    found = rows.defer("scene__packed").filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    roles.check_in(user, found.project, role)
    return found


def targets_for(user: Account) -> QuerySet[Project]:
    """The projects to which the account may send a command to be repaired."""
    mine = roles.projects_for(user, Role.REVIEWER).filter(tool__in=TOOLS)
    return mine.exclude(status=Project.Status.CLOSED).order_by("title", "pk")


def sendings_of(reports: Collection[ErrorReport]) -> Mapping[By, list[Sending]]:
    """What became of the commands of these reports, oldest first. 1 query."""
    wanted = {(report.project_id, report.command) for report in reports}
    rows = Sending.objects.filter(
        project__in={project for project, _ in wanted}, command__in={command for _, command in wanted}
    )
    found: dict[By, list[Sending]] = defaultdict(list)
    for sending in rows.select_related("route", "to", "task").defer("task__payload").order_by("pk"):
        found[sending.project_id, sending.command].append(sending)
    return found
