"""How well numbers give records away: linkage by distance and by rank, intervals, and those far from the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.errors import Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema
from schleier.risk._linked_records import LEFT_OUT, LinkedFiles, link_files, links_by_record, number_matrix, told_share
from schleier.risk._outlier_groups import Apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run
    from schleier.kernels.linkage.nearest import Nearest

    Floats = NDArray[np.float64]


class OutlierRisk(Measure):
    """Share of persons whose nearest released record, by their true numbers, is their own.

    >>> OutlierRisk(columns=["turnover", "staff"], blocks=["industry"]).within
    0.05
    """

    reference: ClassVar[str] = (
        "Domingo-Ferrer, Torra (2001), A quantitative comparison of disclosure control methods for microdata; "
        "Mateo-Sanz, Sebé, Domingo-Ferrer (2004), Outlier protection in continuous microdata masking; "
        "Rousseeuw (1985), minimum covariance determinant"
    )
    example: ClassVar[dict[str, object]] = {"columns": ["income", "age"], "targets": 100}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"

    columns: tuple[str, ...] = ()
    """Columns of numbers the attacker knows exactly; all continuous ones but weights when empty."""
    blocks: tuple[str, ...] = ()
    """Columns in which a record must agree with the person to be looked at, such as the industry of a firm."""
    within: float = Field(default=0.05, gt=0, lt=1)
    """Half the width of the intervals around released values, as a share of the standard deviation and of all ranks."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 10_000
    """How many persons are looked for at most, drawn at random, or "all" that there are."""

    def numbers(self, schema: Schema) -> tuple[str, ...]:
        """The columns of numbers."""
        suit = (c.name for c in schema if c.scale == "continuous" and c.role not in LEFT_OUT)
        return tuple(dict.fromkeys(self.columns)) or tuple(suit)

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The numbers and the blocks."""
        return tuple(dict.fromkeys((*self.numbers(schema), *self.blocks)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be numbers, and they must be numbers."""
        yield from super().problems(schema)
        if not self.numbers(schema):
            hint = 'declare columns as "continuous", or name columns'
            yield Problem("no-numbers", "columns", "there is no column of continuous numbers", hint)
        for name in self.columns:
            if name in schema and not schema[name].numeric:
                message = f"column '{name}' is {schema[name].scale} in the release: one cannot compute with it"
                yield Problem("not-numeric", "columns", message, "leave it out, or name it under blocks")
        if both := [name for name in self.columns if name in self.blocks]:
            message = f"column '{both[0]}' cannot be compared by distance and have to agree as well"
            yield Problem("named-twice", "blocks", message, "name it under columns or under blocks")

    def measure(self, case: Case, run: Run) -> Finding:
        """Link everybody in two ways, look at the intervals, and at those far from the others."""
        old, new = case.original.schema, case.released.schema
        names = [n for n in self.numbers(new) if n in old and n in new and old[n].numeric and new[n].numeric]
        blocks = [n for n in self.blocks if n in new]
        sides = link_files(case, names, blocks, self.targets, run)
        names = list(sides.numbers)
        detail: dict[str, Any] = {"columns": names, "blocks": blocks, "compared": len(names) * bool(len(sides.chosen))}
        if not detail["compared"]:
            text = "There are no numbers by which records could be linked."
            return Finding(name=self.word(), value=0.0, better=self.better, text=text, detail=detail)
        ways = _nearest(sides)
        credits = {way: found.credit() for way, found in ways.items()}
        best = max(credits, key=lambda way: (float(credits[way].sum()), way == "distance"))
        found, original = credits[best], number_matrix(case.original, names)[1]
        apart = Apart.of(original, sides.released, names)
        detail |= {
            "records": len(sides.released),
            "targets": len(sides.chosen),
            "contained": int((sides.own >= 0).sum()),
            "way": best,
            "found_by_distance": float(credits["distance"].mean()),
            "found_by_rank": float(credits["rank"].mean()),
            "among_3": float(ways[best].among(3).mean()),
            "among_10": float(ways[best].among(10).mean()),
            "guess": sides.guess(),
            "within": self.within,
            **self._intervals(sides, names, original[sides.chosen]),
            **apart.details(sides.chosen, found),
        }
        if None not in (detail["outlier_low"], detail["rest_high"]) and detail["outlier_low"] > detail["rest_high"]:
            detail["cautions"] = ["outliers"]
        kept = {"found": found, "outlier": apart.before[sides.chosen]}
        run.keep_by_record(links_by_record(case, sides.keys, kept))
        share, low, high = told_share(found)
        ends = {"low": low, "high": high} if sides.drawn else {}
        return self.phrase(Finding(name=self.word(), value=share, better=self.better, text="", detail=detail, **ends))

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Nothing: experiments of the same report make almost the same links, and one link would tell two apart."""
        return exact if case.original is case.released else None

    def phrase(self, finding: Finding) -> Finding:
        """How many were found."""
        told = finding.detail
        text = (
            f"Of {told['targets']} persons looked for by {len(told['columns'])} true numbers, {finding.value:.2%} have "
            f"their own record as the nearest one (by {told['way']}); blind guessing finds {told['guess']:.4%}."
        )
        return finding.model_copy(update={"text": text}) if told["compared"] else finding

    def _intervals(self, sides: LinkedFiles, names: list[str], original: Floats) -> dict[str, Any]:
        """Original values near the released ones, column by column, and in all columns of a record at once."""
        import numpy as np

        from schleier.kernels.linkage.nearest import near_by_rank, near_by_spread

        there = sides.own >= 0
        old, new = original[there], sides.released[sides.own[there]]
        held = ~np.isnan(old)
        whole, told = np.asarray(held.all(axis=1)), dict[str, Any]()
        for way, near_by in (("near_by_sd", near_by_spread), ("near_by_rank", near_by_rank)):
            near = near_by(old, new, sides.released, self.within)
            told[way] = _share(near, held)
            told[f"all_{way}"] = _share(np.asarray(near.all(axis=1) & whole), whole)
            told[f"columns_{way}"] = {name: _share(near[:, j], held[:, j]) for j, name in enumerate(names)}
        return told


def _nearest(sides: LinkedFiles) -> dict[str, Nearest]:
    """The nearest records by distance, and by the distance of ranks."""
    from schleier.kernels.linkage.nearest import nearest, rank_values, scaled

    found = {}
    for way, both in (
        ("distance", (sides.released, sides.known)),
        ("rank", (rank_values(sides.released), rank_values(sides.known))),
    ):
        points, asked = scaled(*both)
        found[way] = nearest(points, asked[sides.chosen], sides.own, sides.block, sides.within[sides.chosen])
    return found


def _share(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else 0.0
