"""`/routes/`: rules that send commands with a certain outcome to a project for repair."""

from typing import Any, cast

from django.db.models import QuerySet
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import NumberField, PatternField, SlugField, StrictSerializer, read
from lib.name_patterns import SLUG
from routing.models import Route
from routing.routes import EVERY, RouteBody, put_route, route_named, routes, show_content
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of
from web.http.endpoints import Endpoint
from web.http.openapi import listed
from web.http.replaceable import Replaceable, replaceable

MOST_NAMED = 1000


class OutcomeField(PatternField):
    """An outcome of a decision tree, or `*`."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": f"This is an outcome of a tree, or {EVERY}."})
        super().__init__(rf"\{EVERY}|{SLUG}", **kwargs)


class RouteContent(StrictSerializer):
    """The outcome `*` means every valid command, marked or not.

    Without `agents` or `sources`, commands of all match.
    """

    outcome = OutcomeField()
    project = SlugField()
    rate = NumberField(min_value=0, max_value=1, default=1.0)
    tree = SlugField(required=False, allow_null=True, default=None)
    agents = serializers.ListField(child=SlugField(), max_length=MOST_NAMED, default=list)
    sources = serializers.ListField(child=SlugField(), max_length=MOST_NAMED, default=list)


class RouteAnswer(RouteContent):
    slug = SlugField()


def show_route(route: Route) -> dict[str, Any]:
    return {"slug": route.slug, **show_content(route)}


class Routes(Endpoint):
    """All routes."""

    @listed("list_routes", RouteAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, routes(), show_route)


@replaceable("route", RouteContent, RouteAnswer)
class OneRoute(Replaceable):
    """One route by its slug. To stop a route, put it with the rate 0."""

    def rows(self, **names: str) -> QuerySet[Route]:
        return Route.objects.filter(**names)

    def shown(self, **names: str) -> dict[str, Any]:
        return show_route(route_named(**names))

    def replace(self, data: Any, **names: str) -> bool:
        body = cast(RouteBody, read(RouteContent, data))
        return put_route(**names, body=body, by=actor_of(self.request), at=timezone.now())[1]
