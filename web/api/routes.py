"""`/routes/`: rules that send commands with a certain outcome to a project for repair."""

from typing import Any, cast

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.serializers import NumberField, SlugField, StrictSerializer, read
from lib.name_patterns import SLUG
from routing.models import Route
from routing.routes import EVERY, RouteBody, put_route, route_named, routes, show_content
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of
from web.http.openapi import listed

MOST_NAMED = 1000


class OutcomeField(serializers.RegexField):
    """An outcome of a decision tree, or `*`."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("error_messages", {"invalid": f"This is an outcome of a tree, or {EVERY}."})
        super().__init__(rf"^(?:\{EVERY}|{SLUG})\Z", trim_whitespace=False, **kwargs)


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


class Routes(APIView):
    """All routes."""

    @listed("list_routes", RouteAnswer)
    def get(self, request: Request) -> Response:
        return page_of(request, routes(), show_route)


class OneRoute(APIView):
    """One route by its slug. To stop a route, put it with the rate 0."""

    @extend_schema(operation_id="get_route", responses=RouteAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(show_route(route_named(slug)))

    @extend_schema(operation_id="put_route", request=RouteContent, responses={200: RouteAnswer, 201: RouteAnswer})
    def put(self, request: Request, slug: str) -> Response:
        body = cast(RouteBody, read(RouteContent, request.data))
        route, is_new = put_route(slug=slug, body=body, by=actor_of(request), at=timezone.now())
        return Response(show_route(route), status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)
