"""All replacements that the operators make in the functions of a module.

Generating and finding use the same list: a mutant is found again by its function, operator, original text and
replacement text. Docstrings, annotations, decorators, signatures, assertions, f-strings other than SQL, log lines and
the sentences of errors are never changed.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

Function = ast.FunctionDef | ast.AsyncFunctionDef
Variant = tuple[str, ast.AST]
Node = TypeVar("Node", bound=ast.AST)

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
METHODS: Final = {"filter": "exclude", "exclude": "filter", "first": "last"}
FUNCTIONS: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
DROPPED_METHODS: Final = {
    "strip",
    "distinct",
    "standing",
    "settled",
    "binding",
    "held",
    "ordinary",
    "current",
    "without",
}
"""Methods without which an expression still has the same type."""
LOOKUPS: Final = {"__gt": "__gte", "__gte": "__gt", "__lt": "__lte", "__lte": "__lt"}
QUERIES: Final = {"filter", "exclude", "update", "get", "select_for_update", "get_or_create", "create", "save"}
"""Calls from which a keyword is dropped."""
SQL: Final = ((" AND ", " OR "), (" IS NULL", " IS NOT NULL"), (" + 1", " + 2"), ("NOT IN", "IN"))
_OTHERWISE_CHANGED: Final = (ast.Compare, ast.BoolOp, ast.UnaryOp)
"""Conditions that another operator changes."""
LARGEST_NUMBER: Final = 10
"""Larger numbers are limits and sizes, of which one more or less seldom matters."""
SILENT: Final = {"logger", "logging", "warnings"}
SHAPES: Final = {"strict", "flat"}
"""Keywords that change a type or check a length, so that a mutant would be caught by any test or by none."""


@dataclass
class Candidate:
    """One replacement in a parsed module."""

    operator: str
    function: str
    original: str
    replacement: str
    node: ast.AST
    new: ast.AST
    line: int
    occurrence: int = 0
    occurrences: int = 1


def candidates_in(tree: ast.Module) -> list[Candidate]:
    """All replacements in the functions and methods of a module, in the order of the text."""
    found: list[Candidate] = []
    for name, function in _functions(tree, ""):
        here = list(_in_function(name, function))
        equal: dict[tuple[str, str, str], list[Candidate]] = {}
        for one in here:
            equal.setdefault((one.operator, one.original, one.replacement), []).append(one)
        for ones in equal.values():
            for number, one in enumerate(ones):
                one.occurrence, one.occurrences = number, len(ones)
        found += here
    return found


def apply(tree: ast.Module, candidate: Candidate) -> str:
    """The text of the module with the candidate's node replaced. The tree itself stays as it is."""
    memo: dict[int, ast.AST] = {}
    marked = copy.deepcopy(tree, memo)
    target = memo[id(candidate.node)]
    return ast.unparse(ast.fix_missing_locations(_Replace(target, candidate.new).visit(marked))) + "\n"


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, new: ast.AST) -> None:
        self._target, self._new = target, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._target else super().generic_visit(node)


def _functions(node: ast.AST, before: str) -> Iterator[tuple[str, Function]]:
    """Functions and methods; a function that is defined inside another one belongs to it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield before + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{before}{child.name}.")


def _in_function(name: str, function: Function) -> Iterator[Candidate]:
    returns_bool = isinstance(function.returns, ast.Name) and function.returns.id == "bool"
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    for statement in body:
        for node, shown in _changeable(statement, statement):
            if isinstance(node, ast.If | ast.IfExp) and not isinstance(node.test, _OTHERWISE_CHANGED):
                no = ast.UnaryOp(ast.Not(), node.test)
                yield Candidate("condition", name, ast.unparse(node.test), ast.unparse(no), node.test, no, node.lineno)
            for operator, new in _variants(node, returns_bool=returns_bool):
                # Small things are shown with what stands around them: a bare `1` is hard to find again.
                shown_new = _with(shown, node, new)
                original, replacement = ast.unparse(shown), ast.unparse(shown_new)
                if original != replacement:
                    line: int = getattr(node, "lineno", function.lineno)
                    yield Candidate(operator, name, original, replacement, shown, shown_new, line)


def _with(shown: ast.AST, node: ast.AST, new: ast.AST) -> ast.AST:
    if shown is node:
        return new
    memo: dict[int, ast.AST] = {}
    copied = copy.deepcopy(shown, memo)
    changed: ast.AST = _Replace(memo[id(node)], new).visit(copied)
    return changed


def _changeable(node: ast.AST, shown: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each node that may be changed, with the node that is shown for it."""
    if isinstance(node, ast.Assert | ast.JoinedStr | ast.ClassDef) or _is_silent(node):
        return
    yield node, _shown(node, shown)
    if isinstance(node, ast.Raise):
        # Only as a whole: the rest is the sentence of an error.
        return
    skipped: set[int] = set()
    if isinstance(node, Function | ast.Lambda):
        skipped.add(id(node.args))
    if isinstance(node, Function):
        skipped |= {id(one) for one in (*node.decorator_list, node.returns)}
    if isinstance(node, ast.AnnAssign):
        skipped.add(id(node.annotation))
    for child in ast.iter_child_nodes(node):
        if id(child) not in skipped and isinstance(child, ast.expr | ast.stmt | ast.keyword | ast.comprehension):
            around = shown if isinstance(node, ast.keyword | ast.comprehension) else node
            yield from _changeable(child, around)
        elif isinstance(child, ast.ExceptHandler | ast.withitem | ast.match_case):
            for inner in ast.iter_child_nodes(child):
                if isinstance(inner, ast.expr | ast.stmt):
                    yield from _changeable(inner, inner)


def _shown(node: ast.AST, around: ast.AST) -> ast.AST:
    if isinstance(node, ast.Slice):
        return around
    has_name = any(isinstance(one, ast.Name) for one in ast.walk(node))
    is_small = isinstance(node, ast.keyword) or (isinstance(node, ast.expr) and not has_name)
    is_compound = isinstance(around, ast.stmt) and hasattr(around, "body")
    return around if is_small and not is_compound else node


def _is_silent(node: ast.AST) -> bool:
    """True if this is a line of the log, a call of the base class, or a keyword of `SHAPES`."""
    if isinstance(node, ast.keyword):
        return node.arg in SHAPES
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    target = node.value.func
    if not isinstance(target, ast.Attribute):
        return False
    owner = target.value.func if isinstance(target.value, ast.Call) else target.value
    return isinstance(owner, ast.Name) and owner.id in {*SILENT, "super"}


def _variants(node: ast.AST, *, returns_bool: bool) -> Iterator[Variant]:
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in COMPARISONS:
            yield "comparison", _changed(node, ops=[COMPARISONS[type(op)](), *node.ops[1:]])
        case ast.BoolOp():
            yield "and_or", _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield "drop_not", node.operand
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield "drop_minus", operand
        case ast.BinOp(op=op) if type(op) in ARITHMETIC and not _is_of_rows(node):
            yield "arithmetic", _changed(node, op=ARITHMETIC[type(op)]())
        case ast.Constant(value=bool(value)):
            yield "boolean", ast.Constant(not value)
        case ast.Constant(value=int(value)) if value <= LARGEST_NUMBER:
            yield "number", ast.Constant(value + 1)
            yield "number", ast.Constant(value - 1)
        case ast.Call():
            yield from _of_call(node)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return", ast.Return(ast.UnaryOp(ast.Not(), value) if returns_bool else ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.AugAssign() | ast.Continue() | ast.Break():
            yield "drop_statement", ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() | ast.Tuple(elts=[ast.Attribute(), *_])]):
            yield "drop_statement", ast.Pass()
        case ast.Assign(value=ast.JoinedStr()):
            yield from _of_sql(node)
        case ast.Slice(lower=lower, upper=upper) if (lower is None) != (upper is None):
            yield "slice", ast.Slice()


def _is_of_rows(node: ast.BinOp) -> bool:
    """True if this repeats a list or text, or joins sets: another operator would be an error of types."""
    return isinstance(node.left, ast.List | ast.Constant) or isinstance(node.right, ast.Set)


def _of_call(call: ast.Call) -> Iterator[Variant]:
    func = call.func
    if isinstance(func, ast.Name) and func.id in FUNCTIONS:
        yield "function", _changed(call, func=ast.Name(FUNCTIONS[func.id]))
    if not isinstance(func, ast.Attribute):
        return
    if func.attr in METHODS:
        yield "method", _changed(call, func=_changed(func, attr=METHODS[func.attr]))
    if func.attr in DROPPED_METHODS and isinstance(func.value, ast.Call | ast.Name):
        yield "drop_call", func.value
    if func.attr == "select_for_update":
        yield "drop_lock", _changed(call, func=_changed(func, attr="all"), keywords=[])
    if func.attr == "order_by" and call.args and isinstance(first := call.args[0], ast.Constant):
        column = str(first.value)
        other = column[1:] if column.startswith("-") else f"-{column}"
        yield "order", _changed(call, args=[ast.Constant(other), *call.args[1:]])
    if func.attr not in QUERIES:
        return
    for number, keyword in enumerate(call.keywords):
        rest = [*call.keywords[:number], *call.keywords[number + 1 :]]
        if keyword.arg is None:
            continue
        if (rest or call.args) and func.attr not in ("create", "get_or_create"):
            yield "drop_keyword", _changed(call, keywords=rest)
        for ending, other in LOOKUPS.items():
            if keyword.arg.endswith(ending):
                name = keyword.arg.removesuffix(ending) + other
                changed = ast.keyword(name, keyword.value)
                yield (
                    "lookup",
                    _changed(call, keywords=[*call.keywords[:number], changed, *call.keywords[number + 1 :]]),
                )


def _of_sql(statement: ast.Assign) -> Iterator[Variant]:
    """A statement of SQL in an f-string, with one of its words changed."""
    text = statement.value
    assert isinstance(text, ast.JoinedStr)
    for number, part in enumerate(text.values):
        if not (isinstance(part, ast.Constant) and isinstance(part.value, str)):
            continue
        for old, new in SQL:
            start = part.value.find(old)
            while start >= 0:
                changed = ast.Constant(part.value[:start] + new + part.value[start + len(old) :])
                yield (
                    "sql",
                    _changed(
                        statement,
                        value=ast.JoinedStr([*text.values[:number], changed, *text.values[number + 1 :]]),
                    ),
                )
                start = part.value.find(old, start + 1)


def _changed(node: Node, **fields: object) -> Node:
    """A copy of the node itself, its children shared, with these fields instead."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new
