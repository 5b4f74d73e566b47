"""How many persons look alike in several releases at once: the trustee alone knows who is who in each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schleier.core.classes.table import sorted_codes
from schleier.core.data import tally
from schleier.core.trust.trustee import TARGET, draw_targets, harmonised, knowable

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

WHO, HERE, ALL = "_truth_", "_here_", "_all_"
AT_ONCE = 2000
"""Persons whose values are laid beside their cells at once: each value beside each cell."""


@dataclass(frozen=True)
class Together:
    """What the trustee tells of some targets: counts."""

    targets: int
    contained: int
    """Targets that are in the release."""
    alone: int
    """Targets whom nobody else is like in all releases together."""
    found: int
    """Those among them whose record here may be hers by what is known of her: in others values were changed."""
    alone_here: int
    """Targets whom nobody else is like in this release."""
    few: int
    """Targets of whom fewer than so many are alike in all releases together."""
    few_here: int
    """The same in this release."""
    smallest: int
    """The smallest number of persons who are alike in all releases together; 0 where no target is in the release."""


def together(
    case: Case, keys: Mapping[str, tuple[str, ...]], own: tuple[str, ...], few: int, targets: int | None, run: Run
) -> Together:
    """Intersect for each target the classes it is in: by its ``own`` keys here, and by ``keys`` in further releases.

    Being absent from a release is a value like others: whoever knows who took part knows that, too.
    """
    import narwhals as nw

    engine = case.released.engine
    people = _cells(case.released, own, 0)
    columns = [[name for name in people.collect_schema().names() if name != WHO]]
    for i, (address, names) in enumerate(keys.items(), 1):
        other = _cells(case.further[address], names, i)
        columns.append([name for name in other.collect_schema().names() if name != WHO])
        absent = {name: nw.coalesce(nw.col(name), nw.lit("")) for name in columns[-1]}
        people = people.join(other, on=WHO, how="left").with_columns(**absent)
    people = engine.keep(people)
    everything = [name for part in columns for name in part]
    for cells, size in ((columns[0], HERE), (everything, ALL)):
        sizes = people.group_by(*cells).agg(**{size: nw.len()})
        people = people.join(sizes, on=cells, how="inner")
    chosen = draw_targets(case.original, targets, run)
    true = chosen.frame.select(TARGET, nw.col(chosen.schema.key).cast(nw.String).alias(WHO))
    found = engine.keep(true.join(people.select(WHO, HERE, ALL), on=WHO, how="left"))
    here, everywhere = nw.col(HERE), nw.col(ALL)
    alone = found.filter(everywhere == 1).select(WHO)
    counts: dict[str, Any] = {
        "targets": nw.len(),
        "contained": tally(~here.is_null()),
        "alone": tally(everywhere == 1),
        "alone_here": tally(here == 1),
        "few": tally(everywhere < few),
        "few_here": tally(here < few),
        "smallest": everywhere.min(),
    }
    told = engine.arrays(found.select(**counts)).to_pylist()[0]
    return Together(found=_fitting(case, alone, own, run), **{name: int(told[name] or 0) for name in counts})


def _fitting(case: Case, alone: nw.LazyFrame[Any], own: tuple[str, ...], run: Run) -> int:
    """How many of some persons have a record in the release that may be theirs by what is known of them.

    A gap may be anything. Columns that nobody knows but the release are not compared.
    """
    import narwhals as nw
    import numpy as np

    from schleier.core.trust.possible import may_hold

    engine, columns = case.released.engine, knowable(case, own)
    known = harmonised(case.original, case.steps, columns, run)
    sides = []
    for i, data in enumerate((known, case.released)):
        renamed = {f"_{i}_{j}_": nw.col(name) for j, name in enumerate(columns)}
        sides.append(data.frame.select(nw.col(data.schema.key).cast(nw.String).alias(WHO), **renamed))
    both = engine.arrays(alone.join(sides[0], on=WHO, how="inner").join(sides[1], on=WHO, how="inner"))
    many = 0
    for start in range(0, len(both), AT_ONCE):
        part = both.slice(start, AT_ONCE)
        fits = np.ones(len(part), dtype=np.bool_)
        for j, name in enumerate(columns):
            (values, mine), (cells, theirs) = (sorted_codes(part[f"_{i}_{j}_"]) for i in range(2))
            hierarchy = known.schema[name].hierarchy
            meets = np.ones((len(cells) + 1, len(values) + 1), dtype=np.bool_)  # the last of each are gaps
            meets[:-1, :-1] = may_hold(cells, values, known.schema.hierarchies.get(hierarchy) if hierarchy else None)
            fits &= meets[theirs, mine]
        many += int(fits.sum())
    return many


def _cells(data: Dataset, names: tuple[str, ...], i: int) -> nw.LazyFrame[Any]:
    """Who has which cells in a release: a gap is one, and none is empty text."""
    import narwhals as nw

    data = data.genuine()
    texts = {
        f"_{i}_{j}_": nw.coalesce(nw.concat_str(nw.lit("="), nw.col(name).cast(nw.String)), nw.lit("-"))
        for j, name in enumerate(names)
    }
    return data.frame.select(nw.col(data.schema.key).cast(nw.String).alias(WHO), **texts)
