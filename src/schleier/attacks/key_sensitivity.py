"""Sensitivity of keys: how many more are found, and how small classes become, when one column more or less is known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Self

from schleier.attacks._possible import possible_columns
from schleier.core.attack import Attack
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.answer import Answer, Claims
from schleier.core.trust.blocks import middle_of
from schleier.core.trust.coarse import USUAL, Openness, hide_presence, share_of, tell_coarsely
from schleier.core.trust.sides import Numbers, Sides, sides_of
from schleier.core.trust.trustee import ALIAS, SET, TARGET, Trustee, knowable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

MANY = 300_000
"""Records up to which it is tried without being asked for."""
MOST = 30
"""Further columns that are added, one by one and in pairs."""


class KeySensitivity(Attack):
    """Claim a record when it is the only one that a target could be, with one known column less, one more, two more.

    >>> KeySensitivity(known=["age", "sex"]).further
    ()
    """

    reference: ClassVar[str] = (
        "Kneuper (2025), what k-anonymity protects (K-043): a wrong list of quasi-identifiers voids it"
    )
    example: ClassVar[dict[str, object]] = {
        "known": ["age", "sex", "region"],
        "further": ["schooling", "born"],
        "targets": 100,
    }
    openness: ClassVar[Openness] = USUAL | Openness(
        frozenset({"further", "k", "k_without", "k_with", "smallest_pair", "k_pair"})
    )
    released_detail: ClassVar[tuple[str, ...]] = ("k", "k_without", "k_with", "smallest_pair", "k_pair")

    further: tuple[str, ...] = ()
    """Columns that an attacker may know after all; when empty all other released ones that say something, up to 30."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Whatever was done, where every pair can be looked at in seconds."""
        small = 0 < case.released.rows <= MANY
        return [cls()] if small and knowable(case, case.released.schema.quasi) else []

    def added(self, schema: Schema) -> tuple[str, ...]:
        """The columns that are added."""
        own = self.keys(schema)
        others = (c.name for c in schema if (c.role in ("quasi", "sensitive") or c.is_open) and c.scale != "text")
        return tuple(name for name in (self.further or others) if name not in own)[:MOST]

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The known and the further columns."""
        return tuple(dict.fromkeys((*self.keys(schema), *self.further)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """What is known already cannot be added."""
        yield from super().problems(schema)
        for name in self.further:
            if name in self.keys(schema):
                message = f"column '{name}' is known already and cannot be added"
                yield Problem("known-already", "further", message, "name other columns")

    def columns(self, case: Case) -> tuple[str, ...]:
        """The known columns, then those that are added."""
        more = self.added(case.released.schema)
        held = case.known.schema.names if self.knowledge == "file" and case.known is not None else more
        return (*super().columns(case), *(name for name in knowable(case, more) if name in held))

    def claim(self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run) -> Claims:
        """What is claimed by the known columns alone."""
        sides = sides_of(released, known, columns, "anything")
        count, record = self._sole(sides, columns)
        who = (count[:, 0] == 1).nonzero()[0]
        return sides.claims(released, who, record[who, 0])

    def tried(self, trustee: Trustee, case: Case, run: Run) -> tuple[Answer, dict[str, Any]]:
        """The answer for the known columns, and for the holder what each set of columns finds."""
        import numpy as np
        import pyarrow as pa

        from schleier.core.engine import Source

        columns = self.columns(case)
        own = len(super().columns(case))
        sides = sides_of(trustee.released, trustee.known, columns, "anything")
        count, record = self._sole(sides, columns, own)
        who, which = np.nonzero(count == 1)
        claims = {
            SET: pa.array(which.astype(np.int64)),
            TARGET: sides.targets.take(pa.array(who)),
            ALIAS: sides.records.take(pa.array(record[who, which])),
        }
        right = trustee.answers(trustee.released.engine.read(Source(pa.table(claims))))
        judged = [right.get(s, (0, 0)) for s in range(count.shape[1])]
        first = which == 0
        answer = trustee.answer(sides.claims(trustee.released, who[first], record[who[first], 0]).pairs)
        return answer, _told(columns, own, judged, len(sides.targets), _smallest(sides, columns, own))

    def _sole(
        self, sides: Sides, columns: tuple[str, ...], own: int | None = None
    ) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        from schleier.kernels.linkage.possible import sole_records

        found = sole_records(possible_columns(sides, columns), len(columns) if own is None else own)
        return found.count, found.record

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Of sets of columns only how many claims they make: two sets with a claim in common but one would judge it.

        Which column tells most is told by these claims, where the steps show it.
        """
        told, detail = tell_coarsely(hide_presence(exact) or exact, self.openness), exact.detail
        targets, public = int(detail["targets"]), dict(told.detail)
        less, more = ([_openly(one, targets) for one in detail[f"claims_{part}"]] for part in ("without", "with"))
        public |= {"claims_without_share": less, "claims_with_share": more}
        public["most_telling"] = _farthest(detail["known"], less, -1)
        public["most_dangerous"] = _farthest(detail["further"], more, 1)
        return self.phrase(told.model_copy(update={"detail": public}))


def _openly(claims: int, targets: int) -> float | None:
    """Of how many targets a set of columns claims something, in steps."""
    return share_of(middle_of(claims, targets) / targets, targets) if targets else None


def _farthest(names: list[str], shares: list[float | None], sign: int) -> str | None:
    """The column whose share is the largest (or smallest); none where there is no telling."""
    known = [sign * one for one in shares if one is not None]
    if len(names) < 2 or len(known) < len(names) or known.count(max(known)) > 1:
        return None
    return names[known.index(max(known))]


def _told(
    columns: tuple[str, ...], own: int, judged: list[tuple[int, int]], targets: int, k: list[int]
) -> dict[str, Any]:
    """Shares found and smallest classes, in the order of the columns."""
    claims, found = [one for one, _ in judged], [right / max(targets, 1) for _, right in judged]
    known, further = list(columns[:own]), list(columns[own:])
    pairs = list(combinations(further, 2))
    singles, twos = slice(1 + own, 1 + own + len(further)), slice(1 + own + len(further), None)
    less, more = found[1 : 1 + own], found[singles]
    detail: dict[str, Any] = {
        "known": known,
        "further": further,
        "found_without": less,
        "found_with": more,
        "claims_without": claims[1 : 1 + own],
        "claims_with": claims[singles],
        "most_telling": known[less.index(min(less))],
        "most_dangerous": further[more.index(max(more))] if further else None,
        "k": k[0],
        "k_without": k[1 : 1 + own],
        "k_with": k[singles],
    }
    if pairs:
        best, smallest = max(found[twos]), min(k[twos])
        detail |= {
            "telling_pair": list(pairs[found[twos].index(best)]),
            "found_with_pair": best,
            "smallest_pair": list(pairs[k[twos].index(smallest)]),
            "k_pair": smallest,
        }
    return detail


def _smallest(sides: Sides, columns: tuple[str, ...], own: int) -> list[int]:
    """The smallest number of released records alike, for the same sets of columns; a gap is a value."""
    import numpy as np

    from schleier.kernels.classes.coding import number_rows

    codes = []
    for name in columns:
        column = sides.columns[name]
        if isinstance(column, Numbers):
            ends = np.column_stack([np.unique(one, return_inverse=True)[1] for one in (column.low, column.high)])
            codes.append(number_rows(ends.astype(np.int32)))
        else:
            codes.append(column.cells.astype(np.int64))
    known, further = list(range(own)), list(range(own, len(columns)))

    def least(*some: int) -> int:
        rows = (
            np.column_stack([codes[j] for j in some]).astype(np.int32) if some else np.zeros((len(codes[0]), 1), "i4")
        )
        return int(np.bincount(number_rows(rows)).min()) if len(rows) else 0

    less = [least(*(one for one in known if one != j)) for j in known]
    every = number_rows(np.column_stack([codes[j] for j in known]).astype(np.int32)) if known else codes[0]
    codes.append(every)
    whole = len(codes) - 1
    more = [least(whole, j) for j in further]
    return [least(whole), *less, *more, *(least(whole, i, j) for i, j in combinations(further, 2))]
