"""How often a column differs between two records of the same person, as others have measured or assumed it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def published_rates() -> Mapping[str, Mapping[str, float]]:
    """Published rates by where they come from, and by column; sources stand in the file.

    >>> published_rates()["allbus"]["income"]
    0.448
    """
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: each["rates"] for name, each in table.items()}
