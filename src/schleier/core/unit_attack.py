"""Attacks on units: what several records of one household, owner or person tell together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field

from schleier.core.amount import LEAST
from schleier.core.attack import Attack
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.answer import Answer, Claims
from schleier.core.trust.together import Together, together_of
from schleier.core.trust.trustee import ALIAS, TARGET

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.data import Dataset
    from schleier.core.run import Run

NO_UNIT = "there is no unit column"
HINT = 'give the column that says whose a record is the role "unit"'


class UnitAttack(Attack):
    """Claims that a unit of the release is a target, by what is known of several of its records."""

    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """How many units (persons, households) the attacker looks for at most, or "all" that there are."""

    @property
    def few(self) -> int | None:
        """So many records of each target are known; all without a number."""
        return None

    @property
    def together(self) -> bool:
        """Whether the records of a unit are looked at together; else each record is somebody."""
        return True

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The release must say which records belong together."""
        yield from super().problems(schema)
        if self.together and not schema.having("unit"):
            yield Problem("no-unit", "attack", NO_UNIT, HINT)

    def control(self, case: Case) -> tuple[Self, Case] | None:
        """The same attack on units that are not in the release."""
        if not self.together:
            return super().control(case)
        if case.control is None or self.knowledge == "file" or not case.control.schema.having("unit"):
            return None
        return self, Case(case.control, case.released, steps=case.steps)

    def sought(self, case: Case, run: Run) -> Together:
        """The targets, and those who judge."""
        people = case.known if self.knowledge == "file" else case.original
        if any(data is not None and not data.schema.having("unit") for data in (people, case.original, case.released)):
            raise DataError(Problem("no-unit", "attack", NO_UNIT, HINT))
        targets = None if self.targets == "all" else self.targets
        columns = self.columns(case)
        return together_of(case, columns, targets, run, from_file=self.knowledge == "file", few=self.few)

    def unjudged(self, case: Case, run: Run) -> tuple[int, int]:
        """Units looked for and claims made, where nobody can tell right from wrong."""
        if not self.together:
            return super().unjudged(case, run)
        together = self.sought(case, run)
        claims = self.claim(together.released, together.known, self.columns(case), run)
        assert isinstance(claims, Claims)
        answer = together.answer(claims.pairs)
        return answer.targets, answer.claims

    def _try(self, case: Case, run: Run) -> tuple[Answer, dict[str, Any]]:
        if not self.together:
            return super()._try(case, run)
        together = self.sought(case, run)
        claims = self.claim(together.released, together.known, self.columns(case), run)
        assert isinstance(claims, Claims)
        answer = together.answer(claims.pairs)
        self.refuse_strangers(answer.contained, case)
        return answer, {**claims.facts, **self.beside(together, claims)}

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """From numbers of units in tens: how many there are tells whether one more person is with somebody."""
        if not self.together:
            return super().disclose(case, run, exact)
        detail = exact.detail
        units, there = (int(detail[name]) // LEAST * LEAST for name in ("targets", "records"))
        if not units or not there:
            return None
        counts = {name: min(int(detail[name]), units) for name in ("contained", "claims", "correct")}
        right = counts["correct"] / units
        told = exact.model_copy(
            update={"value": right, "detail": {**detail, **counts, "targets": units, "records": there}}
        )
        return super().disclose(case, run, told)

    def beside(self, together: Together, claims: Claims) -> dict[str, Any]:
        """Further numbers that stay with the holder."""
        return {}


def unit_claims(
    released: Dataset, wholes: pa.Array, sought: pa.Array, target: NDArray[np.int64], unit: NDArray[np.int64]
) -> Claims:
    """Pairs of places of targets and of units as pairs of their aliases."""
    import pyarrow as pa

    from schleier.core.engine import Source

    pairs = pa.table({TARGET: sought.take(pa.array(target)), ALIAS: wholes.take(pa.array(unit))})
    return Claims(released.engine.read(Source(pairs)))
