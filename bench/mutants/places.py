"""Finding a mutant again after its code was moved or renamed.

`places.json` says what has changed since the mutants were generated:

- `files`: old path to the present paths; a file that was split has several;
- `functions`: `old path::old qualified name` to the present qualified name, where `names` does not say it;
- `names`: old identifiers to present ones, also as parts of `a__b` lookups and of column names in strings;
- `mutants`: for one mutant, present values of `function`, `original`, `replacement`, `occurrence` or `occurrences`;
- `gone`: mutants whose code is no longer there, each with the reason.
"""

import ast
import difflib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.mutants.candidates import Candidate, candidates_in
from bench.mutants.mutant import HERE, Mutant, write_json


@dataclass(frozen=True)
class Places:
    """The content of `places.json`."""

    files: Mapping[str, list[str]]
    functions: Mapping[str, str]
    names: Mapping[str, str]
    mutants: Mapping[str, Mapping[str, Any]]
    gone: Mapping[str, str]


@dataclass(frozen=True)
class Found:
    """A mutant's place: the file, its parsed text, and the candidate in it."""

    path: str
    tree: ast.Module
    candidate: Candidate


class NotFound(Exception):
    """The place of a mutant is not there, or there are several."""


def read_places(path: Path = HERE / "places.json") -> Places:
    """The present places."""
    return Places(**json.loads(path.read_text()))


def keep_places(places: Places, mutants: Collection[Mutant], *, without: Collection[str]) -> None:
    """Write the places of these mutants alone, and without those that the ids in `without` had before."""
    kept = asdict(places)
    for part in ("mutants", "gone"):
        kept[part] = {mutant: value for mutant, value in kept[part].items() if mutant not in without}
    kept["files"] = {one.file: places.files.get(one.file, [one.file]) for one in mutants}
    write_json(HERE / "places.json", kept)


def find(mutant: Mutant, root: Path, places: Places) -> Found:
    """The mutant's place in the tree at `root`.

    Names are compared after `names` was applied to both sides, so a file that is not renamed yet is found too.

    Raises:
        NotFound: with the nearest candidate, to help in completing `places.json`.
    """
    wanted = replace(mutant, **places.mutants.get(mutant.id, {}))
    paths = [
        path for path in dict.fromkeys([*places.files.get(wanted.file, []), wanted.file]) if (root / path).exists()
    ]
    if not paths:
        raise NotFound(f"{wanted.file} is at none of its places")
    functions = {_named(wanted.function, places.names)}
    if present := places.functions.get(f"{wanted.file}::{mutant.function}"):
        functions.add(_named(present, places.names))
    key = (wanted.operator, _plain(wanted.original, places.names), _plain(wanted.replacement, places.names))
    equal: list[Found] = []
    near: list[str] = []
    for path in paths:
        tree = ast.parse((root / path).read_text())
        for one in candidates_in(tree):
            if one.operator != wanted.operator:
                continue
            original = _plain(one.original, places.names)
            if _named(one.function, places.names) in functions:
                near.append(one.original)
                if key == (one.operator, original, _plain(one.replacement, places.names)):
                    equal.append(Found(path, tree, one))
            elif original == key[1]:
                near.append(f"{one.original}   (in {path}, {one.function})")
    if len(equal) != wanted.occurrences:
        nearest = difflib.get_close_matches(wanted.original, near, n=1, cutoff=0.0)
        raise NotFound(
            f"{wanted.file}, {wanted.function}: {len(equal)} places instead of {wanted.occurrences} "
            f"for `{wanted.original}`; nearest: {nearest[0] if nearest else 'none'}"
        )
    return equal[wanted.occurrence]


def _named(function: str, names: Mapping[str, str]) -> str:
    return ".".join(names.get(part, part) for part in function.split("."))


def _plain(text: str, names: Mapping[str, str]) -> str:
    """The text as `ast.unparse` writes it, present names instead of old ones."""
    if not names:
        return text
    return ast.unparse(_Renamed(names).visit(ast.parse(text)))


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def _of(self, name: str) -> str:
        whole = self._names.get(name)
        return whole or "__".join(self._names.get(part, part) for part in name.split("__"))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._of(node.id), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self._of(node.attr)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        node.arg = self._of(node.arg) if node.arg else None
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and node.value.lstrip("-").isidentifier():
            sign = "-" if node.value.startswith("-") else ""
            return ast.Constant(sign + self._of(node.value.lstrip("-")))
        return node
