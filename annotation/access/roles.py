"""The rights of staff accounts: a role in one project, or everywhere.

A viewer reads. A reviewer also adjudicates and decides on pauses and appeals. An admin also changes projects,
references and workers, and alone sees the identity of workers. A superuser is an admin everywhere. Suites, agents and
episodes belong to no project: every account with a role sees them, with the tasks and answers of its own projects.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q, QuerySet

from annotation.models import Enrolment, Membership, Project
from lib.faults import Forbidden, NotFound
from workforce.models import Worker

Role = Membership.Role
Account = User | AbstractBaseUser | AnonymousUser
ORDER = (Role.VIEWER, Role.REVIEWER, Role.ADMIN)
"""The roles from the least to the most; each includes the rights of those before it."""
NEEDS = {
    Role.VIEWER: "Your account has no role here. Ask an admin for one.",
    Role.REVIEWER: "Only reviewers and admins of this project may do that.",
    Role.ADMIN: "Only admins may do that.",
}
NEEDS_EVERYWHERE = {
    Role.VIEWER: "Only accounts with a role in every project may see that.",
    Role.REVIEWER: "Only reviewers and admins of every project may do that.",
    Role.ADMIN: "Only admins of every project may do that.",
}
NO_ROLE = "Your account has no role yet. Ask an admin to give you one, then load this page again."
SHORT = 8
"""The number of characters of a pseudonym that staff pages show."""
_KEPT, _KNOWN = "_crosswalk_rights", "_crosswalk_known_workers"


@dataclass(frozen=True)
class Rights:
    """The rights of one account, read once."""

    everywhere: Role | None = None
    by_project: Mapping[int, Role] = field(default_factory=dict)

    @property
    def has_any(self) -> bool:
        return self.everywhere is not None or bool(self.by_project)

    def everywhere_at_least(self, role: Role) -> bool:
        return self.everywhere is not None and ORDER.index(self.everywhere) >= ORDER.index(role)

    def somewhere_at_least(self, role: Role) -> bool:
        return self.everywhere_at_least(role) or bool(self.projects(role))

    def in_project(self, pk: int, role: Role) -> bool:
        return self.everywhere_at_least(role) or pk in self.projects(role)

    def projects(self, role: Role) -> set[int]:
        """The projects in which the account was given at least this role; roles everywhere are not in it."""
        return {pk for pk, given in self.by_project.items() if ORDER.index(given) >= ORDER.index(role)}


def of(user: Account) -> Rights:
    """The account's rights. 1 query the first time, none for a superuser.

    They are stored on the account's object, which every request makes again: one query a request, and a role that was
    taken away is gone with the next.
    """
    if not isinstance(user, User) or not (user.is_active and user.is_staff):
        return Rights()
    kept: Rights | None = getattr(user, _KEPT, None)
    if kept is None:
        kept = Rights(everywhere=Role.ADMIN) if user.is_superuser else _read(user)
        setattr(user, _KEPT, kept)
    return kept


def _read(user: User) -> Rights:
    given = list(Membership.objects.filter(user=user))
    everywhere = next((Role(one.role) for one in given if one.project_id is None), None)
    return Rights(everywhere, {one.project_id: Role(one.role) for one in given if one.project_id is not None})


# Projects ------------------------------------------------------------------------------------------------------


def may_everywhere(user: Account, role: Role) -> bool:
    """True if the account has at least this role in every project."""
    return of(user).everywhere_at_least(role)


def may_somewhere(user: Account, role: Role) -> bool:
    """True if the account has at least this role in any project."""
    return of(user).somewhere_at_least(role)


def may_in(user: Account, project: Project, role: Role) -> bool:
    """True if the account has at least this role in the project."""
    return of(user).in_project(project.pk, role)


def projects_for(user: Account, role: Role = Role.VIEWER) -> QuerySet[Project]:
    """The projects in which the account has at least this role. 1 query, the caller's."""
    rights = of(user)
    if rights.everywhere_at_least(role):
        return Project.objects.all()
    return Project.objects.filter(pk__in=rights.projects(role))


def project_for(user: Account, slug: str, role: Role = Role.VIEWER) -> Project:
    """The project, for an account that has at least this role in it. 1 query.

    Raises:
        NotFound: there is no such project, or the account has no role in it.
        Forbidden: the account has a lower role.
    """
    found = projects_for(user).select_related("consent_page", "qualification").filter(slug=slug).first()
    if found is None:
        raise NotFound
    check_in(user, found, role)
    return found


def check_in(user: Account, project: Project, role: Role) -> None:
    """Check that the account has at least this role in the project, which it may see.

    Raises:
        Forbidden: the account lacks the role in it.
    """
    if not may_in(user, project, role):
        raise Forbidden(NEEDS[role])


def check_everywhere(user: Account, role: Role) -> None:
    """Check that the account has at least this role in every project, for things that belong to no project.

    Raises:
        Forbidden: the account lacks the role.
    """
    if not may_everywhere(user, role):
        raise Forbidden(NEEDS_EVERYWHERE[role])


def check_any_role(user: Account) -> None:
    """Check that the account has a role. Every staff page calls this first.

    Raises:
        Forbidden: the account has no role at all.
    """
    if not of(user).has_any:
        raise Forbidden(NO_ROLE)


# Workers -------------------------------------------------------------------------------------------------------


def workers_for(user: Account, role: Role = Role.VIEWER) -> QuerySet[Worker]:
    """The workers of the projects in which the account has at least this role; with it everywhere, all workers."""
    rights = of(user)
    if rights.everywhere_at_least(role):
        return Worker.objects.all()
    enrolled = Enrolment.objects.filter(project__in=rights.projects(role))
    return Worker.objects.filter(pk__in=enrolled.values("worker"))


def worker_for(user: Account, pk: int, role: Role = Role.VIEWER) -> Worker:
    """The worker, for an account that has at least this role in one of the worker's projects. 1 query, 2 for a role
    above viewer.

    Raises:
        NotFound: there is no such worker, or the account has no role in any of the worker's projects.
        Forbidden: the account has a lower role.
    """
    found = workers_for(user).filter(pk=pk).first()
    if found is None:
        raise NotFound
    if role != Role.VIEWER and not may_act_on(user, found, role):
        raise Forbidden(NEEDS[role])
    return found


def may_act_on(user: Account, worker: Worker, role: Role) -> bool:
    """True if the account has at least this role in one of the worker's projects. At most 1 query."""
    if may_everywhere(user, role):
        return True
    return may_somewhere(user, role) and workers_for(user, role).filter(pk=worker.pk).exists()


# Identities of workers ----------------------------------------------------------------------------------------


def sees_identity(user: Account, project: Project | None = None) -> bool:
    """True if the account may see the identities of the project's workers; without a project, of all workers."""
    return may_everywhere(user, Role.ADMIN) if project is None else may_in(user, project, Role.ADMIN)


def name_of(user: Account, worker: Worker) -> str:
    """The name that the account may see for the worker: the identity, or the beginning of the pseudonym; never both.

    An admin sees the identity of the workers of their projects on every page, so one account sees one name for one
    worker. At most 1 query, kept for the rest of the request.
    """
    return worker.identity if knows(user, worker) else pseudonym_of(worker)


def pseudonym_of(worker: Worker) -> str:
    """The name that every account may see for the worker."""
    return worker.pseudonym[:SHORT]


def knows(user: Account, worker: Worker) -> bool:
    """True if the account may see the worker's identity. At most 1 query, kept for the rest of the request."""
    if worker.erased_at is not None:
        return False
    if may_everywhere(user, Role.ADMIN):
        return True
    return may_somewhere(user, Role.ADMIN) and worker.pk in _known(user)


def _known(user: Account) -> set[int]:
    """The ids of all workers whose identity an admin of some projects may see: one query a page."""
    kept: set[int] | None = getattr(user, _KNOWN, None)
    if kept is None:
        kept = set(workers_for(user, Role.ADMIN).values_list("pk", flat=True))
        setattr(user, _KNOWN, kept)
    return kept


def found_by(user: Account, search: str) -> Q:
    """The filter for a search of workers: by pseudonym for every account, also by platform and name for those who may
    see them."""
    by_pseudonym = Q(pseudonym__startswith=search)
    if not may_somewhere(user, Role.ADMIN):
        return by_pseudonym
    platform, colon, name = search.partition(":")
    named = Q(external_id__icontains=search)
    if colon:
        named |= Q(platform=platform, external_id__icontains=name)
    return by_pseudonym | (named & Q(pk__in=workers_for(user, Role.ADMIN).values("pk")))
