"""What a file itself says its columns mean: the labels of statistical packages, a code book beside the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schleier.core.schema import Scale


@dataclass(frozen=True)
class Entry:
    """What the dictionary inside a file says about one column."""

    title: str = ""
    """Its label."""
    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Words for coded values."""
    missing: tuple[int | float | str, ...] = field(default=(), repr=False)
    """Codes that mean "missing"."""
    scale: Scale | None = None
    """What may be computed with it, where the file tells."""
