"""`/trees/`: the decision trees that workers answer after a command."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.serializers import SlugField, StrictSerializer
from lib.trees.tree import LONGEST_TEXT, MOST_CHOICES, Op, Show
from routing.models import Tree, TreeVersion
from routing.tree_versions import put_tree, tree_named
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of_many
from web.http.openapi import listed


# These classes only describe a tree for the OpenAPI document; `lib.trees.parser` reads trees and reports faults.
class TreeCondition(StrictSerializer):
    path = serializers.CharField()
    op = serializers.ChoiceField(choices=Op.__args__)  # type: ignore[attr-defined]
    value = serializers.JSONField(required=False)


class TreeChoice(StrictSerializer):
    label = serializers.CharField(max_length=LONGEST_TEXT)  # type: ignore[assignment]
    next = serializers.CharField(required=False)
    outcome = SlugField(required=False)
    text = serializers.BooleanField(required=False)


class TreeNode(StrictSerializer):
    ask = serializers.CharField(max_length=LONGEST_TEXT)
    help = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True)
    show = serializers.ChoiceField(choices=Show.__args__, required=False, allow_null=True)  # type: ignore[attr-defined]
    when = TreeCondition(required=False)
    choices = serializers.ListField(child=TreeChoice(), min_length=1, max_length=MOST_CHOICES)

    def get_fields(self) -> dict[str, Any]:
        # `else` is a keyword of Python, so the field cannot be declared as an attribute.
        return {**super().get_fields(), "else": serializers.CharField(required=False)}


class TreeBody(StrictSerializer):
    title = serializers.CharField(max_length=LONGEST_TEXT)
    start = serializers.CharField()
    nodes = serializers.DictField(child=TreeNode())


class TreeVersionAnswer(StrictSerializer):
    slug = SlugField()
    version = serializers.IntegerField(min_value=1)


class TreeAnswer(TreeVersionAnswer, TreeBody):
    pass


def show_version(version: TreeVersion) -> dict[str, Any]:
    return {"slug": version.tree.slug, "version": version.number}


def show_tree(version: TreeVersion) -> dict[str, Any]:
    return {**show_version(version), **version.content}


class Trees(APIView):
    """All decision trees, each in its newest version."""

    @listed("list_trees", TreeAnswer)
    def get(self, request: Request) -> Response:
        def show(found: list[Tree]) -> list[dict[str, Any]]:
            newest = TreeVersion.objects.filter(tree__in=found).newest().select_related("tree").order_by("tree")
            return [show_tree(version) for version in newest]

        return page_of_many(request, Tree.objects.all(), show)


class OneTree(APIView):
    """One decision tree by its slug, in its newest version. A PUT with another content makes the next version."""

    @extend_schema(operation_id="get_tree", responses=TreeAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(show_tree(tree_named(slug)))

    @extend_schema(
        operation_id="put_tree", request=TreeBody, responses={200: TreeVersionAnswer, 201: TreeVersionAnswer}
    )
    def put(self, request: Request, slug: str) -> Response:
        version, is_new = put_tree(slug=slug, content=request.data, by=actor_of(request), at=timezone.now())
        return Response(show_version(version), status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)
