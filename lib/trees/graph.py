"""The graph of a tree: cycles, nodes that cannot be reached, and depths."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lib.canonical_json import escaped
from lib.trees.tree import Tree


class Edge(NamedTuple):
    """An edge from a node to another node, and its place in the JSON."""

    pointer: str
    target: str


Edges = Mapping[str, Sequence[Edge]]
"""The edges that leave each node; every target is a key."""


def faults_of_graph(edges: Edges, *, start: str | None) -> Iterator[tuple[str, str]]:
    """The faults for which a tree is refused: cycles, and nodes that nothing reaches; each a JSON pointer and why.

    Args:
        start: None where the tree names no node to start with; then no node counts as unreached.
    """
    for edge in closing_edges(edges, start=start):
        yield edge.pointer, f"This leads back to {edge.target!r}: the questions would never end."
    if start is not None:
        for name in unreached(edges, start=start):
            yield f"#/nodes/{escaped(name)}", f"No way leads here from the start, {start!r}."


def closing_edges(edges: Edges, *, start: str | None) -> list[Edge]:
    """The edges that close a cycle, found by a depth-first walk from `start`, then from the nodes that it missed.

    Without these edges the graph has no cycle.

    >>> closing_edges({"a": [Edge("#/1", "b")], "b": [Edge("#/2", "a")]}, start="a")
    [Edge(pointer='#/2', target='a')]
    """
    closing: list[Edge] = []
    on_the_way: set[str] = set()
    finished: set[str] = set()

    def walk(name: str) -> None:
        on_the_way.add(name)
        for edge in edges[name]:
            if edge.target in on_the_way:
                closing.append(edge)
            elif edge.target not in finished:
                walk(edge.target)
        on_the_way.remove(name)
        finished.add(name)

    for name in ([start] if start in edges and start is not None else []) + list(edges):
        if name not in finished:
            walk(name)
    return closing


def unreached(edges: Edges, *, start: str) -> list[str]:
    """The nodes that cannot be reached from `start`, in their order.

    >>> unreached({"a": [], "b": [Edge("#/1", "a")]}, start="a")
    ['b']
    """
    reached: set[str] = set()
    ahead = [start]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += [edge.target for edge in edges[name]]
    return [name for name in edges if name not in reached]


def edges_of(tree: Tree) -> dict[str, list[Edge]]:
    """The edges of a tree: for each node those of its choices in order, then the one to its replacement (`else`)."""
    found: dict[str, list[Edge]] = {}
    for name, node in tree.nodes.items():
        at = f"#/nodes/{escaped(name)}"
        ways = [(f"{at}/choices/{number}/next", choice.next) for number, choice in enumerate(node.choices)]
        ways.append((f"{at}/else", node.otherwise))
        found[name] = [Edge(pointer, target) for pointer, target in ways if target is not None]
    return found


def depths(edges: Edges, *, start: str | None) -> dict[str, int]:
    """The length of the longest path to each node; the nodes come in the order of a depth-first walk from `start`.

    Edges that close a cycle are ignored. Nodes that cannot be reached come last; the first of them has depth 0.

    >>> depths({"a": [Edge("#/1", "b"), Edge("#/2", "c")], "b": [Edge("#/3", "c")], "c": []}, start="a")
    {'a': 0, 'b': 1, 'c': 2}
    """
    closing = {edge.pointer for edge in closing_edges(edges, start=start)}
    onward = {name: [edge.target for edge in ways if edge.pointer not in closing] for name, ways in edges.items()}
    met: list[str] = []
    after: list[str] = []

    def walk(name: str) -> None:
        met.append(name)
        for target in onward[name]:
            if target not in found:
                found[target] = 0
                walk(target)
        after.append(name)

    found: dict[str, int] = {}
    for name in ([start] if start in edges and start is not None else []) + list(edges):
        if name not in found:
            found[name] = 0
            walk(name)
    for name in reversed(after):
        for target in onward[name]:
            found[target] = max(found[target], found[name] + 1)
    return {name: found[name] for name in met}
