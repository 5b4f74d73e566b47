"""Two releases of persons some of whom came or left in between: what changed in each class, and who they are.

Everybody who holds both files sees what changed. Only the trustee knows who came, who left, and which values they have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schleier.core.classes.table import pa_concat, sorted_codes
from schleier.core.trust.answer import Inferred
from schleier.core.trust.trustee import harmonised

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run

WHO, VALUE, MANY, NONE = "_truth_", "_value_", "_n_", -1
THERE, TRUE = "_there_", "_true_"


@dataclass(frozen=True)
class Waves:
    """What an attacker sees of two releases: by how many each value of each class grew."""

    classes: NDArray[np.int64] = field(repr=False)
    values: NDArray[np.int64] = field(repr=False)
    growth: NDArray[np.int64] = field(repr=False)
    """Records more in the later release; fewer when below zero. Entries are in order of class and value."""
    size: int
    """How many classes there are."""
    totals: NDArray[np.int64] = field(repr=False)
    """How often each value occurs in the later release."""
    _moved: NDArray[np.int64] = field(repr=False)
    """Class, true value, and whether he came (1) or left (-1), of each person who did."""

    @property
    def persons(self) -> int:
        """How many came or left."""
        return len(self._moved)

    def judge(self, came: NDArray[np.int64], left: NDArray[np.int64], guess: int) -> Inferred:
        """Counts for values claimed of those who came into each class, and of those who left it; -1 for no claim."""
        import numpy as np

        where, true, how = self._moved.T
        known = true != NONE
        where, true, how = where[known], true[known], how[known]
        claimed = np.where(how > 0, came[where], left[where])
        made, lucky = claimed != NONE, true == guess
        right = made & (claimed == true)
        return Inferred(
            targets=len(true),
            without=self.persons - len(true),
            contained=int((how > 0).sum()),
            claims=int(made.sum()),
            correct=int(right.sum()),
            guessed=int((made & lucky).sum()),
            gained=int((right & ~lucky).sum()),
            differing=int((made & (claimed != guess)).sum()),
            rare=0,
            rare_correct=0,
            rare_guessed=0,
        )


def true_values(case: Case, sensitive: str, run: Run) -> nw.LazyFrame[Any]:
    """Who has which value in truth, recoded as the release is."""
    import narwhals as nw

    data = harmonised(case.original, case.steps, (sensitive,), run)
    who = nw.col(data.schema.key).cast(nw.String).alias(WHO)
    return data.frame.select(who, nw.lit(1).alias(THERE), nw.col(sensitive).cast(nw.String).alias(TRUE))


def waves(
    earlier: Dataset,
    later: Dataset,
    keys: tuple[str, ...],
    sensitive: str,
    truth: nw.LazyFrame[Any],
    most: int | None,
    run: Run,
) -> Waves:
    """Two releases side by side, class by class of some ``keys``; of those who moved at most ``most`` are judged.

    Who is not among those with a true value counts as having what was released of him.
    """
    import narwhals as nw
    import numpy as np

    from schleier.kernels.classes.coding import add_up, number_rows

    sides = [_cells(data, keys, sensitive) for data in (earlier, later)]
    cells = [name for name in sides[0].collect_schema().names() if name not in (WHO, VALUE)]
    engine = later.engine
    changes = nw.concat(
        [side.select(*cells, VALUE, **{MANY: nw.lit(n)}) for side, n in zip(sides, (-1, 1), strict=True)]
    )
    grown = engine.arrays(changes.group_by(*cells, VALUE).agg(nw.col(MANY).sum()))
    here = engine.arrays(sides[1].group_by(VALUE).agg(**{MANY: nw.len()}))
    theirs = nw.when(nw.col(THERE).is_null()).then(nw.col(VALUE)).otherwise(nw.col(TRUE))
    moved = [
        engine.arrays(
            one.join(other.select(WHO), on=WHO, how="anti")
            .join(truth, on=WHO, how="left")
            .select(WHO, *cells, theirs.alias(VALUE))
        ).sort_by(WHO)
        for one, other in ((sides[1], sides[0]), (sides[0], sides[1]))
    ]
    tables = [grown, *moved]
    parts = [sorted_codes(pa_concat([table[name] for table in tables]))[1] for name in cells]
    group = number_rows(np.stack(parts, axis=1)) if len(parts[0]) else np.zeros(0, dtype=np.int64)
    texts, coded = sorted_codes(pa_concat([*(table[VALUE] for table in tables), here[VALUE]]))
    ends = np.cumsum([len(table) for table in tables])
    value = coded.astype(np.int64)
    entries, size = slice(0, ends[0]), int(group.max(initial=NONE)) + 1
    growth = grown[MANY].to_numpy().astype(np.int64)
    held = value[ends[2] :] != NONE
    totals = add_up(here[MANY].to_numpy().astype(np.int64)[held], value[ends[2] :][held], len(texts))
    how = np.repeat([1, -1], [len(table) for table in moved])
    people = np.stack([group[ends[0] : ends[2]], value[ends[0] : ends[2]], how], axis=1).astype(np.int64)
    if most is not None and len(people) > most:
        people = people[np.sort(run.rng("moved").permutation(len(people))[:most])]
    order = np.lexsort((value[entries], group[entries]))
    return Waves(group[entries][order].astype(np.int64), value[entries][order], growth[order], size, totals, people)


def _cells(data: Dataset, keys: tuple[str, ...], sensitive: str) -> nw.LazyFrame[Any]:
    import narwhals as nw

    data = data.genuine()
    texts = {f"_key{j}_": nw.col(name).cast(nw.String) for j, name in enumerate(keys)}
    return data.frame.select(
        nw.col(data.schema.key).cast(nw.String).alias(WHO), nw.col(sensitive).cast(nw.String).alias(VALUE), **texts
    )
