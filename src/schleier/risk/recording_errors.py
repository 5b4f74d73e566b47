"""Whose error a difference is, where the same was recorded three times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import model_validator

from schleier.core.data import tally
from schleier.core.measure import Better, Case, Finding, Measure
from schleier.core.pairs import same_cells
from schleier.core.schema import Schema

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.run import Run


class RecordingErrors(Measure):
    """Share of persons recorded differently in one of three columns, and which source is to blame.

    The source recorded once errs where both waves of the other agree against it; the other errs where one wave is
    against both. Where all three differ it is divided as the clear cases are.

    >>> RecordingErrors(single="job_census", waves=["job_1", "job_2"]).waves
    ('job_1', 'job_2')
    """

    reference: ClassVar[str] = "Müller, Blien, Knoche, Wirth et al. (1991), 4.3, Table 4.4 (census and microcensus)"
    example: ClassVar[dict[str, object]] = {"single": "schooling", "waves": ["sex", "disease"]}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"
    better: ClassVar[Better] = "higher"

    single: str
    """The column of the source that recorded persons once."""
    waves: tuple[str, str]
    """The two columns of the source that recorded them twice."""

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if len({self.single, *self.waves}) < 3:
            raise ValueError("single and waves must be three columns")
        return self

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The three columns."""
        return (self.single, *self.waves)

    def measure(self, case: Case, run: Run) -> Finding:
        """Count, in the released file, which of the three differs."""
        import narwhals as nw

        from schleier.kernels.linkage.retest import attributed
        from schleier.kernels.statistics.trials import Trials

        data = case.released.genuine()
        types = data.frame.collect_schema()
        once, one, two = (nw.col(name) for name in self.uses(data.schema))
        first, second, waves = (
            same_cells(*pair, types)
            for pair in ((self.single, self.waves[0]), (self.single, self.waves[1]), self.waves)
        )
        gap, gap_one, gap_two = once.is_null(), one.is_null(), two.is_null()
        complete = ~(gap | gap_one | gap_two)
        patterns: dict[str, nw.Expr] = {
            "by_single": complete & waves & ~first,
            "by_wave": complete & ~waves & (first | second),
            "undecided": complete & ~waves & ~first & ~second,
            "missing_single": gap & ~(gap_one & gap_two),
            "missing_wave": ~gap & (gap_one | gap_two),
        }
        sums = data.totals(persons=nw.len(), **{name: tally(each) for name, each in patterns.items()})
        counts = {name: int(count or 0) for name, count in sums.items()}
        found = attributed(**counts)
        off = Trials(sum(counts.values()) - counts["persons"], counts["persons"])
        low, high = off.interval()
        detail: dict[str, Any] = {
            "single_column": self.single,
            "wave_columns": list(self.waves),
            "persons": found.persons,
            "deviating": found.deviating,
            "single": found.single,
            "repeated": found.repeated,
            "missing_single": found.missing_single,
            "missing_repeated": found.missing_repeated,
            "all_differ": counts["undecided"] / max(found.persons, 1),
        }
        told = Finding(
            name=self.word(), value=off.share, low=low, high=high, better=self.better, text="", detail=detail
        )
        return self.phrase(told)

    def phrase(self, finding: Finding) -> Finding:
        """How many differ, and by whose error."""
        told = finding.detail
        text = (
            f"{finding.value:.2%} of {told['persons']} persons are not recorded alike three times: "
            f"{told['single']:.2%} by an error of '{self.single}', {told['repeated']:.2%} by one of "
            f"'{self.waves[0]}' or '{self.waves[1]}', the others by gaps."
        )
        return finding.model_copy(update={"text": text})
