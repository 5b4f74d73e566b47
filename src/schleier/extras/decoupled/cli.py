"""Try pseudonyms that nobody can resolve on a simulated population."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from schleier.cli.shared import Json, Language, language_of, print_json, say, table, with_exit_code

if TYPE_CHECKING:
    from schleier.extras.decoupled.attacking import Result
    from schleier.extras.decoupled.simulation import Outcome

app = typer.Typer(help="Try pseudonyms that nobody can resolve on a simulated population.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps the name of the command when there is only one."""


@app.command()
@with_exit_code
def simulate(
    persons: Annotated[int, typer.Option("--persons", min=2, max=5000, help="How many register.")],
    n_min: Annotated[
        int, typer.Option("--n-min", min=2, help="How many tokens must be issued before the first is redeemed.")
    ],
    window: Annotated[float, typer.Option("--window", min=0.001, help="How long a wallet waits at most.")],
    batch: Annotated[int, typer.Option("--batch", min=2, help="How many pseudonyms are shown at a time.")],
    registration: Annotated[
        float, typer.Option("--registration", min=0.001, help="Over how long a time they register.")
    ] = 1000.0,
    as_json: Json = False,
    lang: Language = None,
) -> int:
    """Let a population get pseudonyms by these rules, and attack it."""
    from schleier.core.run import Run
    from schleier.extras.decoupled.attacking import every
    from schleier.extras.decoupled.messages import Rules, read
    from schleier.extras.decoupled.simulation import Plan, simulate

    if n_min > persons:
        from schleier.extras.decoupled._refusals import refuse

        refuse("too-few-issued", "--n-min")
    run = Run()
    rules = read(Rules, {"n_min": n_min, "window": window, "batch": batch})
    outcome = simulate(Plan(persons, registration, rules), run)
    results = every(outcome, run)
    if as_json:
        print_json({"attacks": [_document(result) for result in results], "hidden": _hidden(outcome)})
    else:
        show(results, outcome, language_of(lang))
    return 0


def show(results: list[Result], outcome: Outcome, lang: str) -> None:
    """Print what the attacks came to, and among how many each pseudonym hides."""
    words = _words(lang)
    rows = []
    for result in results:
        low, high = result.found.interval()
        counts = [str(result.found.successes), str(result.found.attempts)]
        rows.append([words[result.attack], *counts, f"{low:.3f}-{high:.3f}", f"{result.baseline:.4f}"])
    table(words["head"].split("|"), rows)
    if facts := _hidden(outcome):
        say(words["hidden"].format(**facts))
    if not next(result for result in results if result.attack == "timing").at_chance:
        say(words["unsafe"])


def _document(result: Result) -> dict[str, object]:
    low, high = result.found.interval()
    counts = {"found": result.found.successes, "tried": result.found.attempts, "low": low, "high": high}
    return {"attack": result.attack, **counts, "baseline": result.baseline}


def _hidden(outcome: Outcome) -> dict[str, float]:
    from statistics import median

    from schleier.extras.decoupled.simulation import PLACE

    among = outcome.service.anonymity(*PLACE)
    if not among:
        return {}
    count = sum(len(batch) for batch in outcome.service.released(*PLACE))
    middle = median(half for _, half in among)
    fewest = min(least for least, _ in among)
    return {"count": count, "waiting": outcome.plan.persons - count, "fewest": fewest, "median": middle}


def _words(lang: str) -> dict[str, str]:
    import tomllib
    from pathlib import Path

    told = tomllib.loads(Path(__file__).with_name("_words.toml").read_text(encoding="utf-8"))
    return {name: texts.get(lang, texts["en"]) for name, texts in told.items()}
