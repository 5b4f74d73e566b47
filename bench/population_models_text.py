"""Tables and pictures of the page on population models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bench.population_models import Row

WIDTH, LINE, LEFT, EDGE = 720, 22, 190, 40
COLOURS = {"towns": "#1b6ca8", "villages": "#c8553d"}
GREY = "#888888"
SPAN = (0.02, 100.0)
"""Estimates from a fiftieth of the truth to a hundred times; what is beyond stands at the edge."""


PAGE = Path(__file__).parent.parent / "docs" / "guide" / "population-models.md"


def write_page(stored: dict[str, Any]) -> None:
    """Put the tables of the invented worlds between their marks."""
    _write(
        {
            "uniques": _table(stored["uniques"]),
            "links": _table(stored["links"]),
            "links off": _off(stored["off"]["links"]),
        }
    )


def write_calibration(stored: dict[str, Any], constants: dict[str, Any]) -> None:
    """Put the tables of the known populations between their marks."""
    tables = {f"left out {part}": _strata(stored[part], part) for part in ("fraction", "keys", "drawn")}
    tables["left out population"] = _populations(stored)
    tables["left out all"] = _strata({"1 to 30 %": stored["all"], "0.3 to 60 %": stored["every fraction"]}, "fractions")
    tables["ends"] = _ends(constants)
    _write(tables)


def _lines(lines: Sequence[Sequence[str]]) -> str:
    marked = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in marked)


def _figures(one: dict[str, Any]) -> list[str]:
    ratio = "" if one["ratio"] is None else f"{one['ratio']:.2f}"
    estimate = "" if one["estimate"] is None else f"{one['estimate']:.2f}"
    share = [f"{100 * one[name]:.1f} %" for name in ("covered", "inside")]
    return [str(one["cells"]), estimate, *share, ratio, str(one["higher"])]


HEAD = ["samples", "estimate / truth", "upper end covers", "interval holds", "upper end / truth", "higher taken"]


def _strata(found: dict[str, dict[str, Any]], part: str) -> str:
    return _lines([[part, *HEAD], *([name, *_figures(one)] for name, one in found.items())])


def _populations(stored: dict[str, Any]) -> str:
    lines = [["population left out", "persons", *HEAD]]
    for name, one in stored["population"].items():
        about = stored["populations"][name]
        lines.append([f"{name}: {about['source']}", f"{about['persons']:,}", *_figures(one)])
    return _lines(lines)


def _ends(constants: dict[str, Any]) -> str:
    fractions = [f"off at {100 * part:g} %" for part in constants["fractions"]]
    lines = [["model", "lower end", "upper end", *fractions]]
    for model, one in constants["models"].items():
        ends = [" / ".join(f"{value:.2f}" for value in one[end]) for end in ("low", "high")]
        lines.append([f"`{model}`", *ends, *(f"{value:.2f}" for value in one["off"])])
    return _lines(lines)


def _write(tables: dict[str, str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for mark, table in tables.items():
        text = re.sub(f"(?<=<!-- {mark} -->\n).*?(?=<!-- /{mark} -->)", table.replace("\\", ""), text, flags=re.S)
    PAGE.write_text(text, encoding="utf-8")


def _table(found: dict[str, dict[str, Any]]) -> str:
    """Models with the smallest error first: pooled, then each fraction as bias / error, and coverage if known."""
    best = sorted(found, key=lambda model: float(found[model]["pooled"]["rmse"]))
    parts = [name for name in found[best[0]] if name != "pooled"]
    lines = [["model", "error, all", *(f"{100 * float(part):g} %" for part in parts)]]
    lines.append(["---"] * len(lines[0]))
    for model in best:
        cells = [f"`{model}`", f"**{found[model]['pooled']['rmse']:.2f}**"]
        for part in parts:
            one = found[model][part]
            covered = f" / {one['coverage']:.0%}" if "coverage" in one else ""
            cells.append(f"{one['bias']:.2f} / {one['rmse']:.2f}{covered}")
        lines.append(cells)
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines).replace("%", " %").replace("  %", " %")


def _off(found: dict[str, Sequence[float]]) -> str:
    lines = [["model", "0.2 %", "1 %", "5 %", "20 %"], ["---"] * 5]
    lines += [[f"`{model}`", *(f"{value:.2f}" for value in values)] for model, values in found.items()]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def write_pictures(folder: Path, uniques: Sequence[Row], links: Sequence[Row]) -> None:
    """One picture for the uniques, one for the links: every sample a dot, estimate divided by truth."""
    folder.mkdir(exist_ok=True)
    for name, title, rows in (
        ("population-uniques", "Population uniques in the sample: estimate / truth", uniques),
        ("individual-risk", "Right links expected: estimate / truth", links),
    ):
        (folder / f"{name}.svg").write_text(_dots(title, rows), encoding="utf-8")


def _at(ratio: float) -> float:
    low, high = np.log(SPAN)
    return LEFT + float(np.clip((np.log(ratio) - low) / (high - low), 0, 1)) * (WIDTH - LEFT - EDGE)


def _dots(title: str, rows: Sequence[Row]) -> str:
    """A line for each model and fraction; the middle line is the truth."""
    lines = list(dict.fromkeys((row.model, row.fraction) for row in sorted(rows, key=lambda row: row.fraction)))
    models = list(dict.fromkeys(row.model for row in rows))
    lines.sort(key=lambda line: (models.index(line[0]), line[1]))
    bottom = 46 + LINE * len(lines)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 28}" font-family="sans-serif" '
        f'font-size="12" role="img"><title>{escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{EDGE}" y="18" font-size="13" font-weight="bold">{escape(title)}</text>',
    ]
    for i, (world, colour) in enumerate(COLOURS.items()):
        parts.append(f'<text x="{WIDTH - EDGE}" y="{14 + 15 * i}" text-anchor="end" fill="{colour}">{world}</text>')
    for ratio in (0.1, 0.5, 1, 2, 10, 100):
        x = _at(ratio)
        width = 2 if ratio == 1 else 0.5
        parts.append(f'<path d="M{x:.0f} 34V{bottom}" stroke="{GREY}" stroke-width="{width}"/>')
        parts.append(f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{ratio:g}</text>')
    for place, (model, fraction) in enumerate(lines):
        y = 46 + LINE * place
        if fraction == lines[0][1]:
            parts.append(f'<path d="M{EDGE / 4:.0f} {y - 10}H{WIDTH - EDGE}" stroke="{GREY}" stroke-width="0.5"/>')
        label = f"{model.replace('_', ' ')} {100 * fraction:g} %"
        parts.append(f'<text x="{LEFT - 12}" y="{y + 5}" text-anchor="end">{label}</text>')
        # Every fourth sample is enough for the eye.
        for row in [row for row in rows if (row.model, row.fraction) == (model, fraction)][::4]:
            found = row.found if np.isfinite(row.found) else row.of
            x, moved = _at((found + 0.5) / (row.truth + 0.5)), -3 if row.world == "towns" else 3
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y + moved}" r="2" fill="{COLOURS[row.world]}" fill-opacity="0.6"/>'
            )
    return "\n".join([*parts, "</svg>", ""])
