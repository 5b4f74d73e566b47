"""The demo: an invented population, a survey of it, a release, attacks on it, a verdict."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from schleier.core.measure import Finding
from schleier.flow.attack.attack import attack
from schleier.flow.recipe.recipe import Recipe
from schleier.flow.release.release import Release
from schleier.world.files import write_world

PERSONS = 200_000
KEY = bytes(range(32))  # public on purpose: everybody gets the same demo
FOLDER = Path(__file__).parent.parent / "demo"
NEIGHBOUR, REGISTER = "A neighbour who knows the facts", "Somebody with a register of names"
TECHNIQUES = {
    "distance_match:knowledge=exact": f"{NEIGHBOUR} takes the nearest record, and finds",
    "distance_match:knowledge=file": f"{REGISTER} takes the nearest record, and finds",
    "inference:sensitive=income,within=0.1,knowledge=exact": f"{NEIGHBOUR} names incomes to a tenth, rightly for",
    "membership": f"{NEIGHBOUR} tells who took part, at one false alarm in a hundred, for",
}
"""What is tried beside exact matching, and how its outcome begins."""


def beats_guessing(finding: Finding) -> bool:
    """Whether the whole interval is better, or the order in which all are put; exactly, for nobody lives here."""
    detail = finding.detail
    if "difference_low" in detail:
        return float(detail["difference_low"]) > 0
    return (finding.low or 0.0) > detail["baseline"] or (detail.get("area_low") or 0.0) > 0.5


def line(begins: str, before: Finding, after: Finding) -> str:
    """What came of one attack, with its interval, beside guessing and beside the survey as it was."""
    guess = after.detail["baseline"]
    told = f"{guess:.1%}" if guess > 0.001 else f"{guess:.4%}"
    said = "is clearly more than guessing" if beats_guessing(after) else "cannot be told from guessing"
    return (
        f"{begins} {after.value:.2%} of {after.detail['targets']:,} persons ({after.low:.2%} to {after.high:.2%}); "
        f"guessing: {told}. That {said}. "
        f"Without protection: {before.value:.2%} ({before.low:.2%} to {before.high:.2%})."
    )


def exact_matches(before: Release, after: Release) -> list[str]:
    """What the attacks of the recipe found; exactly, for nobody lives in this world."""
    lines = []
    for old, new in zip(before.audit.attacks, after.audit.attacks, strict=True):
        who = NEIGHBOUR if new.detail["knowledge"] == "exact" else REGISTER
        lines.append(line(f"{who} takes the record that alone fits, and finds", old, new))
    return lines


def further_attacks(world: Path, *folders: Path) -> list[str]:
    """What further techniques make of the finished releases."""
    found = [
        attack(
            folder,
            world / "identification.parquet",
            list(TECHNIQUES),
            original=world / "survey.parquet",
            pairs=world / "truth.parquet",
            key=KEY,
        ).findings
        for folder in folders
    ]
    return [line(*three) for three in zip(TECHNIQUES.values(), *found, strict=True)]


def main() -> None:
    """Make, release, attack, tell."""
    start = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
    world, bare, released = FOLDER / "world", FOLDER / "unprotected", FOLDER / "release"
    rows = write_world(PERSONS, world, KEY)
    print(f"Made a world of {rows['population']:,} persons; {rows['survey']:,} of them answered a survey.")
    unprotected = Recipe.from_file(world / "unprotected.toml").run(out=bare, key=KEY)
    release = Recipe.from_file(world / "recipe.toml").run(out=released, key=KEY)
    print(f"Released {release.report.records_released:,} records.")
    print(*(criterion.text for criterion in release.report.criteria), sep="\n")
    print(*exact_matches(unprotected, release), sep="\n")
    print(*further_attacks(world, bare, released), sep="\n")
    print(
        "Where several records fit alike, or are equally near, these matches claim none. No record stands alone here, "
        "so they find nobody by construction. Other attacks, and other knowledge, were not tried."
    )
    print(f"Report: {released / 'public' / 'report.html'}")
    print(f"({time.monotonic() - start:.0f} seconds)")


if __name__ == "__main__":
    main()
