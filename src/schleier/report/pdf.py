"""The page of a report as a PDF, through the optional extra ``report``."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

from schleier.core.errors import EngineError, Problem, stop


def to_pdf(html: str) -> bytes:
    """A page as PDF/UA (readable by screen readers); nothing is fetched from anywhere."""
    try:
        page = import_module("weasyprint").HTML
    except ImportError as error:
        problem = Problem("no-weasyprint", "report", "a PDF needs weasyprint", "pip install schleier[report]")
        raise EngineError(problem) from error
    except OSError as error:  # it is there, but a library of the system is not
        hint = "install Pango (Debian: libpango-1.0-0 libpangoft2-1.0-0)"
        raise EngineError(Problem("no-pango", "report", "weasyprint does not find its libraries", hint)) from error
    document: bytes = page(string=html, url_fetcher=_refuse).write_pdf(pdf_variant="pdf/ua-1")
    return document


def _refuse(url: str, *args: Any, **more: Any) -> NoReturn:
    stop(EngineError, "fetch", "report", "the page asks for something from outside")
