"""Pictures of the page on microaggregation: correlations before and after, and what becomes of small values."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bench.hoehne_microaggregation import Floats, Trial

WIDTH, HEIGHT, SIDE, EDGE = 720, 300, 190, 40
BLUE, RED, GREEN, GREY = "#1b6ca8", "#c8553d", "#5b8c5a", "#888888"
SHOWN, STEP = 12000, 60


def write_pictures(folder: Path, trials: dict[int, Trial], values: Floats, released: dict[str, Floats]) -> None:
    """Both pictures, as SVG."""
    folder.mkdir(exist_ok=True)
    (folder / "microaggregation-correlations.svg").write_text(_correlations(trials), encoding="utf-8")
    (folder / "microaggregation-small-firms.svg").write_text(_small(values, released), encoding="utf-8")


def _opened(title: str) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="13" role="img"><title>{title}</title><rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{EDGE}" y="20" font-weight="bold">{title}</text>',
    ]


def _text(x: float, y: float, text: str, anchor: str = "middle", colour: str = "#222") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'


def _correlations(trials: dict[int, Trial]) -> str:
    """One panel for each size: original to the right, released upwards; on the line nothing has changed."""
    parts = _opened("Correlation before (right) and after (up), 250 sets each")
    ranges = {12: (-0.4, 1.0), 120: (0.5, 0.9), 1200: (0.64, 0.76)}
    for i, (n, found) in enumerate(trials.items()):
        left, bottom, (low, high) = EDGE + i * (SIDE + 35), HEIGHT - 42, ranges[n]

        def at(value: Floats | float, low: float = low, high: float = high) -> Floats:
            return np.clip((np.asarray(value) - low) / (high - low), 0, 1) * SIDE

        parts.append(f'<path d="M{left} {bottom - SIDE}V{bottom}H{left + SIDE}" fill="none" stroke="{GREY}"/>')
        parts.append(
            f'<path d="M{left} {bottom}L{left + SIDE} {bottom - SIDE}" stroke="{GREY}" stroke-dasharray="3 3"/>'
        )
        for x, y in zip(at(found.original), at(found.released["variance kept"]), strict=True):
            parts.append(f'<circle cx="{left + x:.1f}" cy="{bottom - y:.1f}" r="2" fill="{BLUE}" fill-opacity="0.45"/>')
        true = float(at(0.7))
        parts.append(f'<path d="M{left + true:.1f} {bottom}v5" stroke="{RED}" stroke-width="2"/>')
        parts += [_text(left, bottom + 18, f"{low:g}"), _text(left + SIDE, bottom + 18, f"{high:g}")]
        parts += [
            _text(left + true, bottom + 18, "0.7", colour=RED),
            _text(left + SIDE / 2, bottom - SIDE - 8, f"{n:,} records"),
        ]
    return "\n".join([*parts, "</svg>", ""])


def _small(values: Floats, released: dict[str, Floats]) -> str:
    """The smallest firms in order: original and releases."""
    parts = _opened(f"The smallest {SHOWN:,} of {len(values):,} firms: original and released values")
    wide, high, bottom = WIDTH - 2 * EDGE - 170, HEIGHT - 90, HEIGHT - 42
    shown = {
        "then restored": ("means, then restored", RED),
        "variance kept, k = 6": ("variance kept, k = 6", GREEN),
        "then restored in blocks of 100": ("restored in blocks", BLUE),
    }
    lines = {"original": (values, "#c9c9c9")} | {
        label: (released[name], colour) for name, (label, colour) in shown.items()
    }
    every = np.concatenate([line[:SHOWN] for line, _ in lines.values()])
    low, top = float(every.min()), float(every.max())
    base = bottom - (0 - low) / (top - low) * high
    parts.append(f'<path d="M{EDGE} {base:.1f}h{wide}" stroke="{GREY}"/>')
    for tick in range(math.ceil(low), math.floor(top) + 1):
        parts.append(_text(EDGE - 6, bottom - (tick - low) / (top - low) * high + 4, f"{tick}", "end"))
    parts.append(_text(EDGE + wide / 2, bottom + 30, "firms, the smallest first"))
    x = EDGE + np.arange(0, SHOWN, STEP) / SHOWN * wide
    for i, (label, (line, colour)) in enumerate(lines.items()):
        y = bottom - (line[:SHOWN:STEP] - low) / (top - low) * high
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        width = 7 if label == "original" else 2
        dash = ' stroke-dasharray="6 4"' if label == "restored in blocks" else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>')
        parts.append(_text(EDGE + wide + 14, 70 + 22 * i, label, "start", GREY if label == "original" else colour))
    return "\n".join([*parts, "</svg>", ""])
