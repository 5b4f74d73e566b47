"""Reports in which every sentence the page knows is said at least once."""

from __future__ import annotations

from typing import Any, get_args

from report.reports import (
    ENGLISH,
    HOSTILE,
    attack,
    cells,
    column,
    finding,
    inference,
    report,
    step,
    uniqueness,
    verdict,
)
from schleier.core import registry
from schleier.core.caution import Caution
from schleier.core.measure import Finding
from schleier.core.schema import Role, Scale
from schleier.core.trust.coarse import USUAL
from schleier.core.trust.holding import Held, told_as
from schleier.flow.release.documents import ReportedOverride, ReportedSequel

QUANTILES = {"quantile 0.05": 10, "quantile 0.25": 20, "quantile 0.5": 30, "quantile 0.75": 45, "quantile 0.95": 90}
ZERO = dict.fromkeys(["mean", "sd", "missing", *QUANTILES], 0.0)
VALUES = sorted(
    set(registry.names("attack")) - {"auto", "exact_match", "attribute_inference", "zero_pattern", "certain_stratum"}
)
GROUPS = {"columns": ["sex"], "groups": 2, "worst": 0.7}
MEASURED = registry.names("measure")
WEIGHTS = {"parameters": {"k": 20, "count": "weights"}, "estimate": True}


def moments(**more: Any) -> Finding:
    """Columns that moved, did not, and cannot be compared."""
    after = {"mean": 31.5, "sd": 12.25, "missing": 0.05} | QUANTILES
    nothing = dict.fromkeys(ZERO)
    columns: dict[str, Any] = {
        "income": {"difference": 0.2, "after": after, "moves": ZERO | {"mean": 0.2, "quantile 0.95": 0.5, "sd": None}},
        "rent": {"difference": 0.0, "after": after | nothing | {"mean": 1e6, "sd": 0.0, "missing": 0.0}},
        "age": {"difference": 0.0, "after": after, "moves": ZERO},
        "bonus": {"difference": 0.1, "moves": ZERO | {"mean": 0.1, "missing": 0.02}},
        "empty": {"difference": None, "after": nothing | {"missing": 1.0}, "moves": nothing},
    }
    columns["rent"]["moves"] = nothing | {"mean": 0.0, "sd": 1.0, "missing": 0.01}
    found = {"columns": columns, "not_comparable": ["empty"], "withheld": ["few"], "weighted": True}
    return finding("moments", 0.2, **(found | more))


MANY = {f"c{i}": {"difference": 1.0, "after": ZERO, "moves": ZERO | {"sd": 1.0}} for i in range(13)}
WHERE = [
    {"column": "age", "at_least": 18, "below": 65, "missing": True},
    {"column": "day", "above": "2001-12-31", "at_most": "2002-12-31", "missing": False},
    {"column": "land", "is_in": ["BY", "BW"], "not_in": ["SH"]},
    {"column": "sex", "equals": "1 values", "is_in": "3 values"},
]
STEPS = (
    step("drop", "name", columns=["name"]),
    step("drop", "street", "phone", columns=["street", "phone"]),
    step("recode", "age", column="age", level=3),
    step("recode", "size", column="size", breaks=[10, 50.5], labels=["small", "middle", "large"]),
    step("recode", "land", column="land", map={"BY": "south", "BW": "south", "SH": "north"}, others="keep"),
    step("recode", "one", column="one", map={"a": "b"}),
    step("top_code", "income", column="income", upper=9000, lower=0, affected_upper=12, affected_lower=1),
    step("top_code", "rent", column="rent", upper=90_000, min_affected=10, mean_upper=91_000.0, median_upper=90_500.0),
    step("round_to", "rent", column="rent", base=0.5),
    step(
        "replace_extremes",
        "hours",
        facts=({"column": "hours", "replaced": {}}, {"total_changed_by_rounding": -2.5}),
        column="hours",
        upper=70,
        mean_upper=81.25,
        lower=5,
        mean_lower=2,
    ),
    step("suppress_rare", "sex", "job", columns=["sex", "job"], min_count=3, target=["job"], blanked=17),
    step(
        "sample",
        "land",
        facts=({"sampled": "records", "taken": 617, "of": 1234, "strata": 16, "strata_taken_in_full": 1},),
        fraction=0.5,
        strata=["land"],
        whole_units=False,
    ),
    step("sample", facts=({"sampled": "units", "taken": 10, "of": 20, "strata_taken_in_full": 2},), size=10),
    step("restrict", "age", facts=({"kept_where": WHERE, "left_out": 2}, {"caution": ENGLISH}), left_out=2),
    step("restrict", "age", facts=({"kept_where": WHERE[:1], "left_out": 1},), left_out=1),
    step("restrict", "age", facts=({"kept_where": WHERE[:1], "left_out": 0},), left_out=0),
    step("renumber", "household", facts=({"column": "household", "numbers": 900},), column="household"),
    step("renumber", "unit", facts=({"column": "unit", "numbers": 1},), column="unit"),
    step(
        "coarsen",
        "age",
        "sex",
        facts=({"nodes": 60, "looked_at": 7, "proven": True, "bound": 0.25}, {"suppressed_with_their_unit": 1}),
        levels={"age": 2, "sex": 0},
        suppressed_records=12,
        max_suppressed=0.02,
    ),
    *(
        step(
            "coarsen",
            "age",
            facts=({"nodes": 60, "looked_at": 7, "proven": False}, {"suppressed_with_their_unit": n}),
            levels={"age": 1},
            further=[{"age": 2}] * n,
            suppressed_records=n,
            suppressed=how,
        )
        for n in range(3)
        for how in ("drop", "blank")
    ),
    step(
        "suppress_local",
        "job",
        "sex",
        facts=({"cells": 12, "cells_by_column": {"job": 12, "sex": 0}, "blanked_records": 11}, {"cost": 12}),
        k=3,
        cells={"job": 12, "sex": 0},
    ),
    step("suppress_local", "job", facts=({"cells_by_column": {"job": 1}, "blanked_records": 1},), cells={"job": 1}),
    step("mondrian", "age", facts=({"parts": 8, "mean_width": 0.1}, {"columns": ["age"], "parts": 8, "in_no_part": 1})),
    step("mondrian", "age", facts=({"columns": ["age"], "parts": 1, "in_no_part": 0},), parts=1),
    step("partition_bottom_up", "age", facts=({"columns": ["age"], "parts": 9, "in_no_part": 2},), parts=9),
    step("partition_bottom_up", "age", facts=({"columns": ["age"], "parts": 1},), parts=1),
    step("microaggregate", "income", columns=["income"], k=3, grouping="individual"),
    step("microaggregate", "a", "b", facts=({"records_blanked": 2}, {"records_blanked": 1}), columns=["a", "b"], k=5),
    step(
        "preserve_variance",
        "income",
        facts=({"in_enlarged_groups": {"income": 12}, "became_the_mean": {"income": 6}}, {"of_both_signs": {"age": 9}}),
        columns=["income"],
        k=6,
        zeros="keep",
    ),
    *(
        step("preserve_variance", "rent", "age", columns=["rent", "age"], k=4, strata=["land"], strata_pooled=n)
        for n in range(3)
    ),
    *(
        step(
            "restore_moments",
            *columns,
            facts=({"caution": ENGLISH}, {"with_another_sign": {"income": 3}}),
            columns=columns,
            block=100,
            first={"method": "round_to", "column": "income", "base": 5},
        )
        for columns in (["income"], ["income", "rent"])
    ),
    step("bake", "cake", facts=({"oven": "hot"}, {"oven": "cold"}), minutes=30, soft=True, hard=False, none=None),
    step("stir", "cake", "tea", how={"spoon": [1, 2.5]}),
)

FULL = report(
    title="Öffentliche Übersicht",
    purpose=HOSTILE,
    access="public",
    protection="very high",
    records_released=617,
    not_compared={"": "12", "income": "fewer than 10", "rent": "25"},
    findings_withheld=("il1s", "correlations"),
    columns=(
        *(column(role, role) for role in get_args(Role)),
        *(column(scale, "plain", scale) for scale in get_args(Scale)),
        *(column(name) for name in ("age", "income", "rent", "hours", "job", "household", "cake", HOSTILE)),
        column("one", decimals=1, title="Something"),
        column("two", decimals=2),
        column("none", decimals=0),
        column("email", "identifier"),
    ),
    columns_left_out=("name", "street", "phone"),
    steps=STEPS,
    criteria=(
        verdict(parameters={"k": 5, "missing": "wildcard"}, name="neighbours"),
        verdict(parameters={"k": 2, "missing": "exclude"}, level=2.0, keys=(("age",), ("sex", "job"))),
        verdict(level=2.0),
        verdict(holds=False, level=1.0, bad_classes=1, bad_records=1),
        verdict(holds=False, level=1.0, bad_classes=3, bad_records=4),
        verdict(**WEIGHTS, level=23.456, low=11.2, high=35.7),
        verdict(**WEIGHTS, level=23.456),
        verdict(level=None, records=0),
        verdict("l_diversity", parameters={"l": 3, "name": "x"}, name="variety", level=4.0),
        verdict("l_diversity", parameters={"l": 2.5, "kind": "entropy", "sensitive": ["income"]}, level=3.1),
        verdict("l_diversity", parameters={"l": 3, "kind": "recursive"}, holds=False, bad_classes=1, bad_records=8),
        verdict("l_diversity", parameters={"l": 3}, level=None, records=0),
        verdict("t_closeness", parameters={"t": 0.25}, level=0.2),
        verdict("t_closeness", holds=False, parameters={"t": 0.25}, level=0.3, bad_classes=2, bad_records=30),
        verdict("alpha_k", parameters={"alpha": 0.5, "k": 5}, level=0.4),
        verdict("beta_likeness", parameters={"beta": 1}, level=0.4),
        verdict("information_gain", parameters={"tolerated_gain": 0.2}, level=0.15),
        verdict("delta_disclosure", parameters={"delta": 1}, level=0.4),
        verdict("average_risk", parameters={"threshold": 0.1}, level=0.04),
        verdict("highest_risk", parameters={"threshold": 0.1}, level=0.04),
        verdict("category_threshold", parameters={"threshold": 50, "columns": ["age", "sex"]}, level=51),
        verdict("dominance", parameters={"columns": ["income"]}, level=None),
        verdict("p_percent", parameters={"columns": ["income"]}, level=None),
        verdict("k_map", parameters={"k": 5}, level=7),
        verdict("km_anonymity", parameters={"k": 5, "m": 2, "column": "drugs"}, level=7),
        verdict("delta_presence", parameters={"delta_max": 0.5}, level=0.3),
        verdict("region_threshold", parameters={"threshold": 100_000}, level=120_000),
        verdict("population_uniqueness", parameters={"threshold": 0.05}, level=0.01, estimate=True),
        verdict("population_uniqueness", parameters={"threshold": 0.05, "among": "uniques"}, level=0.01),
        verdict(
            "population_uniqueness",
            parameters={"threshold": 0.05, "confident": True},
            level=0.01,
            low=0.002,
            high=0.04,
            estimate=True,
            doubts=("not_fitted", "off", "few", "one_key", "small_fraction"),
        ),
        verdict("profitability", parameters={"gain": 1000, "cost": 20}, level=-2.5),
        verdict("horoscope", parameters={"stars": 3, "name": "x"}, name="variety"),
        verdict("tea_leaves", holds=False, parameters={"cups": 0.25}),
    ),
    findings=(
        uniqueness(410, 36),
        uniqueness(1, 1, sizes=False),
        uniqueness(0, 0),
        uniqueness(410, 36, keys_before=["age"], by=GROUPS, units={"units": 7, "with_unique": 1}, cautions=["weights"]),
        uniqueness(410, 0, keys_before=[], by=GROUPS | {"groups": 0}, units={"units": 7, "with_unique": 2}),
        cells(age=1.0, income=0.25, rent=0.99999, hours=1e-9, sex=0.0),
        cells(**{f"c{i}": 0.5 for i in range(30)}),
        moments(),
        moments(columns=MANY, not_comparable=[]),
        moments(columns={"c": MANY["c1"]}, not_comparable=[], weighted=False),
        moments(columns={}, not_comparable=[]),
        finding("entropy", 0.123456, 0.1, 0.15),
        finding("generalised_loss", 0.4, columns={"age": 0.8, "sex": 0.0}),
        finding("precision_loss", 0.8, columns={"age": 0.8}),
        finding("entropy_loss", 0.8, columns={"age": 0.8}),
        finding("uniqueness", 0.5, other="form"),
        finding("changed_cells", 0.5),
        finding("moments", 0.5, columns={"income": {}}),
    ),
    attacks=(
        attack(30, low=0.02, high=0.05, claims=120, false_share=0.75, control_claims=0.01),
        attack(0),
        attack(0, claims=21, false_share=1.0),
        attack(1, claims=1, contained=1),
        attack(200, low=0.18, high=0.22, contained=700, knowledge="file"),
        attack(0, knowledge="file"),
        attack(8, targets=10, low=0.5, high=0.9),
        attack(20, targets=30, low=0.5, high=0.9, contained=20),
        inference(700, without_value=12, control_claims=0.9, contained=900),
        inference(1, knowledge="file", without_value=5, difference_low=-0.1, sure=0.9),
        inference(0, within=0.1),
        inference(9, claims=9),
        inference(19, claims=21),
        inference(30, claims=40, targets=45),
        inference(500, knowledge="file"),
        inference(0, claims=0),
        inference(500, baseline=0.0),
        inference(500, 1000, baseline=0.4, gained=500),
        inference(828, 1000, baseline=0.782, gained=46),
        inference(450, gained=100),
        *(inference(20 * n, named=one, knowledge="record", known=[], within=0.05) for n, one in enumerate(VALUES)),
        inference(100, knowledge="record", within=0.05, averaged=True),
        inference(500, named="interval", knowledge="record", within=0.05, narrow=0.4, narrowest=0.01),
        *(inference(9, named="impossible_values", knowledge="record", impossible=n) for n in (1, 7)),
        inference(0, knowledge="record", claims=0),
        *(
            told_as(one, one.model_copy(), USUAL, Held(0, told=told))
            for one in (attack(200), inference(700))
            for told in (True, False)
        ),
        told_as(same := inference(700), same, USUAL, Held(0, guess=False)),
        attack(50, named="zero_pattern"),
        *(attack(n, named="certain_stratum", knowledge="member", baseline=0.0) for n in (0, 100)),
        finding("guesswork", 0.3),
    ),
    attacks_withheld=("singling_out", "divination"),
    attacks_left_out=("closeness", "exclusion", "sparse_match", "divination"),
    overrides=(ReportedOverride(where="criteria.classes", reason=HOSTILE),),
    control=True,
)

OTHERS = {
    "few records": report(records_read=12, records_released=12, digest="", findings_withheld=("moments",)),
    "amber": report(
        criteria=(
            verdict(parameters={"k": 5, "missing": "wildcard"}, category_level=1.0, category_holds=False),
            verdict(parameters={"k": 5, "missing": "wildcard"}, category_level=5.0, category_holds=True),
            verdict(level=6.0, units=True),
        ),
        cautions=(Caution(code="wildcard", where="criteria[0] (k_anonymity)"), Caution(code="wildcard", where="step")),
    ),
    "one column joins": report(
        cautions=(Caution(code="unique_column", columns=("rent",)), Caution(code="unique_weight", columns=("weight",))),
    ),
    "one column gives back": report(
        cautions=(Caution(code="comes_back", columns=("age",), sources=(HOSTILE,), share=0.95, command="schleier"),)
    ),
    "two columns give back": report(
        cautions=(Caution(code="comes_back", columns=(HOSTILE,), sources=("rent", "weight"), share=1.0),), too_wide=True
    ),
    "weights tell": report(cautions=(Caution(code="weights_tell", columns=(HOSTILE,), sources=("weight",)),)),
    "weights tell more": report(
        cautions=(Caution(code="weights_tell", columns=("zip", HOSTILE), sources=("weight",)),)
    ),
    "rows of values": report(made_rows=True, records_released=40),
    "pseudonymous": report(
        state="pseudonymous",
        cautions=(
            Caution(code="pseudonymous", columns=("unit",)),
            *(Caution(code=f"left_{kept}", columns=("unit",)) for kept in ("equality", "prefix", "interval")),
        ),
    ),
    "more pseudonyms": report(
        state="pseudonymous",
        cautions=(
            Caution(code="pseudonymous", columns=("unit", HOSTILE)),
            Caution(code="left_check_digit", columns=("unit", HOSTILE)),
        ),
    ),
    "units apart": report(cautions=(Caution(code="compositions", columns=("unit",), command="schleier criteria x"),)),
    "two units apart": report(cautions=(Caution(code="compositions", columns=("unit", HOSTILE)),)),
    "keys apart": report(cautions=(Caution(code="keys_apart", columns=("zip",), command="schleier criteria x"),)),
    "more keys apart": report(cautions=(Caution(code="keys_apart", columns=("zip", HOSTILE)),)),
    "numbers as collected": report(cautions=(Caution(code="unit_numbers", columns=("unit",)),)),
    "more numbers as collected": report(cautions=(Caution(code="unit_numbers", columns=("unit", HOSTILE)),)),
    "one not judged": report(criteria=(verdict(excluded=1),)),
    "some not judged": report(criteria=(verdict(excluded=30),)),
    "mostly left out": report(cautions=(Caution(code="left_out", columns=("age", HOSTILE), share=0.93),)),
    "columns join": report(
        cautions=(
            Caution(code="unique_column", columns=("rent", HOSTILE)),
            Caution(code="unique_weight", columns=("weight", "share")),
        ),
    ),
    "after one": report(after=ReportedSequel(earlier=1, k=5, level=7)),
    "after two": report(after=ReportedSequel(earlier=2, k=5, level=7)),
    "released before": report(cautions=(Caution(code="released_lost"), Caution(code="released_before"))),
    "released often": report(cautions=(Caution(code="released_often"),)),
    "less after one": report(
        after=ReportedSequel(earlier=1, k=2, level=7, k_alone=5), cautions=(Caution(code="after_smaller_k"),)
    ),
    "more after one": report(
        after=ReportedSequel(earlier=1, k=5, level=7, criteria=(0,)),
        criteria=(verdict(),),
        cautions=(Caution(code="after_alone", where="k_map"),),
    ),
    "units after one": report(after=ReportedSequel(earlier=1, k=5, level=7, units=True)),
    "units after two": report(after=ReportedSequel(earlier=2, k=5, level=7, units=True)),
    "judged": report(
        criteria=(verdict(),),
        columns=(
            column("a", judged="person", judged_on="2026-03-01"),
            column("b", judged="person", judged_on="2026-03-09"),
            column("c", "quasi", judged="guess"),
            column("d", judged="guess"),
            column("e", judged="profile"),
            column("f", judged="profile"),
            column("g", "undecided"),
            column(HOSTILE, "undecided"),
        ),
        cautions=(
            Caution(
                code="undecided", columns=("g", HOSTILE), command=f"schleier decide s.toml --role quasi g {HOSTILE}"
            ),
            Caution(code="guessed", columns=("c", "d"), command="schleier decide s.toml"),
            Caution(code="one_key", columns=("c",), command="schleier decide s.toml --role quasi d"),
            Caution(code="unique_column", columns=("e", "f")),
            Caution(code="unique_weight", columns=("e",)),
        ),
    ),
    "judged one by one": report(
        criteria=(verdict(),),
        columns=(
            column("a", judged="person", judged_on="2026-03-01"),
            column("c", "quasi", judged="guess"),
            column("e", judged="profile"),
            column("g", "undecided"),
        ),
        cautions=(
            Caution(code="undecided", columns=("g",)),
            Caution(code="nothing_changed"),
            Caution(code="guessed", columns=("c",)),
        ),
        unchanged=("a", "c", "e", "g"),
        steps=(step("top_code", "a", column="a", upper=9).model_copy(update={"changed": ("a",), "same_rows": True}),),
    ),
    "judged some day": report(columns=(column("a", judged="person"), column("b", judged="person"))),
    "met, nothing measured": report(criteria=(verdict(),), protection="normal", access="on-site"),
    "the one broken": report(criteria=(verdict(holds=False, bad_classes=1),)),
    "one of two broken": report(
        criteria=(verdict(holds=False, bad_classes=1), verdict()), columns=(column("id", "identifier"),)
    ),
    "steps not measured": report(
        steps=(step("round_to", "rent", column="rent", base=5), step("sample", facts=(), fraction=0.1)),
        columns=(column("rent"),),
        records_released=1233,
        protection="high",
        access="contract",
    ),
    "persons found": report(attacks=(attack(900, low=0.88, high=0.92),)),
    "values told": report(criteria=(verdict(),), attacks=(inference(700),)),
    "no cell changed": report(findings=(cells(age=0.0), cells(age=0.0, sex=0.0), cells(age=0.5))),
    "all alike": report(findings=(uniqueness(0, 0),), protection="normal", access="contract"),
    "one unknown attack": report(attacks=(finding("guesswork", 0.3),)),
    "unknown attacks": report(attacks=(finding("guesswork", 0.3), finding("divination", 0.4))),
    "two overrides": report(
        overrides=(ReportedOverride(where="a", reason="b"), ReportedOverride(where="c", reason="d"))
    ),
    "words nobody knows": report(access="moon", protection="total", columns=(column("x", "odd", "strange"),)),
    "many columns left out": report(columns_left_out=tuple(f"c{i}" for i in range(20))),
    "thirteen columns left out": report(columns_left_out=tuple(f"c{i}" for i in range(13))),
    "one column left out": report(columns_left_out=("name",), attacks=(attack(0, 1, baseline=0.0, high=1.0),)),
    "every measure": report(
        findings=(
            *(finding(word, 0.5, 0.4, 0.6, compared=3, target="rent", over="size", by=GROUPS) for word in MEASURED),
            finding("regression", 0.5, compared=3, target="rent", weighted_share=0.4, unweighted_share=0.6),
            finding("correlations", 0.0, compared=0),
            finding("correlations", 0.1, compared=1, by={"columns": ["sex"], "groups": 0, "worst": None}),
        ),
        steps=(
            step("add_noise", "rent", columns=["rent"], kind="correlated", d=0.1, public=["d"]),
            step("add_noise", "income", columns=["income"], kind="correlated"),
        ),
    ),
}
