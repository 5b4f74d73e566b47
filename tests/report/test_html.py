"""The page: whole by itself, safe, the same each time, readable by everybody."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from planning.designs import design
from report.full import FULL, OTHERS
from report.inspections import USUAL
from report.reading import Parsed
from report.reports import HOSTILE, MINIMAL, TYPICAL
from schleier.core import registry
from schleier.flow.release.documents import Report
from schleier.planning.plan import plan
from schleier.report import html
from schleier.report.html import Html
from schleier.report.inspection.page import page as inspection_page
from schleier.report.planning.page import page as plan_page

REPORTS = {"minimal": MINIMAL, "typical": TYPICAL, "full": FULL, **OTHERS}
CSS = (Path(html.__file__).parent / "page.css").read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", REPORTS)
def test_every_report_becomes_a_sound_page(name: str, lang: str) -> None:
    page = Html().render(REPORTS[name], lang)
    parsed = Parsed(page)
    assert parsed.open == []
    assert page.startswith(f'<!doctype html>\n<html lang="{lang}"')
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"] or "" for _, attrs in parsed.elements if "href" in attrs]
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert not re.search(r"\bNone\b(?! of)|Undefined", page)


PAGES = {
    "report": Html().render(FULL),
    "inspection": inspection_page(USUAL, "en"),
    "plan": plan_page(plan(design(".5 .5", persons=10)), "de"),
}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_says_what_it_may_do(name: str) -> None:
    page = PAGES[name]
    ((style, *others), elements) = re.findall("<style>(.*?)</style>", page, re.DOTALL), Parsed(page).elements
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = (about["content"] for tag, about in elements if about.get("http-equiv") == "Content-Security-Policy")
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert not others and not [tag for tag, about in elements if "style" in about]


def test_html_is_the_only_renderer() -> None:
    assert registry.names("renderer") == ["html"]


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_same_document_gives_the_same_page(lang: str) -> None:
    again = Report.model_validate(json.loads(FULL.model_dump_json()))
    assert Html().render(again, lang) == Html().render(FULL, lang)


def test_nothing_from_the_document_is_inserted_as_it_is() -> None:
    page = Html().render(FULL)
    assert HOSTILE not in page and "<script" not in page
    assert "&lt;script&gt;" in page


WORDS_OF_OURS = {"better", "format"}
KNOWN = WORDS_OF_OURS | {
    "method",
    "criterion",
    "role",
    "scale",
    "access",
    "protection",
    "knowledge",
    "sampled",
    "missing",
}


@pytest.mark.parametrize("kept", [WORDS_OF_OURS, KNOWN], ids=["all is strange", "all is known"])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_every_text_of_a_document_is_escaped(lang: str, kept: set[str]) -> None:
    page = Html().render(Report.model_validate(spoiled(FULL.model_dump(mode="json"), kept)), lang)
    parsed = Parsed(page)
    assert parsed.open == []
    assert not [tag for tag, attrs in parsed.elements if tag == "planted" or "onload" in attrs]
    assert page.count("&lt;planted") > 100


def spoiled(value: object, kept: set[str]) -> object:
    """A document with a tag at the end of every text, but for some."""
    if isinstance(value, str):
        return value + '"><planted onload=x>'
    if isinstance(value, list):
        return [spoiled(one, kept) for one in value]
    if isinstance(value, dict):
        named = "value" in value and kept >= KNOWN  # a finding is told by its name
        safe = kept | {"name"} if named else kept
        return {key: one if key in safe else spoiled(one, kept) for key, one in value.items()}
    return value


def test_all_styles_are_bound_to_the_root() -> None:
    rules = re.sub(r"/\*.*?\*/|@page.*?}\s*}", "", CSS, flags=re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", rules)
    assert len(selectors) > 80
    for selector in selectors:
        if not selector.strip().startswith("@"):
            assert all(part.strip().startswith(".schleier-") for part in selector.split(",")), selector
    page = Html().render(TYPICAL)
    assert page.count("<style>") == 1 and page.index("<style>") > page.index('<article class="schleier-report"')


def test_tables_and_pictures_can_be_read_aloud() -> None:
    page = Html().render(FULL, "de")
    for table in re.findall(r"<table.*?</table>", page, re.DOTALL):
        assert "<caption>" in table and 'scope="row"' in table
        assert all("scope=" in cell for cell in re.findall(r"<th\b[^>]*>", table))
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) >= 10
    for picture in pictures:
        assert re.match(r'<svg class="picture" role="img" [^>]+><title>[^<]+</title><desc>[^<]+</desc>', picture)
    levels = [int(level) for level in re.findall(r"<h(\d)", page)]
    assert levels.count(1) == 1 and all(b - a <= 1 for a, b in pairwise(levels))


def colours(block: str) -> dict[str, str]:
    return {name: value * 2 if len(value) == 3 else value for name, value in re.findall(r"--(\w[\w-]*): #(\w+)", block)}


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


SCHEMES = [colours(block) for block in re.findall(r"\.schleier-report \{(.*?)\}", CSS, re.DOTALL)[:2]]
WORDS = [("ink", "paper"), ("soft", "paper"), ("link", "paper"), ("ink", "raised"), ("soft", "raised")]
WORDS += [(tone, f"{tone}-tint") for tone in ("good", "bad", "mind")]
WORDS += [(tone, "paper") for tone in ("good", "bad", "mind")]
MARKS = [("edge", "paper"), ("after", "paper"), ("alarm", "paper"), ("ink", "heat4"), ("alarm", "rest")]


@pytest.mark.parametrize("scheme", SCHEMES, ids=["light", "dark"])
def test_words_and_marks_stand_out(scheme: dict[str, str]) -> None:
    assert contrast("ffffff", "000000") == pytest.approx(21)
    weak = [pair for pair in WORDS if contrast(scheme[pair[0]], scheme[pair[1]]) < 4.5]
    weak += [pair for pair in MARKS if contrast(scheme[pair[0]], scheme[pair[1]]) < 2.7]
    assert weak == []


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("name", ["minimal", "typical", "full"])
def test_a_browser_shows_it_without_asking_for_anything(
    browser: Browser, tmp_path: Path, name: str, lang: str, scheme: str
) -> None:
    file = tmp_path / "report.html"
    file.write_text(Html().render(REPORTS[name], lang), encoding="utf-8")
    with browser.new_context(viewport={"width": 380, "height": 800}, color_scheme=scheme) as context:  # type: ignore[arg-type]
        page, asked, said = context.new_page(), list[str](), list[str]()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        for width in (380, 1100):
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(file.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate("document.body.clientHeight") > 1000
        assert page.evaluate("getComputedStyle(document.querySelector('.verdict')).borderRadius") == "12px"
        assert asked == [file.as_uri()] * 2
        assert said == []


def test_a_browser_obeys_nothing_but_our_style(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    smuggled = "<script>document.title = 'run'</script><img src='x.png'><p id='p' style='color: rgb(1, 2, 3)'>x</p>"
    file.write_text(Html().render(TYPICAL).replace("<footer>", smuggled + "<footer>"), encoding="utf-8")
    page, refused = browser.new_page(), list[str]()
    page.on("requestfailed", lambda request: refused.append(request.failure))
    page.goto(file.as_uri())
    assert page.title() != "run" and refused == ["csp"]
    assert page.evaluate("getComputedStyle(document.querySelector('#p')).color") != "rgb(1, 2, 3)"
    page.close()


def test_a_notebook_stays_as_it_was(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(
        "<body style='background: rgb(1, 2, 3)'><h1>Notes</h1><table><tr><td>1</td></tr></table><div></div>"
    )
    look = "['h1', 'td', 'body'].map(t => { const s = getComputedStyle(document.querySelector(t)); \
            return [s.fontSize, s.color, s.backgroundColor, s.padding, s.margin] })"
    before = page.evaluate(look)
    page.evaluate("html => { document.querySelector('div').innerHTML = html }", Html().render(TYPICAL))
    assert page.evaluate(look) == before
    shown = page.evaluate("getComputedStyle(document.querySelector('.schleier-report .verdict')).borderRadius")
    assert shown == "12px"
    page.close()
