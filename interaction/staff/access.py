"""Which sessions and commands an account may look at: those of its projects."""

from django.db.models import QuerySet

from annotation import roles
from annotation.roles import Account, Role
from common.errors import NotFound
from interaction.models import Command, Session


def sessions_for(user: Account) -> QuerySet[Session]:
    """The sessions of the projects in which the account has a role."""
    return Session.objects.filter(project__in=roles.projects_for(user))


def commands_for(user: Account) -> QuerySet[Command]:
    """The commands, live and posted, of the projects in which the account has a role."""
    return Command.objects.filter(project__in=roles.projects_for(user))


def session_for(user: Account, public_id: str, role: Role = Role.VIEWER) -> Session:
    """The session with its project, agent, process, worker and first scene, for somebody who may do what this role may.

    Costs: 1 query.

    Raises:
        NotFound: there is none, or the account has no role in its project.
        Forbidden: it may look, but not do that.
    """
    rows = sessions_for(user).select_related("project", "agent", "process", "assignment__worker", "scene", "tree__tree")
    found = rows.defer("scene__packed").filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    roles.check_in(user, found.project, role)
    return found
