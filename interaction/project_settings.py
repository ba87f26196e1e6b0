"""What an interaction project lets be chosen: which agent, how many sessions, which tree, how long, what is offered."""

from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from agents.models import Agent
from annotation.arms import settings_of
from annotation.models import Project
from common.api import SlugField, StrictSerializer
from common.errors import Fault, Invalid, UnknownField, problem_of
from common.values import escaped
from interaction.stoplight.settings import NotSettings, read_settings
from routing.models import Tree

Json = dict[str, Any]
TOOL: Final = "interaction"
"""The tool whose assignments are sessions."""
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
"""What a worker is told that the agent can do, where the project says nothing else: a word and an example."""


class SettingsBody(StrictSerializer):
    agent = SlugField(required=False)
    sessions = serializers.IntegerField(min_value=1, max_value=1_000_000, required=False)
    tree = SlugField(required=False)
    minimum_s = serializers.IntegerField(min_value=0, max_value=3600, default=300)
    capabilities = serializers.ListField(child=serializers.CharField(max_length=200), max_length=50, required=False)
    stoplight = serializers.DictField(required=False)
    prompts = serializers.ListField(
        child=serializers.CharField(max_length=500), max_length=1000, required=False, allow_empty=True
    )
    evaluation = serializers.BooleanField(default=False)


NEEDED = ("agent", "sessions", "tree")
"""Without these a project cannot go live."""


def check(settings: Json, *, is_live: bool) -> None:
    """Whether a project may have these settings.

    Raises:
        Invalid: with pointers below `#/settings`.
    """
    body = SettingsBody(data=settings)
    try:
        body.is_valid(raise_exception=True)
    except ValidationError as error:
        problem = problem_of(error) or {}
        faults = [Fault(f"#/settings{one['pointer'][1:]}", one["detail"]) for one in problem["errors"]]
        raise (UnknownField if problem["code"] == UnknownField.code else Invalid)(faults=faults) from None
    faults = _faults_of_light(settings.get("stoplight"))
    if body.validated_data["evaluation"] and body.validated_data["minimum_s"] == 0:
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
    """The settings of a project, for those of an arm of its experiment, defaults applied."""

    def __init__(self, project: Project, *, arm: str = "") -> None:
        found: Json = settings_of(project, arm)
        self.agent: str | None = found.get("agent")
        self.sessions: int = found.get("sessions", 0)
        self.tree: str | None = found.get("tree")
        self.minimum_s: int = found.get("minimum_s", 300)
        self.capabilities: list[str] = found.get("capabilities") or list(CAPABILITIES)
        self.prompts: list[str] = found.get("prompts") or []
        self.is_evaluation: bool = found.get("evaluation", False)
        self.stoplight: Json | None = found.get("stoplight")
