"""Write the generated parts of the documentation from the declarations, or only check them.

Every component has a page: docs/methods/top_code.md for the method `top_code`, in the house or in a wing. A component
from elsewhere has its page beside its module. The page contains the two marks below; what stands between is written
here. The JSON schema of the report is docs/reference/report.schema.json. docs/README.md lists all pages of components,
docs/methods/README.md and its like group them by question.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, get_args

from pydantic import BaseModel

from schleier.core.description import default, learned, meaning, value
from schleier.core.record import fields_of

sys.path.insert(0, str(Path(__file__).parent))  # where it is when this is run as a script
from questions import QUESTIONS, listing

ROOT = Path(__file__).parent.parent
FOLDERS = {"method": "methods", "criterion": "criteria", "measure": "measures", "attack": "attacks"}
FOLDERS |= {"session": "sessions", "detector": "detectors", "service": "services"}
OPEN, CLOSE = "<!-- parameters -->", "<!-- /parameters -->"
BETWEEN = re.compile(f"{OPEN}.*?{CLOSE}", re.DOTALL)
INDEX = Path("docs/README.md")
FIRST, LAST = "<!-- components -->", "<!-- /components -->"
LISTED = re.compile(f"{FIRST}.*?{LAST}", re.DOTALL)
REPORT_SCHEMA = Path("docs/reference/report.schema.json")


class Registry(Protocol):
    """What this script needs of `schleier.core.registry`."""

    def names(self, kind: Any, /) -> list[str]:
        """Recipe words of a kind."""

    def ours(self, kind: Any, /) -> list[str]:
        """Those of them that are of the house or its wings."""

    def get(self, kind: Any, name: str, /) -> type[Any]:
        """The class behind a recipe word."""


def table(component: type[BaseModel]) -> str:
    """The parameters of a component as a Markdown table: its own, the name of the entry, what is learned."""
    rows = ["| parameter | value | default | meaning |", "|---|---|---|---|"]
    fields = fields_of(component)
    for name in sorted(fields, key=lambda name: (learned(fields[name]), name == "name")):
        field = fields[name]
        cells = (f"`{field.alias or name}`", value(field), default(field), meaning(field))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def page(component: type[Any], kind: str, name: str, root: Path) -> Path:
    """Where the page of a component is."""
    if component.__module__.partition(".")[0] == "schleier":
        return root / "docs" / FOLDERS[kind] / f"{name}.md"
    return Path(inspect.getfile(component)).with_name(f"{name}.md")


def problems(registry: Registry, root: Path = ROOT, *, write: bool = False) -> Iterator[str]:
    """What is wrong with the pages; with `write`, tables that are not current are rewritten instead."""
    for kind, folder in FOLDERS.items():
        names = registry.names(kind)
        for name in names:
            component = registry.get(kind, name)
            file = page(component, kind, name, root)
            shown = _short(file, root)
            if not file.is_file():
                yield f"{shown}: missing, the page of the {kind} {name}: see CONTRIBUTING.md, The page"
                continue
            for field, info in fields_of(component).items():
                if not info.description:
                    yield f"{shown}: {name}.{field} has no docstring"
            text = file.read_text(encoding="utf-8")
            if not (marked := BETWEEN.search(text)):
                yield f"{shown}: no table, it must contain {OPEN} and {CLOSE}"
                continue
            wanted = f"{text[: marked.start()]}{OPEN}\n{table(component)}\n{CLOSE}{text[marked.end() :]}"
            if wanted != text and write:
                file.write_text(wanted, encoding="utf-8")
            elif wanted != text:
                yield f"{shown}: the table of parameters is not current, run make docs"
        for file in sorted((root / "docs" / folder).glob("*.md")):
            shown = _short(file, root)
            if file.stem not in names and file.stem not in ("README", "index"):
                yield f"{shown}: there is no {kind} of this name"


def report_schema() -> str:
    """The JSON schema of report.json.

    >>> json.loads(report_schema())["title"]
    'Report'
    """
    from schleier.flow.release.documents import Report

    schema = Report.model_json_schema()
    parts = {"Report": schema, **schema["$defs"]}
    for record in records_in(Report):
        for name, field in fields_of(record).items():
            if field.description:
                parts[record.__name__]["properties"][field.alias or name]["description"] = field.description
    return json.dumps(schema, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def records_in(record: type[BaseModel]) -> set[type[BaseModel]]:
    """A record and all records its fields hold."""
    found, waiting = set[type[BaseModel]](), list[Any]([record])
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) and issubclass(one, BaseModel) and one not in found:
            found.add(one)
            waiting += [field.annotation for field in one.model_fields.values()]
        waiting += get_args(one)
    return found


def schema_problems(root: Path = ROOT, *, write: bool = False) -> Iterator[str]:
    """Whether the published schema of the report is not current; with `write`, it is rewritten instead."""
    file = root / REPORT_SCHEMA
    wanted = report_schema()
    if file.is_file() and file.read_text(encoding="utf-8") == wanted:
        return
    if write:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(wanted, encoding="utf-8")
    else:
        yield f"{_short(file, root)}: not current, run make docs"


def index(registry: Registry) -> str:
    """Links to the pages of all components that are ours, by kind."""
    lines = []
    for kind, folder in FOLDERS.items():
        links = ", ".join(f"[{name}]({folder}/{name}.md)" for name in registry.ours(kind))
        if links:
            lines.append(f"**{folder.capitalize()}**: {links}")
    return "\n\n".join(lines)


def lists(registry: Registry, root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Every page that lists components, with its list."""
    yield INDEX, index(registry)
    for kind, folder in FOLDERS.items():
        if kind in QUESTIONS:
            components = {name: registry.get(kind, name) for name in registry.ours(kind)}
            yield grouping(kind), listing(kind, components, root / "docs" / folder)


def grouping(kind: str) -> Path:
    """The page that groups the components of a kind by question."""
    return Path("docs") / FOLDERS[kind] / "README.md"


def index_problems(registry: Registry, root: Path = ROOT, *, write: bool = False) -> Iterator[str]:
    """Which lists of components are not current; with `write`, they are rewritten instead."""
    for name, listed in lists(registry, root):
        file = root / name
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        marked = LISTED.search(text)
        if not marked:
            yield f"{name.as_posix()}: no list of components, it must contain {FIRST} and {LAST}"
            continue
        wanted = f"{text[: marked.start()]}{FIRST}\n{listed}\n{LAST}{text[marked.end() :]}"
        if wanted != text and write:
            file.write_text(wanted, encoding="utf-8")
        elif wanted != text:
            yield f"{name.as_posix()}: the list of components is not current, run make docs"


def _short(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)


def main() -> int:
    """Regenerate the tables and the schema, or only check them; 1 when something is left to do by hand."""
    from schleier.core import registry

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 when something is not current")
    write = not parser.parse_args().check
    found = [*problems(registry, write=write), *schema_problems(write=write), *index_problems(registry, write=write)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
