"""Small errors in source text: what a test suite must notice.

A mutant replaces one expression or statement of a file by another that is nearly the same. Left alone are texts, types,
decorators and what documents a component: an error there is no error of behaviour.
"""

from __future__ import annotations

import ast
import hashlib
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Lt: ast.LtE(),
    ast.LtE: ast.Lt(),
    ast.Gt: ast.GtE(),
    ast.GtE: ast.Gt(),
    ast.Eq: ast.NotEq(),
    ast.NotEq: ast.Eq(),
    ast.Is: ast.IsNot(),
    ast.IsNot: ast.Is(),
    ast.In: ast.NotIn(),
    ast.NotIn: ast.In(),
}
ARITHMETIC: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Div(),
    ast.Div: ast.Mult(),
    ast.FloorDiv: ast.Mult(),
    ast.Mod: ast.Mult(),
    ast.Pow: ast.Mult(),
    ast.BitAnd: ast.BitOr(),
    ast.BitOr: ast.BitAnd(),
}
SWAPPED = {"min": "max", "maximum": "minimum", "any": "all", "argmin": "argmax", "floor": "ceil"}
SWAPPED |= {new: old for old, new in SWAPPED.items()}
FIRST = {"max", "min", "maximum", "minimum", "abs", "sorted", "unique", "clip"}
"""Calls that are also replaced by their first argument."""
DOCUMENTING = {"reference", "example"}
"""Declarations of a component that say where it comes from."""
RETURNS = {"bool": "not ({})", "int": "({}) + 1", "float": "({}) + 1.0"}


@dataclass(frozen=True)
class Mutant:
    """A file with one error."""

    file: str
    line: int
    scope: str
    """The class and function it is in."""
    before: str
    """The line, or the lines as one, as they are."""
    after: str
    """The same with the error."""
    start: int
    end: int
    text: str
    """What stands from ``start`` to ``end`` instead, in bytes of the file."""
    nth: int = 0
    """Which of those that look the same in this scope."""

    def of(self, source: str) -> str:
        """The file with the error."""
        whole = source.encode()
        return (whole[: self.start] + self.text.encode() + whole[self.end :]).decode()

    @property
    def place(self) -> str:
        """Its place in the order of drawing: depends on the error alone, not on the lines around it."""
        said = "|".join((self.file, self.scope, self.before, self.after, str(self.nth)))
        return hashlib.sha256(said.encode()).hexdigest()


def mutants(source: str, file: str) -> list[Mutant]:
    """Every mutant of a file, in order of lines.

    >>> [mutant.after for mutant in mutants("def f(a, b):\\n    return a < b\\n", "f.py")]
    ['return (a <= b)']
    """
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []
    seen: dict[tuple[str, str, str], int] = {}
    for node, scope, text in _changes(ast.parse(source), ""):
        begin = starts[node.lineno - 1] + node.col_offset
        last = node.end_lineno or node.lineno
        end = starts[last - 1] + (node.end_col_offset or 0)
        whole = source.encode()
        head, tail = whole[starts[node.lineno - 1] : begin].decode(), whole[end : starts[last]].decode()
        before, after = (_flat(head + part + tail) for part in (whole[begin:end].decode(), text))
        if before == after:
            continue
        nth = seen[scope, before, after] = seen.get((scope, before, after), -1) + 1
        found.append(Mutant(file, node.lineno, scope, before, after, begin, end, text, nth))
    return found


def sample(pool: Iterable[Mutant], size: int) -> list[Mutant]:
    """So many mutants: at least one of each file, the rest by how many a file has; the same ones every time."""
    files: dict[str, list[Mutant]] = {}
    for mutant in sorted(pool, key=lambda mutant: mutant.place):
        files.setdefault(mutant.file, []).append(mutant)
    total = sum(map(len, files.values()))
    if size >= total:
        return sorted((m for each in files.values() for m in each), key=lambda m: (m.file, m.line, m.place))
    given = dict.fromkeys(files, 1 if size >= len(files) else 0)
    for _ in range(size - sum(given.values())):
        # The file that is farthest behind its share is next.
        behind = {
            file: len(each) * size / total - given[file] for file, each in files.items() if given[file] < len(each)
        }
        given[max(sorted(behind), key=behind.__getitem__)] += 1
    chosen = [mutant for file, each in files.items() for mutant in each[: given[file]]]
    return sorted(chosen, key=lambda mutant: (mutant.file, mutant.line, mutant.place))


@dataclass(frozen=True)
class Equivalent:
    """An error that changes no behaviour, and why."""

    file: str
    after: str
    reason: str


def equivalents(list_of: Path) -> list[Equivalent]:
    """The mutants that no test can notice, from the list of them."""
    entries = tomllib.loads(list_of.read_text(encoding="utf-8")).get("mutant", [])
    found = [Equivalent(**entry) for entry in entries]
    if any(not one.reason for one in found):
        raise ValueError("every equivalent mutant needs a reason")
    return found


def without(pool: Iterable[Mutant], known: Iterable[Equivalent]) -> tuple[list[Mutant], list[Equivalent]]:
    """The mutants that are not known to be equivalent, and the entries that no mutant fits any more."""
    pool, known = list(pool), list(known)
    listed = {(one.file, one.after) for one in known}
    there = {(mutant.file, mutant.after) for mutant in pool}
    kept = [mutant for mutant in pool if (mutant.file, mutant.after) not in listed]
    return kept, [one for one in known if (one.file, one.after) not in there]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _changes(node: ast.AST, scope: str) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    """Each expression or statement that can be changed, where it is, and what it becomes."""
    if _left_alone(node):
        return
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        scope = f"{scope}.{node.name}".lstrip(".")
    if isinstance(node, ast.expr):
        for text in _expressions(node):
            yield node, scope, text
    elif isinstance(node, ast.stmt):
        for place, text in _statements(node):
            yield place, scope, text
    for child in _children(node):
        yield from _changes(child, scope)


def _left_alone(node: ast.AST) -> bool:
    match node:
        case ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.AnnAssign(target=ast.Name(id=name)):
            return name in DOCUMENTING
    return False


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What is below, without annotations and decorators."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _expressions(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(left, ops, comparators):
            for i, one in enumerate(ops):
                other = [*ops[:i], COMPARISONS[type(one)], *ops[i + 1 :]]
                yield _said(ast.Compare(left, other, comparators))
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
            yield _said(ast.BinOp(left, ARITHMETIC[type(op)], right))
        case ast.BoolOp(op, values):
            yield _said(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
        case ast.UnaryOp(ast.Not() | ast.Invert() | ast.USub(), operand):
            yield _said(operand)
        case ast.Constant(bool() as value):
            yield repr(not value)
        case ast.Constant(int() | float() as value):
            yield from dict.fromkeys(map(repr, _numbers(value)))
        case ast.IfExp(test, body, orelse) if not isinstance(test, ast.Compare | ast.UnaryOp | ast.BoolOp):
            yield _said(ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse))
        case ast.Call():
            yield from _calls(node)


def _numbers(value: float) -> tuple[float, ...]:
    """One more and one less; a large number twice."""
    if value in (0, 1):
        return (1 - value, value + 1)
    return (value + 1, value - 1) if abs(value) < 100 else (value * 2,)


def _calls(node: ast.Call) -> Iterator[str]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in SWAPPED and isinstance(node.func, ast.Name):
        yield _said(ast.Call(ast.Name(SWAPPED[name]), node.args, node.keywords))
    elif name in SWAPPED and isinstance(node.func, ast.Attribute):
        yield _said(ast.Call(ast.Attribute(node.func.value, SWAPPED[name]), node.args, node.keywords))
    several = len(node.args) > 1 or name not in SWAPPED
    if name in FIRST and node.args and several and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield _said(node.args[0])


def _statements(node: ast.stmt) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    match node:
        case ast.AugAssign(target, op, value) if type(op) in ARITHMETIC:
            yield node, ast.unparse(ast.AugAssign(target, ARITHMETIC[type(op)], value))
        case ast.Raise() | ast.Expr(ast.Call()):
            yield node, "pass"
        case ast.Expr(ast.Yield() | ast.YieldFrom()):
            yield node, "yield from ()"
        case ast.Break() | ast.Continue():
            yield node, "pass"
        case ast.If(test) | ast.While(test) if isinstance(test, ast.Name | ast.Call | ast.Attribute | ast.NamedExpr):
            yield test, f"(not {_said(test)})"
        case ast.FunctionDef(returns=ast.expr() as kind):
            yield from _returns(node, ast.unparse(kind))


def _returns(function: ast.FunctionDef, kind: str) -> Iterator[tuple[ast.expr, str]]:
    """Results of the same type that are wrong."""
    for node in _own(function):
        if not isinstance(node, ast.Return) or node.value is None or isinstance(node.value, ast.Constant):
            continue
        if kind in RETURNS:
            yield node.value, RETURNS[kind].format(ast.unparse(node.value))
        elif kind.endswith("| None"):
            yield node.value, "None"
        elif kind.startswith(("list[", "dict[", "tuple[str, ...")):
            yield node.value, {"l": "[]", "d": "{}", "t": "()"}[kind[0]]


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Everything in a function that is not in a function inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from _own(child)


def _said(node: ast.expr) -> str:
    """An expression that means the same wherever it is put."""
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Call | ast.Constant | ast.Attribute | ast.Subscript) else f"({text})"
