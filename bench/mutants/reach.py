"""The tests that reach each statement: a mutant is tested only by those that run the statement it changes.

The code is run once with a mark before each statement. A statement that the setup of a shared fixture reaches counts
for every test that uses the fixture.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

PLUGIN_NAME = "mutants_reach"
KEPT_IN = "reached.json"
PLUGIN = f'''
import builtins
import json
from pathlib import Path
from time import perf_counter

import pytest

_seen, _of_fixture, _of_test = set(), {{}}, {{}}
builtins.__mutants_seen__ = _seen.add


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    before = set(_seen)
    _seen.clear()
    try:
        return (yield)
    finally:
        _of_fixture[id(fixturedef)] = set(_seen)
        _seen.update(before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    _seen.clear()
    started = perf_counter()
    try:
        return (yield)
    finally:
        for fixtures in item._fixtureinfo.name2fixturedefs.values():
            for one in fixtures:
                _seen.update(_of_fixture.get(id(one), ()))
        _of_test[item.nodeid] = [round(perf_counter() - started, 3), sorted(_seen)]


def pytest_sessionfinish():
    Path("{KEPT_IN}").write_text(json.dumps(_of_test))
'''


@dataclass(frozen=True)
class Reached:
    """By test: the seconds that it took, and the statements that it ran, as `path:line`."""

    tests: Mapping[str, tuple[float, frozenset[str]]]

    def tests_of(self, statement: str, files: Sequence[str]) -> list[str]:
        """The tests in these files that run the statement, the fastest first."""
        found = [
            (seconds, test)
            for test, (seconds, statements) in self.tests.items()
            if statement in statements and test.partition("::")[0] in files
        ]
        return [test for _, test in sorted(found)]

    def quickest(self, tests: Sequence[str], *, within_s: float) -> list[str]:
        """Some of these tests that take so long together, from each file in turns; at least one."""
        waiting: dict[str, list[str]] = {}
        for test in tests:
            waiting.setdefault(test.partition("::")[0], []).append(test)
        found: list[str] = []
        turns = [test for ones in zip_longest(*waiting.values()) for test in ones if test is not None]
        for test in turns:
            if not found or self.seconds_of([*found, test]) <= within_s:
                found.append(test)
        return found

    def seconds_of(self, tests: Sequence[str]) -> float:
        return sum(self.tests[test][0] for test in tests)


def marked(text: str, path: str) -> str:
    """The module with a mark before each statement of its functions; processes without the plugin run it too."""
    tree = ast.parse(text)
    for node in [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]:
        _mark(node, path)
    first = next(
        (n for n, one in enumerate(tree.body) if not _is_docstring(one) and not _is_from_future(one)), len(tree.body)
    )
    tree.body[first:first] = ast.parse(
        "import builtins as __mutants_builtins__\n"
        "__mutants_seen__ = getattr(__mutants_builtins__, '__mutants_seen__', lambda statement: None)"
    ).body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def statement_at(tree: ast.Module, path: str, line: int) -> str:
    """The innermost statement of a function on this line, as the marks name it."""
    lines = [
        one.lineno
        for one in ast.walk(tree)
        if isinstance(one, ast.stmt) and one.lineno <= line <= (one.end_lineno or one.lineno)
    ]
    return f"{path}:{max(lines)}"


def _mark(node: ast.AST, path: str) -> None:
    for name in ("body", "orelse", "finalbody"):
        statements = getattr(node, name, None)
        if not isinstance(statements, list):
            continue
        with_marks: list[ast.stmt] = []
        for one in statements:
            if not _is_docstring(one):
                seen = ast.Call(ast.Name("__mutants_seen__"), [ast.Constant(f"{path}:{one.lineno}")], [])
                with_marks.append(ast.Expr(seen))
            with_marks.append(one)
            if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                _mark(one, path)
        setattr(node, name, with_marks)
    for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        _mark(inner, path)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_from_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"
