"""A column of digests is named when a file is described, without a value."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from schleier.draft.describe import describe
from schleier.draft.telling import look_at
from schleier.report.language import Words


def told(folder: Path, codes: list[str], lang: str) -> str:
    path = folder / "people.csv"
    path.write_text("\n".join(["place,age", *(f"{code},{20 + i % 50}" for i, code in enumerate(codes))]) + "\n")
    return "\n".join(text for _, text in look_at(describe(path), Words.of(lang)))


@pytest.mark.parametrize(("lang", "said"), [("en", "look"), ("de", "Prüfsummen")])
def test_digests_are_named(lang: str, said: str, tmp_path: Path) -> None:
    codes = [hashlib.md5(f"{10115 + i % 40}".encode()).hexdigest() for i in range(120)]
    found = told(tmp_path, codes, lang)
    line = next(one for one in found.splitlines() if "digests" in one or "Prüfsummen" in one)
    assert said in line and "place" in line and not any(code in found for code in codes)


def test_plain_codes_are_not(tmp_path: Path) -> None:
    assert "digests" not in told(tmp_path, [f"{10115 + i % 40}" for i in range(120)], "en")
