"""The glossary has one meaning per word, and one word per meaning."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "guide" / "glossary.md"


def rows(text: str) -> list[tuple[str, str, str]]:
    """English word, German word and meaning of every entry."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return [(row[0], row[1], row[2]) for row in cells if row[0] != "English" and set(row[0]) != {"-"}]


def repeated(entries: list[tuple[str, str, str]]) -> list[str]:
    """Words and meanings that stand there twice; of the German word, what is not in brackets counts."""
    told = [[english, german.partition(" (")[0], meaning] for english, german, meaning in entries]
    return [word for column in zip(*told, strict=True) for word, n in Counter(column).items() if n > 1]


def test_every_word_has_one_meaning() -> None:
    entries = rows(PAGE.read_text(encoding="utf-8"))
    assert len(entries) > 100
    assert not repeated(entries)


def test_a_word_told_twice_would_be_noticed() -> None:
    page = "| English | German | meaning |\n|---|---|---|\n| key | Schlüssel | one |\n| lock | Schlüssel (alt) | two |"
    assert repeated(rows(page)) == ["Schlüssel"]
