"""`/trees/`: what workers are asked after a command."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.authentication import actor_of
from common.api import SlugField, StrictSerializer, page_of_many
from common.openapi import listed
from routing.models import Tree, TreeVersion
from routing.trees.tree import LONGEST_TEXT, MOST_CHOICES, Op, Show
from routing.versions import put_tree, tree_named


# What follows describes a tree in the OpenAPI document; `routing.trees.reading` reads it and names its faults.
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
        # A word of Python's own cannot be declared above.
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
    """All decision trees, each in its last version."""

    @listed("list_trees", TreeAnswer)
    def get(self, request: Request) -> Response:
        def show(found: list[Tree]) -> list[dict[str, Any]]:
            newest = TreeVersion.objects.filter(tree__in=found).newest().select_related("tree").order_by("tree")
            return [show_tree(version) for version in newest]

        return page_of_many(request, Tree.objects.all(), show)


class OneTree(APIView):
    """One decision tree by its slug, in its last version; putting another makes the next version."""

    @extend_schema(operation_id="get_tree", responses=TreeAnswer)
    def get(self, request: Request, slug: str) -> Response:
        return Response(show_tree(tree_named(slug)))

    @extend_schema(
        operation_id="put_tree", request=TreeBody, responses={200: TreeVersionAnswer, 201: TreeVersionAnswer}
    )
    def put(self, request: Request, slug: str) -> Response:
        version, is_new = put_tree(slug=slug, content=request.data, by=actor_of(request), at=timezone.now())
        return Response(show_version(version), status=status.HTTP_201_CREATED if is_new else status.HTTP_200_OK)
