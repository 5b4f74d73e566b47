"""The page of an inspection: a file for its owner, shown by a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from report.inspections import INSPECTIONS, USUAL
from schleier.core.errors import RecipeError, WriteError
from schleier.report.inspection.page import page, write_page


def test_a_page_is_written_as_a_whole_and_for_its_owner(tmp_path: Path) -> None:
    out = tmp_path / "risk.html"
    out.write_text("old", encoding="utf-8")
    write_page(USUAL, "de", out)
    assert out.read_text(encoding="utf-8") == page(USUAL, "de")
    assert out.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["risk.html"]


@pytest.mark.parametrize(("name", "code"), [("risk.txt", "unknown-format"), ("no/risk.html", "cannot-write")])
def test_a_page_that_cannot_be_written(name: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError) as error:
        write_page(USUAL, "en", tmp_path / name)
    assert [problem.code for problem in error.value.problems] == [code]
    assert list(tmp_path.iterdir()) == []


def test_what_stood_before_stays_when_a_page_cannot_be_put_there(tmp_path: Path) -> None:
    (tmp_path / "risk.html").mkdir()
    (tmp_path / "risk.html" / "kept").touch()
    with pytest.raises(WriteError):
        write_page(USUAL, "en", tmp_path / "risk.html")
    assert [file.name for file in tmp_path.rglob("*")] == ["risk.html", "kept"]


def test_a_language_that_does_not_exist() -> None:
    with pytest.raises(RecipeError):
        page(USUAL, "fr")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_browser_shows_it_without_asking_for_anything(browser: Browser, tmp_path: Path, lang: str) -> None:
    file = tmp_path / "risk.html"
    write_page(INSPECTIONS["usual"], lang, file)
    with browser.new_context(viewport={"width": 380, "height": 800}) as context:
        shown, asked, said = context.new_page(), list[str](), list[str]()
        shown.on("request", lambda request: asked.append(request.url))
        shown.on("console", lambda message: said.append(message.text))
        for width in (380, 1100):
            shown.set_viewport_size({"width": width, "height": 800})
            shown.goto(file.as_uri())
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert asked == [file.as_uri()] * 2 and said == []
