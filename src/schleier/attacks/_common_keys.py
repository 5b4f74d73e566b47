"""What a release and a file of known persons have in common: combinations of values that both hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.core.trust.trustee import ALIAS, GROUP, TARGET

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.engine import Engine

GAPS = "_gaps_{}_"
WIDTH = 60
"""Columns whose gaps fit into one number."""


@dataclass(frozen=True)
class CommonKeys:
    """Who shares a combination of values with whom. A group is told by the first of its targets."""

    engine: Engine = field(repr=False)
    everybody: int
    """Number of targets."""
    targets: nw.LazyFrame[Any] = field(repr=False)
    """Every target with its group."""
    records: nw.LazyFrame[Any] = field(repr=False)
    """Those records that share a combination with a target, with their group."""
    groups: nw.LazyFrame[Any] = field(repr=False)
    """Each group that has records: how many, and how many targets."""

    def unique(self) -> nw.LazyFrame[Any]:
        """The assignments that are one to one: target and record."""
        import narwhals as nw

        alone = self.groups.filter((nw.col("_records_") == 1) & (nw.col("_targets_") == 1))
        return alone.select(nw.col(GROUP).alias(TARGET), ALIAS)

    def relations(self) -> dict[str, int]:
        """Common combinations by relation (records to targets), and how many are behind the ambiguous ones."""
        import narwhals as nw

        one = {side: nw.col(f"_{side}_") == 1 for side in ("records", "targets")}
        sums = {"keys": nw.len(), "records": nw.col("_records_").sum(), "targets": nw.col("_targets_").sum()}
        kinds = self.groups.with_columns(_one_=one["records"], _only_=one["targets"]).group_by("_one_", "_only_")
        rows = {(row["_one_"], row["_only_"]): row for row in self.engine.arrays(kinds.agg(**sums)).to_pylist()}

        def count(what: str, *kinds: tuple[bool, bool]) -> int:
            return sum(int(rows[kind][what]) for kind in kinds if kind in rows)

        single, ambiguous = (True, True), ((True, False), (False, True), (False, False))
        return {
            "one_to_one": count("keys", single),
            "one_to_many": count("keys", (True, False)),
            "many_to_one": count("keys", (False, True)),
            "many_to_many": count("keys", (False, False)),
            "ambiguous_records": count("records", *ambiguous),
            "ambiguous_targets": count("targets", *ambiguous),
            "unmatched": self.everybody - count("targets", single, *ambiguous),
        }


def common_keys(released: Dataset, known: Dataset, columns: tuple[str, ...]) -> CommonKeys:
    """Find them by way of the smaller file: of the release only records with a partner are grouped."""
    import narwhals as nw

    engine = known.engine
    values, on = matchable(released.frame, known.frame, columns)
    there, mine = released.frame.select(ALIAS, **values), known.frame.select(TARGET, **values)
    # The smallest name tells a group: every target is in one of them only.
    held = mine.group_by(*on).agg(nw.col(TARGET).min().alias(GROUP), _targets_=nw.len())
    targets = engine.keep(mine.join(held, on=on, how="inner").select(TARGET, GROUP, "_targets_", *on))
    firsts = targets.filter(nw.col(TARGET) == nw.col(GROUP)).drop(TARGET)
    records = engine.keep(there.join(firsts, on=on, how="inner").select(ALIAS, GROUP, "_targets_"))
    groups = records.group_by(GROUP).agg(nw.col(ALIAS).min(), nw.col("_targets_").max(), _records_=nw.len())
    return CommonKeys(engine, known.rows, targets.select(TARGET, GROUP), records, groups)


def matchable(
    one: nw.LazyFrame[Any], other: nw.LazyFrame[Any], columns: Sequence[str]
) -> tuple[dict[str, nw.Expr], list[str]]:
    """Columns in a form in which both files can be joined, and the names they then have.

    SQL never joins missing values, so each gap is filled, and all gaps of a row become a number. Values travel as they
    are where both files hold the same kind, else as text.
    """
    import narwhals as nw

    here, there = (dict(frame.collect_schema()) for frame in (one, other))
    fillers: dict[Any, Any] = {nw.String: "", nw.Boolean: False, **dict.fromkeys(_whole(), 0)}
    found, gaps = dict[str, nw.Expr](), dict[str, nw.Expr]()
    for i, name in enumerate(columns):
        plain = here[name] == there[name] and type(here[name]) in fillers
        value = nw.col(name) if plain else nw.col(name).cast(nw.String)
        found[f"_v{i}_"] = value.fill_null(fillers[type(here[name])] if plain else "")
        place, bit = GAPS.format(i // WIDTH), 1 << (i % WIDTH)
        flag = nw.when(nw.col(name).is_null()).then(nw.lit(bit)).otherwise(nw.lit(0)).cast(nw.Int64)
        gaps[place] = gaps[place] + flag if place in gaps else flag
    return found | gaps, [*found, *gaps]


def _whole() -> tuple[Any, ...]:
    import narwhals as nw

    return nw.Int64, nw.Int32, nw.Int16, nw.Int8
