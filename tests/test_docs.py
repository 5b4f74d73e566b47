"""Nothing in the documentation is only claimed: examples run, links lead somewhere, tables are current."""

from __future__ import annotations

import doctest
import importlib
import linecache
import re
import sys
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from fenced import Block, blocks
from pages import FLAGS, LINK, examine, prose
from tools import docs, pictures

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MODULES = sorted(".".join(f.relative_to(SOURCE).with_suffix("").parts) for f in SOURCE.rglob("*.py"))


def anchors(text: str) -> set[str]:
    """The names under which a page's headings can be linked to."""
    headings = re.findall(r"^#+ +(.+?) *#*$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def run(page: Path, text: str) -> int:
    """Run a page's Python in one namespace, in the current folder; blocks with a title become files there.

    A title with folders is a file of a checkout: test_contributing.py writes those and runs them.
    """
    module = types.ModuleType("page")
    sys.modules["page"] = module
    done = 0
    for block in blocks(text):
        if block.no_run:
            continue
        if block.language == "toml":
            tomllib.loads(block.code)
        if block.title and "/" in block.title:
            assert page.name == "CONTRIBUTING.md", f"{page}:{block.line}: nobody would run {block.title}"
            continue
        if block.title:
            Path(block.title).write_text(block.code, encoding="utf-8")
        if block.language != "python":
            continue
        if block.code.lstrip().startswith(">>>"):
            space = module.__dict__
            test = doctest.DocTestParser().get_doctest(block.code, space, page.name, str(page), block.line)
            assert doctest.DocTestRunner(optionflags=FLAGS).run(test, clear_globs=False).failed == 0, (
                f"{page}:{block.line}"
            )
            space.update(test.globs)
        else:
            execute(block, page, module)
        done += 1
    return done


def execute(block: Block, page: Path, module: types.ModuleType) -> None:
    """Run a block as part of a module whose source can be inspected (records read their docstrings there)."""
    name = module.__file__ = f"<{page.name}, block on line {block.line}>"
    code = "\n" * block.line + block.code  # so that errors show the line of the page
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    exec(compile(code, name, "exec", dont_inherit=True), module.__dict__)


def label(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def workplace(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder; what examples put into temporary folders is removed with those of the tests."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("temporary")))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_the_examples_of_a_page_run(page: Path, workplace: Path) -> None:
    run(page, page.read_text(encoding="utf-8"))


NOT_RUN = [
    pytest.param(block.no_run, id=f"{label(page)}:{block.line}")
    for page in PAGES
    for block in blocks(page.read_text(encoding="utf-8"))
    if block.no_run
]


if NOT_RUN:

    @pytest.mark.parametrize("reason", NOT_RUN)
    def test_blocks_that_are_not_run(reason: str) -> None:
        pytest.skip(reason)


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert list(dead_links(page, ROOT)) == []


def dead_links(page: Path, root: Path) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for target in (found["target"] for found in LINK.finditer(prose(text))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or not file.is_relative_to(root.resolve()):
            yield f"{page.name}: {target} does not exist"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{page.name}: {target} has no such heading"


@pytest.mark.parametrize("name", [name.removesuffix(".__init__") for name in MODULES if "__main__" not in name])
def test_the_examples_of_a_module_run(name: str, workplace: Path) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] == "schleier":
            raise
        pytest.skip(f"needs {missing.name}")
    assert examine(module).failed == 0


def test_every_component_has_its_page_and_its_table_is_current() -> None:
    from schleier.core import registry

    found = [*docs.problems(registry), *docs.index_problems(registry)]
    assert not found, "\n".join(found)


# From here on: the checks themselves are able to fail.

PAGE = """
# A page

```python
x = 2
```

- in a list

  ```python
  >>> x + 1
  3
  ```

```toml title="recipe.toml"
[data]
path = "people.csv"
```

```python
import tomllib
assert tomllib.load(open("recipe.toml", "rb"))["data"]
```

<!-- no-run: needs a cluster -->

```python
raise SystemExit
```
"""


def test_blocks_share_a_namespace_and_a_folder(workplace: Path) -> None:
    assert run(Path("page.md"), PAGE) == 3
    assert [block.no_run for block in blocks(PAGE)] == [None, None, None, None, "needs a cluster"]
    assert PAGE.splitlines()[next(blocks(PAGE)).line] == "x = 2"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\n1 / 0\n```\n", ZeroDivisionError),
        ("```python\n>>> 1 + 1\n3\n```\n", AssertionError),
        ("```toml\n[data\n```\n", tomllib.TOMLDecodeError),
        ("```python\nx = 1\n", AssertionError),
    ],
)
def test_a_broken_page_fails(text: str, error: type[Exception], workplace: Path) -> None:
    with pytest.raises(error):
        run(Path("page.md"), text)


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# Top coding, `explained`\n")
    page = tmp_path / "a.md"
    page.write_text(
        "[good](b.md) [good](b.md#top-coding-explained) [good](https://example.org) `[code](none.md)`\n"
        "[bad](c.md) [bad](b.md#nothing) [bad](#nowhere) [bad](../)\n"
    )
    assert [line.split()[1] for line in dead_links(page, tmp_path)] == [
        "c.md",
        "b.md#nothing",
        "#nowhere",
        "../",
    ]


class TopCode(BaseModel):
    """A stand-in for a method of ours."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    name: str | None = Field(default=None, min_length=1)
    """Name of the entry."""
    columns: tuple[str, ...]
    """Columns to
    cut, a|b."""
    share: float = Field(default=0.005, gt=0, lt=1, json_schema_extra={"stricter": "higher"})
    """Share of records."""
    missing: Literal["keep", "drop", "fill"] = "keep"
    """What to do with empty cells."""
    limits: tuple[int | float, ...] = ()
    """Learned: the limits."""


class Foreign(TopCode):
    """A stand-in for a method of somebody else, whose page is beside this file."""


TopCode.__module__ = "schleier.methods.top_code"


class Fake:
    """A registry with one method."""

    def __init__(self, component: type[BaseModel]) -> None:
        self.component = component

    def names(self, kind: str) -> list[str]:
        return ["top_code"] if kind == "method" else []

    def ours(self, kind: str) -> list[str]:
        return self.names(kind)

    def get(self, kind: str, name: str) -> type[BaseModel]:
        return self.component


TABLE = """\
| parameter | value | default | meaning |
|---|---|---|---|
| `columns` | list of text | **required** | Columns to cut, a\\|b. |
| `share` | number, > 0, < 1 | `0.005` | Share of records. Higher is stricter. |
| `missing` | `"keep"`, `"drop"` or `"fill"` | `"keep"` | What to do with empty cells. |
| `name` | text, not empty |  | Name of the entry. |
| `limits` | list of numbers | *learned* | the limits. |"""


def test_the_table_is_written_between_the_marks(tmp_path: Path) -> None:
    fake, page = Fake(TopCode), tmp_path / "docs" / "methods" / "top_code.md"
    assert [line.split(": ")[1] for line in docs.problems(fake, tmp_path)] == [
        "missing, the page of the method top_code"
    ], "and where to read what belongs there"
    page.parent.mkdir(parents=True)
    page.write_text("# Top coding\n")
    assert "no table" in "".join(docs.problems(fake, tmp_path))
    page.write_text(f"# Top coding\n\n{docs.OPEN}\nold\n{docs.CLOSE}\n\nWords.\n")
    assert "not current" in "".join(docs.problems(fake, tmp_path))
    assert list(docs.problems(fake, tmp_path, write=True)) == []
    assert list(docs.problems(fake, tmp_path)) == []
    assert page.read_text() == f"# Top coding\n\n{docs.OPEN}\n{TABLE}\n{docs.CLOSE}\n\nWords.\n"
    page.with_name("rank_swap.md").write_text("# Rank swapping\n")
    assert "there is no method of this name" in "".join(docs.problems(fake, tmp_path))


def test_the_examples_of_the_tools_themselves_run() -> None:
    assert examine(docs) == (0, 1)
    assert examine(pictures) == (0, 1)


NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_the_pictures_show_what_the_methods_do() -> None:
    """To a point of the drawing: what a model predicts may differ in the last digits from machine to machine."""
    stale = []
    for word, drawn in pictures.pictures().items():
        stored = (pictures.FOLDER / f"{word}.svg").read_text(encoding="utf-8")
        there, new = ([float(one) for one in NUMBER.findall(text)] for text in (stored, drawn))
        alike = NUMBER.sub("", stored).strip() == NUMBER.sub("", drawn).strip() and len(there) == len(new)
        if not alike or any(abs(a - b) > 1 for a, b in zip(there, new, strict=True)):
            stale.append(word)
    assert stale == [], "run make pictures"


def test_a_foreign_component_has_its_page_beside_its_module(tmp_path: Path) -> None:
    assert docs.page(Foreign, "method", "top_code", tmp_path) == Path(__file__).with_name("top_code.md")
