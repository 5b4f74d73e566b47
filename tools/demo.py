"""The demo: an invented population, a survey of it, a release, two attacks, a verdict."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.release import Release
from schleier.world.files import write_world

PERSONS = 200_000
KEY = bytes(range(32))  # public on purpose: everybody gets the same demo
FOLDER = Path(__file__).parent.parent / "demo"


def verdict(original: Release, release: Release) -> list[str]:
    """The findings in a few lines."""
    lines = []
    for before, after in zip(original.report.attacks, release.report.attacks, strict=True):
        who = "who knows the facts" if after.detail["knowledge"] == "exact" else "with a register of names"
        lines.append(
            f"An attacker {who} finds {after.value:.2%} of his targets ({after.low:.2%} to {after.high:.2%}); "
            f"without protection it was {before.value:.2%}; guessing finds {after.detail['baseline']:.4%}."
        )
    for criterion in release.report.criteria:
        lines.append(criterion.text)
    lines.append(
        "No record stands alone, so exact matching finds nobody by construction; other attacks were not tried."
    )
    return lines


def main() -> None:
    """Make, release, attack, tell."""
    start = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
    rows = write_world(PERSONS, FOLDER / "world", KEY)
    print(f"Made a world of {rows['population']:,} persons; {rows['survey']:,} of them answered a survey.")
    unprotected = Recipe.from_file(FOLDER / "world" / "unprotected.toml").run(key=KEY)
    release = Recipe.from_file(FOLDER / "world" / "recipe.toml").run(out=FOLDER / "release", key=KEY)
    print(f"Released {release.report.records_released:,} records.")
    print(*verdict(unprotected, release), sep="\n")
    print(f"Report: {FOLDER / 'release' / 'public' / 'report.html'}")
    print(f"({time.monotonic() - start:.0f} seconds)")


if __name__ == "__main__":
    main()
