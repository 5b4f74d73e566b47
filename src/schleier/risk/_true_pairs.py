"""True pairs compared column by column; nothing but counts comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schleier.core.classes.request import Missing
from schleier.core.component import listed
from schleier.core.data import named, tally
from schleier.core.errors import DataError, Problem
from schleier.core.pairs import matched_by
from schleier.core.trust.trustee import harmonised
from schleier.kernels.statistics.trials import Trials

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run
    from schleier.kernels.linkage.retest import Changes

PERSON, ENTRY, OFF = "_person_", "_entry_", "_off_"


@dataclass(frozen=True)
class TruePairs:
    """What became of the same persons in two files."""

    changes: dict[str, Changes]
    """By column."""
    spread: tuple[int, ...]
    """Pairs that differ in 0, 1, 2, ... columns."""

    @property
    def pairs(self) -> int:
        """Persons in both files."""
        return sum(self.spread)

    @property
    def identical(self) -> Trials:
        """Pairs that differ in no column."""
        return Trials(self.spread[0], self.pairs)

    def rate(self, column: str, missing: Missing) -> Trials:
        """How often a column differs, under a policy for missing values."""
        one = self.changes[column]
        return one.off if missing == "category" else Trials(one.different, one.pairs)


def of_known(
    case: Case, data: Dataset, columns: Sequence[str], missing: Missing, run: Run, *, recoded: bool = True
) -> TruePairs:
    """What an attacker's file says of persons, ``recoded`` as the release is, against their records in ``data``."""
    import narwhals as nw

    if case.known is None or case.truth is None:
        hint = 'name the files under [data]: known = "...", truth = "..."'
        raise DataError(Problem("no-knowledge", "data", "there is no file of what an attacker knows", hint))
    absent = [name for name in columns if name not in case.known.schema]
    if absent:
        message = f"the file of known persons has no column {listed(absent)}"
        hint = "name only keys that it has, or say how often keys differ"
        raise DataError(Problem("unknown-column", "data.known", message, hint))
    known = harmonised(case.known, case.steps, tuple(columns), run) if recoded else case.known
    person, entry = case.truth.collect_schema().names()
    who = case.truth.select(nw.col(person).cast(nw.String).alias(PERSON), nw.col(entry).cast(nw.String).alias(ENTRY))
    left = _named(known, ENTRY, "l", columns).join(who, on=ENTRY, how="inner").drop(ENTRY)
    found = _compared(data, left, columns, missing)
    if not found.pairs:
        message = "the file of known persons and the release have nobody in common"
        raise DataError(Problem("no-overlap", "data.known", message, "check the table of who is who"))
    return found


def of_release(case: Case, columns: Sequence[str], missing: Missing) -> TruePairs:
    """Records of the original against the same records in the release."""
    matched_by(case)  # says so when rows cannot be matched
    return _compared(case.released, _named(case.original, PERSON, "l", columns), columns, missing)


def _named(data: Dataset, key: str, start: str, columns: Sequence[str]) -> nw.LazyFrame[Any]:
    import narwhals as nw

    numbered = {f"_{start}{i}_": nw.col(name) for i, name in enumerate(columns)}
    return data.frame.select(nw.col(data.schema.key).cast(nw.String).alias(key), **numbered)


def _compared(data: Dataset, left: nw.LazyFrame[Any], columns: Sequence[str], missing: Missing) -> TruePairs:
    """Count by number of columns that differ: one row for each number leaves the engine."""
    import narwhals as nw

    from schleier.kernels.linkage.retest import Changes

    both = left.join(_named(data, PERSON, "r", columns), on=PERSON, how="inner")
    types, flags, sums = both.collect_schema(), dict[str, nw.Expr](), dict[str, nw.Expr]()
    every = range(len(columns))
    if missing == "exclude":
        for i in every:
            both = both.filter(~nw.col(f"_l{i}_").is_null() & ~nw.col(f"_r{i}_").is_null())
    for i in every:
        one, two = nw.col(f"_l{i}_"), nw.col(f"_r{i}_")
        a, b = types[f"_l{i}_"], types[f"_r{i}_"]
        alike = a == b or (a.is_numeric() and b.is_numeric())  # 1 and 1.0 are the same number
        unequal = one != two if alike else one.cast(nw.String) != two.cast(nw.String)
        gap = one.is_null() != two.is_null()
        flags[f"_d{i}_"] = _flag(~one.is_null() & ~two.is_null() & unequal)
        flags[f"_a{i}_"], flags[f"_b{i}_"] = _flag(gap & two.is_null()), _flag(gap & one.is_null())
        flags[f"_n{i}_"] = _flag(one.is_null() & two.is_null())
    kinds = "dab" if missing == "category" else "d"
    off = nw.lit(0)
    for name in (f"_{kind}{i}_" for i in every for kind in kinds):
        off = off + nw.col(name)
    for name in flags:
        sums[name] = tally(nw.col(name) == 1)
    marked = both.select(*named(flags)).with_columns(**{OFF: off})
    table = data.engine.arrays(marked.group_by(OFF).agg(_pairs_=nw.len(), **sums)).to_pydict()
    pairs = dict(zip(table[OFF], table["_pairs_"], strict=True))
    total = sum(pairs.values())

    def count(kind: str, i: int) -> int:
        return int(sum(table[f"_{kind}{i}_"]))

    return TruePairs(
        {
            name: Changes(int(total), count("d", i), count("a", i), count("b", i), count("n", i))
            for i, name in enumerate(columns)
        },
        tuple(int(pairs.get(n, 0)) for n in range(len(columns) + 1)),
    )


def _flag(condition: nw.Expr) -> nw.Expr:
    import narwhals as nw

    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))
