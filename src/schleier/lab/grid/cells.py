"""The cells of a grid: one experiment each, told apart by a digest of everything that decides its result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from schleier.core.component import listed
from schleier.core.errors import Problem, Problems, RecipeError
from schleier.core.trust.aim import Technique
from schleier.lab.grid.declared import Method, ReleaseEntry
from schleier.lab.grid.reading import Grid, Known, Seen, missing_columns, nowhere, plain_values
from schleier.lab.mistakes import Mistakes

FORMAT = 5
"""Goes up when the same cell comes to another result."""
MOST = 5000
"""Cells of one grid."""


@dataclass(frozen=True)
class Cell:
    """One experiment. Everything in it is plain, so that another process can take it over."""

    release: str
    technique: str
    threshold: float | None
    keys: str
    knowledge: str
    method: Method
    entry: ReleaseEntry = field(repr=False)
    attack: Technique = field(repr=False)
    """With its threshold, keys and knowledge set."""
    known: str = field(default="", repr=False)
    truth: str = field(default="", repr=False)
    mistakes: Mistakes | None = field(default=None, repr=False)
    runs: int = 1
    digest: str = ""

    @property
    def coordinates(self) -> dict[str, Any]:
        """Where it is in the grid."""
        axes = ("release", "technique", "threshold", "keys", "knowledge", "method")
        return {axis: getattr(self, axis) for axis in axes}

    @property
    def case(self) -> tuple[str, ...]:
        """What must be opened for it: cells that share it follow each other."""
        return (self.release, self.known, self.truth)


def cells_of(grid: Grid, key: str) -> tuple[Cell, ...]:
    """All cells in the order of the grid; combinations that cannot be tried are refused, all at once.

    ``key`` is the fingerprint of the key that all draws follow from.
    """
    problems, found = Problems(), list[Cell]()
    for name, (entry, seen) in grid.releases.items():
        for label, technique in grid.techniques.items():
            for known in grid.knowledge.values():
                found += _cells(grid, (name, entry, seen), (label, technique), known, key, problems)
    seen_before: dict[str, Cell] = {}
    for cell in found:
        other = seen_before.setdefault(cell.digest, cell)
        if other is not cell:
            axes = [axis for axis, value in cell.coordinates.items() if value != other.coordinates[axis]]
            message = (
                f"two experiments are the same: they differ in nothing but what is called otherwise ({listed(axes)})"
            )
            problems.add("same-cell", axes[0] if axes else "grid", message, "take one of the two entries out")
    if len(found) > MOST:
        message = f"the grid has {len(found)} experiments, more than {MOST}"
        problems.add("too-many-cells", "grid", message, "leave entries out, or write several grids")
    problems.found[:] = dict.fromkeys(problems.found)  # each is said once, however many cells it concerns
    problems.raise_as(RecipeError)
    return tuple(found)


def _cells(
    grid: Grid,
    release: tuple[str, ReleaseEntry, Seen],
    technique: tuple[str, Technique],
    known: Known,
    key: str,
    problems: Problems,
) -> Iterator[Cell]:
    name, entry, seen = release
    label, plain = technique
    declared, fields = grid.declared, type(plain).model_fields
    if not known.entry.exact and "knowledge" not in fields:
        message = f"'{plain.word()}' is tried with true values only, not with a file or mistakes"
        problems.add("only-exact", f"techniques.{label}", message, "take it out, or the knowledge that is not exact")
        return
    asked = plain.at_least(0.5) is not None
    for threshold in declared.thresholds if asked and declared.thresholds else (None,):
        at = plain.at_least(threshold) if threshold is not None else plain
        for keys, columns in (declared.keys if "known" in fields and declared.keys else {"": ()}).items():
            changed: dict[str, Any] = {"known": columns} if keys else {}
            if not known.entry.exact:
                changed["knowledge"] = "file"
            attack = (at or plain).model_copy(update=changed)
            where = f"techniques.{label}" + (f", keys.{keys}" if keys else "")
            # What nobody has is said once, and not by every technique that would look for it.
            own = columns or tuple(getattr(attack, "known", ()))
            strange = list(nowhere(f"keys.{keys}" if keys else f"{where}.known", own, known, seen))
            wrong = strange or list(_wrong(attack, columns, known, seen, name, where))
            problems.extend(wrong)
            for method in () if wrong else declared.method:
                cell = Cell(
                    name, label, threshold, keys, known.entry.name, method, entry, attack, known.entry.known,
                    known.entry.truth, known.mistakes, declared.runs if known.mistakes else 1,
                )  # fmt: skip
                yield Cell(**{**vars(cell), "digest": _digest(cell, seen, known, key)})


def _wrong(
    attack: Technique, columns: tuple[str, ...], known: Known, seen: Seen, release: str, where: str
) -> Iterator[Problem]:
    for problem in attack.problems(seen.after):
        place = f": {problem.where}" if problem.where else ""
        yield Problem(problem.code, f"{where} ({release}){place}", problem.message, problem.hint)
    own = columns or tuple(getattr(attack, "known", ()))
    if own and not [one for one in own if not missing_columns((one,), known, seen.before)]:
        message = f"what an attacker holds ('{known.entry.name}') has none of these columns"
        yield Problem("no-common-column", where, message, "name columns that both files have, or rename them first")
    elif own and (lacking := missing_columns(own, known, seen.before)):
        message = f"not both files have the column {lacking}"
        yield Problem("not-in-both", where, message, "name columns that both files have, or rename them first")
    held = tuple(one for one in seen.before if not known.entry.known or one.name in known.columns)
    for problem in known.mistakes.problems(seen.before.model_copy(update={"columns": held})) if known.mistakes else ():
        place = f"knowledge.{known.entry.name}: {problem.where}"
        yield Problem(problem.code, place, problem.message, problem.hint)
    if not known.entry.exact and seen.before.row_key is None:
        message = "who is who can be told only by a declared row_key"
        yield Problem("keyless-release", f"releases.{release}", message, "declare a row_key in its schema")


def _digest(cell: Cell, seen: Seen, known: Known, key: str) -> str:
    from schleier import __version__

    decides = {
        "format": FORMAT,
        "schleier": __version__,
        "key": key,
        "release": seen.digest,
        "attack": cell.attack.word(),
        "parameters": plain_values(cell.attack.model_copy(update={"name": None})),
        "known": known.digest,
        "mistakes": plain_values(cell.mistakes) if cell.mistakes else None,
        "method": cell.method,
        "runs": cell.runs,
    }
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()
