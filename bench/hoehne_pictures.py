"""Pictures of the pages on noise: what factors look like, and what they do to a standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bench.hoehne_source import Known
    from bench.hoehne_tables import Floats

WIDTH, HEIGHT, EDGE = 720, 260, 36
COLOURS = ("#1b6ca8", "#c8553d", "#5b8c5a")


def write_pictures(folder: Path, found: Sequence[tuple[Known, Floats]]) -> None:
    """The pictures, as SVG."""
    folder.mkdir(exist_ok=True)
    at = np.linspace(0.6, 1.4, 321)
    normal = _bell(at, 1, 0.114)
    mixed = (_bell(at, 1.11, 0.03) + _bell(at, 0.89, 0.03)) / 2
    curves = {"normal factors, sd 0.114": normal, "mixture, f = 0.11, s = 0.03": mixed}
    (folder / "noise-factors.svg").write_text(_chart("Density of the factor", at, curves), encoding="utf-8")
    wanted = {"mixture": "mixture", "random sign": "controlled", "fixed sign": "controlled, first sign down"}
    errors = {row.variant: e[:, 1] for row, e in found if (row.sigma, row.kept) == (2.5, 16824)}
    edges = np.linspace(-15, 15, 61)
    shares = {label: np.histogram(errors[name], edges)[0] / len(errors[name]) for name, label in wanted.items()}
    middle = (edges[1:] + edges[:-1]) / 2
    title = "Error of the standard deviation, in per cent (share of runs)"
    (folder / "noise-moments.svg").write_text(_chart(title, middle, shares), encoding="utf-8")


def _bell(at: Floats, mean: float, sd: float) -> Floats:
    return np.asarray(np.exp(-(((at - mean) / sd) ** 2) / 2) / sd / np.sqrt(2 * np.pi))


def _chart(title: str, at: Floats, curves: dict[str, Floats]) -> str:
    """Lines over one axis, with a word for each."""
    top = max(float(curve.max()) for curve in curves.values())
    x = EDGE + (at - at[0]) / (at[-1] - at[0]) * (WIDTH - 2 * EDGE)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="13" role="img"><title>{title}</title><rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{EDGE}" y="18" font-weight="bold">{title}</text>',
        f'<line x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{HEIGHT - EDGE}" y2="{HEIGHT - EDGE}" stroke="#888"/>',
    ]
    for tick in np.linspace(at[0], at[-1], 5):
        place = EDGE + (tick - at[0]) / (at[-1] - at[0]) * (WIDTH - 2 * EDGE)
        parts.append(f'<text x="{place:.0f}" y="{HEIGHT - EDGE + 18}" text-anchor="middle">{tick:.3g}</text>')
    for i, (label, curve) in enumerate(curves.items()):
        y = HEIGHT - EDGE - curve / top * (HEIGHT - 3 * EDGE)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"/>')
        parts.append(f'<text x="{EDGE}" y="{40 + 18 * i}" fill="{COLOURS[i]}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])
