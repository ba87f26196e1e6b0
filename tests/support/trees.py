"""Trees and facts for tests: a small one by hand, and any valid one from hypothesis."""

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from lib.canonical_json import escaped
from lib.trees.engine import Facts, Outcome, Question, Step, Turn, answer, begin
from lib.trees.tree import Tree

SMALL: dict[str, Any] = {
    "title": "Small",
    "start": "done",
    "nodes": {
        "done": {
            "ask": "Did it?",
            "show": None,
            "choices": [{"label": "Yes", "outcome": "ok"}, {"label": "No", "next": "seen"}],
        },
        "seen": {
            "ask": "This one?",
            "help": "It flashes.",
            "show": "object",
            "when": {"path": "objects.0.voxels", "op": "exists"},
            "else": "why",
            "choices": [{"label": "Yes", "next": "why"}, {"label": "No", "outcome": "vision_error"}],
        },
        "why": {
            "ask": "Why?",
            "choices": [
                {"label": "Bad", "outcome": "task_error", "text": False},
                {"label": "Other", "outcome": "other_error", "text": True},
            ],
        },
    },
}


def facts_of(
    *,
    parse: dict[str, Any] | None = None,
    found: dict[str, list[list[int]]] | None = None,
    status: str = "done",
    reason: str = "",
) -> Facts:
    """The facts of a command; `found` is what each phrase was taken for."""
    objects = [{"phrase": phrase, "voxels": voxels} for phrase, voxels in (found or {}).items()]
    return Facts(parse=parse, objects=objects, status=status, reason=reason)  # type: ignore[typeddict-item]  # a dict like it


NOTHING = facts_of()
PARSED = facts_of(parse={"dialogue_type": "HUMAN_GIVE_COMMAND"})
SEEN = facts_of(parse={"dialogue_type": "HUMAN_GIVE_COMMAND"}, found={"the cube": [[1, 2, 3]]})
UNSEEN = facts_of(parse={"dialogue_type": "HUMAN_GIVE_COMMAND"}, found={"the cube": []})
FACTS = [NOTHING, PARSED, SEEN, UNSEEN, facts_of(status="failed", reason="silent")]

CONDITIONS = [
    {"path": "parse", "op": "exists"},
    {"path": "parse.dialogue_type", "op": "eq", "value": "HUMAN_GIVE_COMMAND"},
    {"path": "objects.*.voxels", "op": "exists"},
    {"path": "objects", "op": "exists", "value": False},
    {"path": "reason", "op": "in", "value": ["silent", "no_agent"]},
    {"path": "status", "op": "ne", "value": "done"},
]
OUTCOMES = st.fixed_dictionaries(
    {"label": st.sampled_from(["Yes", "No"]), "outcome": st.sampled_from(["ok", "nlu_error", "my-own"])},
    optional={"text": st.booleans()},
)


@st.composite
def valid_trees(draw: st.DrawFn) -> dict[str, Any]:
    """The JSON of a valid tree of up to 8 nodes: edges lead to later nodes only, and each node has one from before."""
    names = [f"n{number}" for number in range(draw(st.integers(1, 8)))]
    nodes: dict[str, dict[str, Any]] = {
        name: {"ask": f"{name}?", "show": draw(st.sampled_from([None, "parse", "object"])), "choices": []}
        for name in names
    }
    for place, name in enumerate(names[1:], start=1):
        before = nodes[names[draw(st.integers(0, place - 1))]]
        if "when" not in before and draw(st.booleans()):
            before |= {"when": draw(st.sampled_from(CONDITIONS)), "else": name}
        else:
            before["choices"].append({"label": f"To {name}", "next": name})
    for node in nodes.values():
        spare = 1 if not node["choices"] else 0
        node["choices"] += draw(st.lists(OUTCOMES, min_size=spare, max_size=2))
    return {"title": "Any", "start": "n0", "nodes": dict(draw(st.permutations(list(nodes.items()))))}


def pointers_in(content: Any, at: str = "#") -> list[str]:
    """Every place of some JSON, itself first."""
    inner: list[tuple[str, Any]] = []
    if isinstance(content, dict):
        inner = [(escaped(name), value) for name, value in content.items()]
    elif isinstance(content, list):
        inner = [(str(number), value) for number, value in enumerate(content)]
    return [at, *(found for name, value in inner for found in pointers_in(value, f"{at}/{name}"))]


def changed(content: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """The content with one value put in, or with one left out if the value is `...`."""
    result = deepcopy(content)
    *way, last = pointer.removeprefix("#/").split("/")
    inner: Any = result
    for word in way:
        inner = inner[int(word) if isinstance(inner, list) else word]
    if value is ...:
        del inner[int(last) if isinstance(inner, list) else last]
    else:
        inner[int(last) if isinstance(inner, list) else last] = value
    return result


def walk(tree: Tree, facts: Facts, draws: st.DataObject) -> list[Step]:
    """Every step of one walk from the first question to an outcome, by answers that hypothesis draws."""
    steps: list[Step] = [begin(tree, facts)]
    while isinstance(step := steps[-1], Question):
        choice = draws.draw(st.integers(0, len(step.node.choices) - 1))
        text = "my own words" if step.node.choices[choice].has_text else None
        steps.append(answer(tree, facts, step.path, step.node.name, choice, text))
        assert len(steps) <= len(tree.nodes) + 1, "a walk never comes to a node twice"
    return steps


def ends(tree: Tree, facts: Facts, path: tuple[Turn, ...] = (), step: Step | None = None) -> list[Outcome]:
    """The outcome of every walk there is, with its path."""
    step = step or begin(tree, facts)
    if isinstance(step, Outcome):
        return [step]
    found = []
    for number, choice in enumerate(step.node.choices):
        text = "words" if choice.has_text else None
        after = answer(tree, facts, path, step.node.name, number, text)
        found += ends(tree, facts, after.path, after)
    return found
