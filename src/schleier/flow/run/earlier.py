"""Earlier releases of the same persons: judged where they were named, attacked together where a register knows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from schleier.core.caution import Caution
from schleier.core.errors import SchleierError
from schleier.core.pieces import made, piece
from schleier.core.trust.outsiders import rows_for_outsiders
from schleier.flow.recipe.stages import stages
from schleier.flow.release.register import Entry, Register, found_again
from schleier.flow.run.differences import told_numbers
from schleier.flow.run.remake import Remade, remake
from schleier.flow.run.sequence import Sequel, judge

if TYPE_CHECKING:
    from schleier.core.data import Dataset
    from schleier.core.measure import Measure
    from schleier.core.method import Method
    from schleier.flow.run.runner import Job

WORD = str(piece("compared_with_earlier")["attack"])
MANY = 1000
"""Of fewer persons all are looked for."""
OFTEN = 10
"""From so many earlier releases on the report says that there were many; how many exactly it never says."""


@dataclass(frozen=True)
class Earlier:
    """What there was before a release."""

    releases: Mapping[str, Dataset] = field(default_factory=dict)
    """Earlier releases with their row keys, the first one first: what an attacker may hold."""
    sequel: Sequel | None = None
    """What was found about the releases that were named."""
    listed: int = 0
    """Releases of the same source that a register knows."""
    lost: int = 0
    """Those of them that cannot be looked at any more."""

    @property
    def cautions(self) -> Iterator[Caution]:
        """Why the release is not to be called safe without reservation."""
        yield from self.sequel.cautions if self.sequel else ()
        if self.lost:
            yield Caution(code="released_lost")
        if self.listed:
            yield Caution(code="released_often" if self.listed >= OFTEN else "released_before")

    def attacks(self, asked: Sequence[Measure], records: int) -> tuple[Measure, ...]:
        """What is tried where a register knows of earlier releases and the recipe does not try it."""
        there = self.listed > self.lost and not any(attack.word() == WORD for attack in asked)
        few = {"targets": "all"} if records <= MANY else {}
        return (made("compared_with_earlier", **few),) if there else ()


def look_back(job: Job, new: Remade, steps: Sequence[Method], labels: Sequence[str], records: int) -> Earlier:
    """Make earlier releases once more, and judge the new one with those that were named; refused beyond their limits.

    It is entered in the register first, so that whoever comes next finds it, too.
    """
    recipe, wanted, run = job.recipe, job.wanted, job.run
    file = recipe.data.file if job.source is None else None
    source = job.source if file is None else file
    entries: Sequence[Entry] = ()
    if job.register is not None:
        entries = job.register.enter(job.register.sources(new.original, file), job.out)
    named, sequel = [], None
    for past, rows in wanted.earlier if wanted else ():
        with run.progress(f"making once more: {past.folder.name}"):
            named.append((past.folder, remake(past, rows, source, new.original)))
    if wanted:
        with run.progress("judging with earlier releases"):
            walked = zip(stages(new.original.schema, steps), labels, strict=True)
            rows, is_open = new.released.rows, recipe.release.access == "public"
            told = rows if is_open else rows_for_outsiders(rows, steps)
            numbers = told_numbers(records, told, walked, run.notes)
            sequel = judge(wanted, recipe, new, [one for _, one in named], numbers)
    known = {folder.resolve() for folder, _ in named}
    lost = 0
    for entry in entries:
        if Path(entry.folder).resolve() in known:
            continue
        there = found_again(entry)
        with run.progress(f"making once more: {Path(entry.folder).name}"):
            try:
                again = remake(there, None, source, new.original) if there else None
            except SchleierError:
                again = None
        if there is None or again is None:
            lost += 1
        else:
            named.append((there.folder, again))
    key = new.original.schema.key
    releases = {str(folder): one.released for folder, one in named if one.original.schema.key == key}
    return Earlier(releases, sequel, len(entries), lost)


@contextmanager
def entered(register: Register | None, out: Path) -> Iterator[list[str]]:
    """What was entered in a register before it was made is taken out again when it comes to nothing.

    The block puts the digest of the release into the list.
    """
    digest: list[str] = []
    try:
        yield digest
    except BaseException:
        with suppress(SchleierError):  # what went wrong is said already
            if register is not None:
                register.finish(out, "")
        raise
    if register is not None:
        register.finish(out, digest[0])
