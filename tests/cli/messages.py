"""What modules say about problems, found in their syntax trees: messages and hints, with holes for the rest."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MESSAGE_AT = {"Problem": 2, "Breach": 2, "stop": 3, "add": 2, "ValueError": 0}
"""Which argument of a call is the message; the hint follows it."""
PROGRESS = ("progress", "listener")
HOLE = "\0"


def messages(text: str) -> Iterator[tuple[str, bool]]:
    """Messages of a module, and hints (marked so), holes numbered; what a function or a table makes up is left out."""
    module = ast.parse(text)
    nodes = list(ast.walk(module))
    calls = [node for node in nodes if isinstance(node, ast.Call) and _name(node) in MESSAGE_AT]
    inside = {node: set(ast.walk(node)) for node in nodes if isinstance(node, ast.FunctionDef)} if calls else {}
    top = [node for node in module.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    for call in calls:
        inner = [function for function, held in inside.items() if call in held][-1:]
        if _name(call) == "ValueError" and not any("validator" in ast.unparse(one) for f in inner for one in _marks(f)):
            continue  # a defect of a caller: no recipe leads to it
        for place, said in enumerate(_said(call)):
            texts = _texts(said, [*inner, *top], set())
            yield from ((numbered(one), place == 1) for one in texts if any(map(str.isalpha, one)))


def numbered(text: str) -> str:
    """A text with its holes numbered.

    >>> numbered(f"{HOLE} of {HOLE}")
    '{0} of {1}'
    """
    parts = text.split(HOLE)
    return "".join(part + (f"{{{i}}}" if i < len(parts) - 1 else "") for i, part in enumerate(parts))


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _marks(function: ast.FunctionDef) -> list[ast.expr]:
    return function.decorator_list


def _said(call: ast.Call) -> Iterator[ast.expr]:
    name = _name(call)
    if name not in MESSAGE_AT or isinstance(call.func, ast.Attribute) != (name == "add"):
        return
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    start = MESSAGE_AT[name]
    if len(call.args) + len(given) > start and not any(isinstance(one, ast.Starred) for one in call.args):
        yield from call.args[start : start + 2]
        yield from (given[name] for name in ("message", "hint") if name in given)


def _texts(said: ast.expr, scopes: list[ast.AST], seen: set[str]) -> Iterator[str]:
    match said:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield from _joined(parts, scopes, seen)
        case ast.IfExp(body=one, orelse=other):
            yield from _texts(one, scopes, seen)
            yield from _texts(other, scopes, seen)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            for start in _texts(left, scopes, seen):
                yield from (start + end for end in _texts(right, scopes, seen))
        case ast.Name(id=name) if name not in seen:
            found = [value for target, value in _bindings(scopes) if target == name]
            for value in found:
                yield from _texts(value, scopes, {*seen, name})
            if not found:
                yield HOLE
        case _:
            yield HOLE


def _joined(parts: list[ast.expr], scopes: list[ast.AST], seen: set[str]) -> Iterator[str]:
    """A text with what is filled in; a constant of the module is part of the text."""
    if not parts:
        yield ""
        return
    first, rest = parts[0], parts[1:]
    starts = [HOLE]
    match first:
        case ast.Constant(value=str(text)):
            starts = [text]
        case ast.FormattedValue(value=ast.Name(id=name)) if name.isupper():
            texts = [one for target, value in _bindings(scopes) if target == name for one in _texts(value, [], seen)]
            starts = texts or [HOLE]
    for start in starts:
        yield from (start + end for end in _joined(rest, scopes, seen))


def _bindings(scopes: list[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    for node in (node for scope in scopes for node in ast.walk(scope)):
        if isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
            yield node.target.id, node.value
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = zip(target.elts, node.value.elts, strict=True)
                    yield from ((one.id, value) for one, value in pairs if isinstance(one, ast.Name))


def progress_parts(text: str) -> Iterator[str]:
    """What a module says it is doing, with a word in each hole."""
    for call in ast.walk(ast.parse(text)) if any(f"{name}(" in text for name in PROGRESS) else ():
        if isinstance(call, ast.Call) and _name(call) in PROGRESS and call.args:
            yield from (one.replace(HOLE, "3") for one in _texts(call.args[0], [], set()) if any(map(str.isalpha, one)))
