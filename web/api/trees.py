"""`/trees/`: the decision trees that workers answer after a command."""

from typing import Any

from django.core.validators import MaxLengthValidator, MinLengthValidator
from django.db.models import QuerySet
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from common.serializers import (
    BooleanField,
    ChoiceField,
    ExternalIdField,
    PatternField,
    SlugField,
    StrictSerializer,
    TextField,
)
from lib.trees.engine import PLACES
from lib.trees.parser import LONGEST_PATH
from lib.trees.tree import LONGEST_TEXT, MOST_CHOICES, MOST_NODES, Op, Show
from routing.models import Tree, TreeVersion
from routing.tree_versions import put_tree, tree_named
from web.api.authentication import actor_of
from web.http.cursor_pages import page_of_many
from web.http.endpoints import Endpoint
from web.http.openapi import listed
from web.http.replaceable import Replaceable, replaceable


# These classes only describe a tree for the OpenAPI document; `lib.trees.parser` reads trees and reports faults.
class TreeCondition(StrictSerializer):
    path = PatternField(rf"({'|'.join(PLACES)})(\.[^.]+)*", max_length=LONGEST_PATH)
    op = ChoiceField(choices=Op.__args__)  # type: ignore[attr-defined]
    value = serializers.JSONField(required=False, allow_null=True)
    between_fields = {
        "anyOf": [
            {"properties": {"op": {"enum": ["exists"]}, "value": {"type": "boolean"}}},
            {"properties": {"op": {"enum": ["in"]}, "value": {"type": "array", "items": {}}}, "required": ["value"]},
            {"properties": {"op": {"enum": ["eq", "ne"]}}, "required": ["value"]},
        ]
    }


class TreeChoice(StrictSerializer):
    label = TextField(max_length=LONGEST_TEXT)  # type: ignore[assignment]
    next = ExternalIdField(required=False)
    outcome = SlugField(required=False)
    text = BooleanField(required=False)
    between_fields = {
        "anyOf": [
            {"required": ["next"], "not": {"anyOf": [{"required": ["outcome"]}, {"required": ["text"]}]}},
            {"required": ["outcome"], "not": {"required": ["next"]}},
        ]
    }


class TreeNode(StrictSerializer):
    ask = TextField(max_length=LONGEST_TEXT)
    help = TextField(max_length=LONGEST_TEXT, required=False, allow_blank=True)
    show = ChoiceField(choices=Show.__args__, required=False, allow_null=True)  # type: ignore[attr-defined]
    when = TreeCondition(required=False)
    choices = serializers.ListField(child=TreeChoice(), min_length=1, max_length=MOST_CHOICES)
    between_fields = {
        "anyOf": [
            {"required": ["when", "else"]},
            {"not": {"anyOf": [{"required": ["when"]}, {"required": ["else"]}]}},
        ]
    }

    def get_fields(self) -> dict[str, Any]:
        # `else` is a keyword of Python, so the field cannot be declared as an attribute.
        return {**super().get_fields(), "else": ExternalIdField(required=False)}


class TreeBody(StrictSerializer):
    title = TextField(max_length=LONGEST_TEXT)
    start = ExternalIdField()
    nodes = serializers.DictField(child=TreeNode(), validators=[MinLengthValidator(1), MaxLengthValidator(MOST_NODES)])


class TreeVersionAnswer(StrictSerializer):
    slug = SlugField()
    version = serializers.IntegerField(min_value=1)


class TreeAnswer(TreeVersionAnswer, TreeBody):
    pass


def show_version(version: TreeVersion) -> dict[str, Any]:
    return {"slug": version.tree.slug, "version": version.number}


def show_tree(version: TreeVersion) -> dict[str, Any]:
    return {**show_version(version), **version.content}


class Trees(Endpoint):
    """All decision trees, each in its newest version."""

    @listed("list_trees", TreeAnswer)
    def get(self, request: Request) -> Response:
        def show(found: list[Tree]) -> list[dict[str, Any]]:
            newest = TreeVersion.objects.filter(tree__in=found).newest().select_related("tree").order_by("tree")
            return [show_tree(version) for version in newest]

        return page_of_many(request, Tree.objects.all(), show)


@replaceable("tree", TreeBody, TreeAnswer, put_answer=TreeVersionAnswer)
class OneTree(Replaceable):
    """One decision tree by its slug, in its newest version. A PUT with another content makes the next version."""

    def rows(self, **names: str) -> QuerySet[Tree]:
        return Tree.objects.filter(**names)

    def shown(self, **names: str) -> dict[str, Any]:
        return show_tree(tree_named(**names))

    def replace(self, data: Any, slug: str) -> bool:  # type: ignore[override]
        return put_tree(slug=slug, content=data, by=actor_of(self.request), at=timezone.now())[1]

    def answer(self, shown: dict[str, Any]) -> dict[str, Any]:
        return {name: shown[name] for name in TreeVersionAnswer._declared_fields}
