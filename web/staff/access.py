"""The error reports, sessions and commands that a staff account may see: those of its projects."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.db.models import QuerySet

from annotation.access import roles
from annotation.access.roles import Account, Role
from annotation.models import Project
from commands.models import Command
from interaction.models import Session
from lib.faults import NotFound
from routing.models import ErrorReport, Sending
from routing.routes import targets


def reports_for(user: Account, role: Role = Role.VIEWER) -> QuerySet[ErrorReport]:
    """The reports of the projects in which the account has at least this role."""
    if roles.may_everywhere(user, role):
        return ErrorReport.objects.all()
    return ErrorReport.objects.filter(project__in=roles.projects_for(user, role))


def report_for(user: Account, public_id: str, role: Role = Role.VIEWER) -> ErrorReport:
    """The report with its related rows, if the account has at least this role in its project. 1 query.

    Raises:
        NotFound: there is no such report, or the account has no role in its project.
        Forbidden: the account may see the report, but its role is too low.
    """
    named = ("project", "command__worker", "command__agent", "command__live__session", "tree__tree", "scene")
    rows = reports_for(user).select_related(*named, "merged_into__project", "merged_into__command")
    # The scene's voxels are left out: the scene store reads them, and caches them.
    found = rows.defer("scene__packed").filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    roles.check_in(user, found.project, role)
    return found


def targets_for(user: Account) -> QuerySet[Project]:
    """The projects to which the account may send commands for repair."""
    mine = targets(roles.projects_for(user, Role.REVIEWER))
    return mine.exclude(status=Project.Status.CLOSED).order_by("title", "pk")


def sendings_of(reports: Collection[ErrorReport]) -> Mapping[int, list[Sending]]:
    """The dispatches of the commands of these reports, by the command's primary key, oldest first. 1 query."""
    rows = Sending.objects.filter(command__in={report.command_id for report in reports})
    found: dict[int, list[Sending]] = defaultdict(list)
    for sending in rows.select_related("route", "to", "task").defer("task__payload").order_by("pk"):
        found[sending.command_id].append(sending)
    return found


def sessions_for(user: Account) -> QuerySet[Session]:
    """The sessions of the projects in which the account has a role."""
    return Session.objects.filter(project__in=roles.projects_for(user))


def commands_for(user: Account) -> QuerySet[Command]:
    """The commands, given live or posted, of the projects in which the account has a role."""
    return Command.objects.filter(project__in=roles.projects_for(user))


def session_for(user: Account, public_id: str, role: Role = Role.VIEWER) -> Session:
    """The session with its project, agent, process, worker and first scene, if the account has at least this role.

    Costs: 1 query.

    Raises:
        NotFound: there is no such session, or the account has no role in its project.
        Forbidden: the account may see the session, but its role is too low.
    """
    rows = sessions_for(user).select_related("project", "agent", "process", "assignment__worker", "scene", "tree__tree")
    found = rows.defer("scene__packed").filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    roles.check_in(user, found.project, role)
    return found
