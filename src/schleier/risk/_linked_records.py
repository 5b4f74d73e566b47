"""What an attacker holds who links records: the release, what he knows of his targets, and (for us) who is who."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from schleier.core.classes.table import pa_concat, sorted_codes
from schleier.core.data import named
from schleier.core.engine import Source
from schleier.core.errors import DataError, Problem
from schleier.core.pairs import matched_by
from schleier.core.trust.trustee import harmonised

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

KEY, DRAW = "_key_", "_draw_"
Targets = int | Literal["all"]
LEFT_OUT = ("weight", "unit", "identifier")
"""Roles of columns that tell nothing about a person."""


@dataclass(frozen=True)
class LinkedFiles:
    """Numbers and blocks of both sides as arrays, in the order of the row key."""

    numbers: tuple[str, ...]
    """Columns compared by distance."""
    released: NDArray[np.float64]
    """Numbers of the released records, nan for a gap."""
    known: NDArray[np.float64]
    """The same numbers of all persons the attacker knows."""
    block: NDArray[np.int64]
    """The block of each released record."""
    within: NDArray[np.int64]
    """The block of each known person."""
    chosen: NDArray[np.int64]
    """The targets: places of known persons."""
    own: NDArray[np.int64]
    """The released record of each target, -1 when there is none."""
    keys: pa.Array
    """Row key of each target in the original, as text; missing when the person is not there."""
    release_keys: pa.Array
    """Row key of each released record, as text."""

    @property
    def drawn(self) -> bool:
        """Whether the targets are a sample."""
        return len(self.chosen) < len(self.known)

    def guess(self) -> float:
        """The probability that blind guessing among the records of the own block finds a target."""
        import numpy as np

        there = self.own >= 0
        if not there.any():
            return 0.0
        sizes = np.bincount(self.block)[self.block[self.own[there]]]
        agree = self.block[self.own[there]] == self.within[self.chosen[there]]
        return float((agree / sizes).sum()) / len(self.chosen)


def link_files(
    case: Case, columns: Sequence[str], words: Sequence[str], targets: Targets, run: Run, *, from_file: bool = False
) -> LinkedFiles:
    """Both sides by what is known; the attacker recodes it as the report says the release was.

    He knows everybody in the original, or holds the file of the case with all its errors. Columns that are numbers on
    both sides are compared by distance; in all others, and in ``words``, records must agree. What cannot be compared
    protects nobody: see ``_hidden``.
    """
    import numpy as np
    import pyarrow as pa

    matched_by(case)  # says so when rows cannot be matched
    people = case.known if from_file and case.known is not None else case.original
    seen = harmonised(people, case.steps, (*columns, *words), run)
    numbers = tuple(
        n for n in columns if n in seen.schema and seen.schema[n].numeric and case.released.schema[n].numeric
    )
    blocks = tuple(n for n in (*columns, *words) if n not in numbers)
    known = _fetched(seen, numbers, blocks)
    release = _fetched(case.released, numbers, blocks)
    many, rows = len(known[KEY]), len(release[KEY])
    chosen = np.arange(many)
    if targets != "all" and targets < many:
        draws = _fetched(run.draw(people, DRAW, "targets"), (DRAW,), ())["n0"]
        chosen = np.sort(np.lexsort((chosen, _floats(draws)))[:targets])
    keys = known[KEY].combine_chunks().take(pa.array(chosen))
    tables = [release, known]
    if people is not case.original:
        keys = _truth(case, keys)
        tables.append(_fetched(harmonised(case.original, case.steps, blocks, run), (), blocks))
    codes = [sorted_codes(pa_concat([table[f"t{i}"] for table in tables]))[1] for i in range(len(blocks))]
    block = _blocks(codes, rows + many)
    sides = LinkedFiles(
        numbers=numbers,
        released=_matrix(release, len(numbers)),
        known=_matrix(known, len(numbers)),
        block=block[:rows],
        within=block[rows : rows + many],
        chosen=chosen,
        own=places_by_key(keys, release[KEY]),
        keys=keys,
        release_keys=release[KEY].combine_chunks(),
    )
    return _hidden(sides, codes)


def _hidden(sides: LinkedFiles, codes: Sequence[NDArray[np.int32]]) -> LinkedFiles:
    """Let the attacker see what a record hides: its gaps, and words by which nobody is known (made by a step).

    They contradict nobody, so that his candidates are more than the records just like the own one; looking among these
    alone counts too many persons as found rather than too few.
    """
    import numpy as np

    from schleier.kernels.classes.coding import MISSING

    rows, there = len(sides.released), np.flatnonzero(sides.own >= 0)
    mine, who = sides.own[there], sides.chosen[there]
    fits = np.ones(len(there), dtype=bool)
    for each in codes:
        held = np.zeros(each.max(initial=MISSING) + 2, dtype=bool)
        held[each[rows:]] = True
        held[MISSING] = False  # the last place: a gap is nobody's word
        fits &= (each[mine] == each[rows:][who]) | ~held[each[mine]]
    within, numbers = sides.within.copy(), sides.known.copy()
    within[who[fits]] = sides.block[mine[fits]]
    numbers[who] = np.where(np.isnan(sides.released[mine]), np.nan, numbers[who])
    return replace(sides, within=within, known=numbers)


def number_matrix(data: Dataset, names: Sequence[str]) -> tuple[pa.ChunkedArray, NDArray[np.float64]]:
    """Row keys in order, as text, and the numbers of their records."""
    table = _fetched(data, names, ())
    return table[KEY], _matrix(table, len(names))


def numbers_by_key(data: Dataset, names: Sequence[str], keys: pa.Array) -> NDArray[np.float64]:
    """Numbers of the records with these row keys; nan where there is no such record."""
    import numpy as np

    where, values = number_matrix(data, names)
    padded = np.vstack([values, np.full((1, len(names)), np.nan)])  # the last one is the gap
    return padded[places_by_key(keys, where)]


def places_by_key(keys: pa.Array, where: pa.ChunkedArray) -> NDArray[np.int64]:
    """The place of each key; -1 where there is none."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    column = where.combine_chunks() if isinstance(where, pa.ChunkedArray) else where
    found = pc.if_else(keys.is_null(), None, pc.index_in(keys, value_set=column))
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def links_by_record(case: Case, keys: pa.Array, numbers: Mapping[str, NDArray[Any]]) -> Callable[[], nw.LazyFrame[Any]]:
    """How to write down what was found about each target, for the audit."""

    def make() -> nw.LazyFrame[Any]:
        import pyarrow as pa

        original = case.original
        kind = original.engine.arrays(original.frame.select(original.schema.key).head(0)).schema.field(0).type
        held = keys.is_valid()
        columns = {name: pa.array(each).filter(held) for name, each in numbers.items()}
        return original.engine.read(Source(pa.table({original.schema.key: keys.filter(held).cast(kind), **columns})))

    return make


def told_share(found: NDArray[np.float64]) -> tuple[float, float, float]:
    """The mean of probabilities, and Wilson's interval; it is wider than need be where they are not 0 or 1.

    >>> import numpy as np
    >>> share, low, high = told_share(np.array([1.0, 0.0, 0.5, 0.5]))
    >>> share, round(low, 2), round(high, 2)
    (0.5, 0.15, 0.85)
    """
    from schleier.kernels.statistics.trials import Trials

    total = float(found.sum())
    low, high = Trials(round(total), len(found)).interval()
    return (total / len(found) if len(found) else 0.0), low, high


def _fetched(data: Dataset, numbers: Sequence[str], words: Sequence[str]) -> dict[str, pa.ChunkedArray]:
    import narwhals as nw

    wanted = {KEY: nw.col(data.schema.key).cast(nw.String)}
    wanted |= {f"n{i}": nw.col(name).cast(nw.Float64) for i, name in enumerate(numbers)}
    gap = nw.lit(None, nw.String)  # of a column that is not there
    wanted |= {f"t{i}": nw.col(n).cast(nw.String) if n in data.schema else gap for i, n in enumerate(words)}
    table = data.engine.arrays(data.frame.select(*named(wanted))).sort_by(KEY)
    return {name: table.column(name) for name in table.column_names}


def _truth(case: Case, entries: pa.Array) -> pa.Array:
    """The row key in the original of each entry of the attacker's file."""
    import narwhals as nw
    import pyarrow as pa

    if case.truth is None:
        raise DataError(Problem("no-truth", "data.truth", "there is no table of who is who"))
    who, entry = case.truth.collect_schema().names()[:2]
    pairs = case.truth.select(_who_=nw.col(who).cast(nw.String), _entry_=nw.col(entry).cast(nw.String))
    table = case.original.engine.arrays(pairs)
    spots = places_by_key(entries, table["_entry_"])
    return table["_who_"].combine_chunks().take(pa.array(spots, mask=spots < 0))


def _blocks(codes: Sequence[NDArray[np.int32]], rows: int) -> NDArray[np.int64]:
    import numpy as np

    from schleier.kernels.classes.coding import merge

    return merge(np.stack(codes, axis=1))[1] if codes else np.zeros(rows, dtype=np.int64)


def _matrix(table: Mapping[str, pa.ChunkedArray], many: int) -> NDArray[np.float64]:
    import numpy as np

    columns = [_floats(table[f"n{i}"]) for i in range(many)]
    return np.stack(columns, axis=1) if columns else np.zeros((len(table[KEY]), 0))


def _floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    import numpy as np

    found = np.asarray(column.to_numpy(), dtype=np.float64)
    return np.where(np.isfinite(found), found, np.nan)
