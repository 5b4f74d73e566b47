"""The model of Fellegi and Sunter: Splink learns it and weighs pairs, in a database of its own that is thrown away."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from schleier.core import registry
from schleier.core.errors import EngineError, stop
from schleier.extras.linkage._columns import Compared

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

STRANGERS = 2_000_000
"""Random pairs from which it is learnt how often strangers agree."""
KNOWN, RELEASED = "known", "released"
"""In this order by the alphabet: Splink puts the first on the left."""
LEAST = 1e-9
STILL = 0.001
"""Learning ends when no share changes by more: the errors of true pairs are not known better than that."""


class Model:
    """What Splink is asked: the two files, how they are compared, and which pairs are looked at."""

    def __init__(self, columns: Sequence[Compared], *, prior: float, frequencies: bool) -> None:
        self.columns, self.prior, self.frequencies = columns, prior, frequencies

    def weigh(
        self,
        rules: Sequence[Sequence[int]],
        learn: Sequence[Sequence[int]],
        pairs: tuple[Whole, Whole] | None,
        seed: int,
    ) -> tuple[Whole, Whole, Floats]:
        """Targets, records and natural logarithms of their weights, for given pairs or those that the rules find."""
        splink = _splink()
        with _quiet(), closing(registry.get("engine", "duckdb")()) as engine:
            api = splink.DuckDBAPI(engine.connection)
            files = [
                api.register(table, dataset_display_name=name)
                for name, table in ((KNOWN, self._file("known")), (RELEASED, self._file("cells")))
            ]
            linker = self._linker(splink, api, files, self._comparisons({}), rules)
            linker.training.estimate_u_using_random_sampling(max_pairs=STRANGERS + 1, seed=seed)
            learnt = linker.misc.save_model_to_json()["comparisons"]
            for rule in learn:
                try:
                    linker.training.estimate_parameters_using_expectation_maximisation(
                        splink.block_on(*(f"x{j}" for j in rule)), estimate_without_term_frequencies=True
                    )
                    learnt = linker.misc.save_model_to_json()["comparisons"]
                except ValueError:  # a share came out as nothing at all, and columns are lost: as it was before
                    linker = self._linker(splink, api, files, self._comparisons(learnt), rules)
            linker = self._linker(splink, api, files, self._comparisons(learnt), rules)
            if pairs is not None:
                linker.table_management.register_blocked_pairs_for_predict(api.register(_pairs(*pairs)))
            found = linker.inference.predict(warning_mode="never").as_pyarrow_table()
        return self._sorted(found)

    def _file(self, side: str) -> pa.Table:
        import pyarrow as pa

        parts = [getattr(column, side) for column in self.columns]
        many = len(next(iter(parts[0].values())))
        columns = {name: array for part in parts for name, array in part.items()}
        return pa.table({"unique_id": np.arange(many), **columns})

    def _linker(self, splink: Any, api: Any, files: Any, comparisons: Any, rules: Sequence[Sequence[int]]) -> Any:
        settings = {
            "link_type": "link_only",
            "comparisons": comparisons,
            "probability_two_random_records_match": self.prior,
            "blocking_rules_to_generate_predictions": [
                splink.block_on(*(f"x{j}" for j in rule)).get_blocking_rule("duckdb").as_dict() for rule in rules
            ],
            "em_convergence": STILL,
            "retain_matching_columns": False,
            "retain_intermediate_calculation_columns": False,
        }
        linker = splink.Linker(files, settings, log_level=None, validate_settings=False)
        for column in self.columns:
            for name, table in column.often.items():
                linker.table_management.register_term_frequency_lookup(api.register(table), name)
        return linker

    def _comparisons(self, learnt: Any) -> list[dict[str, Any]]:
        return [
            self._comparison(j, column, learnt[j]["comparison_levels"][1:] if learnt else ())
            for j, column in enumerate(self.columns)
        ]

    def _comparison(self, j: int, column: Compared, learnt: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Levels with what is assumed of them, or with what was learnt where it can be believed."""
        levels: list[dict[str, Any]] = [{"sql_condition": column.gap, "is_null_level": True}]
        chances = believable(column, learnt)
        for i, level in enumerate(column.levels):
            one: dict[str, Any] = {"sql_condition": level.sql, "m_probability": max(chances[i], LEAST)}
            if learnt:
                one["u_probability"] = max(learnt[i].get("u_probability", 0.0), 1 / STRANGERS)
            if level.often is not None and self.frequencies:
                one |= {"tf_adjustment_column": level.often, "disable_tf_exact_match_detection": True}
            levels.append(one)
        return {"output_column_name": f"c{j}", "comparison_levels": levels}

    def _sorted(self, found: pa.Table) -> tuple[Whole, Whole, Floats]:
        """In the order of the targets, without what was believed before anything was compared."""
        target, record = (np.asarray(found[f"unique_id_{side}"], dtype=np.int64) for side in "lr")
        weight = np.asarray(found["match_weight"], dtype=np.float64) - math.log2(self.prior / (1 - self.prior))
        order = np.lexsort((record, target))
        return target[order], record[order], weight[order] * math.log(2)


def believable(column: Compared, learnt: Sequence[Mapping[str, Any]]) -> list[float]:
    """What was learnt of true pairs, unless it was not, or says that they agree less often than strangers do.

    Where few pairs are true, what is learnt are groups of similar strangers.
    """
    assumed = [level.chance for level in column.levels]
    if not learnt or any("m_probability" not in level for level in learnt):
        return assumed
    agree = sum(level.often is not None for level in column.levels)
    chances = [float(level["m_probability"]) for level in learnt]
    strangers = sum(float(level.get("u_probability", 0.0)) for level in learnt[:agree])
    return chances if sum(chances[:agree]) > max(strangers, 0.5 * sum(assumed[:agree])) else assumed


def _pairs(target: Whole, record: Whole) -> pa.Table:
    """Pairs as Splink names them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def names(file: str, places: Whole) -> pa.Array:
        return pc.binary_join_element_wise(pa.scalar(file), pa.array(places).cast(pa.string()), "-__-")

    key = pa.array(["0"] * len(target), pa.string())
    return pa.table({"match_key": key, "join_key_l": names(KNOWN, target), "join_key_r": names(RELEASED, record)})


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing of what Splink says is for anybody who reads a report."""
    logger = logging.getLogger("splink")
    before, logger.disabled = logger.level, True
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.disabled = False
        logger.setLevel(before)


def _splink() -> Any:
    try:
        return import_module("splink")
    except ImportError:
        message = "weighing pairs needs Splink, which is not installed"
        stop(EngineError, "not-installed", "attack", message, 'pip install "schleier[linkage]"')
