"""What was done, step by step, in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from schleier.flow.release.documents import Report, ReportedStep
from schleier.report.averaged import averaged
from schleier.report.language import Words, name

Given = dict[str, Any]
"""Parameters and facts of a step; a teller takes out what it tells, the rest is shown as a table."""

EFFECTS = {
    "recode": "coarsened",
    "top_code": "capped",
    "round_to": "rounded",
    "replace_extremes": "extremes",
    "suppress_rare": "rare",
    "renumber": "renumbered",
    "coarsen": "coarsened",
    "mondrian": "coarsened",
    "partition_bottom_up": "coarsened",
    "suppress_local": "blanked",
    "microaggregate": "averaged",
    "preserve_variance": "averaged",
    "restore_moments": "restored",
}
"""What a method does to the columns it is given."""
ROWS = ("sample", "restrict")
"""Methods that choose records and leave the values alone."""
UNCHANGED = ("levels", "further", "cells")
"""Learned tables of a search with a number for each column: 0 in all of them says that it stayed as it was."""


@dataclass(frozen=True)
class Told:
    """A step as the page shows it."""

    title: Markup
    label: str
    word: str
    sentences: list[Markup]
    rest: list[tuple[str, Markup]] = field(default_factory=list)
    groups: list[tuple[Markup, Markup]] = field(default_factory=list)


def told(step: ReportedStep, words: Words) -> Told:
    """A step in words; parameters nobody put into words are listed as they are."""
    given = _facts(step) | {key: value for key, value in step.parameters.items() if key != "name"}
    title = words.word("method", step.method)
    try:
        rest = dict(given)
        sentences, groups = list(TELLERS[step.method](rest, words)), list(_groups(step, words))
    except (KeyError, TypeError, ValueError, AttributeError):  # a method we do not know, or another version of it
        rest, groups = given, []
        sentences = [words("step.other", n=len(step.columns), columns=words.names(step.columns))]
    left = [(key, words.value(value)) for key, value in rest.items() if value is not None]
    return Told(title, step.label, step.method, sentences, left, groups)


def _facts(step: ReportedStep) -> Given:
    """What a step reported, by name; what it reported several times is a list."""
    found: dict[str, list[Any]] = {}
    for facts in step.facts:
        for key, value in facts.items():
            found.setdefault(key, []).append(value)
    return {key: values if values[1:] else values[0] for key, values in found.items()}


def effects(report: Report) -> dict[str, list[str]]:
    """Column -> what was done to it, each said once, in the order of the steps."""
    found: dict[str, list[str]] = {}
    for step in report.steps:
        if step.method == "sample":
            found.update((column.name, ["weighted"]) for column in report.columns if column.role == "weight")
        if step.method == "drop" or step.method in ROWS:
            continue
        effect = EFFECTS.get(step.method, "other")
        target = step.parameters.get("target") if step.method == "suppress_rare" else None
        kept, blanked = _kept(step), _blanked(step)
        for column in step.columns:
            if isinstance(target, list) and target and column not in target:
                continue  # only counted, not changed
            done = ([] if column in kept else [effect]) + (["blanked"] if blanked else [])
            for one in done:
                if one not in found.setdefault(column, []):
                    found[column].append(one)
    return found


def _kept(step: ReportedStep) -> set[str]:
    """Columns that a search looked at and left as they are, for all records."""
    told = [table for key in UNCHANGED for table in _tables(step.parameters.get(key)) + _tables(_facts(step).get(key))]
    changed = {column for table in told for column, n in table.items() if n != 0}
    return {column for table in told for column in table} - changed


def _blanked(step: ReportedStep) -> bool:
    """Whether a search took all keys of some records away instead of leaving the records out."""
    count = step.parameters.get("suppressed_records", _facts(step).get("suppressed"))
    return step.method == "coarsen" and step.parameters.get("suppressed") == "blank" and count != 0


def _tables(value: Any) -> list[dict[str, Any]]:
    """A table of columns, or several of them."""
    if isinstance(value, list | tuple):
        return [one for part in value for one in _tables(part)]
    return [value] if isinstance(value, dict) else []


def _groups(step: ReportedStep, words: Words) -> Iterator[tuple[Markup, Markup]]:
    """The new values of a recoding with the old ones behind them."""
    table = step.parameters.get("map")
    if step.method != "recode" or not isinstance(table, dict):
        return
    for new in dict.fromkeys(table.values()):
        yield name(str(new)), words.names([old for old, target in table.items() if target == new], most=40)


def _drop(given: Given, words: Words) -> Iterator[Markup]:
    columns = given.pop("columns")
    yield words("step.drop", n=len(columns), columns=words.names(columns, most=40))


def _recode(given: Given, words: Words) -> Iterator[Markup]:
    column = name(given.pop("column"))
    if (level := given.pop("level", None)) is not None:
        yield words("step.recode.level", column=column, level=level)
    if (breaks := given.pop("breaks", None)) is not None:
        limits = words.listed([words.value(limit) for limit in breaks])
        yield words("step.recode.breaks", n=len(breaks) + 1, column=column, limits=limits)
    if (labels := given.pop("labels", None)) is not None:
        yield words("step.recode.labels", labels=words.names(labels))
    if (table := given.pop("map", None)) is not None:
        yield words("step.recode.map", n=len(set(table.values())), column=column, old=len(table))
    if given.pop("others", None) == "keep":
        yield words("step.recode.keep")


def _top_code(given: Given, words: Words) -> Iterator[Markup]:
    given.pop("capped", None)
    yield from _tails(given, words, "step.top_code", name(given.pop("column")))


def _replace_extremes(given: Given, words: Words) -> Iterator[Markup]:
    given.pop("replaced", None), given.pop("tail", None)
    yield from _tails(given, words, "step.replace_extremes", name(given.pop("column")))
    if (change := given.pop("total_changed_by_rounding", None)) is not None:
        yield words("step.replace_extremes.total", change=words.value(change))


def _tails(given: Given, words: Words, key: str, column: Markup) -> Iterator[Markup]:
    for side in ("upper", "lower"):
        parts = (side, f"affected_{side}", f"mean_{side}", f"median_{side}")
        limit, affected, mean, median = (given.pop(part, None) for part in parts)
        if limit is not None:
            yield words(f"{key}.{side}", column=column, limit=words.value(limit), mean=words.value(mean))
        if affected is not None:
            yield words("step.affected", n=affected)
        if median is not None:
            yield words("step.tail", mean=words.value(mean), median=words.value(median))
    if (least := given.pop("min_affected", None)) is not None:
        yield words("step.least", n=least)


def _round_to(given: Given, words: Words) -> Iterator[Markup]:
    yield words("step.round_to", column=name(given.pop("column")), base=words.value(given.pop("base")))


def _suppress_rare(given: Given, words: Words) -> Iterator[Markup]:
    columns, least, target = given.pop("columns"), given.pop("min_count"), given.pop("target", None)
    yield words("step.suppress_rare", n=least, columns=words.names(columns), target=words.names(target or columns))
    given.pop("blanked_records", None)
    if (blanked := given.pop("blanked", None)) is not None:
        yield words("step.affected", n=blanked)


def _sample(given: Given, words: Words) -> Iterator[Markup]:
    what, taken, total = given.pop("sampled"), given.pop("taken"), given.pop("of")
    yield words(f"step.sample.{what}", n=taken, total=total)
    for covered in ("fraction", "size", "weight", "allow_full_strata"):
        given.pop(covered, None)
    if isinstance(strata := given.pop("strata", None), list):
        yield words("step.sample.strata", columns=words.names(strata))
    if full := given.pop("strata_taken_in_full", 0):
        yield words("step.sample.full", n=full)
    if given.pop("whole_units", True) is False:
        yield words("step.sample.apart")


def _restrict(given: Given, words: Words) -> Iterator[Markup]:
    conditions = [_condition(dict(one), words) for one in given.pop("kept_where")]
    yield words("step.restrict.kept", conditions=words.listed(conditions))
    yield words("step.restrict.left_out", n=given.pop("left_out"))
    if given.pop("caution", None) is not None:
        yield words("step.restrict.few")


def _condition(said: Given, words: Words) -> Markup:
    """A condition in words; listed values of protected columns are only counted in the report."""
    column, missing = said.pop("column"), said.pop("missing", None)
    parts = []
    for test, value in said.items():
        counted = re.fullmatch(r"(\d+) values", value) if isinstance(value, str) else None
        shown = words("condition.values", n=int(counted[1])) if counted else words.value(value)
        parts.append(words(f"condition.{test}", value=shown))
    if missing is not None:
        parts.append(words("condition.missing" if missing else "condition.not_missing"))
    return Markup("{} {}").format(name(column), Markup(", ").join(parts))


def _renumber(given: Given, words: Words) -> Iterator[Markup]:
    yield words("step.renumber", column=name(given.pop("column")))
    if (numbers := given.pop("numbers", None)) is not None:
        yield words("step.numbers", n=numbers)


def _coarsen(given: Given, words: Words) -> Iterator[Markup]:
    levels, further = given.pop("levels"), given.pop("further", ())
    parts = [
        words("step.coarsen.at" if level else "step.coarsen.kept", column=name(column), level=level)
        for column, level in levels.items()
    ]
    yield words("step.coarsen.levels", levels=words.listed(parts, most=40))
    if further:
        yield words("step.coarsen.further", n=len(further))
    how, count = given.pop("suppressed", None), given.pop("suppressed_records", None)
    if isinstance(count, int):
        yield words("step.coarsen.blanked" if how == "blank" else "step.coarsen.suppressed", n=count)
    if unit := given.pop("suppressed_with_their_unit", 0):
        yield words("step.coarsen.unit", n=unit)
    if (most := given.pop("max_suppressed", None)) is not None:
        yield words("step.coarsen.budget", share=words.share(most))
    nodes, looked_at, proven = (given.pop(key, None) for key in ("nodes", "looked_at", "proven"))
    if nodes is not None:
        yield words("step.coarsen.proven" if proven else "step.coarsen.not_proven", nodes=nodes, looked_at=looked_at)
    if proven:
        given.pop("bound", None)
    if given.get("loss") == {"measure": "generalised_loss"}:
        given.pop("loss")  # what everybody uses
    for covered in ("columns", "criteria"):
        given.pop(covered, None)


def _suppress_local(given: Given, words: Words) -> Iterator[Markup]:
    cells, k = given.pop("cells_by_column"), given.pop("k", None)
    given.pop("cells", None), given.pop("keys", None)
    yield words(
        "step.suppress_local.k" if k else "step.suppress_local.keys", k=k or 0, columns=words.names(list(cells))
    )
    parts = [Markup("{} {}").format(name(column), words.number(n)) for column, n in cells.items()]
    yield words("step.suppress_local.cells", cells=words.listed(parts, most=40))
    given.pop("records", None)
    if (blanked := given.pop("blanked_records", None)) is not None:
        yield words("step.suppress_local.records", n=blanked)
    for covered in ("at_least", "cost", "cost_at_least"):
        given.pop(covered, None)


def _divided(method: str) -> Callable[[Given, Words], Iterator[Markup]]:
    def tell(given: Given, words: Words) -> Iterator[Markup]:
        parts, columns, outside = given.pop("parts"), given.pop("columns"), given.pop("in_no_part", 0)
        yield words(f"step.parts.{method}", n=parts[-1] if isinstance(parts, list) else parts)
        yield words("step.parts.labels", columns=words.names(columns))
        if (width := given.pop("mean_width", None)) is not None:
            yield words("step.parts.width", share=words.share(width))
        if outside:
            yield words("step.parts.outside", n=outside)
        given.pop("criteria", None)

    return tell


TELLERS: dict[str, Callable[[Given, Words], Iterator[Markup]]] = {
    "drop": _drop,
    "recode": _recode,
    "top_code": _top_code,
    "round_to": _round_to,
    "replace_extremes": _replace_extremes,
    "suppress_rare": _suppress_rare,
    "sample": _sample,
    "restrict": _restrict,
    "renumber": _renumber,
    "coarsen": _coarsen,
    "suppress_local": _suppress_local,
    "mondrian": _divided("mondrian"),
    "partition_bottom_up": _divided("partition_bottom_up"),
    "microaggregate": averaged("microaggregate"),
    "preserve_variance": averaged("preserve_variance"),
    "restore_moments": averaged("restore_moments"),
}
