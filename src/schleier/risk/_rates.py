"""What measures have in common that ask how often two files record a person differently."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydantic import Field

from schleier.core.component import listed
from schleier.core.errors import DataError, Problem
from schleier.core.schema import Schema
from schleier.risk._keys import KeysMeasure
from schleier.risk._true_pairs import TruePairs, of_known

if TYPE_CHECKING:
    from schleier.core.measure import Case
    from schleier.core.run import Run


class RatedMeasure(KeysMeasure):
    """A risk that depends on how often a key differs between the release and what an attacker holds."""

    preset: str | None = None
    """Published rates: allbus, census_microcensus, census_microcensus_answered, uk_census, process_1 to process_4."""
    rates: dict[str, str | float] = Field(default_factory=dict)
    """For a key how often it differs: a share, or the name of a rate of the preset. A key that is called like a rate of
    the preset needs no entry."""
    correlation: float = 0.0
    """How much errors in different keys happen to the same persons: 0 not at all, 1 always (common factor)."""

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """Rates must be shares, of keys, and there must be one for each key if there is any."""
        yield from super().problems(schema)
        if not 0 <= self.correlation <= 1:
            hint = "0 when errors are independent of each other"
            yield Problem("bad-rate", "correlation", "a correlation of errors is between 0 and 1", hint)
        known = presets()
        if self.preset is not None and self.preset not in known:
            near = difflib.get_close_matches(self.preset, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(known)}"
            yield Problem("unknown-preset", "preset", f"there are no published rates '{self.preset}'", hint)
        yield from self._rate_problems(schema)

    def _rate_problems(self, schema: Schema) -> Iterator[Problem]:
        keys, names = self.keys or schema.quasi, presets().get(self.preset or "", {})
        for column, rate in self.rates.items():
            where = f"rates.{column}"
            if column not in schema:
                yield schema.unknown(column, where)
            elif column not in keys:
                yield Problem("rate-not-key", where, f"column '{column}' is no key", "name it under keys too")
            if isinstance(rate, str):
                if rate not in names and (self.preset is None or self.preset in presets()):
                    hint = f"there are: {', '.join(names)}" if names else "set preset, or give a number"
                    yield Problem("unknown-rate", where, f"there is no published rate '{rate}'", hint)
            elif not 0 <= rate <= 1:
                hint = "10 per cent are 0.1"
                yield Problem("bad-rate", where, "how often a column differs is a share between 0 and 1", hint)
        without = [key for key in keys if key not in self.rates and key not in names]
        if without and (self.rates or (self.preset is not None and names)):
            hint = "add them under rates: a number, or the name of a published rate; 0 when they never differ"
            yield Problem("no-rate", "rates", f"nothing says how often these keys differ: {listed(without)}", hint)

    def assumed(self, schema: Schema) -> dict[str, float] | None:
        """For each key how often it differs; nothing when no rates are given."""
        if not self.rates and self.preset is None:
            return None
        wrong = list(RatedMeasure._rate_problems(self, schema))
        if wrong:
            raise DataError(wrong)
        names = presets().get(self.preset or "", {})

        def rate(key: str) -> float:
            told = self.rates.get(key, key)
            return names[told] if isinstance(told, str) else float(told)

        return {key: rate(key) for key in self.keys or schema.quasi}

    def true_pairs(self, case: Case, run: Run) -> TruePairs | None:
        """What the trustee tells of the true pairs; nothing when there is no file of known persons."""
        if case.known is None or case.truth is None:
            return None
        quasi = case.released.schema.quasi
        held = tuple(key for key in quasi if key in case.known.schema)  # what he does not have he does not compare
        return of_known(case, case.released, self.keys or held or quasi, self.missing, run)


def presets() -> Mapping[str, Mapping[str, float]]:
    """Published rates by preset and column.

    >>> presets()["allbus"]["income"]
    0.448
    """
    from schleier.kernels.population.published_rates import published_rates

    return published_rates()
