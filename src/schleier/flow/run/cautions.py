"""What keeps a release that meets its criteria from being green, and what of it keeps it from being public."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.address import Address
from schleier.core.amount import in_tens
from schleier.core.caution import Caution
from schleier.core.criterion import Verdict
from schleier.core.errors import Problem
from schleier.core.measure import Finding
from schleier.core.method import Method
from schleier.core.pieces import piece
from schleier.core.schema import OPEN, Column, Role, Schema
from schleier.core.system import as_typed
from schleier.flow.recipe.judging import IN_DOUBT, SCHEMA, behind, decide_line, shown
from schleier.flow.recipe.weights import telling_weights
from schleier.flow.returning import HIDDEN, returning

if TYPE_CHECKING:
    from schleier.flow.recipe.stages import Stage

HINT = 'set missing = "category", or give the release to fewer than everybody (release.access)'


@dataclass(frozen=True)
class Judged:
    """A release that is to be called safe, or not."""

    original: Schema
    released: Schema
    stages: Sequence[Stage]
    labels: Sequence[str]
    verdicts: Sequence[Verdict]
    same: bool = False
    """Whether no value was changed and no record left out."""
    carrying: Sequence[str] = ()
    """Keys of the verdicts in which the released records differ."""
    weighing: Sequence[str] = ()
    """Weights in which the released records differ."""
    together: bool = False
    """Whether several records belong to one unit, and the file shows it."""
    as_collected: Sequence[str] = ()
    """Numbers of units that are those of the original."""
    joining: Sequence[Column] = ()
    """Columns that tell all records apart."""
    declared: Mapping[str, Path] = field(default_factory=dict)
    """The file that describes a column."""
    returning: Finding | None = None
    """What comes back through released columns, as everybody may read it."""
    beside: Sequence[Caution] = ()
    """What was found about it and earlier releases."""
    file: str = ""
    """What the released file is called."""
    source: str | None = None
    """Where the original rows are; nothing when they were given in Python."""
    near: bool = False
    """Whether commands name files as they are found from here: for whoever made the release, not for its report."""


def cautions(about: Judged) -> tuple[Caution, ...]:
    """All reservations about a release, the most important first: what nobody judged makes all else doubtful."""
    found = [
        *_pseudonyms(about),
        *_undecided(about),
        *about.beside,
        *_returning(about),
        *_weights(about),
        *_wildcards(about),
    ]
    found += [*_gaps(about), *_keys_apart(about), *_as_collected(about), *_compositions(about), *_same(about)]
    found += _left(about)
    return (*found, *_guessed(about), *_one_key(about), *_unique(about))


def linkable(stages: Sequence[Stage], released: Schema) -> tuple[str, ...]:
    """Released columns in which whoever has a key can lead records back to persons, and what was made of such ones."""
    found = (name for at in range(len(stages)) for name in _left_by(at, stages, released))
    return tuple(dict.fromkeys(found))


def _left_by(at: int, stages: Sequence[Stage], released: Schema) -> tuple[str, ...]:
    """The released columns that a step filled with pseudonyms, and those that later steps made of them."""
    if not stages[at].step.linkable:
        return ()
    made = dict.fromkeys(stages[at].step.changes(stages[at].before))
    for later in stages[at + 1 :]:
        parts = getattr(later.step, "columns", None) or later.step.uses(later.before)
        if not made.keys().isdisjoint(parts):
            made |= dict.fromkeys(name for name in later.after.names if name not in later.before)
    return tuple(name for name in made if name in released)


def _pseudonyms(about: Judged) -> Iterator[Caution]:
    if names := linkable(about.stages, about.released):
        yield Caution(code="pseudonymous", columns=names)


def _left(about: Judged) -> Iterator[Caution]:
    """What pseudonyms keep: whoever attacks them can use it."""
    found: dict[str, list[str]] = {}
    for at, stage in enumerate(about.stages):
        names = _left_by(at, about.stages, about.released)
        for kept in stage.step.exposes() if names else ():
            found.setdefault(kept, []).extend(names)
    for kept, columns in found.items():
        yield Caution(code=f"left_{kept}", columns=tuple(dict.fromkeys(columns)))


def _undecided(about: Judged) -> Iterator[Caution]:
    if names := about.released.undecided:
        sources = behind(names, about.stages, about.original) or names
        yield Caution(
            code="undecided", columns=names, command=decide_line(sources, about.declared, IN_DOUBT, near=about.near)
        )


def _returning(about: Judged) -> Iterator[Caution]:
    """Hidden columns that released ones give back; keys that other keys do are in the classes that were judged."""
    judged = {*keys_of(about.verdicts)}
    order = {role: place for place, role in enumerate(HIDDEN)}
    found = [one for one in returning(about.returning) if one.column in about.original]
    for one in sorted(found, key=lambda each: order.get(about.original[each.column].role, len(order))):
        role = about.original[one.column].role
        if role in HIDDEN and not (role in ("quasi", "undecided") and judged.issuperset(one.sources)):
            yield Caution(
                code="comes_back",
                columns=(one.column,),
                sources=one.sources,
                share=one.share,
                command=_mended(one.sources, role, about),
            )


def _mended(sources: Sequence[str], gone: Role, about: Judged) -> str:
    """What to type about columns that give back one with the role ``gone``: nobody thought that they have it, too.

    Weights follow from how a sample was drawn. A column that somebody has a reason to protect keeps its role.
    """
    roles = {name: about.released[name].role for name in sources if name in about.released}
    if drawn := [one.command for one in _weights(about) if {*one.sources} & {*sources}]:
        return drawn[0]
    if "weight" in roles.values():
        return f"schleier methods {piece('fewer_weights')['method']}"
    if unprotected := [name for name, role in roles.items() if role in OPEN]:
        taken = IN_DOUBT if gone == "undecided" else gone
        return decide_line(unprotected, about.declared, taken, near=about.near)
    return f"schleier methods {piece('leave_out')['method']}"


def _weights(about: Judged) -> Iterator[Caution]:
    """Weights that tell the group a record was drawn in; those that are the same for all tell nothing."""
    for one in telling_weights(about.stages, about.released):
        if sources := tuple(name for name in one.sources if name in about.weighing):
            yield one.model_copy(update={"sources": sources})


def _wildcards(about: Judged) -> Iterator[Caution]:
    found = [
        Caution(
            code="wildcard",
            where=f"criteria[{i}] ({verdict.criterion})",
            columns=keys_of([verdict]),
            command=f"schleier criteria {verdict.criterion}",
        )
        for i, verdict in enumerate(about.verdicts)
        if verdict.holds and not verdict.safe
    ]
    yield from found
    for stage, label in zip(about.stages, about.labels, strict=True):
        for code in stage.step.cautions():
            if not any(one.code == code for one in found):
                yield Caution(code=code, where=label, command=f"schleier methods {stage.step.word()}")


def _gaps(about: Judged) -> Iterator[Caution]:
    for i, verdict in enumerate(about.verdicts):
        if verdict.holds and verdict.excluded:
            yield Caution(
                code="left_out",
                where=f"criteria[{i}] ({verdict.criterion})",
                columns=keys_of([verdict]),
                share=in_tens(verdict.share_excluded, verdict.records + verdict.excluded),
                command=f"schleier criteria {verdict.criterion}",
            )


def _keys_apart(about: Judged) -> Iterator[Caution]:
    """Columns that outsiders may know, and that no criterion looked at together with all others of them."""
    known = set(about.released.quasi)
    looked = [known & set(keys) for verdict in about.verdicts if verdict.holds for keys in verdict.keys]
    if looked and (best := max(looked, key=len)) < known:
        command = f"schleier criteria {piece('records_alike')['criterion']}"
        yield Caution(
            code="keys_apart", columns=tuple(n for n in about.released.quasi if n not in best), command=command
        )


def _as_collected(about: Judged) -> Iterator[Caution]:
    if about.as_collected:
        command = f"schleier methods {piece('number_anew')['method']}"
        yield Caution(code="unit_numbers", columns=tuple(about.as_collected), command=command)


def _compositions(about: Judged) -> Iterator[Caution]:
    """Units whose records are known to belong together, and that nobody compared as a whole."""
    if about.together and about.released.quasi and not any(verdict.compositions for verdict in about.verdicts):
        command = f"schleier criteria {piece('units_alike')['criterion']}"
        yield Caution(code="compositions", columns=about.released.having("unit"), command=command)


def _same(about: Judged) -> Iterator[Caution]:
    if about.same:
        yield Caution(code="nothing_changed", command=_inspect_line(about))


def _inspect_line(about: Judged) -> str:
    """What to type to see the risk of the unchanged values: in the released files, or here in the original ones."""
    if not about.near:
        return f"schleier inspect {as_typed(about.file)} --schema {SCHEMA}" if about.file else ""
    if about.source is None:
        return ""
    at = Address.of(about.source)
    file = str(at) if at.variable else str(replace(at, at=shown(at.path)))
    return f"schleier inspect {as_typed(file)} --schema {as_typed(shown(_schema(about)))}"


def _schema(about: Judged) -> Path:
    """The file that describes the columns, the first where several do."""
    return next(iter(about.declared.values()), Path(SCHEMA))


def _guessed(about: Judged) -> Iterator[Caution]:
    if names := about.released.guessed:
        yield Caution(code="guessed", columns=names, command=decide_line(names, about.declared, near=about.near))


def _one_key(about: Judged) -> Iterator[Caution]:
    if len(about.carrying) == 1:
        # Which of the others somebody may know is for a person to say; the columns of a recipe are those of its file.
        others = [c.name for c in about.released if c.role in ("plain", "undecided") and c.name in about.original]
        line = decide_line(others, about.declared, "quasi", near=about.near) if others else ""
        yield Caution(code="one_key", columns=tuple(about.carrying), command=line)


def _unique(about: Judged) -> Iterator[Caution]:
    if names := tuple(column.name for column in about.joining if column.role != "weight"):
        unkeyed = [column.name for column in about.joining if column.role not in ("weight", "quasi")]
        demand = f"schleier criteria {piece('records_alike')['criterion']}"
        line = decide_line(unkeyed, about.declared, "quasi", near=about.near) if unkeyed else demand
        yield Caution(code="unique_column", columns=names, command=line)
    if names := tuple(column.name for column in about.joining if column.role == "weight"):
        yield Caution(
            code="unique_weight", columns=names, command=f"schleier methods {piece('fewer_weights')['method']}"
        )


def not_for_everybody(step: Method, where: str) -> list[Problem]:
    """Why a step must not be part of a release to everybody."""
    message = "a gap that may be anything hides nothing from whoever knows the value behind it"
    return [Problem("wildcard-public", where, message, HINT)] if step.cautions() else []


def for_access(verdicts: Sequence[Verdict], access: str) -> tuple[Verdict, ...]:
    """Verdicts for those who get a release: for everybody, one that is met only by wildcards is not met."""
    if access != "public":
        return tuple(verdicts)
    return tuple(one if one.safe else one.model_copy(update={"holds": False}) for one in verdicts)


def keys_of(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """The columns that verdicts looked at."""
    return tuple(dict.fromkeys(key for verdict in verdicts for keys in verdict.keys for key in keys))
