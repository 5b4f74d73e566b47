"""The codes of all problems that a module makes, found in its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from schleier.core.registry import KINDS
from schleier.flow.recipe.recipe import COMPONENTS

CODE = re.compile("[a-z]+(-[a-z]+)*")
CODE_AT = {"Problem": 0, "Breach": 0, "stop": 1, "add": 0}
"""Which argument of a call is the code."""
COMPOSED = {"unknown-": KINDS, "no-": COMPONENTS.values()}
"""Codes put together from the kind of a component: the beginning, and the kinds that can follow."""


def codes(text: str) -> Iterator[str]:
    """The codes; one that cannot be told from the text is an error."""
    module = ast.parse(text)
    nodes = list(ast.walk(module))
    found = {node: code for node in nodes if isinstance(node, ast.Call) and (code := _code_of(node)) is not None}
    inside = {node: set(ast.walk(node)) for node in nodes if isinstance(node, ast.FunctionDef)} if found else {}
    top = [node for node in module.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    for call, code in found.items():
        around = [function for function, held in inside.items() if call in held]
        yield from _values(code, [*around, *top])


def _code_of(call: ast.Call) -> ast.expr | None:
    """The argument of a call that is the code of a problem."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if name not in CODE_AT or isinstance(call.func, ast.Attribute) != (name == "add"):
        return None
    # Sets have an "add" as well; that of Problems takes code, place and message.
    if name not in ("Problem", "Breach") and len(call.args) + len(given) < 3:
        return None
    if None in given:  # a problem passed on with another place, made elsewhere
        return None
    return call.args[CODE_AT[name]] if len(call.args) > CODE_AT[name] else given["code"]


def _values(code: ast.expr, scopes: list[ast.AST]) -> Iterator[str]:
    match code:
        case ast.Constant(value=str(word)):
            yield word
        case ast.IfExp(body=one, orelse=other):
            yield from _values(one, scopes)
            yield from _values(other, scopes)
        case ast.JoinedStr(values=[ast.Constant(value=str(start)), ast.FormattedValue(value=ast.Name(id="kind"))]):
            yield from (start + kind for kind in COMPOSED[start])
        case ast.Attribute(attr="code"):
            pass  # a problem passed on, made elsewhere
        case _:
            found = {*_in_tables(code, scopes)}
            if not found:
                raise LookupError(f"line {code.lineno}: where does the code {ast.unparse(code)} come from?")
            yield from found


def _in_tables(code: ast.expr, scopes: list[ast.AST]) -> Iterator[str]:
    """What looks like a code in the assignments a name leads to."""
    waiting: list[ast.AST] = [code]
    seen: set[str] = set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                for target, value in _bindings(scopes):
                    if isinstance(target, ast.Name) and target.id == node.id and isinstance(value, ast.Constant):
                        yield from _looks([value])
                    elif any(isinstance(part, ast.Name) and part.id == node.id for part in ast.walk(target)):
                        waiting.append(value)
            elif isinstance(node, ast.Tuple):
                yield from _looks(node.elts)


def _bindings(scopes: list[ast.AST]) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Names with what they are made of; two tuples side by side are taken apart."""
    for node in (node for scope in scopes for node in ast.walk(scope)):
        if isinstance(node, ast.For | ast.comprehension):
            yield node.target, node.iter
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield node.target, node.value
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from zip(target.elts, node.value.elts, strict=True)
                else:
                    yield target, node.value


def _looks(nodes: Iterable[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
            yield node.value
