"""What a staff account may see and do: a role in one project, or everywhere.

A viewer looks, a reviewer also judges (adjudicates, decides on pauses and appeals), an admin also changes projects,
references and workers, and alone sees who a worker is. A superuser is an admin everywhere.
"""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import QuerySet

from annotation.models import Membership, Project
from common.errors import Forbidden, NotFound

Role = Membership.Role
Account = User | AbstractBaseUser | AnonymousUser
_AT_LEAST = {
    Role.VIEWER: [Role.VIEWER, Role.REVIEWER, Role.ADMIN],
    Role.REVIEWER: [Role.REVIEWER, Role.ADMIN],
    Role.ADMIN: [Role.ADMIN],
}
NEEDS = {
    Role.VIEWER: "Your account has no role here. Ask an admin for one.",
    Role.REVIEWER: "Only reviewers and admins of this project may do that.",
    Role.ADMIN: "Only admins may do that.",
}


def may_everywhere(user: Account, role: Role) -> bool:
    """Whether the account has at least this role in every project. At most 1 query."""
    if not isinstance(user, User) or not user.is_active:
        return False
    if user.is_superuser:
        return True
    return Membership.objects.filter(user=user, project=None, role__in=_AT_LEAST[role]).exists()


def projects_for(user: Account, role: Role = Role.VIEWER) -> QuerySet[Project]:
    """The projects in which the account has at least this role. 1 query, the caller's included."""
    if not isinstance(user, User) or not user.is_active:
        return Project.objects.none()
    if may_everywhere(user, role):
        return Project.objects.all()
    theirs = Membership.objects.filter(user=user, role__in=_AT_LEAST[role])
    return Project.objects.filter(pk__in=theirs.values("project"))


def project_for(user: Account, slug: str, role: Role = Role.VIEWER) -> Project:
    """The project, for somebody who may do what this role may.

    Raises:
        NotFound: there is none, or the account has no role in it.
        Forbidden: it may look, but not do that.
    """
    found = projects_for(user).select_related("consent_page", "qualification").filter(slug=slug).first()
    if found is None:
        raise NotFound
    if role != Role.VIEWER and not projects_for(user, role).filter(pk=found.pk).exists():
        raise Forbidden(NEEDS[role])
    return found


def check_everywhere(user: Account, role: Role) -> None:
    """For what belongs to no project.

    Raises:
        Forbidden: the account lacks the role.
    """
    if not may_everywhere(user, role):
        raise Forbidden(NEEDS[role])


def sees_identity(user: Account, project: Project | None = None) -> bool:
    """Whether the account is told who a worker is, beyond the pseudonym. At most 2 queries."""
    if project is None:
        return may_everywhere(user, Role.ADMIN)
    return projects_for(user, Role.ADMIN).filter(pk=project.pk).exists()
