"""Whether a column that was left out can be computed from those that were not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.amount import in_steps
from schleier.core.component import listed
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run

DRAW, FEW, MOST = "_draw_", 10, 40
"""So many records are needed, and so many released columns are looked at for products and ratios."""


class Rebuildable(Measure):
    """Number of columns left out (or changed) whose values follow from released ones: linear, product or ratio.

    >>> Rebuildable().within
    0.01
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.1 Variablenunterdrückung (T01: must not be derivable)"
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"

    columns: tuple[str, ...] = ()
    """Numeric columns of the original to look at; all that were left out or changed when empty."""
    within: float = Field(default=0.01, gt=0, lt=1)
    """A value is rebuilt when it is met to within this share of itself."""
    share: float = Field(default=0.9, gt=0, le=1)
    """A column is rebuilt when so many of its values are."""
    records: int = Field(default=20_000, ge=100)
    """At most so many records, drawn at random, are looked at."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Nothing: the columns are those of the original, which a released schema may lack."""
        yield from ()

    def measure(self, case: Case, run: Run) -> Finding:
        """Try to compute each column that is gone from the released ones."""
        import numpy as np

        lost, kept, old, new = self._joined(case, run)
        rebuilt = dict[str, dict[str, Any]]()
        for i, name in enumerate(lost):
            held = np.isfinite(old[:, i])
            if (found := self._found(old[held, i], new[held], kept)) is not None:
                rebuilt[name] = found
        looked = "1 column was" if len(lost) == 1 else f"{len(lost)} columns were"
        text = f"{looked} left out or changed, and none of them can be computed from released columns."
        if rebuilt:
            text = f"{looked} left out or changed; {listed(list(rebuilt))} can be computed from released columns."
        detail = {"looked_at": list(lost), "rebuildable": rebuilt, "records": len(old)}
        return Finding(name=self.word(), value=float(len(rebuilt)), better=self.better, text=text, detail=detail)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Which columns, and from which; for how many records in steps."""
        rebuilt = in_steps(exact.detail["rebuildable"], int(exact.detail["records"]))
        return exact.model_copy(update={"detail": exact.detail | {"rebuildable": rebuilt}})

    def _joined(self, case: Case, run: Run) -> tuple[list[str], list[str], NDArray[np.float64], NDArray[np.float64]]:
        """Columns gone and columns released, and their amounts in the same records."""
        import narwhals as nw
        import numpy as np

        before, after = case.original.schema, case.released.schema
        lost = [c.name for c in before if c.numeric and (not self.columns or c.name in self.columns)]
        kept = [c.name for c in after if c.numeric]
        left = case.original.frame.select(
            _key_=nw.col(before.key), **{f"_old_{i}_": nw.col(n).cast(nw.Float64) for i, n in enumerate(lost)}
        )
        part = max(1.0, case.original.rows / self.records)
        drawn = run.draw(replace(case.original, frame=left), DRAW, "records", by="_key_")
        right = case.released.frame.select(
            _key_=nw.col(after.key), **{f"_new_{i}_": nw.col(n).cast(nw.Float64) for i, n in enumerate(kept)}
        )
        both = drawn.frame.filter(nw.col(DRAW) < 1 / part).join(right, on="_key_", how="inner")
        table = case.original.engine.arrays(both.sort("_key_"))

        def amounts(start: str, n: int) -> NDArray[np.float64]:
            columns = [table.column(f"_{start}_{i}_").to_numpy(zero_copy_only=False) for i in range(n)]
            return np.stack(columns, axis=1).astype(np.float64) if columns else np.zeros((len(table), 0))

        old, new = amounts("old", len(lost)), amounts("new", len(kept))
        same = [
            n in kept and np.array_equal(old[:, i], new[:, kept.index(n)], equal_nan=True) for i, n in enumerate(lost)
        ]
        gone = [i for i in range(len(lost)) if not same[i]]
        return [lost[i] for i in gone], kept, old[:, gone], new

    def _found(self, wanted: NDArray[np.float64], given: NDArray[np.float64], kept: list[str]) -> dict[str, Any] | None:
        """How a column can be computed; nothing when it cannot, or is the same for nearly everybody."""
        import numpy as np

        from schleier.kernels.inference.rebuilding import best_linear, best_product, hits

        usable = [i for i in range(given.shape[1]) if np.isfinite(given[:, i]).mean() > self.share]
        given, names = given[:, usable], [kept[i] for i in usable]
        whole = np.isfinite(given).all(axis=1)
        wanted, given = wanted[whole], given[whole]
        if len(wanted) < FEW or hits(wanted, np.full(len(wanted), np.median(wanted)), self.within) >= self.share:
            return None
        fitted, chosen = best_linear(wanted, given)
        if len(chosen) and (share := hits(wanted, fitted, self.within)) >= self.share:
            return {"how": "linear", "from": [names[i] for i in chosen], "share": round(share, 4)}
        share, how, places = best_product(wanted, given[:, :MOST], self.within)
        if share >= self.share:
            return {"how": how, "from": [names[i] for i in places], "share": round(share, 4)}
        return None
