"""Draw what each method does: docs/pictures/methods/WORD.svg, from its own example on the example table.

Numbers are shown as a scatter of old against new values, categories as bars before and after. Every page of a method
contains its picture. Run it when a method or its example changes: `make pictures`, which draws all of them, or
`python tools/pictures.py WORD ...`.
"""

from __future__ import annotations

import html
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures" / "methods"
OPEN = "<!-- parameters -->"
WIDE, HIGH, EDGE = 560, 260, 40
DOTS = 240
BEFORE, AFTER, LINE = "#9aa5b1", "#1f6f8b", "#444444"
MOST = 9
"""Categories that are shown."""


def pictures(words: Sequence[str] = ()) -> dict[str, str]:
    """The picture of each method of the house and its wings, or of these."""
    from schleier.core import registry
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.testing import example_schema, example_table

    os.environ.setdefault("SCHLEIER_EXAMPLE_KEY", bytes(range(32)).hex())  # examples that need a long-lived key name it
    found = {}
    for word in words or registry.ours("method"):
        method = registry.get("method", word)
        step = method(**method.example)
        before = Dataset.from_frame(example_table(), example_schema())
        run = Run(key=bytes(32))
        after = step.apply(before, run)
        key = before.schema.key
        old = before.engine.arrays(before.frame.sort(key))
        new = after.engine.arrays(after.frame.sort(key))
        found[word] = drawn(word, old, new, key)
    return found


def drawn(word: str, old: pa.Table, new: pa.Table, key: str) -> str:
    """One picture: of the first column that changed, or of the number of records and columns."""
    places = {value: i for i, value in enumerate(old[key].to_pylist())}
    rows = [(places[value], i) for i, value in enumerate(new[key].to_pylist()) if value in places]
    changed = {}
    for name in new.column_names:
        if name != key and name in old.column_names:
            was, now = old[name].to_pylist(), new[name].to_pylist()
            pairs = [(was[i], now[j]) for i, j in rows]
            if any(a != b for a, b in pairs):
                changed[name] = was, now, pairs
    for name, (_, _, pairs) in changed.items():
        if all(isinstance(x, int | float) or x is None for pair in pairs for x in pair):
            return scatter(word, name, pairs)
    for name, (was, now, _) in changed.items():
        return bars(word, name, Counter(was), Counter(now))
    added = [name for name in new.column_names if name not in old.column_names]
    gone = [name for name in old.column_names if name not in new.column_names]
    if added or gone:
        counts = {"columns": len(old.column_names) - 1, "columns dropped": len(gone), "columns added": len(added)}
        return bars(word, "columns", Counter(counts), Counter({"columns": len(new.column_names) - 1}))
    return bars(word, "records", Counter({"records": len(old)}), Counter({"records": len(new)}))


def scatter(word: str, name: str, pairs: list[tuple[Any, Any]]) -> str:
    """Old values to the right, new values upwards; on the line nothing has changed."""
    known = [(float(a), float(b)) for a, b in pairs if a is not None and b is not None][:DOTS]
    values = [value for pair in known for value in pair] or [0.0, 1.0]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    side = HIGH - 2 * EDGE

    def at(value: float) -> float:
        return side * (value - low) / span

    dots = "".join(
        f'<circle cx="{EDGE + at(a):.1f}" cy="{HIGH - EDGE - at(b):.1f}" r="2.2" fill="{AFTER}" fill-opacity="0.5"/>'
        for a, b in known
    )
    blank = sum(b is None and a is not None for a, b in pairs)
    lines = (
        f'<line x1="{EDGE}" y1="{HIGH - EDGE}" x2="{EDGE + side}" y2="{EDGE}" stroke="{BEFORE}"/>'
        f'<line x1="{EDGE}" y1="{HIGH - EDGE}" x2="{EDGE + side}" y2="{HIGH - EDGE}" stroke="{LINE}"/>'
        f'<line x1="{EDGE}" y1="{HIGH - EDGE}" x2="{EDGE}" y2="{EDGE}" stroke="{LINE}"/>'
    )
    told = [f"each dot is a record: {name} before (right) and after (up)", "on the line nothing has changed"]
    told += [f"{blank} values were blanked"] if blank else []
    beside = "".join(_text(EDGE + side + 20, EDGE + 24 + 20 * i, line) for i, line in enumerate(_wrapped(told)))
    ends = _text(EDGE, HIGH - EDGE + 16, f"{low:g}") + _text(EDGE + side - 30, HIGH - EDGE + 16, f"{high:g}")
    return _svg(word, name, lines + dots + beside + ends)


def bars(word: str, name: str, before: Counter[Any], after: Counter[Any]) -> str:
    """How often each category occurs before (grey) and after (colour)."""
    most = [key for key, _ in (before + after).most_common(MOST)]
    top = max([*before.values(), *after.values(), 1])
    step = (HIGH - 2 * EDGE) / max(len(most), 1)
    parts = []
    for i, key in enumerate(most):
        y = EDGE + i * step
        for j, (counts, colour) in enumerate(((before, BEFORE), (after, AFTER))):
            wide = 300 * counts[key] / top
            tall = step * 0.4
            parts.append(
                f'<rect x="190" y="{y + j * tall:.1f}" width="{wide:.1f}" height="{tall:.1f}" fill="{colour}"/>'
            )
        label = "missing" if key is None else str(key)
        parts.append(_text(184, y + step * 0.55, label[:26], "end"))
    legend = _text(190, HIGH - 14, f"{name}: grey before, colour after (records)")
    return _svg(word, name, "".join(parts) + legend)


def _wrapped(lines: list[str], wide: int = 42) -> list[str]:
    import textwrap

    return [part for line in lines for part in textwrap.wrap(line, wide)]


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    style = f'font-family="sans-serif" font-size="12" fill="{LINE}" text-anchor="{anchor}"'
    return f'<text x="{x:.0f}" y="{y:.0f}" {style}>{html.escape(words)}</text>'


def _svg(word: str, name: str, inside: str) -> str:
    title = html.escape(f"{word}: {name} before and after")
    size = f'viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}"'
    ground = f'<rect width="{WIDE}" height="{HIGH}" fill="#ffffff"/>'
    head = _text(EDGE, 20, f"{word}: {name}")
    opened = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    return f"{opened}<title>{title}</title>{ground}{head}{inside}</svg>\n"


def main() -> int:
    """Write the pictures, and the line that shows each on its page."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for word, picture in pictures(sys.argv[1:]).items():
        (FOLDER / f"{word}.svg").write_text(picture, encoding="utf-8")
        page = ROOT / "docs" / "methods" / f"{word}.md"
        text = page.read_text(encoding="utf-8")
        page.write_text(shown(word, text), encoding="utf-8")
    return 0


def shown(word: str, text: str) -> str:
    """A page with its picture: before the heading of the parameters, or before their table.

    >>> print(shown("drop", "# Drop\\n\\n<!-- parameters -->\\n"), end="")
    # Drop
    <BLANKLINE>
    ![drop, before and after](../pictures/methods/drop.svg)
    <BLANKLINE>
    <!-- parameters -->
    """
    line = f"![{word}, before and after](../pictures/methods/{word}.svg)"
    if line in text:
        return text
    before = "\n## Parameters\n" if "\n## Parameters\n" in text else f"\n{OPEN}\n"
    return text.replace(before, f"\n{line}\n{before}", 1)


if __name__ == "__main__":
    raise SystemExit(main())
