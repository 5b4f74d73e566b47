"""Reports to render: the least there can be, a usual one, one with everything, and odd ones."""

from __future__ import annotations

from typing import Any

from schleier.core.criterion import Verdict
from schleier.core.measure import Finding
from schleier.core.trust.coarse import USUAL, Openness, tell_coarsely
from schleier.flow.release.documents import Report, ReportedColumn, ReportedStep

DIGEST = "0123456789abcdef" * 4
ENGLISH = "This sentence of the document exists in English only."
HOSTILE = "<script>alert('x')</script>&\"'"


def report(**more: Any) -> Report:
    base: dict[str, Any] = {
        "schleier": "0.1.0",
        "file": "data.csv",
        "digest": DIGEST,
        "records_read": 1234,
        "records_released": 1234,
        "columns": (),
    }
    return Report(**(base | more))


def column(name: str, role: str = "plain", scale: str = "nominal", **more: Any) -> ReportedColumn:
    return ReportedColumn(name=name, role=role, scale=scale, **more)


def step(method: str, *columns: str, facts: tuple[dict[str, Any], ...] = (), **parameters: Any) -> ReportedStep:
    label = f"{method}:{','.join(columns)}"
    return ReportedStep(method=method, label=label, columns=columns, parameters=parameters, facts=facts)


def verdict(criterion: str = "k_anonymity", **more: Any) -> Verdict:
    base: dict[str, Any] = {
        "criterion": criterion,
        "parameters": {"k": 5},
        "holds": True,
        "level": 7.0,
        "keys": (("age", "sex"),),
        "records": 1234,
        "text": ENGLISH,
    }
    return Verdict(**(base | more))


def finding(name: str, value: float, low: float | None = None, high: float | None = None, **detail: Any) -> Finding:
    return Finding(name=name, value=value, low=low, high=high, better="lower", text=ENGLISH, detail=detail)


def spread(unique: int, records: int = 1234, **more: Any) -> dict[str, Any]:
    part = {"records": records, "classes": 300, "unique": unique, "in_pairs": 20, "smallest": 1 if unique else 7}
    return part | {"share": unique / records} | more


def uniqueness(before: int, after: int, *, sizes: bool = True, **further: Any) -> Finding:
    more = {"average": 0.2} if sizes else {}
    detail: dict[str, Any] = {
        "keys": ["age", "sex"],
        "before": spread(before, **more),
        "after": spread(after, **more),
    }
    if sizes:
        detail["sizes"] = {
            "bins": ["1", "2", "3-4", "5+"],
            "before": [before, 20, 30, 400],
            "after": [after, 0, 0, 1234],
        }
    return finding("uniqueness", after / 1234, **detail, **further)


def cells(**shares: float) -> Finding:
    return finding("changed_cells", sum(shares.values()) / len(shares), columns=shares)


def attack(
    correct: int, targets: int = 1000, low: float = 0.0, high: float = 0.01, *, named: str = "exact_match", **more: Any
) -> Finding:
    return tell_coarsely(counted_attack(correct, targets, low, high, named, **more), USUAL)


def counted_attack(
    correct: int, targets: int, low: float, high: float, named: str = "exact_match", **more: Any
) -> Finding:
    """As the audit has it, and reports had it once."""
    detail: dict[str, Any] = {
        "known": ["age", "sex"],
        "knowledge": "exact",
        "targets": targets,
        "contained": targets,
        "claims": correct,
        "correct": correct,
        "false_share": 0.0,
        "baseline": 1 / 1234,
        "records": 1234,
        "control_claims": None,
        "control_targets": targets,
    }
    return finding(named, correct / targets, low, high, **(detail | more))


def inference(correct: int, claims: int = 900, named: str = "attribute_inference", **more: Any) -> Finding:
    detail: dict[str, Any] = {
        "known": ["age", "sex"],
        "sensitive": "income",
        "knowledge": "exact",
        "targets": 1000,
        "without_value": 0,
        "contained": 1000,
        "claims": claims,
        "correct": correct,
        "baseline": 0.5,
        "difference": 0.2,
        "difference_low": 0.15,
        "difference_high": 0.25,
        "sure": None,
        "within": None,
        "control_claims": None,
        "control_targets": 1000,
    }
    value = correct / claims if claims else 0.0
    exact = finding(named, value, max(value - 0.03, 0.0), min(value + 0.03, 1.0), **(detail | more))
    return tell_coarsely(exact, USUAL | Openness(frozenset({"averaged", "narrow", "narrowest", "impossible"})))


MINIMAL = report()

TYPICAL = report(
    title="Household survey",
    purpose="Teaching",
    access="contract",
    protection="high",
    columns=(
        column("age", "quasi", "ordinal", title="Age in years"),
        column("sex", "quasi"),
        column("income", "sensitive", "continuous", decimals=2),
    ),
    columns_left_out=("name",),
    steps=(
        step("drop", "name", columns=["name"]),
        step("recode", "age", column="age", level=2),
        step("top_code", "income", column="income", upper=9000, affected_upper=12),
    ),
    criteria=(verdict(),),
    findings=(uniqueness(410, 0), cells(age=1.0, sex=0.0, income=0.01)),
    attacks=(attack(30, low=0.021, high=0.043),),
)
