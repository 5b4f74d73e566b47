"""PDF is an extra: asked for by name, refused with the way out, and never fetches anything."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

from report.reports import TYPICAL
from schleier.core.errors import EngineError
from schleier.report.html import Html
from schleier.report.pdf import to_pdf


def test_without_weasyprint_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(EngineError, match=r"pip install schleier\[report\]"):
        to_pdf("<p>")


class NoPango(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        raise OSError("cannot load library 'libpango-1.0-0'")


def test_without_its_libraries_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weasyprint", NoPango("weasyprint"))
    with pytest.raises(EngineError, match="Pango"):
        to_pdf("<p>")


def test_it_may_not_fetch_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    class Page:
        def __init__(self, string: str, url_fetcher: Callable[[str], Any]) -> None:
            self.fetch = url_fetcher

        def write_pdf(self, **options: Any) -> bytes:
            assert options == {"pdf_variant": "pdf/ua-1"}
            self.fetch("https://example.org/pixel.png")
            raise AssertionError("it was allowed")

    fake = types.ModuleType("weasyprint")
    monkeypatch.setattr(fake, "HTML", Page, raising=False)
    monkeypatch.setitem(sys.modules, "weasyprint", fake)
    with pytest.raises(EngineError, match="from outside"):
        to_pdf("<p>")


def test_a_report_becomes_a_pdf() -> None:
    pytest.importorskip("weasyprint", reason="needs weasyprint: pip install schleier[report]")
    assert to_pdf(Html().render(TYPICAL, "de")).startswith(b"%PDF-")
