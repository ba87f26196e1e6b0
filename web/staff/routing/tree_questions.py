"""A tree as a form of its questions: the fields of the form, what they say as JSON, and the buttons that change them.

The form holds the whole tree, also while parts of it are missing or wrong, so nothing typed is lost between two posts.
Fields of a question carry its number on the page; `name.N` is its name in the tree.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from lib.canonical_json import escaped
from lib.trees.text import in_order, written
from lib.trees.tree import KNOWN_OUTCOMES, MOST_CHOICES
from web.staff.routing.tree_drafts import Draft, read_draft

ASK, END, NEW = "ask:", "end:", "new"
"""The target of a choice: `ask:NAME`, a question; `end:OUTCOME`; `new`, a question that is not there yet."""
OPS = (("exists", "is there"), ("eq", "equals"), ("ne", "differs from"), ("in", "is one of"))
"""The tests of a condition, with their words."""
MOST_POSTED = 200
"""Questions and choices beyond this number in one form are not read; a tree has fewer."""


class ChoiceRow(NamedTuple):
    """The fields of one choice; `leads` is one of the targets of the page, or ""."""

    label: str
    leads: str
    has_text: bool


class QuestionRow(NamedTuple):
    """The fields of one question, all as text, and the sentences about what is wrong with it."""

    name: str
    ask: str
    help: str
    show: str
    path: str
    op: str
    value: str
    otherwise: str
    choices: list[ChoiceRow]
    faults: list[str]

    @property
    def is_full(self) -> bool:
        return len(self.choices) >= MOST_CHOICES

    @property
    def is_conditional(self) -> bool:
        return bool(self.path or self.op or self.value or self.otherwise)


class QuestionForm(NamedTuple):
    """The whole form. `targets` are the pairs of value and words that a choice may lead to."""

    title: str
    start: str
    questions: list[QuestionRow]
    targets: list[tuple[str, str]]


def form_of(draft: Draft) -> QuestionForm | None:
    """The form of a draft; None where its text has no questions that a form could show."""
    content = draft.content
    nodes = content.get("nodes") if isinstance(content, dict) else None
    if not isinstance(nodes, dict) or not all(isinstance(node, dict) for node in nodes.values()):
        return None
    names = [node.name for node in in_order(draft.tree)] if draft.tree else list(nodes)
    questions = [_row(name, nodes[name], draft) for name in names]
    asked = [(f"{ASK}{row.name}", f"asks: {row.ask or row.name}") for row in questions]
    outcomes = dict.fromkeys([*KNOWN_OUTCOMES, *_outcomes(questions)])
    ends = [(f"{END}{one}", f"ends: {one}{_meaning(one)}") for one in outcomes]
    targets = [*asked, (NEW, "asks a new question"), *ends]
    return QuestionForm(_text(content.get("title")), _text(content.get("start")), questions, targets)


def text_from(fields: Mapping[str, str], act: str) -> str:
    """The text of the tree that the posted form holds, after what its button `act` says.

    `add-question`, `remove-question:N`, `add-choice:N` and `remove-choice:N:M` change it; any other button does not.
    """
    button, _, where = act.partition(":")
    nodes: dict[str, Any] = {}
    added: list[str] = []
    for n in _numbers(fields, "name"):
        name = fields[f"name.{n}"]
        if button == "remove-question" and where == n:
            continue
        nodes[name] = _node(fields, n, button=button, where=where)
        for choice in nodes[name]["choices"]:
            if choice.get("next") == NEW:
                choice["next"] = _free([*nodes, *_names(fields), *added])
                added.append(choice["next"])
    if button == "add-question":
        added.append(_free([*nodes, *_names(fields), *added]))
    for name in added:
        nodes[name] = {"ask": "", "show": None, "choices": [{"label": "Yes", "outcome": "ok"}]}
    content = {"title": fields.get("title", ""), "start": fields.get("start", ""), "nodes": nodes}
    text = json.dumps(content, ensure_ascii=False, indent=2)
    tree = read_draft(text).tree
    return written(tree) if tree else text


def _row(name: str, node: dict[str, Any], draft: Draft) -> QuestionRow:
    when, choices = node.get("when"), node.get("choices")
    when = when if isinstance(when, dict) else {}
    choices = choices if isinstance(choices, list) else []
    at = f"#/nodes/{escaped(name)}"
    return QuestionRow(
        name=name,
        ask=_text(node.get("ask")),
        help=_text(node.get("help")),
        show=_text(node.get("show")),
        path=_text(when.get("path")),
        op=_text(when.get("op")),
        value=json.dumps(when["value"], ensure_ascii=False) if "value" in when else "",
        otherwise=_text(node.get("else")),
        choices=[_choice_row(one) for one in choices if isinstance(one, dict)],
        faults=[one.detail for one in draft.faults if one.pointer == at or one.pointer.startswith(f"{at}/")],
    )


def _choice_row(choice: dict[str, Any]) -> ChoiceRow:
    if choice.get("next"):
        leads = f"{ASK}{choice['next']}"
    else:
        leads = f"{END}{choice['outcome']}" if choice.get("outcome") else ""
    return ChoiceRow(_text(choice.get("label")), leads, choice.get("text") is True)


def _node(fields: Mapping[str, str], n: str, *, button: str, where: str) -> dict[str, Any]:
    node: dict[str, Any] = {"ask": fields.get(f"ask.{n}", ""), "show": fields.get(f"show.{n}") or None}
    if said := fields.get(f"help.{n}"):
        node["help"] = said
    if path := fields.get(f"path.{n}"):
        op, value = fields.get(f"op.{n}", ""), fields.get(f"value.{n}", "").strip()
        node["when"] = {"path": path, "op": op} | ({"value": _value(value)} if value else {})
        node["else"] = fields.get(f"else.{n}") or None
    gone = where.removeprefix(f"{n}:") if button == "remove-choice" and where.startswith(f"{n}:") else ""
    choices = [_choice(fields, n, m) for m in _numbers(fields, f"label.{n}") if m != gone]
    if button == "add-choice" and where == n:
        choices.append({"label": ""})
    return {**node, "choices": choices}


def _choice(fields: Mapping[str, str], n: str, m: str) -> dict[str, Any]:
    leads = fields.get(f"leads.{n}.{m}", "")
    choice: dict[str, Any] = {"label": fields.get(f"label.{n}.{m}", "")}
    if leads == NEW:
        choice["next"] = NEW
    elif leads.startswith(ASK):
        choice["next"] = leads.removeprefix(ASK)
    elif leads.startswith(END):
        choice["outcome"] = leads.removeprefix(END)
        if fields.get(f"text.{n}.{m}"):
            choice["text"] = True
    return choice


def _value(text: str) -> Any:
    """A value as JSON; what is no JSON is taken as the words themselves."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _numbers(fields: Mapping[str, str], name: str) -> list[str]:
    """The numbers of the fields `name.0`, `name.1` … that were posted, in order."""
    return [str(n) for n in range(MOST_POSTED) if f"{name}.{n}" in fields]


def _names(fields: Mapping[str, str]) -> list[str]:
    return [fields[f"name.{n}"] for n in _numbers(fields, "name")]


def _free(taken: list[str]) -> str:
    return next(name for n in range(1, len(taken) + 2) if (name := f"question_{n}") not in taken)


def _outcomes(questions: list[QuestionRow]) -> list[str]:
    found = [choice.leads for row in questions for choice in row.choices]
    return [leads.removeprefix(END) for leads in found if leads.startswith(END)]


def _meaning(outcome: str) -> str:
    return f" ({KNOWN_OUTCOMES[outcome]})" if outcome in KNOWN_OUTCOMES else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
