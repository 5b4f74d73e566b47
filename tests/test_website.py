"""The site of the documentation: every page is found, groups follow from declarations, and no page asks for anything.

The generator itself is not needed here; `make site` builds the site and looks through what came out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pages import LINK, examine, prose
from schleier.core import registry
from schleier.core.method import Method
from schleier.core.traces import EVERYTHING, Traces
from tools import questions, reference, website

ROOT = Path(__file__).parent.parent
PAGES = {file.relative_to(ROOT).as_posix() for file in (ROOT / "docs").rglob("*.md")}


def linked(page: Path) -> set[Path]:
    """The pages of the project that a page links to."""
    targets = (found["target"].partition("#")[0] for found in LINK.finditer(prose(page.read_text(encoding="utf-8"))))
    return {(page.parent / target).resolve() for target in targets if target.endswith(".md") and "://" not in target}


def test_every_page_is_reached_from_the_front_page() -> None:
    seen, waiting = set[Path](), [(ROOT / "docs/README.md").resolve()]
    while waiting:
        page = waiting.pop()
        if page not in seen and page.is_relative_to(ROOT / "docs"):
            seen.add(page)
            waiting += linked(page)
    assert PAGES - {page.relative_to(ROOT).as_posix() for page in seen} == set()


def test_no_page_leads_to_what_the_site_has_not() -> None:
    kept = [ROOT / name for name in (*website.WHOLE, *website.AT_THE_ROOT)]
    for page in (ROOT / "docs").rglob("*.md"):
        for found in LINK.finditer(prose(page.read_text(encoding="utf-8"))):
            target = found["target"].partition("#")[0]
            place = (page.parent / target).resolve()
            assert "://" in target or any(place.is_relative_to(one) for one in kept), f"{page.name}: {target}"


def leaves(entries: Any) -> Iterator[str]:
    """The pages of a navigation."""
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, dict):
            for inside in entry.values():
                yield from leaves(inside)
        else:
            yield entry


def test_the_navigation_has_every_page_once() -> None:
    shown = Counter(leaves(website.navigation()))
    made = {f"{website.REFERENCE}/{name}" for name in reference.pages()}
    assert set(shown) == PAGES | made | {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
    assert set(shown.values()) == {1}


def test_every_guide_is_in_a_section_of_the_front_page() -> None:
    listed = Counter(leaves(website.guide((ROOT / "docs/README.md").read_text(encoding="utf-8"))))
    assert listed == Counter(page for page in PAGES if page.startswith("docs/guide/"))


@pytest.mark.parametrize("kind", questions.QUESTIONS)
def test_every_component_answers_one_question_first(kind: Any) -> None:
    groups = questions.grouped(kind, {word: registry.get(kind, word) for word in registry.ours(kind)})
    assert sorted(word for words, _ in groups.values() for word in words) == registry.ours(kind)
    if kind in ("method", "criterion", "measure"):
        assert len(groups.get(questions.ELSE, ([], []))[0]) <= 1, "a group of things that have nothing in common"


def test_every_trace_belongs_to_one_question() -> None:
    listed = Counter(trace for traces in questions.TRACES.values() for trace in traces)
    assert set(listed) | {"rule"} == EVERYTHING
    assert set(listed.values()) == {1}


class Blur(Method):
    """A stand-in for a method that is new."""

    traces: ClassVar[Traces] = frozenset({"noise", "tail"})
    effects: ClassVar[tuple[str, ...]] = ("E3",)
    approaches: ClassVar[tuple[str, ...]] = ("A4",)

    def apply(self, data: Any, run: Any) -> Any:
        return data


def test_a_new_method_stands_where_its_traces_say(tmp_path: Path) -> None:
    folder = tmp_path / "methods"
    picture = tmp_path / "pictures" / "methods" / "blur.svg"
    for place in (folder, picture.parent):
        place.mkdir(parents=True)
    (folder / "blur.md").write_text("# Blurring\n\n`blur` blurs ... a bit. It is old.\n\n## When to use it\n\nNever.\n")
    told = questions.listing("method", {"blur": Blur}, folder)
    assert "- [Blurring](blur.md) (`blur`): `blur` blurs ... a bit. Never." in told
    assert re.findall("^## (.*)", told, re.MULTILINE)[:2] == [
        "Do the largest or smallest values stand out?",
        "May numbers be a little wrong?",
    ]
    assert told.count("See [blur](blur.md).") == 1
    picture.touch()
    told = questions.listing("method", {"blur": Blur}, folder)
    assert "### [Blurring](blur.md)\n\n`blur` blurs ... a bit. Never.\n\n![blur" in told
    assert "what is found is unreliable (E3). Takes hold of: all values of a column (A4)." in told


def test_the_reference_has_a_page_for_every_public_name_and_nothing_unsteady() -> None:
    import schleier

    pages = reference.pages()
    assert {f"{name}.md" for name in schleier.__all__} <= set(pages)
    assert [name for name, text in pages.items() if re.search(r"0x[0-9a-f]{6}|<function|<factory", text)] == []
    assert "| `role` |" in pages["Column.md"] and "Meaning for disclosure" in pages["Column.md"]
    assert "### from_file\n\n```python\n@staticmethod\nfrom_file(path: Path | str) -> Recipe\n```" in pages["Recipe.md"]
    assert "| [`TopCode`](../methods/top_code.md) | `top_code` |" in pages["methods.md"]
    assert "listener: Listener = silence," in pages["describe.md"]


def test_the_examples_of_the_tools_run() -> None:
    assert examine(questions) == (0, 1)
    assert examine(reference) == (0, 3)


GOOD = '<a href="b/c.html#x">c</a> <a href="https://example.org">d</a> <img src="data:image/png;base64,aa"> <p id="y">'
BAD = {
    "index.html: loads https://example.org/a.js": '<script src="https://example.org/a.js"></script>',
    "index.html: loads //example.org/a.css": '<link rel="stylesheet" href="//example.org/a.css">',
    "index.html: loads https://example.org/a.png": '<img srcset="https://example.org/a.png 2x">',
    "index.html: gone.html leads nowhere": '<a href="gone.html">gone</a>',
    "index.html: b/c.html#z leads to a place that is not there": '<a href="b/c.html#z">c</a>',
}


def built(folder: Path, more: str = "", style: str = "a { color: red }") -> list[str]:
    """What is wrong with a small site."""
    (folder / "b").mkdir()
    (folder / "b" / "c.html").write_text('<h1 id="x">c</h1><a href="../index.html#y">back</a>')
    (folder / "index.html").write_text(GOOD + more)
    (folder / "a.css").write_text(style)
    return list(website.complaints(folder))


def test_a_site_that_keeps_to_itself_is_fine(tmp_path: Path) -> None:
    assert built(tmp_path) == []


@pytest.mark.parametrize("complaint", BAD)
def test_what_is_wrong_with_a_site_is_found(complaint: str, tmp_path: Path) -> None:
    assert built(tmp_path, BAD[complaint]) == [complaint]


@pytest.mark.parametrize(
    "style", ["@import 'https://example.org/a.css';", "a { background: url(//example.org/a.png) }"]
)
def test_a_style_that_loads_from_elsewhere_is_found(style: str, tmp_path: Path) -> None:
    assert [line.partition(": ")[0] for line in built(tmp_path, style=style)] == ["a.css"]


@pytest.mark.browser
def test_pages_on_the_disk_can_be_searched_without_a_worker(chromium: str, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    (tmp_path / "assets").mkdir()
    (tmp_path / "worker.js").write_text("self.onmessage = ({ data }) => { data.n *= 2; self.postMessage(data); };")
    ask = "const a = { n: 21 }, w = new Worker('worker.js'); w.onmessage = ({ data }) => document.title = a.n + data.n;"
    ask += "w.postMessage(a);"
    page = f'<body><script src="{website.SHIM}"></script><script>{ask}</script></body>'
    (tmp_path / "index.html").write_text(page)
    website.keep_to_itself(tmp_path)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        found = browser.new_context(offline=True).new_page()
        found.goto((tmp_path / "index.html").as_uri())
        found.wait_for_function("document.title === '63'")
        browser.close()
