"""A plan as one self-contained page, in the look of the report of a release."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from schleier.core.errors import WriteError, stop
from schleier.core.plan import Plan
from schleier.report.language import Words
from schleier.report.planning import shown

if TYPE_CHECKING:
    from jinja2 import Template

FOLDER = Path(__file__).parent


def page(plan: Plan, lang: str = "en") -> str:
    """The page: no script, nothing from elsewhere."""
    words = Words.of(lang)
    css = Markup((FOLDER / "page.css").read_text(encoding="utf-8"))
    return _template().render(w=words, plan=plan, shown=shown(plan, words), css=css)


def write_page(plan: Plan, lang: str, out: Path) -> None:
    """Write the page as a whole or not at all."""
    text = page(plan, lang)
    if out.suffix.lower() not in (".html", ".htm"):
        stop(WriteError, "unknown-format", str(out), "the page is written as .html", "choose a name that ends in .html")
    partial = out.with_name(f"{out.name}.partial-{os.urandom(4).hex()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(out)
    except OSError:
        partial.unlink(missing_ok=True)
        stop(WriteError, "cannot-write", str(out), "the file cannot be written")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((FOLDER / "planning.html.j2").read_text(encoding="utf-8"))
