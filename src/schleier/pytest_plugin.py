"""Disclosure checks as tests: what is released is verified whenever a repository is tested.

>>> ReleaseChecks("release/public/data.csv", recipe="recipe.toml").amber
False
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from schleier.core.errors import SchleierError
    from schleier.report.checks import Check
    from schleier.report.language import Words


@dataclass(frozen=True)
class ReleaseChecks:
    """What is checked of a released file, or of the whole folder of a release; stands in a test file under any name.

    Paths are relative to the root of the tests.
    """

    file: str | Path
    """The released file, or the folder of a release."""
    recipe: str | Path | None = None
    """The recipe whose criteria it must meet; a whole release has its own."""
    report: str | Path | None = None
    """The report.json that it must agree with; a whole release has its own."""
    amber: bool = False
    """Whether a report with reservations is accepted; one that is red never is."""


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> pytest.Collector | None:
    """Tests for what a test file says of releases."""
    if isinstance(obj, ReleaseChecks):
        found: pytest.Collector = Release.from_parent(collector, name=name, checks=obj)
        return found
    return None


class Release(pytest.Collector):
    """All tests of one release: the file is looked at once, each test tells a part of what was found."""

    def __init__(self, *, checks: ReleaseChecks, **more: Any) -> None:
        super().__init__(**more)
        root = self.config.rootpath
        self.checks = checks
        self.file = root / checks.file
        self.recipe = None if checks.recipe is None else root / checks.recipe
        self.report = None if checks.report is None else root / checks.report
        self._looked: dict[str, Check] | None = None

    def collect(self) -> Iterator[pytest.Item]:
        """A test for the file, its records, its digest, each criterion and the report."""
        from schleier.report.checks import DIGEST, FILE, RECORDS, REPORT

        names = [FILE, RECORDS, DIGEST, *self.criteria()]
        if self.report is not None or self.file.is_dir():
            names.append(REPORT)
        for name in names:
            item: pytest.Item = ReleaseTest.from_parent(self, name=name)
            yield item

    def criteria(self) -> list[str]:
        """Names of the criteria; none where the recipe cannot be read, which the test of the file then tells."""
        from schleier.core.errors import SchleierError
        from schleier.flow.recipe.recipe import Recipe
        from schleier.flow.release.standing import fitted_recipe
        from schleier.report.checks import names_of

        try:
            recipe = Recipe.from_file(self.recipe) if self.recipe else fitted_recipe(self.file)
        except SchleierError:
            return []
        return names_of(recipe.criteria)

    def look(self) -> dict[str, Check]:
        """Everything that was found, by the name of the check."""
        if self._looked is None:
            self._looked = {check.name: check for check in self._found()}
        return self._looked

    def _found(self) -> Iterator[Check]:
        from schleier.core.errors import SchleierError
        from schleier.flow.run.examine import examine_by, report_from_file
        from schleier.report.checks import REPORT, Check, found_checks, names_of, refused_checks

        words = _words()
        try:
            found, judged = examine_by(self.file, self.recipe, self.report)
            yield from found_checks(found, names_of(judged.criteria), words)
        except SchleierError as error:
            yield from refused_checks(error, self.criteria(), words, _tell)
        place = self.file / "public" / "report.json" if self.file.is_dir() else self.report
        if place is not None:
            try:
                yield _front(report_from_file(place), words, amber=self.checks.amber)
            except SchleierError as error:
                yield Check(REPORT, "error", _all(error))


class ReleaseTest(pytest.Item):
    """One check of a release."""

    parent: Release

    def runtest(self) -> None:
        """Fail where the check did, skip what could not be looked at."""
        found = self.parent.look()[self.name]
        if found.outcome == "skipped":
            pytest.skip(found.text)
        if found.outcome != "passed":
            raise ReleaseRefused(found.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **more: Any) -> Any:
        """What is wrong, without the way through the program."""
        if isinstance(excinfo.value, ReleaseRefused):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **more)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Which release it is about, and what was checked."""
        return self.path, None, f"{self.parent.name}: {self.name}"


class ReleaseRefused(Exception):
    """A check of a release failed."""


def _lang() -> str:
    return os.environ.get("SCHLEIER_LANG") or "en"


def _words() -> Words:
    from schleier.report.language import Words

    return Words.of(_lang())


def _tell(problem: Any) -> str:
    from schleier.cli.problems import sentence

    return sentence(problem, _lang())


def _all(error: SchleierError) -> str:
    return "\n".join(map(_tell, error.problems))


def _front(report: Any, words: Words, *, amber: bool) -> Check:
    """Whether a report is green, or amber where that is accepted."""
    from schleier.report.checks import REPORT, Check
    from schleier.report.front import tell_caution
    from schleier.report.html import tell_front
    from schleier.report.language import plain

    front = tell_front(report, words)
    if front.mark == "good" or (front.mark == "mind" and amber):
        return Check(REPORT)
    cautions = [plain(tell_caution(caution, words)) for caution in report.cautions]
    return Check(REPORT, "failed", "\n".join([plain(front.headline), *cautions]))
