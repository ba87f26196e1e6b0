"""The shape of `manifest.json`, and functions to read and write it.

`agents`, `suite` and `scenarios` are the bodies of PUT requests. `episodes` has the `data` of POST /episodes/ and the
truth, which is never posted. The module needs nothing but Python, so any loader can import it.
"""

import json
import re
from pathlib import Path
from typing import Literal, NotRequired, TypedDict, cast

Outcome = Literal["success", "failure"]

NUMBER = re.compile(r"\d+")


class AgentPage(TypedDict):
    """Body of PUT /agents/{slug}/, with the slug."""

    slug: str
    name: str
    description: str
    metadata: dict[str, str | float]


class SuitePage(TypedDict):
    """Body of PUT /suites/{slug}/, with the slug."""

    slug: str
    title: str
    description: str


class ScenarioMetadata(TypedDict):
    """The data to start the level again."""

    level: str
    seed: int
    context: str


class ScenarioPage(TypedDict):
    """Body of PUT /suites/{slug}/scenarios/{key}/, with the key."""

    key: str
    instruction: str
    category: str
    skill: str
    takeover_s: float
    continuation_s: float
    criteria: str
    prompt: str
    tags: list[str]
    difficulty: str
    source: str
    metadata: ScenarioMetadata


class Line(TypedDict):
    """A sentence said in the episode."""

    at_s: float
    speaker: str
    text: str


class Reference(TypedDict):
    """The truth as it is posted, for reference episodes only."""

    outcome: Outcome
    time_s: float
    tolerance_s: float


class EpisodeMetadata(TypedDict):
    """The data to play the episode again; `actions` has one letter for each action (see README.md)."""

    actions: str
    takeover_step: int
    takeover_state: str
    note: NotRequired[str]


class EpisodeData(TypedDict):
    """The `data` part of POST /episodes/; `step_frames[k]` is the first frame of the world after k actions."""

    external_id: str
    agent: str
    suite: str
    scenario: str
    continuation: int
    transcript: list[Line]
    step_frames: list[int]
    metadata: EpisodeMetadata
    reference: NotRequired[Reference]


class Truth(TypedDict):
    """The verifier's outcome; a failure is at the last frame before the deadline."""

    outcome: Outcome
    frame: int
    time_s: float


class EpisodeEntry(TypedDict):
    """One video in `episodes/` with its data and its truth."""

    video: str
    sha256: str
    frames: int
    data: EpisodeData
    truth: Truth


class Manifest(TypedDict):
    """The whole file."""

    agents: list[AgentPage]
    suite: SuitePage
    scenarios: list[ScenarioPage]
    episodes: list[EpisodeEntry]


def read(folder: Path) -> Manifest:
    """The manifest in `folder`, as `episodes.py` writes it."""
    return cast(Manifest, json.loads((folder / "manifest.json").read_text(encoding="utf-8")))


def write(manifest: Manifest, folder: Path) -> None:
    """Write `manifest.json` into `folder`, indented, with lists of numbers on one line."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    text = re.sub(r"\[\s+\d[\d,\s]+\]", lambda numbers: f"[{', '.join(NUMBER.findall(numbers[0]))}]", text)
    (folder / "manifest.json").write_text(text + "\n", encoding="utf-8")
