"""How likely an attacker has a person recorded as the release has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.risk._rates import RatedMeasure
from schleier.risk._true_pairs import TruePairs

if TYPE_CHECKING:
    from schleier.core.run import Run


class Compatibility(RatedMeasure):
    """Probability that all keys of a person are the same in the release and in an attacker's file.

    >>> Compatibility(preset="allbus", keys=["sex", "age"], rates={"age": "birth_year"}).preset
    'allbus'
    """

    reference: ClassVar[str] = (
        "Müller, Blien, Knoche, Wirth et al. (1991), 4.3 Datenkompatibilität; Tables 4.3, 4.4, 9.4"
    )
    example: ClassVar[dict[str, object]] = {
        "keys": ["sex", "age", "region"],
        "preset": "allbus",
        "rates": {"age": "birth_year", "region": 0.05},
    }

    def measure(self, case: Case, run: Run) -> Finding:
        """From the rates that were given, else from the true pairs of ``[data] known`` and ``truth``."""
        assumed, keys = self.assumed(case.released.schema), self.uses(case.released.schema)
        beside = case.known is not None and all(key in case.known.schema for key in keys)
        pairs = self.true_pairs(case, run) if assumed is None or beside else None  # rates need no file
        low: float | None = None
        high: float | None = None
        if assumed is not None:
            from schleier.kernels.population.compatibility import common_factor

            rates = assumed
            value, how = common_factor(list(rates.values()), self.correlation), "assumed"
        elif pairs is not None:
            keys = tuple(pairs.changes)
            rates = {key: pairs.rate(key, self.missing).share for key in keys}
            value, how = pairs.identical.share, "pairs"
            low, high = pairs.identical.interval()
        else:
            hint = 'set preset or rates, or name files under [data]: known = "...", truth = "..."'
            raise DataError(Problem("no-rate", "rates", "nothing says how often the keys differ", hint))
        detail = {"keys": list(keys), "n": len(keys), "how": how, **consequences(rates)}
        detail["not_known"] = [key for key in self.uses(case.released.schema) if key not in keys]
        if pairs is not None:
            detail["pairs"] = self._of_pairs(pairs)
        found = {
            "worst": how != "pairs" and len(keys) > 1 and detail["expected"] > 0,
            "worst_pair": how == "pairs" and len(keys) > 1 and detail["expected"] > 0,
            "independent": how != "pairs" and not self.correlation and detail["together"] > value,
            "few": how == "pairs" and _few(pairs),
            "not_known": bool(detail["not_known"]),
        }
        detail["cautions"] = [code for code, here in found.items() if here]
        text = (
            f"{value:.2%} of the persons are recorded alike in all {len(keys)} keys ({_source(how, pairs)}); "
            f"on average {detail['expected']:.3g} keys differ."
        )
        return Finding(name=self.word(), value=value, low=low, high=high, better=self.better, text=text, detail=detail)

    def _of_pairs(self, pairs: TruePairs) -> dict[str, Any]:
        """What the trustee tells: counts, and what follows from them."""
        from schleier.kernels.population.compatibility import deviations, implied_correlation, implied_p

        trials = {key: pairs.rate(key, self.missing) for key in pairs.changes}
        shares = [one.share for one in trials.values()]
        low, high = pairs.identical.interval()
        return {
            "number": pairs.pairs,
            "identical": pairs.identical.successes,
            "share": pairs.identical.share,
            "low": low,
            "high": high,
            "same_rate": implied_p(pairs.identical.successes, pairs.pairs, len(shares)) if pairs.pairs else 0.0,
            "correlation": implied_correlation(shares, pairs.identical.share),
            "spread": list(pairs.spread),
            "independent": [pairs.pairs * float(share) for share in deviations(shares)],
            "columns": {key: changed_counts(pairs, key, self.missing) for key in trials},
        }


def consequences(rates: dict[str, float]) -> dict[str, Any]:
    """What follows from rates: the product, its bounds, and what each key adds."""
    from schleier.kernels.population.compatibility import expected_deviations, product_bounds

    each = list(rates.values())
    low, high = product_bounds(each)
    worst = max(rates, key=lambda key: rates[key], default="")
    others = product_bounds([rate for key, rate in rates.items() if key != worst])[0]
    return {
        "rates": rates,
        "independent": low,
        "together": high,
        "expected": expected_deviations(each),
        "worst": worst,
        "without_worst": others,
    }


def changed_counts(pairs: TruePairs, key: str, missing: Any) -> dict[str, Any]:
    """Counts of one column with the interval of its rate."""
    one, rate = pairs.changes[key], pairs.rate(key, missing)
    low, high = rate.interval()
    return {
        "rate": rate.share,
        "low": low,
        "high": high,
        "different": one.different,
        "only_first": one.only_first,
        "only_second": one.only_second,
        "neither": one.neither,
    }


def _few(pairs: TruePairs | None) -> bool:
    return pairs is not None and pairs.pairs < 30


def _source(how: str, pairs: TruePairs | None) -> str:
    return f"counted in {pairs.pairs} true pairs" if how == "pairs" and pairs else "by the rates assumed"
