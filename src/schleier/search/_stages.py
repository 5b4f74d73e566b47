"""Rows with the labels of the first stage that takes them: levels, and the combinations of labels that they are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from schleier.core.hierarchy import Hierarchy
from schleier.core.matching import matched
from schleier.core.method import Method
from schleier.core.pieces import made

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.core.schema import Schema

STAGE = "_stage_"
"""Number of the stage that takes a row; missing when none does."""
Others = Literal["drop", "blank"]
"""What becomes of a row that no stage takes: left out, or its keys missing."""


@dataclass(frozen=True)
class Stage:
    """Levels of all keys; the combinations it takes, or none when it takes everything."""

    levels: Mapping[str, int]
    kept: pa.Table | None

    @property
    def combinations(self) -> dict[str, pa.ChunkedArray]:
        """The combinations it takes, by column."""
        return {} if self.kept is None else {name: self.kept[name] for name in self.kept.column_names}


def recode(name: str, level: int, hierarchy: Hierarchy | None) -> Method:
    """One key at its level."""
    found: Method = made("coarser_values", column=name, level=level, hierarchy=hierarchy)
    return found


def labelled(
    data: Dataset,
    stages: Sequence[Stage],
    hierarchies: Mapping[str, Hierarchy],
    after: Schema,
    others: Others,
    run: Run,
) -> Dataset:
    """Every row with the labels of its stage. Rows of one unit are taken together or not at all."""
    if stages[0].kept is None:
        for name, level in stages[0].levels.items():
            if level:
                data = recode(name, level, hierarchies[name]).apply(data, run)
        return data
    names = data.frame.collect_schema().names()
    staged = _staged(_with_copies(data, stages, hierarchies, run), stages)
    if data.schema.having("unit"):
        staged = _whole_units(staged)
    chosen = _chosen(staged, stages, others)
    return replace(chosen, frame=chosen.frame.select(*names), schema=after)


def relabelled(
    data: Dataset, stage: Stage, hierarchies: Mapping[str, Hierarchy], before: Schema, run: Run
) -> Dataset | None:
    """Rows of a finished file, where what is no label of the stage becomes the root."""
    again: Dataset | None = data
    for name, level in stage.levels.items():
        if level and again is not None:
            again = recode(name, level, hierarchies[name]).repeated(again, before, run)
    return again


def _copy(name: str, level: int) -> str:
    return f"_{name}_{level}_" if level else name


def _with_copies(data: Dataset, stages: Sequence[Stage], hierarchies: Mapping[str, Hierarchy], run: Run) -> Dataset:
    """The rows with a column for each level that any stage gives to a key."""
    import narwhals as nw

    wanted = dict.fromkeys((name, level) for stage in stages for name, level in stage.levels.items() if level)
    for name, level in wanted:
        copy = _copy(name, level)
        column = data.schema[name].model_copy(update={"name": copy})
        schema = data.schema.model_copy(update={"columns": (*data.schema.columns, column)})
        data = data.mutate(**{copy: nw.col(name)}).described(schema)
        data = recode(copy, level, hierarchies[name]).apply(data, run)
    return data


def _staged(data: Dataset, stages: Sequence[Stage]) -> Dataset:
    """The rows with the number of the first stage whose combinations hold theirs."""
    import narwhals as nw
    import pyarrow as pa

    number = nw.lit(None).cast(nw.Int64)
    for i in reversed(range(len(stages))):
        table, flag = stages[i].kept, f"_in_{i}_"
        if table is None:
            number = nw.lit(i).cast(nw.Int64)
            continue
        named = table.rename_columns([_copy(name, stages[i].levels[name]) for name in table.column_names])
        data = matched(data, named.append_column(flag, pa.repeat(1, len(named))), named.column_names)
        number = nw.when(~nw.col(flag).is_null()).then(nw.lit(i)).otherwise(number)
    return data.mutate(**{STAGE: number})


def _whole_units(data: Dataset) -> Dataset:
    """No stage takes a row when none takes another one of its unit; rows without a unit stand for themselves."""
    import narwhals as nw

    unit = data.schema.having("unit")[0]
    lost = data.frame.filter(nw.col(STAGE).is_null() & ~nw.col(unit).is_null())
    lost = lost.group_by(nw.col(unit)).agg(_lost_=nw.len()).with_columns(_unit_=nw.col(unit)).drop(unit)
    joined = data.frame.join(lost, left_on=unit, right_on="_unit_", how="left")
    return replace(data, frame=joined).mutate(**{STAGE: nw.when(nw.col("_lost_").is_null()).then(nw.col(STAGE))})


def _chosen(data: Dataset, stages: Sequence[Stage], others: Others) -> Dataset:
    import narwhals as nw

    if others == "drop":
        data = data.filter(~nw.col(STAGE).is_null())
    columns = {}
    for name in stages[0].levels:
        levels = [stage.levels[name] for stage in stages]
        if not any(levels) and others != "blank":
            continue
        columns[name] = _label(name, levels)
    return data.mutate(**columns) if columns else data


def _label(name: str, levels: Sequence[int]) -> nw.Expr:
    """The label of a key by the stage of its row; nothing where there is none."""
    import narwhals as nw

    label: nw.Expr | None = None
    for i, level in enumerate(levels):
        value = nw.col(_copy(name, level))
        value = value.cast(nw.String) if any(levels) and not level else value
        choice = nw.when(nw.col(STAGE) == i).then(value)
        label = choice if label is None else choice.otherwise(label)
    if label is None:
        raise ValueError("there is at least one stage")
    return label


def learned_hierarchies(data: Dataset, names: Sequence[str]) -> dict[str, Hierarchy]:
    """The hierarchies of these columns; those that learn have learned."""
    import narwhals as nw

    found = {name: data.schema.hierarchy(name) for name in names}
    return {name: h.fit(*data.counts(nw.col(name))) if h.learns else h for name, h in found.items()}


def with_hierarchies(schema: Schema, hierarchies: Mapping[str, Hierarchy]) -> Schema:
    """The schema with hierarchies of some columns in place of its own."""
    named = {schema[name].hierarchy or name: hierarchy for name, hierarchy in hierarchies.items()}
    return schema.model_copy(update={"hierarchies": {**schema.hierarchies, **named}})
