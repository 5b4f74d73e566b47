"""A crowd of persons some of whom took part: an attacker scores them all, the trustee alone knows who is who."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from schleier.core.classes.table import pa_concat, sorted_codes
from schleier.core.data import named
from schleier.core.trust.trustee import ALIAS, TARGET, draw_targets, harmonised

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.measure import Case
    from schleier.core.run import Run
    from schleier.kernels.linkage.penalties import Neighbours
    from schleier.kernels.statistics.roc import Curve

COUNT, TRUTH = "_n_", "_truth_"
NOBODY = -1


@dataclass(frozen=True)
class Crowd:
    """What an attacker gets, and what only the trustee knows of it, by the order of the targets."""

    released: Dataset
    known: Dataset
    """Persons who took part and others, with what is known of them, under aliases that do not tell which."""
    reference: Dataset | None
    """Further persons who took no part, of whom the attacker knows that."""
    records: int
    _member: NDArray[np.bool_] = field(repr=False)
    _own: NDArray[np.int64] = field(repr=False)
    """Place of a person's own record among those in the order of their aliases; -1 where there is none."""
    _alone: NDArray[np.bool_] = field(repr=False)
    """Whether nobody else, who took part or not, is known by the same values."""

    @property
    def members(self) -> int:
        """Persons asked about who took part."""
        return int(self._member.sum())

    @property
    def contained(self) -> int:
        """Those of them who have a record in the release."""
        return int((self._own >= 0).sum())

    @property
    def others(self) -> int:
        """Persons asked about who took no part."""
        return int((~self._member).sum())

    def without_own(self, near: Neighbours) -> Neighbours:
        """The nearest records of everybody as if a person's own one was not in the release; one rank less."""
        import numpy as np

        from schleier.kernels.linkage.penalties import Neighbours

        own = near.record == self._own[:, None]
        own &= self._own[:, None] != NOBODY
        # The own record goes, or the last one where it is not among them.
        own[~own.any(axis=1), -1] = True
        shape = (len(own), own.shape[1] - 1)
        distance, record = near.distance[~own].reshape(shape), near.record[~own].reshape(shape)
        tied = (distance == distance[:, :1]).sum(axis=1) if shape[1] else np.zeros(len(own), dtype=np.int64)
        return Neighbours(distance, record, tied)

    def curves(self, scores: NDArray[np.float64], without: NDArray[np.float64] | None = None) -> dict[str, Curve]:
        """Members against others: of everybody, of those alone with their values, and of the repeated ones.

        Where there are no others, members are compared with themselves ``without`` their records.
        """
        import numpy as np

        from schleier.kernels.statistics.roc import Curve

        kinds = {"all": np.ones(len(scores), dtype=np.bool_), "unique": self._alone, "repeated": ~self._alone}
        if without is not None:
            return {name: Curve(scores[self._member & of], without[self._member & of]) for name, of in kinds.items()}
        return {name: Curve(scores[self._member & of], scores[~self._member & of]) for name, of in kinds.items()}


def crowd_of(case: Case, columns: tuple[str, ...], targets: int | None, run: Run, *, referring: bool) -> Crowd:
    """Draw members and, from the control, as many others; with ``referring`` half of the control is for reference."""
    import narwhals as nw
    import numpy as np
    import pyarrow as pa

    engine, names = case.released.engine, case.released.schema.names
    true = nw.col(case.released.schema.key).cast(nw.String).alias(TRUTH)
    aliased = engine.keep(run.draw(case.released, ALIAS, "alias").frame.select(ALIAS, true, *names))
    chosen = draw_targets(case.original, targets, run)
    known = harmonised(chosen, case.steps, columns, run)
    truth = engine.arrays(chosen.frame.select(TARGET, true)).sort_by(TARGET)[TRUTH]
    mine = _drawn(known, columns).append_column(TRUTH, truth)
    tables, reference = [mine], None
    if case.control is not None:
        half = case.control.rows // 2 if referring else 0
        most = case.control.rows - half if targets is None else min(targets, case.control.rows - half)
        with run.within(f"{run.step} outsiders"):  # or else row keys that both files have would have one alias
            drawn = _drawn(harmonised(draw_targets(case.control, half + most, run), case.steps, columns, run), columns)
        others = drawn.slice(half)
        tables.append(others.append_column(TRUTH, pa.nulls(len(others), pa.string())))
        reference = _read(known, drawn.slice(0, half)) if referring else None
    people = pa.concat_tables(tables, promote_options="permissive").sort_by(TARGET)
    records = engine.arrays(aliased.select(ALIAS, TRUTH)).sort_by(ALIAS)[TRUTH].combine_chunks()
    everybody = _read(known, people.select([TARGET, *columns]))
    return Crowd(
        released=case.released.reframed(aliased.select(ALIAS, *names)),
        known=everybody,
        reference=reference,
        records=len(records),
        _member=np.asarray(people[TRUTH].is_valid().to_numpy()),
        _own=_places(people[TRUTH], records),
        _alone=_alone(case, everybody, columns, run),
    )


def _drawn(people: Dataset, columns: tuple[str, ...]) -> pa.Table:
    """Persons in the order of their aliases."""
    return people.engine.arrays(people.frame.select(TARGET, *columns)).sort_by(TARGET)


def _read(like: Dataset, table: pa.Table) -> Dataset:
    from schleier.core.engine import Source

    return replace(like, frame=like.engine.read(Source(table)))


def _places(who: pa.ChunkedArray, where: pa.Array) -> NDArray[np.int64]:
    import numpy as np
    import pyarrow.compute as pc

    found = pc.index_in(who.combine_chunks(), value_set=where, skip_nulls=True)
    result: NDArray[np.int64] = found.fill_null(NOBODY).to_numpy(zero_copy_only=False).astype(np.int64)
    return result


def _alone(case: Case, people: Dataset, columns: tuple[str, ...], run: Run) -> NDArray[np.bool_]:
    """Who is the only one known by his values among all who took part and all of the control."""
    import narwhals as nw
    import numpy as np

    from schleier.kernels.classes.coding import add_up, number_rows

    texts: dict[str, Any] = {f"_key{i}_": nw.col(name).cast(nw.String) for i, name in enumerate(columns)}
    asked = people.engine.arrays(people.frame.select(TARGET, *named(texts))).sort_by(TARGET)
    tables = []
    for everybody in filter(None, (case.original, case.control)):
        known = harmonised(everybody, case.steps, columns, run)
        groups = known.frame.select(*named(texts)).group_by(*texts).agg(**{COUNT: nw.len()})
        tables.append(everybody.engine.arrays(groups))
    parts = [pa_concat([asked[name], *(table[name] for table in tables)]) for name in texts]
    group = number_rows(np.stack([sorted_codes(part)[1] for part in parts], axis=1))
    often = np.concatenate([np.zeros(len(asked), dtype=np.int64), *(table[COUNT].to_numpy() for table in tables)])
    total = add_up(often, group, int(group.max(initial=-1)) + 1)
    return np.asarray(total[group[: len(asked)]] <= 1)
