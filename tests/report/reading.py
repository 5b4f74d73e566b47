"""How tests read a page: its elements, its words, and which sentences of ours were asked for."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from schleier.report.language import Words

VOID = {"meta", "br", "rect", "line", "circle", "polygon"}


class Parsed(HTMLParser):
    """The elements of a page, and whether they are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def words_of(page: str) -> str:
    """A page as it is read."""
    text = re.sub(r"<style>.*?</style>|<desc>.*?</desc>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text).replace("\u00a0", " "))


class Listening(dict[str, str]):
    """A table of words that remembers what was asked for."""

    def __init__(self, words: Any) -> None:
        super().__init__(words)
        self.heard: set[str] = set()

    def __getitem__(self, key: str) -> str:
        self.heard.add(key)
        return super().__getitem__(key)


def english_parts(start: str = "") -> Iterator[str]:
    """Every stretch of an English sentence of a document that is long enough to be told from a German one."""
    german = "\n".join(Words.of("de").table.values())
    for key, sentence in Words.of("en").table.items():
        for part in (parsed[0].strip() for parsed in string.Formatter().parse(sentence)):
            if key.startswith(start) and len(part) > 9 and part not in german:
                yield part
