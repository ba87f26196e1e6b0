"""The fields of suites, scenarios and agents."""

from agents.models import Agent
from evaluation.models import CONTINUATIONS
from web.staff.setup.fields import Field, Kind

SCENARIO = [
    Field(
        "instruction",
        "What the agent was asked to do",
        is_needed=True,
        placeholder="put the red ball next to the green key",
        does="Workers read it above each video.",
    ),
    Field(
        "criteria",
        "What counts as done",
        Kind.AREA,
        rows=3,
        empty="",
        placeholder="The ball lies on a square that touches the key's.",
        does="Two people who read it should judge alike.",
    ),
    Field(
        "takeover_s",
        "The agent takes over at",
        Kind.NUMBER,
        unit="s",
        empty=0.0,
        placeholder="0",
        does="What happens before is dimmed and does not count. Set it in the video above, or leave it at 0.",
    ),
    Field(
        "continuation_s",
        "Time from then on that counts",
        Kind.NUMBER,
        unit="s",
        is_needed=True,
        does="The same for every agent. A shorter video ends earlier.",
    ),
    Field("category", "Category", empty="general", placeholder="general", does="Rankings can be grouped by it."),
    Field("skill", "Skill", empty="general", placeholder="general", does="The same, for what it takes."),
]
"""The fields that a video needs before it can be judged."""
MORE_OF_SCENARIO = [
    Field("prompt", "Prompt", Kind.AREA, rows=3, empty="", does="What a simulated player says. Empty: nothing."),
    Field("tags", "Tags", Kind.LINES, empty=[], does="One a line."),
    Field("difficulty", "Difficulty", Kind.JSON, rows=2, does="As JSON; kept as it is."),
    Field(
        "chance",
        "Success by guessing",
        Kind.PERCENT,
        unit="%",
        does="How often guessing succeeds here; rates are also shown without it. Empty: not known.",
    ),
    Field("media", "Recording", Kind.JSON, rows=2, does='The video of what happens before: {"episode": "its id"}.'),
    Field(
        "source",
        "Source",
        Kind.JSON,
        rows=2,
        does="Where it comes from: interaction, agent, episode and split, as JSON. "
        "Scenarios of one interaction are drawn together in every interval.",
    ),
    Field("metadata", "Metadata", Kind.JSON, rows=3, empty={}, does="As JSON; kept as it is."),
]
NEW_SCENARIO = {"continuation_s": 60.0}
"""The values in a new form."""
SUITE = [
    Field("title", "Title", is_needed=True),
    Field("description", "Description", Kind.AREA, empty="", does="What the scenarios have in common."),
    Field(
        "continuations",
        "Videos of each agent at each scenario",
        Kind.WHOLE,
        empty=CONTINUATIONS,
        placeholder=str(CONTINUATIONS),
        does="How many are wanted; figures of the suite count what is missing.",
    ),
]
AGENT = [
    Field("name", "Name", is_needed=True),
    Field("description", "Description", Kind.AREA, empty="", does="Checkpoint, date, what is new."),
    Field(
        "kind",
        "What it is",
        Kind.CHOICE,
        choices=[(kind.value, kind.label.capitalize()) for kind in Agent.Kind],
        empty=Agent.Kind.AGENT.value,
        does="People and guessing are not ranked: they are lines to compare programs with.",
    ),
    Field("metadata", "Metadata", Kind.JSON, empty={}, does="Seed and settings, as JSON."),
]
