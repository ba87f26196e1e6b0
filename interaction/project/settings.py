"""The settings of an interaction project: its agent, number of sessions, tree, minimum time, prompts, capabilities."""

from typing import Any

from agents.models import Agent
from annotation.models import Project
from annotation.offer.experiments import settings_of
from common.serializers import read
from interaction.project.serializers import SettingsBody
from lib.canonical_json import escaped
from lib.faults import Fault, Invalid, UnknownField
from lib.stoplight.settings import NotSettings, read_settings
from routing.models import Tree

Json = dict[str, Any]
MINIMUM_S = 300
"""The minimum time of a session in seconds, where the project names no other."""
CAPABILITIES = (
    "Move: come here, go to the house",
    "Build: build a small red cube",
    "Destroy: destroy the tower",
    "Dig: dig a hole over there",
    "Fill: fill that hole with stone",
    "Copy: copy the wall to my left",
    "Get: bring me the pig",
    "Spawn: spawn two sheep",
    "Tag: that is a fort",
    "Answer: what colour is the cube?",
    "Dance: dance, turn left, point at the arch",
    "Undo: undo that",
    "Stop: stop",
    "Resume: go on",
)
"""The abilities of the agent as workers read them, where the project names no others: a word and an example."""
NEEDED = ("agent", "sessions", "tree")
"""Without these a project cannot go live."""


def check(settings: Json, *, is_live: bool) -> None:
    """Check the settings of a project.

    Raises:
        Invalid: with pointers below `#/settings`.
    """
    try:
        body = read(SettingsBody, settings)
    except Invalid as error:
        raise error.below("#/settings") from None
    faults = _faults_of_light(settings.get("stoplight"))
    if body["evaluation"] and body.get("minimum_s") == 0:
        faults.append(Fault("#/settings/minimum_s", "An evaluation takes commands for so long, so it cannot be 0."))
    if is_live:
        faults += [
            Fault(f"#/settings/{escaped(name)}", "This is needed before the project goes live.")
            for name in NEEDED
            if name not in settings
        ]
    if "agent" in settings and not Agent.objects.filter(slug=settings["agent"]).exists():
        faults.append(Fault("#/settings/agent", f"There is no agent {settings['agent']!r}; put it first."))
    if "tree" in settings and not Tree.objects.filter(slug=settings["tree"]).exists():
        faults.append(Fault("#/settings/tree", f"There is no tree {settings['tree']!r}; put it first."))
    if faults:
        raise Invalid(faults=faults)


def _faults_of_light(raw: Json | None) -> list[Fault]:
    try:
        read_settings(raw)
    except NotSettings as error:
        faults = [Fault(f"#/settings/stoplight{fault.pointer}", fault.detail) for fault in error.faults]
        if any(fault.is_unknown_field for fault in error.faults):
            raise UnknownField(faults=faults) from None
        return faults
    return []


class Chosen:
    """The settings of a project, in one arm of its experiment, with defaults."""

    def __init__(self, project: Project, *, arm: str = "") -> None:
        found: Json = settings_of(project, arm)
        self.agent: str | None = found.get("agent")
        self.sessions: int = found.get("sessions", 0)
        self.tree: str | None = found.get("tree")
        self.minimum_s: int = found.get("minimum_s", MINIMUM_S)
        self.capabilities: list[str] = found.get("capabilities") or list(CAPABILITIES)
        self.prompts: list[str] = found.get("prompts") or []
        self.is_evaluation: bool = found.get("evaluation", False)
        self.stoplight: Json | None = found.get("stoplight")
