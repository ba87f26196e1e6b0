"""A tree as a drawing, top down: each question above its answers, each answer above what it leads to.

Boxes and lines with their places in pixels; a template makes the SVG of them. Also a tree with faults can be drawn
(`lib.trees.parser.sketch`): what leads nowhere ends in a question mark.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lib.canonical_json import escaped
from lib.trees.engine import Turn
from lib.trees.graph import closing_edges, depths, edges_of
from lib.trees.layering import Item, placed
from lib.trees.readout import condition
from lib.trees.tree import KNOWN_OUTCOMES, OK, Choice, Node, Tree
from lib.trees.wrapping import BOLD, wrapped

Kind = Literal["question", "choice", "else", "outcome"]
Style = Literal["name", "ask", "note", "label", "outcome"]
QUESTION, ANSWER = 250, 156
"""Widths of boxes in px."""
PAD, LINE, GAP, BETWEEN, HANGS = 9, 18, 16, 38, 12
"""Inside a box; from line to line; between neighbours; between layers; from an answer to its outcome."""
ICONS = {"good": "✓", "bad": "✕", "own": "●", "words": "✎", "nowhere": "?"}
_SHOWS = {"parse": "▤ shows what it understood", "object": "◎ shows what it found"}


class Text(NamedTuple):
    """One line of words; `y` is the middle of it."""

    x: int
    y: int
    style: Style
    words: str


class Box(NamedTuple):
    """A question, an answer, "otherwise", or an outcome.

    Attributes:
        title: All of it in words, also what the box has no room for.
        tone: Of an outcome: one of `ICONS`.
        is_lit: It was asked, or answered so, on the walk that is shown; `is_open`: it is asked now.
    """

    kind: Kind
    name: str
    x: int
    y: int
    width: int
    height: int
    texts: tuple[Text, ...]
    title: str
    tone: str = ""
    is_lit: bool = False
    is_open: bool = False
    is_faulty: bool = False


class Line(NamedTuple):
    """A line from one box to another, as the `d` of an SVG path; `tip`: its arrow's, if it has one."""

    path: str
    tip: str
    is_dashed: bool
    is_lit: bool


@dataclass(frozen=True)
class Drawing:
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: int
    height: int


class _Marks(NamedTuple):
    """Which boxes stand out, by name."""

    lit: Collection[str]
    now: str
    faulty: Collection[str]


class _Draft(NamedTuple):
    """A box before it has a place; an outcome hangs below its answer, in the same layer."""

    kind: Kind
    name: str
    layer: int
    lines: Sequence[tuple[Style, str]]
    title: str
    group: str = ""
    tone: str = ""

    @property
    def width(self) -> int:
        return QUESTION if self.kind == "question" else ANSWER

    @property
    def height(self) -> int:
        return 2 * PAD + LINE * len(self.lines)


def draw(tree: Tree, *, path: Sequence[Turn] = (), now: str = "", faulty: Collection[str] = ()) -> Drawing:
    """The drawing of a tree.

    Args:
        path: The answers of a walk, which are lit.
        now: The node whose question is open.
        faulty: Nodes with something wrong.
    """
    edges = edges_of(tree)
    place = depths(edges, start=tree.start)
    drawn = {edge.pointer for ways in edges.values() for edge in ways}
    drawn -= {edge.pointer for edge in closing_edges(edges, start=tree.start)}
    drafts: dict[str, _Draft] = {}
    ends: dict[str, _Draft] = {}
    ways: list[tuple[str, str]] = []
    for name in place:
        node, layer, at = tree.nodes[name], 2 * place[name], f"#/nodes/{escaped(name)}"
        drafts[_question(name)] = _question_box(node, layer)
        for number, choice in enumerate(node.choices):
            answer = f"{name}/{number}"
            drafts[answer] = _answer_box(answer, choice, number, layer + 1, name)
            ways.append((_question(name), answer))
            if f"{at}/choices/{number}/next" in drawn:
                ways.append((answer, _question(choice.next or "")))
            else:
                ends[answer] = _end_box(f"{answer}/end", choice, layer + 1)
        if f"{at}/else" in drawn:
            skip = f"{name}/else"
            words = "Otherwise this question is skipped."
            drafts[skip] = _Draft("else", skip, layer + 1, [("label", "otherwise")], words, name)
            ways += [(_question(name), skip), (skip, _question(node.otherwise or ""))]
    marks = _Marks(
        {_question(turn["node"]) for turn in path} | {f"{turn['node']}/{turn['choice']}" for turn in path},
        _question(now),
        {_question(name) for name in faulty},
    )
    return _laid_out(drafts, ends, ways, marks)


def tone_of(outcome: str) -> str:
    """How an outcome looks: one of `ICONS`."""
    if not outcome:
        return "nowhere"
    if outcome == OK:
        return "good"
    return "bad" if outcome in KNOWN_OUTCOMES else "own"


def _question(name: str) -> str:
    return f"{name}/?"


def _question_box(node: Node, layer: int) -> _Draft:
    lines: list[tuple[Style, str]] = [("name", wrapped(node.name, width=QUESTION - 2 * PAD, most=1, character=BOLD)[0])]
    title = [node.ask, node.help]
    lines += [("ask", line) for line in wrapped(node.ask or "…", width=QUESTION - 2 * PAD, most=6, character=BOLD)]
    if node.when is not None:
        only = f"only if {condition(node.when)}"
        lines += [("note", line) for line in wrapped(only, width=QUESTION - 2 * PAD, most=3)]
        title.append(f"Asked {only}.")
    if node.show in _SHOWS:
        lines.append(("note", _SHOWS[node.show]))
    return _Draft("question", _question(node.name), layer, lines, " ".join(filter(None, title)))


def _answer_box(name: str, choice: Choice, number: int, layer: int, group: str) -> _Draft:
    words = f"{number + 1}  {choice.label}"
    lines: list[tuple[Style, str]] = [("label", line) for line in wrapped(words, width=ANSWER - 2 * PAD, most=5)]
    return _Draft("choice", name, layer, lines, choice.label, group)


def _end_box(name: str, choice: Choice, layer: int) -> _Draft:
    outcome = choice.outcome or ""
    tone = tone_of(outcome)
    words = f"{ICONS[tone]} {outcome}".strip()
    lines: list[tuple[Style, str]] = [
        ("outcome", line) for line in wrapped(words, width=ANSWER - 2 * PAD, most=4, character=BOLD)
    ]
    title = f"{outcome or 'This leads nowhere'}: {KNOWN_OUTCOMES.get(outcome, 'an outcome of this tree’s own')}"
    if choice.has_text:
        lines.append(("outcome", f"{ICONS['words']} in their words"))
        title += ", in the worker’s own words"
    return _Draft("outcome", name, layer, lines, f"{title}.", tone=tone)


def _laid_out(
    drafts: Mapping[str, _Draft], ends: Mapping[str, _Draft], ways: Sequence[tuple[str, str]], marks: _Marks
) -> Drawing:
    """Every box and line in its place.

    Args:
        drafts: By name; `ends` by the name of the answer that each hangs below.
        ways: From a box to one in any layer below.
    """
    links, trunks = _links(drafts, ways)
    items = [Item(draft.name, draft.layer, draft.width, draft.group) for draft in drafts.values()]
    items += [Item(name, layer, 0) for name, layer in trunks.items()]
    left = {name: x + GAP for name, x in placed(items, links, gap=GAP).items()}
    tops, floors = _rows(drafts, ends)
    boxes = {name: _box(draft, left[name], tops[draft.layer], marks) for name, draft in drafts.items()}
    lines = []
    for upper, lower in links:
        one, other = boxes.get(upper), boxes.get(lower)
        x1, y1 = (one.x + one.width // 2, one.y + one.height) if one else (left[upper], tops[trunks[upper]])
        x2 = other.x + other.width // 2 if other else left[lower]
        layer = drafts[upper].layer if one else trunks[upper]
        is_else = "else" in {one and one.kind, other and other.kind}
        is_lit = one is not None and one.is_lit and (other is None or other.is_lit or other.is_open)
        tip = _tip(x2, tops[layer + 1]) if other and other.kind == "question" else ""
        lines.append(Line(_path(x1, y1, floors[layer], x2, tops[layer + 1]), tip, is_else, is_lit))
    hung = []
    for name, end in ends.items():
        answer = boxes[name]
        below = answer.y + answer.height
        hung.append(_box(end, answer.x, below + HANGS, marks)._replace(is_lit=answer.is_lit))
        x = answer.x + answer.width // 2
        lines.append(Line(f"M{x} {below}V{below + HANGS}", "", False, answer.is_lit))
    every = (*boxes.values(), *hung)
    width = max([*(box.x + box.width for box in every), *(left[name] for name in trunks)], default=0)
    return Drawing(every, tuple(lines), width + GAP, (floors[-1] if floors else 0) + GAP)


def _links(
    drafts: Mapping[str, _Draft], ways: Sequence[tuple[str, str]]
) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """The ways, each from one layer to the next; and what keeps a place for them in the layers that they pass.

    There is one such place in a layer for all that leads to the same box.
    """
    links: dict[tuple[str, str], None] = {}
    trunks: dict[str, int] = {}
    for upper, lower in ways:
        before = upper
        for layer in range(drafts[upper].layer + 1, drafts[lower].layer):
            trunk = f"{lower}/{layer}"
            trunks[trunk] = layer
            links[before, trunk] = None
            before = trunk
        links[before, lower] = None
    return list(links), trunks


def _rows(drafts: Mapping[str, _Draft], ends: Mapping[str, _Draft]) -> tuple[list[int], list[int]]:
    """Where each layer begins and ends."""
    heights = [0] * (max((draft.layer for draft in drafts.values()), default=-1) + 1)
    for name, draft in drafts.items():
        height = draft.height + (HANGS + ends[name].height if name in ends else 0)
        heights[draft.layer] = max(heights[draft.layer], height)
    tops, at = [], GAP
    for height in heights:
        tops.append(at)
        at += height + BETWEEN
    return tops, [top + height for top, height in zip(tops, heights, strict=True)]


def _box(draft: _Draft, x: int, y: int, marks: _Marks) -> Box:
    at = x + (PAD if draft.kind == "question" else draft.width // 2)
    return Box(
        kind=draft.kind,
        name=draft.name,
        x=x,
        y=y,
        width=draft.width,
        height=draft.height,
        texts=tuple(
            Text(at, y + PAD + LINE * number + LINE // 2, style, words)
            for number, (style, words) in enumerate(draft.lines)
        ),
        title=draft.title,
        tone=draft.tone,
        is_lit=draft.name in marks.lit,
        is_open=draft.name == marks.now,
        is_faulty=draft.name in marks.faulty,
    )


def _path(x1: int, y1: int, floor: int, x2: int, y2: int) -> str:
    """Straight down to the end of the layer, then to the next: so no line runs through a box beside it."""
    middle = (floor + y2) // 2
    return f"M{x1} {y1}V{floor}C{x1} {middle} {x2} {middle} {x2} {y2}"


def _tip(x: int, y: int) -> str:
    return f"M{x - 4} {y - 7}L{x} {y}L{x + 4} {y - 7}Z"
