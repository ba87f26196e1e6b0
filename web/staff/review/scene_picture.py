"""The data for the island that shows masks in a scene (its twin is `frontend/src/staff/scene_review/payload.ts`)."""

from collections.abc import Iterator

from annotation.access import roles
from annotation.access.roles import Account
from annotation.review.masks import Masks, steps_of
from annotation.review.side_by_side import GivenAnswer, SideBySide
from annotation.tool_registry import Json
from annotation.tools.voxels.agreement import PHRASE
from annotation.tools.voxels.tool import scene_shown
from lib.voxels.mask import Keys, Size, runs_of
from web.staff.datasets.masks_picture import address_of

CONSENSUS, PROPOSED, AGENT = "consensus", "proposed", "agent"
"""Ids of layers. Answers and truths have numbers from 1."""


def layer_of(said: GivenAnswer) -> str:
    """The id of the layer that shows an answer."""
    return f"answer-{said.number}"


def truth_layer(number: int) -> str:
    """The id of the layer that shows the right answer with this number, counted from 1."""
    return f"truth-{number}"


def picture_of(user: Account, seen: SideBySide, masks: Masks) -> Json:
    """The scene of a task with all masks, for this account. At most 1 query more, for the scene."""
    scene = scene_shown(seen.task.payload)
    return {
        "scene": scene.as_json(),
        "still": address_of(seen.task),
        "phrase": seen.task.payload.get(PHRASE, ""),
        "layers": [
            {"id": name, "name": words, "cells": runs_of(mask, scene.size), "count": int(mask.size)}
            for name, words, mask in _layers(user, masks)
        ],
        "steps": _steps(masks, scene.size),
    }


def _layers(user: Account, masks: Masks) -> Iterator[tuple[str, str, Keys]]:
    """For each layer its id, label and mask: truths first, then the consensus, then single answers."""
    for number, truth in enumerate(masks.truths, 1):
        yield truth_layer(number), "Truth" if len(masks.truths) == 1 else f"Truth {number}", truth
    if masks.consensus is not None:
        yield CONSENSUS, "Consensus", masks.consensus
    if masks.proposed is not None:
        yield PROPOSED, "What is proposed", masks.proposed
    if masks.agent is not None:
        yield AGENT, "The agent's mask", masks.agent
    for one in masks.answers:
        if one.mask is not None:
            number, worker = one.said.number, one.said.annotation.worker
            yield layer_of(one.said), f"Answer {number} of {roles.name_of(user, worker)}", one.mask


def _steps(masks: Masks, size: Size) -> list[Json]:
    return [
        {"above": step.above, "up_to": step.up_to, "cells": runs_of(step.mask, size), "count": int(step.mask.size)}
        for step in steps_of(masks.confidence)
    ]
