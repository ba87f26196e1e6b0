"""The form of a route: its options, what was typed, and the errors beside its fields."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from agents.models import Agent
from annotation.models import Project
from lib.faults import Fault, Invalid
from lib.name_patterns import SLUG
from lib.trees.tree import KNOWN_OUTCOMES, OK
from routing.models import Route, Tree, TreeVersion
from routing.routes import EVERY, RouteBody, outcomes_of, targets


@dataclass(frozen=True)
class Typed:
    """The values in the form. The rate is a percentage, as it was typed."""

    slug: str = ""
    outcome: str = EVERY
    project: str = ""
    percent: str = "100"
    tree: str = ""
    agents: Sequence[str] = ()
    sources: Sequence[str] = ()

    @property
    def texts(self) -> dict[str, str]:
        """The values by their fields, to compare them with what another person stored meanwhile."""
        lists = {"agents": " ".join(sorted(self.agents)), "sources": " ".join(sorted(self.sources))}
        return {"outcome": self.outcome, "project": self.project, "percent": self.percent, "tree": self.tree, **lists}

    def with_texts(self, texts: Mapping[str, str]) -> "Typed":
        lists = {"agents": texts["agents"].split(), "sources": texts["sources"].split()}
        return replace(self, **{**texts, **lists})  # type: ignore[arg-type]

    @property
    def body(self) -> RouteBody:
        """The values as the body of `PUT /routes/…`.

        Raises:
            Invalid: the name or the outcome is not valid, or the rate is not between 0 and 100.
        """
        if not re.fullmatch(SLUG, self.slug):
            raise Invalid.at("#/slug", "Use small letters, digits, - and _ only; 63 at most.")
        if self.outcome != EVERY and not re.fullmatch(SLUG, self.outcome):
            raise Invalid.at("#/outcome", "Choose which commands it takes.")
        return {
            "outcome": self.outcome,
            "project": self.project,
            "rate": _share(self.percent),
            "tree": self.tree or None,
            "agents": list(self.agents),
            "sources": list(self.sources),
        }


def _share(percent: str) -> float:
    try:
        share = float(percent.replace(",", ".").removesuffix("%").strip()) / 100
    except ValueError:
        share = -1.0
    # The comparison is also false for NaN.
    if not 0 <= share <= 1:
        raise Invalid.at("#/rate", "Write a share from 0 to 100 %.")
    return share


def typed_in(request: HttpRequest) -> Typed:
    def one(name: str) -> str:
        return request.POST.get(name, "").replace("\0", "").strip()[:128]

    def many(name: str) -> list[str]:
        return [value.replace("\0", "") for value in request.POST.getlist(name)]

    return Typed(
        slug=one("slug"),
        outcome=one("outcome"),
        project=one("project"),
        percent=one("percent"),
        tree=one("tree"),
        agents=many("agents"),
        sources=many("sources"),
    )


def typed_of(route: Route) -> Typed:
    """The values of a stored route. 2 queries."""
    return Typed(
        slug=route.slug,
        outcome=route.outcome,
        project=route.project.slug,
        percent=f"{route.rate * 100:.10g}",
        tree=route.tree.slug if route.tree else "",
        agents=[agent.slug for agent in route.agents.all()],
        sources=[project.slug for project in route.sources.all()],
    )


def options_for(typed: Typed) -> dict[str, Any]:
    """The options of the form, with the values that are already chosen. 5 queries."""
    known = {*KNOWN_OUTCOMES, *outcomes_of(TreeVersion.objects.newest())}
    outcomes = sorted({*known, typed.outcome} - {OK, EVERY, ""})
    is_open = ~Q(status=Project.Status.CLOSED)
    projects = Project.objects.order_by("title", "pk")
    fitting = targets(projects)
    return {
        "outcomes": [(outcome, KNOWN_OUTCOMES.get(outcome, "")) for outcome in outcomes],
        "targets": fitting.filter(is_open | Q(slug=typed.project)),
        "trees": Tree.objects.order_by("slug"),
        "agents": Agent.objects.order_by("slug"),
        "sources": projects.filter(is_open & ~Q(pk__in=fitting) | Q(slug__in=typed.sources)),
    }


def errors_by_field(faults: Sequence[Fault]) -> dict[str, str]:
    """The errors by field; those that belong to no field are under "other"."""
    names = {"rate": "percent"}
    fields = {"slug", "outcome", "project", "percent", "tree", "agents", "sources"}
    found: dict[str, str] = {}
    for fault in faults:
        first = fault.pointer.removeprefix("#/").split("/")[0]
        name = names.get(first, first)
        place = name if name in fields else "other"
        found[place] = f"{found[place]} {fault.detail}" if place in found else fault.detail
    return found
