"""The commands that list methods, criteria, measures, attacks, and what wings bring."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, say, table, with_exit_code

if TYPE_CHECKING:
    from schleier.core.registry import Kind
    from schleier.core.schema import Schema
    from schleier.flow.compare import Compared
    from schleier.report.language import Words

OneName = Annotated[str | None, typer.Argument(metavar="NAME", help="Explain this one.")]


def _catalogue(kind: Kind, plural: str) -> None:
    """Add a command that lists the components of a kind, or explains one."""

    @with_exit_code
    def show(
        name: OneName = None,
        lang: Language = None,
        as_json: Json = False,
    ) -> None:
        _show(kind, plural, name, lang, as_json=as_json)

    show.__doc__ = f"List the {plural}, or explain one."
    app.command(plural)(show)


def _show(kind: Kind, plural: str, name: str | None, lang: str | None, *, as_json: bool) -> None:
    from schleier.core import registry
    from schleier.core.description import description, summary
    from schleier.report.language import Words

    words = Words.of(language_of(lang))
    chosen = registry.names(kind) if name is None else [name]
    found = {word: registry.get(kind, word) for word in chosen}
    if as_json:
        full = {word: description(declared) for word, declared in found.items()}
        print_json(full if name is None else full[name])
    elif not found:
        say(words.plain("cli.catalogue.none", what=words.plain(f"cli.catalogue.{plural}")))
    elif name is None:
        told = {word: _title(kind, word, words) or summary(declared) for word, declared in found.items()}
        table([words.plain(f"cli.catalogue.{plural}"), ""], [[word, text] for word, text in told.items()])
    else:
        about = description(found[name])
        _explain_component(about | {"text": _title(kind, name, words) or about["text"]}, words)


@app.command()
@with_exit_code
def methods(
    name: OneName = None,
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="FILE", help="What each of its groupings loses on this file.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="Schema or recipe of the file; drafted if left out.")
    ] = None,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """List the methods, or explain one, or compare its groupings."""
    from schleier.core.errors import RecipeError, stop

    if compare is None:
        return _show("method", "methods", name, lang, as_json=as_json)
    if name is None:
        stop(
            RecipeError,
            "bad-option",
            "--compare",
            "say whose groupings: schleier methods microaggregate --compare FILE",
        )
    from schleier.flow.compare import compared
    from schleier.progress import Watch
    from schleier.report.language import Words

    words = Words.of(language_of(lang))
    with Watch(words, quiet=quiet or as_json) as watch:
        found = compared(compare, _schema(compare, schema), name, listener=watch)
    if as_json:
        print_json({"ok": True, **found.model_dump(mode="json")})
    else:
        _show_losses(found, words)
    return None


def _schema(file: str, given: Path | None) -> Schema:
    """The schema of a file: given, beside it, or drafted."""
    from schleier.core.address import Address
    from schleier.draft.describe import describe
    from schleier.flow.recipe.schema_file import schema_from_file

    address = Address.of(file)
    beside = address.path.with_name("schema.toml")
    if given is not None or (not address.variable and beside.is_file()):
        return schema_from_file(given or beside)
    return describe(file).schema


def _show_losses(found: Compared, words: Words) -> None:
    """The groupings, the one that loses least first."""
    from rich.markup import escape

    def size(grouping: str) -> tuple[float, ...]:
        return tuple(float("inf") if loss is None else loss for loss in found.losses[grouping])

    head = [words.plain("cli.compare.grouping"), *(f"k = {k}" for k in found.sizes)]
    rows = [
        [grouping, *("–" if loss is None else words.number(round(loss, 2)) for loss in found.losses[grouping])]
        for grouping in sorted(found.losses, key=size)
    ]
    table(head, rows)
    say("")
    say(escape(words.plain("cli.compare.meaning", columns=words.listed(found.columns))))
    if found.compared < found.records:
        say(escape(words.plain("cli.compare.sample", compared=found.compared, records=found.records)))


_catalogue("criterion", "criteria")
_catalogue("measure", "measures")
_catalogue("attack", "attacks")
_catalogue("session", "sessions")
_catalogue("detector", "detectors")
_catalogue("service", "services")


def _title(kind: Kind, word: str, words: Words) -> str:
    """What a component is called in a language, without its parameters; English has its first sentence."""
    if words.lang == "en":
        return ""
    from schleier.core import registry
    from schleier.report.component_words import with_defaults, words_of
    from schleier.report.language import plain

    facts = with_defaults(kind, word, registry.get(kind, word).example)
    return plain(words_of(kind, word).titled(facts, words)).partition(" (")[0]


def _explain_component(about: dict[str, Any], words: Words) -> None:
    from rich.markup import escape

    say(f"[bold]{about['name']}[/]  {escape(about['text'])}")
    rows = [[p["name"], p["value"], p["default"], p["text"]] for p in about["parameters"]]
    heads = ("parameter", "value", "default", "meaning")
    table([words.plain(f"cli.catalogue.{head}") for head in heads], rows)
    for label, value in about["facts"].items():
        say(f"{label}: {escape(value)}")
