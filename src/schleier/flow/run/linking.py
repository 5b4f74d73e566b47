"""Who is who in several releases: persons found by a key of their originals, and records anybody can join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from schleier.core.data import Dataset, tally
from schleier.core.errors import RecipeError, stop
from schleier.core.normal import logical
from schleier.core.schema import ORDINAL
from schleier.core.units import distinct
from schleier.flow.recipe.stages import stages

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.flow.recipe.recipe import Recipe
    from schleier.flow.release.past import Past
    from schleier.flow.run.remake import Remade


def link(new: Remade, earlier: Sequence[Remade], pasts: Sequence[Past]) -> str:
    """The column by which persons are found in all originals; refused where there is none."""
    everyone = [one.original for one in (new, *earlier)]
    named = [one.schema.row_key for one in everyone] + [unit for one in everyone for unit in one.schema.having("unit")]
    for name in dict.fromkeys(one for one in named if one):
        if all(_tells_apart(one, name, new.original) for one in everyone):
            return name
    if any(one.schema.row_key for one in everyone) or not all(one.same_rows for one in earlier):
        names = ", ".join(str(past.folder) for past in pasts)
        stop(RecipeError, "after-not-linked", names, *_why_not(new.original, [one.original for one in earlier]))
    return ORDINAL


def _why_not(new: Dataset, earlier: Sequence[Dataset]) -> tuple[str, str]:
    """Why nobody can say who is in both releases, and what can be done."""
    here, there = new.schema.row_key, next((one.schema.row_key for one in earlier if one.schema.row_key), None)
    unknown = "who is in both releases cannot be told"
    if here and there and here != there:
        message = f"{unknown}: the row key is called '{here}' here and '{there}' in the earlier release"
        return message, f"if both mean the same persons, call the column '{there}' in this file and its schema, too"
    if there and not here:
        message = f"{unknown}: the earlier release has the row key '{there}', and this recipe declares none"
        return message, f'write row_key = "{there}" in [schema] of this recipe'
    if here and not there:
        message = f"{unknown}: the rows of the earlier release have no column '{here}', which is the row key here"
        return message, "say --after RELEASE=FILE with a file of the same rows in the same order that has the row key"
    hint = 'write row_key = "..." in [schema]: a column with one number for each person that the earlier rows have, too'
    return f"{unknown}: their originals have no row key in common", hint


def _tells_apart(data: Dataset, name: str, like: Dataset) -> bool:
    """Whether a column is there, of the same kind as in other rows, and another one in every row."""
    import narwhals as nw

    mine, theirs = data.frame.collect_schema(), like.frame.collect_schema()
    if name not in mine or name not in theirs:
        return False
    if any(logical(one[name]) not in ("integer", "text") for one in (mine, theirs)):
        return False
    told = data.totals(n=nw.len(), different=distinct(nw.col(name)))
    return bool(told["n"] == told["different"])


def people_of(everyone: Sequence[Remade], link: str, *, units: bool) -> Dataset:
    """Every person once, with what each release tells of him: whether he was read (``_read_i_``), whether he is in it
    (``_in_i_``), and its columns (``_i_NAME``)."""
    import narwhals as nw

    parts = []
    for i, one in enumerate(everyone):
        original, released = one.original, one.released.genuine()
        unit = next(iter(original.schema.having("unit")), None)
        who = unit if unit and units else link
        person = nw.when(~nw.col(who).is_null()).then(
            nw.concat_str(nw.lit("u" if who == unit else "r"), nw.col(who).cast(nw.String))
        )
        of_unit = {f"_unit_{i}_": nw.col(unit).cast(nw.String)} if unit else {}
        key = nw.col(original.schema.key).alias("_key_")
        known = original.frame.select(
            key,
            nw.col(link).cast(nw.String).alias("_link_"),
            person.alias(f"_who_{i}_"),
            nw.lit(1).alias(f"_read_{i}_"),
            **of_unit,
        )
        told = released.frame.select(
            nw.col(released.schema.key).alias("_key_"),
            nw.lit(1).alias(f"_in_{i}_"),
            *(nw.col(name).alias(f"_{i}_{name}") for name in released.schema.names),
        )
        parts.append(known.join(told, on="_key_", how="left").drop("_key_"))
    people = nw.concat([part.select("_link_") for part in parts]).unique()
    for part in parts:
        people = people.join(part, on="_link_", how="left")
    # A release that has units tells whose records belong together also in one that has none.
    order = sorted(range(len(parts)), key=lambda i: not everyone[i].original.schema.having("unit"))
    people = people.with_columns(_who_=nw.coalesce(*(nw.col(f"_who_{i}_") for i in order)))
    return Dataset(people, everyone[0].original.schema, everyone[0].original.engine).kept()


def moves(people: Dataset, i: int) -> tuple[int, int, int]:
    """Persons who were read for the new release only, for an earlier one only, and for both."""
    import narwhals as nw

    new, old = ~nw.col("_read_0_").is_null(), ~nw.col(f"_read_{i}_").is_null()
    told = people.totals(came=tally(new & ~old), left=tally(old & ~new), both=tally(new & old))
    return int(told["came"]), int(told["left"]), int(told["both"])


def untouched(one: Recipe, two: Recipe) -> tuple[str, ...]:
    """Columns that both release and neither changes: they are the same in both files."""
    both = set(_unchanged(one)) & set(_unchanged(two))
    return tuple(name for name in one.after().names if name in both)


def _unchanged(recipe: Recipe) -> Iterator[str]:
    changed = {name for stage in stages(recipe.schema, recipe.steps) for name in stage.step.changes(stage.before)}
    yield from (name for name in recipe.after().names if name in recipe.schema and name not in changed)


def joined(one: Dataset, two: Dataset, shared: Sequence[str]) -> int:
    """How many records are alone with their values of some columns in both."""
    import narwhals as nw

    types = one.frame.collect_schema(), two.frame.collect_schema()
    same = [name for name in shared if types[0][name] == types[1][name]]
    if not same:
        return 0
    halves = [
        data.frame.select(*(nw.col(name) for name in same), _a_=nw.lit(a), _b_=nw.lit(1 - a))
        for a, data in enumerate((one, two))
    ]
    both: nw.LazyFrame[Any] = nw.concat(halves)
    groups = Dataset(both, one.schema, one.engine).grouped(
        same, {"_a_": nw.col("_a_").sum(), "_b_": nw.col("_b_").sum()}
    )
    return int(((groups.column("_a_").to_numpy() == 1) & (groups.column("_b_").to_numpy() == 1)).sum())
