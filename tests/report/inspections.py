"""Inspections of every kind, to be shown to people."""

from __future__ import annotations

from typing import Any

from schleier.core.measure import Finding
from schleier.core.schema import Column, Schema
from schleier.flow.inspect.changes.best import Change
from schleier.flow.inspect.changes.effects import Effect
from schleier.flow.inspect.inspect import InspectedColumn, Inspection, inspect
from schleier.flow.inspect.possible import PossibleKeys
from schleier.flow.returning import Returning
from schleier.testing import example_schema, example_table

HOSTILE = "<script>alert('x')</script>&\"'{0}"


def schema(**roles: Any) -> Schema:
    """The example schema with other roles."""
    found = example_schema()
    for name, role in roles.items():
        found = found.changed(name, role=role)
    return found


def of(rows: int = 240, times: int = 1, **roles: Any) -> Inspection:
    import pyarrow as pa

    table = pa.concat_tables([example_table(rows)] * times)
    table = table.set_column(0, "id", pa.array([str(i) for i in range(len(table))]))
    return inspect(table, schema(**roles))


def changed(inspection: Inspection, name: str, **detail: Any) -> Inspection:
    """An inspection with something else in the detail of one finding."""
    findings = [
        one.model_copy(update={"detail": one.detail | detail}) if one.name == name else one
        for one in inspection.findings
    ]
    return inspection.model_copy(update={"findings": tuple(findings)})


def wide(inspection: Inspection, count: int) -> Inspection:
    """An inspection of a file with very many columns."""
    detail = next(one.detail for one in inspection.findings if one.name == "single_columns")
    one = next(iter(detail["columns"].values()))
    columns = tuple(InspectedColumn(name=f"c{i}", role="plain", scale="nominal") for i in range(count))
    return changed(
        inspection.model_copy(update={"columns": columns}), "single_columns", columns={c.name: one for c in columns}
    )


def narrow(*values: int) -> Inspection:
    """A file with one column."""
    import pyarrow as pa

    column = Column(name="age", role="quasi", scale="discrete", hierarchy="age")
    hierarchies = {"age": example_schema().hierarchies["age"]}
    return inspect(pa.table({"age": values}), Schema(columns=(column,), hierarchies=hierarchies))


def change(
    kind: Any, by: Any = None, *, share: float = 0.1, chance: float = 0, alone: bool = True, **more: Any
) -> Change:
    """A change after which so many records are unique."""
    effect = Effect(unique=round(share * 240), share=share, average=chance or share + 0.1)
    step = {"method": "drop", "columns": ["age"]}
    known = {
        "columns": ("age",),
        "values": (75, 8),
        "kept": 0.5,
        "steps": (step,),
        "toml": "[[steps]]\n",
        "alone": effect,
    }
    return Change(kind=kind, by=by, together=effect, **(known | more))


def changing(inspection: Inspection, *changes: Change, **more: Any) -> Inspection:
    return inspection.model_copy(update={"changes": changes, **more})


def chances(inspection: Inspection) -> Inspection:
    """A file in which nobody is unique, but small groups are."""
    part = next(one.detail["after"] for one in inspection.findings if one.name == "uniqueness")
    return changed(inspection, "uniqueness", after=part | {"unique": 0, "share": 0.0, "average": 0.4, "smallest": 2})


ODD = Finding(name="odd", value=0.25, low=0.1, high=0.4, better="lower", text="A sentence of somebody else.")


def undecided(*columns: str, alone: int = 240, k: int = 1) -> Inspection:
    """An inspection with columns nobody has judged; without them so many are alone, and the smallest group is of k."""
    keys = PossibleKeys(columns=columns, k_with=1, k_without=k, unique_with=240, unique_without=alone)
    return USUAL.model_copy(update={"possible_keys": keys})


USUAL = of()
NO_KEYS = of(age="plain", sex="plain", region="plain")
NOBODY = of(times=2, person="plain")
FEW = of(age="quasi", sex="plain", region="plain", person="sensitive", born="quasi", schooling="quasi")
ONE = of(rows=3, person="plain", age="plain", sex="plain", region="plain", disease="quasi")


def back(column: str, *sources: str) -> Returning:
    """A column that others would give back."""
    return Returning(column=column, sources=sources, share=0.97, blind=0.3)


INSPECTIONS = {
    "usual": USUAL.model_copy(update={"file": "people.csv"}),
    "one gives back": USUAL.model_copy(update={"returning": (back("age", "rent"),)}),
    "two give back": NOBODY.model_copy(update={"returning": (back("age", "rent", HOSTILE),)}),
    "one follows": changing(USUAL, change("drop", follows=("sex", "born"))),
    "two follow": changing(USUAL, change("drop", follows=("sex",), dropped=("born",))),
    "no keys": NO_KEYS,
    "nobody alone": NOBODY,
    "large groups": narrow(*(1 for _ in range(20))),
    "no hierarchies": FEW.model_copy(
        update={"columns": tuple(c.model_copy(update={"hierarchy": False}) for c in FEW.columns)}
    ),
    "one": ONE,
    "cut": changed(changed(USUAL, "combinations", cut=True, most=1), "uniqueness", keys=["age"]),
    "cut at two": changed(USUAL, "combinations", cut=True, most=2, smallest_found=1, looked_at=1),
    "wide": wide(USUAL, 90),
    "other": USUAL.model_copy(update={"findings": (*USUAL.findings, ODD)}),
    "strange": changed(changed(USUAL, "uniqueness", after={}), "combinations", enough=[{"share": float("nan")}]),
    "one record": narrow(1),
    "one column": narrow(1, 1, 2),
    "one column, nobody alone": narrow(1, 1),
    "changes of numbers": changing(
        USUAL, change("bands", 10), change("bins", 4, share=0.05), change("cap", 80, share=0)
    ),
    "changes of words": changing(
        USUAL, change("first", 1), change("first", 3, share=0.05), change("rare", 12, share=0.02), skipped=("a", "b")
    ),
    "changes of levels": changing(
        USUAL, change("level", 2), change("drop", columns=("sex",), dropped=("age",), share=0.05), skipped=("a",)
    ),
    "a key that follows from others": changing(
        USUAL,
        change("drop", follows=("sex", "region"), share=0.05),
        change("drop", columns=("sex",), dropped=("born",), follows=("region",), share=0.02),
    ),
    "changes of rare records": changing(
        USUAL,
        change("drop", share=232 / 240, chance=236 / 240),
        change("blank", 5, blanked=7, columns=("age", "sex"), alone=None),
    ),
    "changes of chances": changing(chances(USUAL), change("drop", share=0, chance=0.3), change("bands", 5, share=0)),
    "changes of dates": changing(USUAL, change("dates", "day"), change("dates", "week"), change("dates", "month")),
    "changes of longer dates": changing(USUAL, *(change("dates", unit) for unit in ("quarter", "half"))),
    "no change": changing(USUAL),
    "one change": changing(USUAL, change("dates", "year")),
    "one change of dates": changing(USUAL, change("dates", "decade")),
    "one undecided": of(born="undecided"),
    "two undecided": of(age="plain", sex="plain", region="plain", born="undecided", children="undecided"),
    "one undecided that changes nothing": undecided("born"),
    "two undecided that change nothing": undecided("born", "children"),
    "one undecided that changes k": undecided("born", alone=0, k=3),
    "one undecided that leaves k": undecided("born", alone=60),
    "two undecided that leave k": undecided("born", "children", alone=60),
    "two named": of(person="identifier", household="identifier", disease="identifier", born="plain"),
}
