"""The contents of a project's units, as a pipeline posts them, and the answers to them.

A unit is an ordinary task or a reference. All units of a project are alike: contents of one length, drawn without a
look at which of them become references. The label of a unit stays here; strategies never see it.
"""

import random
from typing import NamedTuple

from bench.blindness.server import Json
from bench.blindness.specs import Spec

SCENE = {"size": [4, 4, 4], "blocks": [[x, 0, z, 2] for x in range(4) for z in range(4)]}
NOOP = {"dialogue_type": "NOOP"}
STRICT_GATE: Json = {"action": "warn", "below": 0.95, "minimum_n": 1, "alpha": 0.3, "beta": 0.3}
"""A gate that warns at the first missed reference, so that each notice tells most."""
USUAL_GATE: Json = {"action": "warn", "below": 0.7, "minimum_n": 5}
LEASE_S = 900
SETTINGS: dict[str, Json] = {
    "experts": {"tool": "parse", "settings": {"given_to": "experts"}},
    "steps": {"tool": "parse", "settings": {"given_to": "one_worker"}},
    "voxels": {"tool": "voxels", "settings": {}},
    "marker": {"tool": "marker", "settings": {}},
}
EPISODES = 64
"""The number of different episodes that all marker projects share."""


class Unit(NamedTuple):
    """One unit; `content` is the text by which a worker knows it again."""

    content: str
    is_reference: bool
    body: Json


class Answers(NamedTuple):
    """A right answer, had the unit a truth, and one that is always wrong."""

    right: Json
    junk: Json


def project_body(spec: Spec, *, is_strict: bool) -> Json:
    """The body of `PUT /projects/{slug}/`; `is_strict` says which gate it has."""
    return {
        **SETTINGS[spec.kind],
        "title": "Blindness",
        "instructions": ["Do each task."],
        "redundancy": spec.redundancy,
        "reference_rate": spec.rate,
        "lease_s": LEASE_S,
        "pay": {"base": {"amount": "0.30", "currency": "USD"}},
        "gates": [STRICT_GATE if is_strict else USUAL_GATE],
        "status": "live",
    }


def units_of(spec: Spec) -> list[Unit]:
    """The units in the order of posting; references are anywhere among the tasks."""
    draw = random.Random(f"units {spec.seed}/{spec.number}")
    count = spec.tasks + spec.references
    numbers = sorted(draw.sample(range(EPISODES if spec.kind == "marker" else 10_000), count))
    if not spec.is_numbered:
        draw.shuffle(numbers)
    chosen = set(draw.sample(range(count), spec.references))
    return [_unit(spec.kind, number, index, index in chosen) for index, number in enumerate(numbers)]


def _unit(kind: str, number: int, index: int, is_reference: bool) -> Unit:
    content = content_of(kind, number)
    payload: Json = {"text": content}
    truth: Json = {"form": NOOP}
    if kind == "voxels":
        payload, truth = {"scene": SCENE, "phrase": content}, {"voxels": [[0, 0, 0]]}
    elif kind == "marker":
        payload, truth = {"episode": f"episode-{number:04}"}, {"outcome": "success"}
    body: Json = {"key": f"unit-{index:04}", "payload": payload}
    if is_reference:
        body["reference"] = {"answers": [truth]}
    return Unit(content, is_reference, body)


def content_of(kind: str, number: int) -> str:
    """The text of a unit: all have one length."""
    return f"watch number {number:04}" if kind == "marker" else f"build tower number {number:04}"


def content_in(payload: Json) -> str:
    """The text by which a worker knows a unit again."""
    found: str = payload.get("phrase") or payload.get("text") or payload.get("instruction") or ""
    return found


def answers_to(payload: Json) -> Answers:
    """The answers to a unit, by what its payload shows."""
    if "scene" in payload:
        return Answers({"voxels": [[0, 0, 0]]}, {"absent": True})
    if "video" in payload:
        frame = payload["video"]["frames"] - 1
        return Answers({"outcome": "success", "frame": frame}, {"outcome": "failure", "frame": frame})
    if payload.get("node"):
        is_last = any(question["id"] == "right" for question in payload["questions"])
        return Answers({"answers": {"right": True}} if is_last else {"not_a_command": True}, {"unknown": True})
    return Answers({"form": NOOP}, {"unknown": True})
