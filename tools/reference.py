"""The reference of the public Python names as Markdown, from signatures, docstrings and declared fields.

`make site` writes it at build time; no page of it is kept.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from schleier.core.description import default, learned, meaning, summary, value
from schleier.core.names import camel
from schleier.core.record import fields_of, texts_below

CATALOGUES = {
    **{"methods": "method", "criteria": "criterion", "measures": "measure", "attacks": "attack"},
    **{"sessions": "session", "detectors": "detector", "services": "service"},
}
CONTRACTS = {
    "Method": "schleier.core.method",
    "Criterion": "schleier.core.criterion",
    "Verdict": "schleier.core.criterion",
    "Measure": "schleier.core.measure",
    "Case": "schleier.core.measure",
    "Finding": "schleier.core.measure",
    "Attack": "schleier.core.attack",
    "ValueAttack": "schleier.core.value_attack",
}
"""What a component of one's own is made of."""


def parts() -> dict[str, tuple[str, ...]]:
    """The names that have a page, in parts of the reference."""
    import schleier

    return {
        "What the package offers": tuple(name for name in schleier.__all__ if name not in CATALOGUES),
        "Components": tuple(CATALOGUES),
        "What components are made of": tuple(CONTRACTS),
    }


def pages() -> dict[str, str]:
    """Every page of the reference by its file name, the overview first."""
    import importlib

    import schleier

    offered, _, made_of = parts().values()
    public = {name: getattr(schleier, name) for name in offered}
    contracts = {name: getattr(importlib.import_module(CONTRACTS[name]), name) for name in made_of}
    texts = {f"{name}.md": page(f"schleier.{name}", thing) for name, thing in public.items()}
    texts |= {f"{name}.md": catalogue(name, kind) for name, kind in CATALOGUES.items()}
    texts |= {f"{name}.md": page(f"{CONTRACTS[name]}.{name}", thing) for name, thing in contracts.items()}
    return {"README.md": overview(public, contracts)} | texts


def overview(public: dict[str, Any], contracts: dict[str, Any]) -> str:
    """All names with their first sentence."""

    def table(names: dict[str, str]) -> str:
        rows = [f"| [`{name}`]({name}.md) | {told} |" for name, told in names.items()]
        return "\n".join(["| name | |", "|---|---|", *rows])

    listed = {name: summary(thing) for name, thing in public.items()}
    kinds = {name: f"All {name} by their class names." for name in CATALOGUES}
    return "\n\n".join(
        [
            "# Python names",
            "What `import schleier as sl` offers. Nothing heavy is loaded before it is used.",
            table(listed),
            "## Components",
            "A component is a class: the method `top_code` is `sl.methods.TopCode`. Its fields are its parameters.",
            table(kinds),
            "## What components are made of",
            table({name: summary(thing) for name, thing in contracts.items()}),
        ]
    )


def catalogue(name: str, kind: Any) -> str:
    """All components of a kind that are ours, with the pages that tell more."""
    from schleier.core import registry

    parts = [f"# schleier.{name}", f"Each {kind} by its class name; components of installed packages are found, too."]
    rows = [
        f"| [`{camel(word)}`](../{name}/{word}.md) | `{word}` | {summary(registry.get(kind, word))} |"
        for word in registry.ours(kind)
    ]
    parts.append("\n".join(["| class | in a recipe | |", "|---|---|---|", *rows]) if rows else "There are none yet.")
    return "\n\n".join(parts)


def page(name: str, thing: Any) -> str:
    """One public class or function."""
    record = inspect.isclass(thing) and issubclass(thing, BaseModel)  # its fields say it
    begins = "" if record else code(f"{name.rpartition('.')[2]}{signature(thing)}")
    parts = [f"# {name}", begins, prose(inspect.getdoc(thing) or "")]
    if inspect.isclass(thing):
        parts += [f"## Fields\n\n{table}" for table in [fields(thing)] if table]
        members = list(methods(thing))
        parts += ["## Methods"] if members else []
        for member, function, kind in members:
            shown = member if kind == "property" else f"{member}{signature(function)}"
            parts += [f"### {member}", code(shown, kind), prose(inspect.getdoc(function) or "")]
    return "\n\n".join(filter(None, parts))


def methods(thing: type[Any]) -> Iterator[tuple[str, Any, str]]:
    """The public methods and properties that Schleier defines, in the order of the source, inherited ones last."""
    seen = set[str]()
    for owner in thing.__mro__:
        for name, found in list(vars(owner).items()) if owner.__module__.startswith("schleier") else ():
            function = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
            if name.startswith("_") or name in seen or not inspect.isfunction(function):
                continue
            seen.add(name)
            kind = type(found).__name__ if isinstance(found, property | classmethod | staticmethod) else ""
            yield name, function, kind


def fields(thing: type[Any]) -> str:
    """The fields of a record or a dataclass, as declared."""
    rows: list[tuple[str, ...]]
    if issubclass(thing, BaseModel):
        head: tuple[str, ...] = ("field", "value", "default", "meaning")
        told = {name: one for name, one in fields_of(thing).items() if not learned(one)}
        rows = [(one.alias or name, value(one), default(one), meaning(one)) for name, one in told.items()]
    else:
        head = ("field", "type", "meaning")
        texts = {name: text for owner in reversed(thing.__mro__) for name, text in texts_below(owner).items()}
        declared = getattr(thing, "__dataclass_fields__", {})
        rows = [(name, f"`{one.type}`", texts.get(name, "")) for name, one in declared.items() if name[0] != "_"]
    lines = [
        "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in (f"`{name}`", *cells)) + " |"
        for name, *cells in rows
    ]
    return "\n".join([f"| {' | '.join(head)} |", "|---" * len(head) + "|", *lines]) if lines else ""


def signature(thing: Any) -> str:
    """The parameters and the result as the source writes them; empty for what tells none.

    >>> def share(n: int, *, of: int | None = None) -> float: ...
    >>> signature(share)
    '(n: int, *, of: int | None = None) -> float'
    """
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    bare = [
        one.replace(annotation=_bare(one.annotation), default=_plain(one.default)) for one in found.parameters.values()
    ]
    ends = found.empty if inspect.isclass(thing) else _bare(found.return_annotation)
    return str(found.replace(parameters=bare, return_annotation=ends))


class _Bare(str):
    """An annotation as text, which shows itself without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _plain(given: Any) -> Any:
    """A default as it is written; a function by its name, and what is long only hinted at."""
    if inspect.isfunction(given):
        return _Bare(given.__name__)
    return _Bare("...") if repr(given).startswith("<factory") or isinstance(given, BaseModel) else given


def _bare(annotation: Any) -> Any:
    return _Bare(annotation) if isinstance(annotation, str) else annotation


def prose(text: str) -> str:
    """A docstring as Markdown: its examples in blocks, its names as code.

    >>> prose("Half of ``x``.\\n\\n>>> half(4)\\n2")
    'Half of `x`.\\n\\n```pycon\\n>>> half(4)\\n2\\n```'
    """
    parts = []
    for part in re.split(r"\n\s*\n", text):
        before, found, example = part.partition(">>> ")
        parts += [before.strip().replace("``", "`")] if before.strip() else []
        parts += [f"```pycon\n{found}{example}\n```"] if found else []
    return "\n\n".join(parts)


def code(text: str, kind: str = "") -> str:
    """A line of Python as a block, broken at its parameters where it is long, below what decorates it."""
    if len(text) > 90 and "(" in text:
        head, _, rest = text.partition("(")
        inside, closed, tail = rest.rpartition(") -> ") if ") -> " in rest else rest.rpartition(")")
        pieces = re.split(r", (?![^\[(]*[\])])", inside)
        text = f"{head}(\n" + "".join(f"    {piece},\n" for piece in pieces) + closed.lstrip() + tail
    return "\n".join(["```python", *([f"@{kind}"] if kind else []), text, "```"])
