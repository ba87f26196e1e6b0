"""Types of `trees`. `make types` writes this file from the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class TreeAnswer(TypedDict):
    slug: str
    version: int
    title: str
    start: str
    nodes: dict[str, TreeNode]


class TreeBodyPatchRequest(TypedDict):
    title: NotRequired[str]
    start: NotRequired[str]
    nodes: NotRequired[dict[str, TreeNodePatchRequest | None]]


class TreeBodyRequest(TypedDict):
    title: str
    start: str
    nodes: dict[str, TreeNodeRequest]


class TreeChoice(TypedDict):
    label: str
    next: NotRequired[str]
    outcome: NotRequired[str]
    text: NotRequired[bool]


class TreeChoiceRequest(TypedDict):
    label: str
    next: NotRequired[str]
    outcome: NotRequired[str]
    text: NotRequired[bool]


class TreeCondition(TypedDict):
    path: str
    op: Literal["eq", "ne", "in", "exists"]
    value: NotRequired[Any]


class TreeConditionPatchRequest(TypedDict):
    path: NotRequired[str]
    op: NotRequired[Literal["eq", "ne", "in", "exists"]]
    value: NotRequired[Any]


class TreeConditionRequest(TypedDict):
    path: str
    op: Literal["eq", "ne", "in", "exists"]
    value: NotRequired[Any]


TreeNode = TypedDict(
    "TreeNode",
    {
        "ask": "str",
        "help": "NotRequired[str]",
        "show": 'NotRequired[Literal["parse", "object"] | None]',
        "when": "NotRequired[TreeCondition]",
        "choices": "list[TreeChoice]",
        "else": "NotRequired[str]",
    },
)

TreeNodePatchRequest = TypedDict(
    "TreeNodePatchRequest",
    {
        "ask": "NotRequired[str]",
        "help": "NotRequired[str | None]",
        "show": 'NotRequired[Literal["parse", "object"] | None]',
        "when": "NotRequired[TreeConditionPatchRequest | None]",
        "choices": "NotRequired[list[TreeChoiceRequest]]",
        "else": "NotRequired[str | None]",
    },
)

TreeNodeRequest = TypedDict(
    "TreeNodeRequest",
    {
        "ask": "str",
        "help": "NotRequired[str]",
        "show": 'NotRequired[Literal["parse", "object"] | None]',
        "when": "NotRequired[TreeConditionRequest]",
        "choices": "list[TreeChoiceRequest]",
        "else": "NotRequired[str]",
    },
)


class TreeVersionAnswer(TypedDict):
    slug: str
    version: int
