"""Formally, de facto or absolutely anonymous: which of them a release is, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from schleier.core.classes.judgement import judge_all
from schleier.core.measure import Better, Case, Finding, Measure
from schleier.core.schema import Schema
from schleier.core.trust.coarse import share_of
from schleier.risk._linked_records import link_files, told_share

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.run import Run

LEVELS = ("identified", "formal", "de_facto", "absolute")
MOST = 1_000
"""Columns, at most, that are compared all together; beyond them nothing is proven."""


class AnonymityLevel(Measure):
    """The level of anonymity: 0 none, 1 formal, 2 de facto, 3 absolute; each with its reasons.

    >>> AnonymityLevel(tolerated=0.01).k
    3
    """

    reference: ClassVar[str] = (
        "Höhne (2010), L236-L264 (levels of anonymity); Müller, Blien, Knoche, Wirth et al. (1991), L507-L548 "
        "(de facto anonymity); Kneuper, degrees of anonymity"
    )
    example: ClassVar[dict[str, object]] = {"targets": 100}
    kind: ClassVar[Literal["risk", "utility"]] = "risk"
    better: ClassVar[Better] = "higher"

    keys: tuple[str, ...] = ()
    """Columns an attacker may know; all quasi-identifiers when empty."""
    tolerated: float = Field(default=0.05, ge=0, lt=1)
    """Share of persons that may be found for certain by somebody who knows all keys and that they took part."""
    k: int = Field(default=3, ge=2)
    """For absolute anonymity so many records must be equal in all released columns."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 10_000
    """How many persons are looked for at most, drawn at random, or "all" that there are."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The keys."""
        return self.keys or schema.quasi

    def measure(self, case: Case, run: Run) -> Finding:
        """Ask the levels one after the other; the first that fails decides."""
        evidence = self._evidence(case, run)
        level = self._level(evidence)
        reasons = list(_reasons(level, evidence, self.tolerated))
        detail = {
            "level": LEVELS[level],
            "keys": list(self.uses(case.released.schema)),
            "identifiers": list(evidence.identifiers),
            "pseudonyms": list(evidence.pseudonyms),
            "texts": list(evidence.texts),
            "units": list(evidence.units),
            "targets": evidence.targets,
            "found": evidence.found,
            "found_at_most": evidence.found_at_most,
            "tolerated": self.tolerated,
            "smallest": evidence.smallest,
            "k": self.k,
            "criteria": list(evidence.hold),
            "broken": list(evidence.broken),
            "cautions": reasons,
        }
        said = {
            "identified": "The file is not anonymous",
            "formal": "The file is formally anonymous, and no more",
            "de_facto": "The file is de facto anonymous, as far as the declared columns go",
            "absolute": "The file is absolutely anonymous",
        }[LEVELS[level]]
        text = f"{said} ({', '.join(reason.replace('_', ' ') for reason in reasons)})."
        return Finding(name=self.word(), value=float(level), better=self.better, text=text, detail=detail)

    def disclose(self, case: Case, run: Run, exact: Finding) -> Finding | None:
        """The level and its reasons; how many were found in steps."""
        found = {name: exact.detail[name] for name in ("found", "found_at_most")}
        targets = int(exact.detail["targets"] or 0)
        told = {name: share if share is None else share_of(share, targets) for name, share in found.items()}
        return exact.model_copy(update={"detail": exact.detail | told})

    def _evidence(self, case: Case, run: Run) -> Evidence:
        """What there is to see in the release; the costly parts only where they can still matter."""
        released, schema = case.released, case.released.schema
        keys = [name for name in self.uses(schema) if name in schema]
        named = schema.having("identifier")
        facts: dict[str, Any] = {
            "identifiers": named,
            "pseudonyms": (pseudonyms := tuple(_pseudonyms(case))),
            "texts": tuple(c.name for c in schema if c.scale == "text" and c.role != "identifier"),
            "units": tuple(_as_collected(case)),
            "no_keys": not keys,
        }
        if named or pseudonyms or not keys:
            return Evidence(**facts)
        verdicts = judge_all(released, run.criteria, case.original)
        facts["hold"] = tuple(dict.fromkeys(v.criterion for v in verdicts if v.safe))
        facts["deterred"] = any(c.deters and v.safe for c, v in zip(run.criteria, verdicts, strict=True))
        facts["broken"] = tuple(dict.fromkeys(v.criterion for v in verdicts if not v.safe))
        facts |= self._found(case, keys, run)
        evidence = Evidence(**facts)
        if self._level(evidence) < LEVELS.index("de_facto") or len(schema.columns) > MOST:
            return evidence
        return Evidence(**facts, smallest=_smallest(released))

    def _found(self, case: Case, keys: list[str], run: Run) -> dict[str, Any]:
        """Persons whose single nearest record is their own: nobody can be sure of one of several."""
        from schleier.kernels.linkage.nearest import nearest, scaled

        sides = link_files(case, keys, (), self.targets, run)
        points, asked = scaled(sides.released, sides.known)
        near = nearest(points, asked[sides.chosen], sides.own, sides.block, sides.within[sides.chosen])
        share, _, high = told_share(near.certain().astype(float))
        return {"targets": len(sides.chosen), "found": share, "found_at_most": high if sides.drawn else share}

    def _level(self, evidence: Evidence) -> int:
        if evidence.identifiers or evidence.pseudonyms:
            return LEVELS.index("identified")
        held_back = evidence.no_keys or evidence.texts or evidence.units or evidence.broken
        if held_back or not evidence.targets or evidence.found_at_most > self.tolerated:
            return LEVELS.index("formal")
        return LEVELS.index("absolute" if evidence.smallest >= self.k else "de_facto")


@dataclass(frozen=True)
class Evidence:
    """What speaks for and against a level."""

    identifiers: tuple[str, ...]
    """Columns that name people."""
    pseudonyms: tuple[str, ...]
    """Columns that whoever has a key can lead back to persons."""
    texts: tuple[str, ...]
    """Columns of free text, which may name people."""
    units: tuple[str, ...]
    """Numbers of households or owners as they were collected: pseudonyms."""
    no_keys: bool
    """Whether nobody said what an attacker may know."""
    hold: tuple[str, ...] = ()
    """Criteria that were demanded and hold."""
    deterred: bool = False
    """Whether one of them means that an attack does not pay."""
    broken: tuple[str, ...] = ()
    """Criteria that were demanded and do not hold."""
    targets: int = 0
    """Persons looked for."""
    found: float = 0.0
    """Share of them that was found for certain."""
    found_at_most: float = 0.0
    """Upper end of its interval."""
    smallest: int = 0
    """Records that are equal in all released columns, at least; 0 when that was not looked at."""


def _reasons(level: int, evidence: Evidence, tolerated: float) -> Iterator[str]:
    """Codes of the reasons, for the report to put into words."""
    if LEVELS[level] == "identified":
        yield from ["identifiers"] * bool(evidence.identifiers) + ["pseudonyms"] * bool(evidence.pseudonyms)
        return
    against = {
        "no_keys": evidence.no_keys,
        "texts": bool(evidence.texts),
        "units": bool(evidence.units),
        "broken_criteria": bool(evidence.broken),
    }
    yield from (code for code, there in against.items() if there)
    if evidence.targets:
        yield "few_found" if evidence.found_at_most <= tolerated else "found"
    if level == LEVELS.index("formal"):
        return
    yield "criteria" if evidence.hold else "no_criteria"
    if evidence.deterred:
        yield "not_worth_it"
    yield "all_alike" if LEVELS[level] == "absolute" else "not_all_alike"
    yield "as_declared"


def _as_collected(case: Case) -> Iterator[str]:
    """Unit columns whose numbers no step replaced."""
    for name in case.released.schema.having("unit"):
        schema, replaced = case.original.schema, name not in case.original.schema
        for step in case.steps:
            replaced |= name in schema and name in step.changes(schema)
            schema = step.after(schema)
        if not replaced:
            yield name


def _pseudonyms(case: Case) -> Iterator[str]:
    """Released columns in which a step left pseudonyms, or moved values by a key, and what was made of such ones."""
    schema = case.original.schema
    found: dict[str, None] = {}
    for step in case.steps:
        after = step.after(schema)
        if step.linkable:
            found |= dict.fromkeys(step.changes(schema))
        elif not found.keys().isdisjoint(getattr(step, "columns", None) or step.uses(schema)):
            found |= dict.fromkeys(name for name in after.names if name not in schema)
        schema = after
    yield from (name for name in found if name in case.released.schema)


def _smallest(data: Dataset) -> int:
    """How many records are equal in all columns, at least."""
    import narwhals as nw

    groups = data.frame.group_by(*(nw.col(name) for name in data.schema.names)).agg(_n_=nw.len())
    found = data.engine.arrays(groups.select(n=nw.col("_n_").min())).column("n")[0].as_py()
    return int(found or 0)
