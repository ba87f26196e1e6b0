"""The content of a suite's file: its scenarios, its frozen versions, and the recordings that its scenarios name.

A wording keeps the digest under which it was frozen, so a version has the same SHA-256 on the server that reads it.
"""

from collections.abc import Mapping
from datetime import datetime
from itertools import product
from typing import Any, NamedTuple, TypedDict

from agents.programs import AgentBody
from evaluation.suites import ScenarioBody, SuiteBody, frozen_digest, wording_digest
from lib.faults import Fault, Invalid

FORMAT = "crosswalk-suite"
NUMBER = 1
"""The number of the format; a file of another number is refused."""
CONTENT = "suite.json"
MOST_CONTENT = 64 * 1024 * 1024
"""Bytes of `suite.json`."""
_NUMBERS = ("takeover_s", "continuation_s", "chance")


class WordingName(TypedDict):
    """A wording by its scenario and its digest."""

    scenario: str
    sha256: str


class WordingPart(WordingName):
    """One wording of a scenario."""

    wording: ScenarioBody


class VersionPart(TypedDict):
    """A frozen version."""

    version: str
    sha256: str
    frozen_at: datetime
    wordings: list[WordingName]


class AgentPart(AgentBody):
    """The agent of a recording."""

    slug: str


class EpisodePart(TypedDict):
    """A recording that a scenario names. `wording` is the one that it was posted against, `video` the path of its part
    in the file; `data` is what was posted, without agent, suite and scenario."""

    data: dict[str, Any]
    agent: AgentPart
    wording: WordingName
    video: str


class SuiteContent(TypedDict):
    """All of a suite but its videos. `present` has the present wordings; versions stand oldest first."""

    suite: SuiteBody
    wordings: list[WordingPart]
    present: list[WordingName]
    versions: list[VersionPart]
    episodes: list[EpisodePart]


class Named(NamedTuple):
    """A `WordingName` as a key of dictionaries."""

    scenario: str
    sha256: str


def named(name: Mapping[str, Any]) -> Named:
    return Named(name["scenario"], name["sha256"])


def check_content(content: SuiteContent, *, videos: set[str]) -> None:
    """Check that the content agrees with itself, and with the other parts of its file.

    Raises:
        Invalid: with a pointer to each fault: a digest is not that of its wording or version, a wording that something
            names is not there, a scenario has two wordings at once, or a video is missing or named by nobody.
    """
    faults = []
    for number, one in enumerate(content["wordings"]):
        if one["sha256"] not in _digests(one["wording"]):
            faults.append(Fault(f"#/wordings/{number}/sha256", "This is not the SHA-256 of the wording."))
    known = [named(one) for one in content["wordings"]]
    lists = [("#/present", [named(one) for one in content["present"]])]
    for number, version in enumerate(content["versions"]):
        frozen = [named(one) for one in version["wordings"]]
        lists.append((f"#/versions/{number}/wordings", frozen))
        if frozen_digest(frozen) != version["sha256"]:
            faults.append(Fault(f"#/versions/{number}/sha256", "This is not the SHA-256 of what the version froze."))
    for pointer, names in lists:
        if len({one.scenario for one in names}) != len(names):
            faults.append(Fault(pointer, "A scenario has two wordings here."))
    lists.append(("#/episodes", [named(one["wording"]) for one in content["episodes"]]))
    for pointer, names in lists:
        if not set(names) <= set(known):
            faults.append(Fault(pointer, "A wording that is named here is not among `wordings`."))
    if len(set(known)) != len(known):
        faults.append(Fault("#/wordings", "A wording is there twice."))
    if {one["video"] for one in content["episodes"]} != videos:
        faults.append(Fault("#/episodes", "The videos that they name are not those of the file."))
    for pointer, slugs in (
        ("#/versions", [one["version"] for one in content["versions"]]),
        ("#/episodes", [one["data"]["external_id"] for one in content["episodes"]]),
    ):
        if len(set(slugs)) != len(slugs):
            faults.append(Fault(pointer, "Two have the same name."))
    if faults:
        raise Invalid(faults=faults)


def _digests(body: ScenarioBody) -> set[str]:
    """The digests that this wording may have: whoever made it may have written a whole number with or without `.0`."""
    choices = []
    for name in _NUMBERS:
        value = body[name]  # type: ignore[literal-required]
        is_whole = isinstance(value, float) and value.is_integer()
        choices.append([(name, value), (name, int(value))] if is_whole else [(name, value)])
    return {wording_digest({**body, **dict(chosen)}) for chosen in product(*choices)}  # type: ignore[typeddict-item]
