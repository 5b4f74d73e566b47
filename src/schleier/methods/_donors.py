"""Records that give values to others, whatever the type of the values: only row keys travel through a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from schleier.core.errors import InfeasibleError, stop

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.engine import Arrays

Choice = Callable[["Arrays"], "NDArray[np.int64]"]
"""Takes the columns of one group, returns for each record the places of its donors: one column per donor."""


def donated(
    data: Dataset,
    by: Sequence[str],
    choose: Choice,
    parts: Sequence[Sequence[str]],
    given: Sequence[str],
) -> Dataset:
    """Every record with the columns of each part taken from the donor chosen for it, group by group.

    ``choose`` sees the columns ``given``. The place -1 says that a record keeps its own values.
    """
    import narwhals as nw

    key, names = data.schema.key, data.frame.collect_schema().names()
    whole = data.frame.collect_schema()[key].is_integer()
    donors = [f"_donor_{i}_" for i in range(len(parts))]
    kind = nw.Int64() if whole else nw.String()

    def kernel(arrays: Arrays) -> Arrays:
        import numpy as np

        places, own = choose(arrays), np.arange(len(arrays[donors[0]]))
        found = {}
        for i, donor in enumerate(donors):
            found[donor] = arrays[donor][np.where(places[:, i] < 0, own, places[:, i])]
        return found

    marked = data.mutate(**{donor: nw.col(key).cast(kind) for donor in donors}).kept()
    chosen = marked.map_groups(list(by), kernel, dict.fromkeys(donors, kind), list(given))
    frame = chosen.frame
    for donor, part in zip(donors, parts, strict=True):
        fresh = {f"_new_{i}_": nw.col(name) for i, name in enumerate(part)}
        giver = marked.frame.select(_from_=nw.col(key).cast(kind), **fresh)
        frame = frame.join(giver, left_on=donor, right_on="_from_", how="left")
        renamed = (nw.col(new).alias(name) for name, new in zip(part, fresh, strict=True))
        frame = frame.with_columns(*renamed).drop(*fresh)
    return replace(data, frame=frame.select(*(nw.col(name) for name in names)))


def refuse_small(data: Dataset, strata: Sequence[str], least: int) -> None:
    """Stop when a stratum holds fewer records than needed; a table without rows has no strata."""
    import narwhals as nw

    sizes = data.grouped(list(strata), {"_n_": nw.len()}).column("_n_").to_pylist()
    small = sum(0 < size < least for size in sizes)
    if small:
        who = f"{small} of {len(sizes)} strata hold" if strata else "the file holds"
        message = f"{who} fewer than {least} records: there is nobody to take values from"
        stop(InfeasibleError, "stratum-too-small", "strata", message, "merge strata, or leave some columns out of them")
