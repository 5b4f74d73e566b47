"""The fenced blocks of a page: what its examples are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
NO_RUN = re.compile(r"<!-- no-run: (?P<reason>.+?) -->")
TITLE = re.compile(r'title="(?P<title>[^"]+)"')


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its code, the line it starts on, and why it is not to be run."""

    language: str
    code: str
    line: int
    title: str | None
    no_run: str | None


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    fence, body, start, indent, info, before, no_run = "", list[str](), 0, 0, "", "", None
    for number, line in enumerate(text.splitlines(), 1):
        found = FENCE.match(line)
        if fence and found and found["fence"].startswith(fence) and not found["info"].strip():
            title = TITLE.search(info)
            language = info.partition(" ")[0]
            yield Block(language, "\n".join(body) + "\n", start, title and title["title"], no_run)
            fence, before = "", ""
        elif fence:
            body.append(line[min(indent, len(line) - len(line.lstrip())) :])
        elif found:
            fence, info, start, body = found["fence"], found["info"].strip(), number, []
            indent, mark = len(found["indent"]), NO_RUN.search(before)
            no_run = mark and mark["reason"]
        elif line.strip():
            before = line
    assert not fence, f"the block that starts on line {start} is not closed"
