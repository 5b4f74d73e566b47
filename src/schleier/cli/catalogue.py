"""The commands that list methods, criteria, measures and attacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from schleier.cli.shared import Json, app, print_json, say, table, told

if TYPE_CHECKING:
    from schleier.core.registry import Kind

OneName = Annotated[str | None, typer.Argument(metavar="NAME", help="Explain this one.")]


def _catalogue(kind: Kind, plural: str) -> None:
    """Add a command that lists the components of a kind, or explains one."""

    @told
    def show(
        name: OneName = None,
        as_json: Json = False,
    ) -> None:
        from schleier.core import registry
        from schleier.core.describe import description, summary

        chosen = registry.names(kind) if name is None else [name]
        found = {word: registry.get(kind, word) for word in chosen}
        if as_json:
            full = {word: description(declared) for word, declared in found.items()}
            print_json(full if name is None else full[name])
        elif not found:
            say(f"There are no {plural} yet.")
        elif name is None:
            table([plural.capitalize(), ""], [[word, summary(declared)] for word, declared in found.items()])
        else:
            _explain_component(description(found[name]))

    show.__doc__ = f"List the {plural}, or explain one."
    app.command(plural)(show)


_catalogue("method", "methods")
_catalogue("criterion", "criteria")
_catalogue("measure", "measures")
_catalogue("attack", "attacks")


def _explain_component(about: dict[str, Any]) -> None:
    from rich.markup import escape

    say(f"[bold]{about['name']}[/]  {escape(about['text'])}")
    rows = [[p["name"], p["value"], p["default"], p["text"]] for p in about["parameters"]]
    table(["Parameter", "Value", "Default", "Meaning"], rows)
    for label, value in about["facts"].items():
        say(f"{label}: {escape(value)}")
