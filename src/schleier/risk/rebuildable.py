"""Whether a column that was left out, made coarser or blanked comes back through those that were not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.component import listed
from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema
from schleier.core.trust.coarse import share_of
from schleier.kernels.inference.guesses import gain
from schleier.risk._side_by_side import Cells, SideBySide, side_by_side

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run

FEW, MOST, TEXTS = 10, 40, 500
"""So many records are needed; so many released columns are looked at for formulas, and records for their wording."""
CLEARLY = 0.5
"""Part of what the blind guess misses that must be right: else a column that is nearly the same for all comes back."""


class Rebuildable(Measure):
    """Number of columns left out (or changed) whose values follow from released ones: by a guess or by a formula.

    >>> Rebuildable().within
    0.01
    """

    reference: ClassVar[str] = "Höhne (2010), 2.1.1 Variablenunterdrückung (T01: must not be derivable)"
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"

    columns: tuple[str, ...] = ()
    """Columns of the original to look at; all that were left out or changed when empty."""
    within: float = Field(default=0.01, gt=0, lt=1)
    """A number is computed when a formula meets it to within this share of itself."""
    share: float = Field(default=0.9, gt=0, le=1)
    """A column comes back when so many of its hidden values do, and clearly more than without the released columns."""
    records: int = Field(default=20_000, ge=100)
    """At most so many records, drawn at random, are looked at; fewer where there are many columns."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Nothing: the columns are those of the original, which a released schema may lack."""
        yield from ()

    def measure(self, case: Case, run: Run) -> Finding:
        """Try to guess and to compute each column that is gone from the released ones."""
        found = side_by_side(case, run, self.columns, self.records)
        old, new = case.original.schema, case.released.schema
        sources = [n for n in found.after if (old[n].role != "unit" if n in old else new[n].role == "weight")]
        best = {name: told for name in found.before if (told := self._best(found, name, sources)) is not None}
        back = {name: told for name, told in best.items() if self._clear(told)}
        detail = {"looked_at": [*found.before], "rebuildable": back, "columns": best, "records": len(found.learned)}
        return self.phrase(Finding(name=self.word(), value=0.0, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """How many columns come back, and which."""
        lost, back = finding.detail["looked_at"], finding.detail["rebuildable"]
        looked = "1 column was" if len(lost) == 1 else f"{len(lost)} columns were"
        text = f"{looked} left out or changed, and none of them comes back through released columns."
        if back:
            come = "comes" if len(back) == 1 else "come"
            text = f"{looked} left out or changed; {listed(list(back))} {come} back through released columns."
        return finding.model_copy(update={"value": float(len(back)), "text": text})

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Which columns, and from which; for how many of the hidden values in steps, and of few of them nothing."""
        back: dict[str, Any] = exact.detail["rebuildable"]
        detail = {name: part for name, part in exact.detail.items() if name != "columns"}
        detail["rebuildable"] = {
            name: {
                part: share_of(one, told["tried"]) if isinstance(one, float) else one
                for part, one in told.items()
                if part != "tried"
            }
            for name, told in back.items()
            if share_of(told["share"], told["tried"]) is not None
        }
        return self.phrase(exact.model_copy(update={"detail": detail}))

    def _clear(self, told: dict[str, Any]) -> bool:
        return bool(told["share"] >= self.share and told["gain"] >= CLEARLY)

    def _best(self, found: SideBySide, name: str, sources: list[str]) -> dict[str, Any] | None:
        """The way in which most hidden values come back, formulas first: they tell values exactly."""
        if found.hidden[name].sum() < FEW:
            return None
        ways = [self._computed(found, name), self._guessed(found, name, sources), self._worded(found, name, sources)]
        told = [way for way in ways if way is not None]
        clear = next((way for way in told if self._clear(way)), None)
        return clear or max(told, key=lambda way: way["gain"], default=None)

    def _guessed(self, found: SideBySide, name: str, sources: list[str]) -> dict[str, Any] | None:
        """By columns that were in the original, and new weights: what else steps made anew they made on purpose."""
        import numpy as np

        from schleier.kernels.inference.held_out import Hidden, best_guess

        cells, gone = found.before[name], found.hidden[name]
        wanted: NDArray[Any] = cells.numbers if cells.is_number else cells.codes
        known = np.isfinite(wanted) if cells.is_number else wanted > 0
        tried = gone & known & ~found.learned
        if tried.sum() < FEW:
            return None
        own = found.after[name].codes if name in found.after else None
        names = [source for source in sources if source != name]
        guess = best_guess(Hidden(wanted, known & ~tried, tried, own), [found.after[one].codes for one in names])
        return _told("guess", [names[i] for i in guess.places], guess.share, guess.blind, int(tried.sum()))

    def _computed(self, found: SideBySide, name: str) -> dict[str, Any] | None:
        """By a formula; numbers that steps made are among what it is computed from."""
        import numpy as np

        from schleier.kernels.inference.rebuilding import best_linear, best_product, hits

        if not found.before[name].is_number:
            return None
        gone = found.hidden[name]
        wanted = found.before[name].numbers[gone]
        given = {one: cells.numbers[gone] for one, cells in found.after.items() if one != name and cells.is_number}
        usable = [one for one, numbers in given.items() if np.isfinite(numbers).mean() > self.share]
        table = np.stack([given[one] for one in usable], axis=1) if usable else np.zeros((len(wanted), 0))
        whole = np.isfinite(table).all(axis=1) & np.isfinite(wanted)
        wanted, table = wanted[whole], table[whole]
        if len(wanted) < FEW:
            return None
        own = found.after[name].numbers[gone][whole] if name in found.after else wanted * np.nan
        blind = max(hits(wanted, np.full(len(wanted), np.median(wanted)), self.within), hits(wanted, own, self.within))
        formula = best_linear(wanted, table[:, :MOST], self.within, self.share)
        if formula.share < self.share:
            formula = best_product(wanted, table[:, :MOST], self.within, self.share)
        names = [usable[i] for i in formula.places]
        told = _told(formula.how, names, formula.share, blind, len(wanted))
        return told and told | {"formula": formula.text.format(*names)}

    def _worded(self, found: SideBySide, name: str, sources: list[str]) -> dict[str, Any] | None:
        """By a text that holds the hidden one, or a part of it; blindly: by that of the next record."""
        import numpy as np

        from schleier.kernels.inference.wording import contained

        if not found.before[name].is_text:
            return None
        rows = np.flatnonzero(found.hidden[name])[:TEXTS]
        wanted, best = _texts(found.before[name], rows), None
        for one in (one for one in sources if one != name and found.after[one].is_text):
            given = _texts(found.after[one], rows)
            told = _told("text", [one], contained(wanted, given), contained(wanted, np.roll(given, 1)), len(rows))
            best = max((way for way in (best, told) if way), key=lambda way: way["gain"], default=None)
        return best


def _texts(cells: Cells, rows: NDArray[np.int64]) -> NDArray[np.str_]:
    import numpy as np
    import pyarrow as pa

    # What is no text, from a frame that says it is, is spelt somehow; an error would quote it.
    raw = cells.values.take(pa.array(rows)).fill_null("").cast(pa.binary()).to_pylist()
    return np.asarray([text.decode(errors="replace") for text in raw], dtype=np.str_)


def _told(how: str, sources: list[str], share: float, blind: float, tried: int) -> dict[str, Any] | None:
    if not sources or share <= blind:
        return None
    shares = {"share": share, "blind": blind, "gain": gain(share, blind)}
    return {"how": how, "from": sources, **{part: round(one, 4) for part, one in shares.items()}, "tried": tried}
