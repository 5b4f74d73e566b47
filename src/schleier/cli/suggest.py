"""The command that proposes a recipe for a file and a release profile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schleier.cli.drafting import Described, File, Force, Population, Year
from schleier.cli.shared import Json, Language, Quiet, app, language_of, print_json, say, table, with_exit_code
from schleier.core.system import as_typed

if TYPE_CHECKING:
    from schleier.core.errors import Problem
    from schleier.draft.suggest import Suggestion
    from schleier.report.language import Words

INFEASIBLE = 3


@app.command()
@with_exit_code
def suggest(
    file: File,
    profile: Annotated[
        str,
        typer.Option(
            "--profile", "-p", help="Whom the file is for: public_use, scientific_use, internal or safe_harbor."
        ),
    ],
    schema: Described = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the proposed recipe here.")] = None,
    population: Population = None,
    k: Annotated[int | None, typer.Option("--k", min=2, help="Smallest class, if larger than the profile's.")] = None,
    max_suppressed: Annotated[
        float | None, typer.Option("--max-suppressed", min=0, max=1, help="Share of records that may be left out.")
    ] = None,
    year: Year = None,
    staff: Annotated[
        bool, typer.Option("--staff", help="The file is about staff: cap the youngest and the oldest (safe_harbor).")
    ] = False,
    force: Force = False,
    lang: Language = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> int:
    """Propose a recipe: what each level of protection costs, and the one the profile asks for."""
    from schleier.draft.suggest import suggest as proposed
    from schleier.draft.suggest_text import write_suggestion
    from schleier.draft.writing import refuse_existing
    from schleier.progress import Watch
    from schleier.report.language import Words

    words = Words.of(language_of(lang))
    if out is not None and not force:
        refuse_existing([out])  # said before a long search
    with Watch(words, quiet=quiet or as_json) as watch:
        found = proposed(
            file,
            profile,
            schema=schema,
            population=population,
            language="de" if words.lang == "de" else "en",
            k=k,
            max_suppressed=max_suppressed,
            year=year,
            staff=staff,
            listener=watch,
        )
    works = any(one.works for one in found.alternatives) and (found.chosen is not None or out is None)
    told = not as_json and (not quiet or not works)
    if told:  # before anything is written, which may fail: what was searched for so long is not lost
        show(found, words)
    written: list[Path] = []
    if out is not None and found.chosen is not None:
        written = write_suggestion(found, found.chosen, out, words.lang, force=force)
    if as_json:
        code = 0 if works else INFEASIBLE
        print_json({"ok": works, "exit_code": code, "files": [str(path) for path in written], **document(found)})
    elif told:
        asked = {"schema": schema, "population": population, "k": k, "max-suppressed": max_suppressed, "year": year}
        _tell(found, written, words, {**asked, "staff": staff})
    return 0 if works else INFEASIBLE


def show(found: Suggestion, words: Words) -> None:
    """Print the alternatives, the levels they chose, and why some cannot be reached."""
    from rich.markup import escape

    from schleier.draft.suggest_text import alternatives_table, legend, levels_table, promise

    say(escape(promise(found, words)) + "\n")
    table(*alternatives_table(found, words))
    say("\n" + escape("\n".join(legend(found, words))))
    if any(one.works for one in found.alternatives):
        say("\n" + escape(words.plain("suggest.levels")))
        table(*levels_table(found, words))
    reasons: dict[str, list[str]] = {}  # what stands in the way of several is said once
    for i, one in enumerate(found.alternatives, 1):
        for problem in one.problems:
            reasons.setdefault(_reason(problem, words.lang), []).append(str(i))
    for reason, numbers in reasons.items():
        say(escape(words.plain("suggest.why_not", numbers=", ".join(numbers), reason=reason)))


def _reason(problem: Problem, lang: str) -> str:
    from schleier.cli.problems import translated

    other = translated(problem, lang)
    return f"{other.text} {other.details}".strip() if other else problem.message


def _typed(asked: Mapping[str, Any], *, but: str = "") -> str:
    """The options of this call as they are typed once more: without one of them the proposal would be another."""
    said = {name: given for name, given in asked.items() if given not in (None, False) and name != but}
    return "".join(f" --{name}" + ("" if given is True else f" {as_typed(str(given))}") for name, given in said.items())


def _tell(found: Suggestion, written: list[Path], words: Words, asked: Mapping[str, Any]) -> None:
    """What was written, or how to go on, with the options that were ``asked`` for."""
    from rich.markup import escape

    from schleier.draft.suggest_text import ways_on

    if found.chosen is None:
        none = "none_strict" if any(one.works for one in found.alternatives) else "none"
        say("\n[red]" + escape(words.plain(f"suggest.{none}")) + "[/]")
        schema = str(asked["schema"] or "")
        head, *ways = ways_on(found, words, schema, _typed(asked), _typed(asked, but="max-suppressed"))
        say(escape(head))
        for way in ways:
            say("- " + escape(way))
    elif not written:
        text = words.plain("suggest.not_written", file=as_typed(found.draft.file), profile=found.profile.name)
        say("\n" + escape(text + _typed(asked)))
    else:
        say("\n[green]" + escape(words.plain("suggest.wrote", recipe=written[0])) + "[/]")
        if len(written) > 1:
            say(escape(words.plain("draft.tables", n=len(written) - 1, folder=written[1].parent)))
        say(escape(words.plain("suggest.next", recipe=as_typed(str(written[0])))))


def document(found: Suggestion) -> dict[str, Any]:
    """A suggestion as JSON: numbers and names of columns, no values."""
    return {
        "profile": found.profile.name,
        "records": found.draft.records,
        "counted": "units" if found.unit else "records",
        "before": {**vars(found.before), "expected": found.before.expected},
        "alternatives": [
            {
                "k": one.k,
                "max_suppressed": one.max_suppressed,
                "works": one.works,
                "proposed": one is found.chosen,
                "risk": {**vars(one.risk), "expected": one.risk.expected} if one.risk else None,
                "loss": one.loss if one.works else None,
                "left_out": one.left_out if one.works else None,
                "proven": one.proven,
                "nodes": one.nodes,
                "looked_at": one.looked_at,
                "levels": {name: {"level": level, "of": depth} for name, level, depth in one.levels},
                "problems": [problem.document for problem in one.problems],
            }
            for one in found.alternatives
        ],
        "steps": [one.entry["method"] for one in (*found.steps, *found.last)],
    }
