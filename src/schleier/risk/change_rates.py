"""How often each column differs between two records of the same person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from schleier.core.errors import DataError, Problem
from schleier.core.measure import Better, Case, Finding, Measure
from schleier.core.schema import Schema
from schleier.risk._original import known_columns
from schleier.risk._true_pairs import TruePairs, of_known, of_release
from schleier.risk.compatibility import changed_counts, consequences

if TYPE_CHECKING:
    from schleier.core.run import Run


class ChangeRates(Measure):
    """Average share of columns in which two records of the same person differ, and the rate of each column.

    >>> ChangeRates(columns=["age"], between="knowledge").between
    'knowledge'
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche, Wirth et al. (1991), 4.3, Table 4.3 (test and retest)"
    example: ClassVar[dict[str, object]] = {}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"
    better: ClassVar[Better] = "higher"
    compares: ClassVar[bool] = True

    out_of: ClassVar[str] = "pairs"
    tries: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("rates", "independent", "together", "expected", "without_worst"), "pairs"),
        **dict.fromkeys(("identical", "identical_share", "columns"), "pairs"),
        **dict.fromkeys(("worst", "spread"), ""),
    }

    columns: tuple[str, ...] = ()
    """Columns to compare; all quasi-identifiers of both files when empty."""
    between: Literal["release", "knowledge"] = "release"
    """Original and release (what the steps changed), or the files ``[data] known`` and original (errors of both)."""
    missing: Literal["category", "wildcard"] = "category"
    """A value against a gap differs (category), or counts as the same (wildcard)."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The columns."""
        return self.columns or schema.quasi

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be columns to compare."""
        yield from super().problems(schema)
        if not self.uses(schema):
            yield Problem("no-columns", "columns", "there is no column to compare", "name columns")

    def measure(self, case: Case, run: Run) -> Finding:
        """Compare true pairs column by column; only counts are told."""
        pairs = self._true_pairs(case, run)
        rates = {name: pairs.rate(name, self.missing) for name in pairs.changes}
        value = sum(rate.share for rate in rates.values()) / len(rates) if rates else 0.0
        low, high = pairs.identical.interval()
        detail = {
            **consequences({name: rate.share for name, rate in rates.items()}),
            "between": self.between,
            "pairs": pairs.pairs,
            "n": len(rates),
            "identical": {"share": pairs.identical.share, "low": low, "high": high},
            "identical_share": pairs.identical.share,
            "spread": list(pairs.spread),
            "not_compared": [name for name in self.uses(case.released.schema) if name not in rates],
            "columns": {name: changed_counts(pairs, name, self.missing) for name in rates},
        }
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail))

    def phrase(self, finding: Finding) -> Finding:
        """How many have the same values, and how often a column differs."""
        told = finding.detail
        text = (
            f"Of {told['pairs']} persons {told['identical_share']:.2%} have the same values in all {told['n']} "
            f"columns; a column differs for {finding.value:.2%} of them on average."
        )
        return finding.model_copy(update={"text": text})

    def _true_pairs(self, case: Case, run: Run) -> TruePairs:
        if self.between == "knowledge":
            if case.known is None:
                hint = 'name the files under [data]: known = "...", truth = "..."'
                raise DataError(Problem("no-knowledge", "data", "there is no file of what an attacker knows", hint))
            wanted = [name for name in self.uses(case.original.schema) if self.columns or name in case.known.schema]
            return of_known(case, case.original, wanted, self.missing, run, recoded=False)
        return of_release(case, known_columns(self.uses(case.released.schema), case.original.schema), self.missing)
