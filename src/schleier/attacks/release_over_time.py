"""Release over time: who came between two releases has what came with him."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from schleier.core.amount import LEAST
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import MOST, Technique
from schleier.core.trust.answer import Inferred
from schleier.core.trust.left_out import without_some
from schleier.core.trust.waves import Waves, true_values, waves

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run

TINY = 1e-9
APART = 2 * LEAST
"""With the numbers of records of both files, as many numbers of persons who left fit as ten."""


class ReleaseOverTime(Technique):
    """Subtract two releases class by class, and claim of whoever came, or left, the value whose count grew, or fell.

    >>> ReleaseOverTime(sensitive="passed").sure
    1.0
    """

    reference: ClassVar[str] = "Kneuper (2025): the same answer at two dates (K-023)"
    example: ClassVar[dict[str, object]] = {"sensitive": "disease", "known": ["age", "sex", "region"], "came": 12}
    members_only: ClassVar[bool] = True

    sensitive: str
    """The column whose value the attacker wants to learn."""
    known: tuple[str, ...] = ()
    """Columns by which classes are told in both releases; all quasi-identifiers that both have when empty."""
    sure: float = Field(default=1.0, gt=0, le=1)
    """He claims a value only when at least this share of what came into the class, or left it, has it."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """Of how many persons who came or left he wants to learn it, for each pair of releases, or "all"."""
    came: int = Field(default=40, ge=1)
    """Where there is no earlier release: so many persons, and at most one in twenty, are taken to have come since one
    that was made in the same way without them."""

    @classmethod
    def fitting(cls, case: Case) -> list[Self]:
        """Each sensitive column that is in earlier releases, too."""
        schema = case.released.schema
        columns = [c.name for c in schema if c.role == "sensitive" and c.scale != "continuous"][:MOST]
        return [cls(sensitive=name) for name in columns if cls(sensitive=name)._pairs(case)]

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The known columns and the sensitive one."""
        return tuple(dict.fromkeys((*self._keys(schema), self.sensitive)))

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """There must be classes, and values that can be counted."""
        yield from super().problems(schema)
        if not self._keys(schema):
            hint = 'give columns the role "quasi", or name the known ones'
            yield Problem("no-keys", "known", "the attacker knows nothing", hint)
        if self.sensitive in self.known:
            hint = "take it out of known, or ask for another column"
            message = f"column '{self.sensitive}' is known already and need not be learned"
            yield Problem("sensitive-key", "sensitive", message, hint)
        if self.sensitive in schema and schema[self.sensitive].scale == "continuous":
            message = f"column '{self.sensitive}' holds numbers that are hardly ever equal"
            yield Problem("no-tolerance", "sensitive", message, "ask for a column with few values")

    def measure(self, case: Case, run: Run) -> Finding:
        """Subtract each release from the next; without an earlier one, from one that lacks some persons."""
        pairs = self._pairs(case)
        made = bool(pairs)
        if not pairs:
            pairs = [(one, case.released) for one in without_some(case, self.came, run)]
        if not pairs:
            message = "there is no earlier release, and too few records to make one without some of them"
            hint = "name earlier releases with --after, or hand them over as Case(further={...})"
            raise DataError(Problem("no-earlier-release", "data", message, hint))
        truth = case.released.engine.keep(true_values(case, self.sensitive, run))
        told = _added([self._tried(*pair, truth, run) for pair in pairs])
        low, high = told.right.interval()
        return Finding(
            name=self.word(),
            value=told.right.share,
            low=low,
            high=high,
            better=self.better,
            text=self._text(told, len(pairs), made=made),
            detail={
                "known": list(self._keys(case.released.schema)),
                "sensitive": self.sensitive,
                "knowledge": "exact",
                "earlier": len(pairs) if made else 0,
                **told.detail(),
                "sure": self.sure,
            },
        )

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """Intervals in coarse steps, from counts in tens: who came and who left, the files do not tell.

        By how many more came than left they do, so that persons are told in twenties. Of fewer nothing is told.
        """
        detail = exact.detail
        moved = (int(detail["targets"]) + int(detail["without_value"])) // APART * APART
        without = int(detail["without_value"]) // LEAST * LEAST
        if moved <= without:
            return None
        targets, made = moved - without, int(detail["claims"])
        claims = max(min(made // LEAST * LEAST, targets), 1)  # nor is it told that there is none
        correct, guessed = (min(round(share * made), claims) for share in (exact.value, detail["baseline"]))
        counts: dict[str, Any] = {"targets": targets, "without_value": without, "contained": None, "claims": claims}
        counts |= {"baseline": guessed / claims, "gained": min(int(detail["gained"]), correct)}
        counts["differing"] = min(int(detail["differing"]), claims) // LEAST * LEAST
        told = exact.model_copy(update={"value": correct / claims, "detail": {**detail, **counts}})
        return super().disclose(case, run, told)

    def _tried(self, earlier: Dataset, later: Dataset, truth: nw.LazyFrame[Any], run: Run) -> Inferred:
        import numpy as np

        keys = tuple(name for name in self._keys(later.schema) if name in earlier.schema)
        most = None if self.targets == "all" else self.targets
        seen = waves(earlier, later, keys, self.sensitive, truth, most, run)
        guess = int(np.argmax(seen.totals)) if len(seen.totals) else -1
        return seen.judge(self.claims(seen, 1), self.claims(seen, -1), guess)

    def claims(self, seen: Waves, sign: int) -> Any:
        """The value claimed of everybody who came into a class, or left it; -1 where nothing is claimed."""
        import numpy as np

        from schleier.kernels.inference.candidates import likeliest

        amounts = np.maximum(seen.growth * sign, 0)
        value, share = likeliest(seen.classes, seen.values, amounts, seen.totals, seen.size)
        return np.where((share >= self.sure - TINY) & (share > 0), value, -1)

    def _keys(self, schema: Schema) -> tuple[str, ...]:
        return self.known or tuple(name for name in schema.quasi if name != self.sensitive)

    def _pairs(self, case: Case) -> list[tuple[Dataset, Dataset]]:
        """Each earlier release that has the columns, with the next one; this one is the last."""
        keys = self._keys(case.released.schema)
        there = [d for d in case.further.values() if self.sensitive in d.schema and any(k in d.schema for k in keys)]
        return list(zip(there, [*there[1:], case.released], strict=True)) if there else []

    def _text(self, told: Inferred, pairs: int, *, made: bool) -> str:
        low, high = told.right.interval()
        since = f"between {pairs + 1} releases" if made else "since a release that was made without them"
        return (
            f"Of {told.targets} persons who came or left {since}, a value of '{self.sensitive}' was claimed for "
            f"{told.claims} and right for {told.correct} ({told.right.share:.2%}, 95 % interval {low:.2%} to "
            f"{high:.2%}); the same guess for all would be right for {told.baseline:.2%} of them."
        )


def _added(told: list[Inferred]) -> Inferred:
    names = Inferred.__dataclass_fields__
    return Inferred(**{name: sum(getattr(one, name) for one in told) for name in names})
