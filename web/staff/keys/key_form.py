"""The form of a new API key: what was typed, and the errors beside its fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from agents.keys import Limits
from agents.models import Agent, ApiKey
from annotation.models import Project
from evaluation.models import Suite
from lib.faults import Fault, Invalid

LIVES = {"30": "30 days", "90": "90 days", "365": "a year", "": "until it is revoked"}
"""For how many days a key works, and the words for it."""
USUAL_LIFE = "365"
MOST_NAMED = 100
_NAMED: dict[str, type[Model]] = {"projects": Project, "suites": Suite, "agents": Agent}


@dataclass(frozen=True)
class Typed:
    """The values in the form; `projects`, `suites` and `agents` are slugs between commas."""

    name: str = ""
    owner: str = ""
    scopes: Sequence[str] = field(default_factory=lambda: [ApiKey.Scope.READ.value, ApiKey.Scope.WRITE.value])
    projects: str = ""
    suites: str = ""
    agents: str = ""
    days: str = USUAL_LIFE

    def limits(self) -> Limits:
        """The limits of the key. Up to 3 queries.

        Raises:
            Invalid: something is named that does not exist, or too much.
        """
        found, faults = {}, []
        for kind, model in _NAMED.items():
            slugs = sorted({word for word in re.split(r"[\s,]+", getattr(self, kind)) if word})
            if len(slugs) > MOST_NAMED:
                faults.append(Fault(f"#/{kind}", f"Name at most {MOST_NAMED}."))
                continue
            known = (
                set(model._default_manager.filter(slug__in=slugs).values_list("slug", flat=True)) if slugs else set()
            )
            if missing := [slug for slug in slugs if slug not in known]:
                faults.append(Fault(f"#/{kind}", f"There is no {', no '.join(missing[:5])}."))
            found[kind] = slugs
        if faults:
            raise Invalid(faults=faults)
        return Limits(**found)

    def owner_account(self) -> User | None:
        """The staff account that answers for the key; None where nobody was chosen.

        Raises:
            Invalid: there is no such account.
        """
        if not self.owner:
            return None
        found = owners().filter(username=self.owner).first()
        if found is None:
            raise Invalid.at("#/owner", "There is no such staff account.")
        return found

    def life(self) -> timedelta | None:
        """How long the key works; None: until it is revoked.

        Raises:
            Invalid: this life is not among the choices.
        """
        if self.days not in LIVES:
            raise Invalid.at("#/days", "Choose for how long it works.")
        return timedelta(days=int(self.days)) if self.days else None


def owners() -> QuerySet[User]:
    """The accounts that may answer for a key."""
    return User.objects.filter(is_staff=True, is_active=True).order_by("username")


def typed_in(request: HttpRequest) -> Typed:
    def one(name: str, most: int = 2000) -> str:
        return request.POST.get(name, "").replace("\0", "").strip()[:most]

    return Typed(
        name=one("name", 200),
        owner=one("owner", 150),
        scopes=[scope for scope in request.POST.getlist("scopes") if scope in ApiKey.Scope.values],
        projects=one("projects"),
        suites=one("suites"),
        agents=one("agents"),
        days=one("days", 8),
    )


def errors_by_field(faults: Sequence[Fault]) -> dict[str, str]:
    return {fault.pointer.removeprefix("#/"): fault.detail for fault in faults}
