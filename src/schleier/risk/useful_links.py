"""The two-stage measure: who finds the right record, and are its values then worth having (Höhne 6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.component import listed
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding, Measure
from schleier.core.schema import Schema
from schleier.risk._linked_records import LEFT_OUT, link_files, links_by_record, numbers_by_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schleier.core.run import Run


class UsefulLinks(Measure):
    """Share of correct links times the share of useful values among them.

    >>> UsefulLinks(known=["staff", "industry"], columns=["turnover"]).within
    0.05
    """

    reference: ClassVar[str] = (
        "Höhne (2010), L413 and L2165-L2171 (6.2: two stages, f = 5 %, p = 90 %); Höhne, Sturm, Vorgrimler (2003), "
        "Konzept zur Beurteilung der Schutzwirkung von faktischer Anonymisierung"
    )
    example: ClassVar[dict[str, object]] = {"known": ["age", "sex"], "targets": 100}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"

    known: tuple[str, ...] = ()
    """Columns the attacker knows, numbers by distance and all others exactly; all quasi-identifiers when empty."""
    columns: tuple[str, ...] = ()
    """Columns of numbers he wants to learn; all but the known ones, weights and units when empty."""
    within: float = Field(default=0.05, gt=0, lt=1)
    """A value is useful when it is off by at most this share of the true one (f of the source)."""
    share: float = Field(default=0.9, gt=0, le=1)
    """A file is worth an attack when so many of the values it yields are useful (p of the source)."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 10_000
    """How many persons are looked for at most, drawn at random, or "all" that there are."""

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """What the attacker knows."""
        return tuple(dict.fromkeys(self.known)) or schema.quasi

    def wanted(self, schema: Schema) -> tuple[str, ...]:
        """What he wants to learn."""
        held = self.keys(schema)
        suit = (c.name for c in schema if c.numeric and c.role not in LEFT_OUT and c.name not in held)
        return tuple(dict.fromkeys(self.columns)) or tuple(suit)

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """Known and wanted columns."""
        return tuple(dict.fromkeys((*self.keys(schema), *self.wanted(schema))))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Something must be known, and something else be worth knowing."""
        yield from super().problems(schema)
        if not self.keys(schema):
            hint = 'give columns the role "quasi", or name the known ones'
            yield Problem("no-keys", "known", "the attacker knows nothing", hint)
        if not self.wanted(schema):
            hint = "name columns of numbers that are released and not known"
            yield Problem("no-numbers", "columns", "there is no column of numbers to be learned", hint)
        for name in self.columns:
            if name in schema and not schema[name].numeric:
                message = f"column '{name}' is {schema[name].scale} in the release: being near to it means nothing"
                yield Problem("not-numeric", "columns", message, "leave it out; attribute_inference tells of words")
        if both := [name for name in self.columns if name in self.keys(schema)]:
            hint = "leave it out of columns"
            yield Problem("named-twice", "columns", f"known already: {listed(both)}", hint)

    def measure(self, case: Case, run: Run) -> Finding:
        """Link, then look at the values of what was linked."""
        import numpy as np

        from schleier.kernels.linkage.nearest import nearest, scaled
        from schleier.kernels.statistics.trials import Trials

        old, new = case.original.schema, case.released.schema
        from_file = case.known is not None and case.truth is not None
        known = self._known(case, from_file=from_file)
        wanted = [n for n in self.wanted(new) if n in old and n in new and old[n].numeric and new[n].numeric]
        sides = link_files(case, known, (), self.targets, run, from_file=from_file)
        detail: dict[str, Any] = {"known": known, "columns": wanted, "knowledge": "file" if from_file else "exact"}
        detail["compared"] = len(wanted) if len(sides.chosen) and known else 0
        if not detail["compared"]:
            text = "There is nobody to look for, or no number to be learned."
            return Finding(name=self.word(), value=0.0, better=self.better, text=text, detail=detail)
        points, asked = scaled(sides.released, sides.known)
        near = nearest(points, asked[sides.chosen], sides.own, sides.block, sides.within[sides.chosen])
        picks = near.pick(run.rng("ties").random(len(sides.chosen)))
        true = numbers_by_key(case.original, wanted, sides.keys)
        shown = np.vstack(
            [numbers_by_key(case.released, wanted, sides.release_keys), np.full((1, len(wanted)), np.nan)]
        )
        links = Links(picks, sides.own, true, shown[picks], shown[sides.own], self.within)
        detail |= {"records": len(sides.released), "targets": len(picks), "guess": sides.guess(), "within": self.within}
        detail |= links.details(wanted, self.share)
        value = detail["found"] * detail["useful"]
        run.keep_by_record(
            links_by_record(case, sides.keys, {"found": links.right.astype(float), "useful": links.by_record()})
        )
        low, high = Trials(round(value * len(picks)), len(picks)).interval()
        ends = {"low": low, "high": high} if sides.drawn or (near.tied > 1).any() else {}
        return self.phrase(Finding(name=self.word(), value=value, better=self.better, text="", detail=detail, **ends))

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Nothing: experiments of the same report make almost the same links, and one link would tell two apart."""
        return exact if case.original is case.released else None

    def phrase(self, finding: Finding) -> Finding:
        """How many links are right, and what they are worth."""
        told = finding.detail
        if not told["compared"]:
            return finding
        text = f"Of {told['targets']} persons looked for, {told['found']:.2%} were linked rightly"
        if told["useful"] is None:  # too few links are right
            return finding.model_copy(update={"text": f"{text}."})
        worth = f"{told['useful']:.2%} of the values learned from these links are off by at most {self.within:.2%}"
        return finding.model_copy(update={"text": f"{text}, and {worth}: {finding.value:.2%} in all."})

    def _known(self, case: Case, *, from_file: bool) -> list[str]:
        """The columns he knows; one asked for by name must be in his file if he holds one."""
        names = [name for name in self.keys(case.released.schema) if name in case.released.schema]
        if not from_file or case.known is None:  # who knows a person exactly knows also what a step made of it
            return names
        absent = [name for name in names if name not in case.known.schema]
        if self.known and absent:
            message = f"the file of known persons has no column {listed(absent)}"
            raise DataError(Problem("unknown-column", "known", message))
        return [name for name in names if name not in absent]


@dataclass(frozen=True)
class Links:
    """One link for each target, and the values of both files; nan is a gap."""

    picks: NDArray[np.int64]
    own: NDArray[np.int64]
    true: NDArray[np.float64]
    """The true values of each target."""
    shown: NDArray[np.float64]
    """The released values of the record he was linked to."""
    released: NDArray[np.float64]
    """The released values of his own record."""
    within: float

    @property
    def right(self) -> NDArray[np.bool_]:
        """Targets linked to their own record."""
        import numpy as np

        return np.asarray((self.picks == self.own) & (self.own >= 0))

    def near(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """useful(i, j) = 1[|x_a - x_o| <= f |x_o|], for values that there are."""
        from schleier.kernels.inference.candidates import within_share

        return within_share(values, self.true, self.within)  # a gap is near to nothing

    def by_record(self) -> NDArray[np.float64]:
        """The share of useful values among those learned of each target; 0 when the link is wrong."""
        import numpy as np

        held = (~np.isnan(self.true)).sum(axis=1)
        found: NDArray[np.float64] = self.right * self.near(self.shown).sum(axis=1) / np.maximum(held, 1)
        return found

    def details(self, names: list[str], limit: float) -> dict[str, Any]:
        """Both stages, what is useful by accident, and what the values alone would protect."""
        import numpy as np

        right, claimed, there = self.right, self.picks >= 0, self.own >= 0
        held, useful, own = ~np.isnan(self.true), self.near(self.shown), self.near(self.released)

        def share(near: NDArray[np.bool_], who: NDArray[np.bool_], j: slice | int = slice(None)) -> float:
            number = int(held[who][:, j].sum())
            return float(near[who][:, j].sum() / number) if number else 0.0

        return {
            "claims": int(claimed.sum()),
            "correct": int(right.sum()),
            "found": float(right.mean()),
            "useful": share(useful, right),
            "accidental": share(useful, claimed & ~right),
            "usable": share(useful, claimed),
            "limit": limit,
            "attractive": share(useful, claimed) >= limit,
            "near": share(own, there),
            "values_protect": share(own, there) <= limit,
            "by_column": {
                name: {"useful": share(useful, right, j), "near": share(own, there, j)} for j, name in enumerate(names)
            },
            "cautions": ["attractive" if share(useful, claimed) >= limit else "unattractive"],
        }
