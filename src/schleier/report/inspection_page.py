"""An inspection as one self-contained page, in the look of the report of a release."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from schleier.core.errors import WriteError, stop
from schleier.flow.inspect import Inspection
from schleier.report.inspection import seen
from schleier.report.inspection_parts import MOST_ROWS
from schleier.report.language import Words

if TYPE_CHECKING:
    from jinja2 import Template

FOLDER = Path(__file__).parent


def page(inspection: Inspection, lang: str = "en") -> str:
    """The page: no script, nothing from elsewhere."""
    words = Words.of(lang)
    css = Markup((FOLDER / "page.css").read_text(encoding="utf-8"))
    shown = seen(inspection, words)
    return _template().render(w=words, inspection=inspection, seen=shown, most_rows=MOST_ROWS, css=css)


def write_page(inspection: Inspection, lang: str, out: Path) -> None:
    """Write the page as a whole or not at all; only its owner may read it, for it is about the unprotected file."""
    text = page(inspection, lang).encode()
    if out.suffix.lower() not in (".html", ".htm"):
        stop(WriteError, "unknown-format", str(out), "the page is written as .html", "choose a name that ends in .html")
    partial = out.with_name(f"{out.name}.partial-{os.urandom(4).hex()}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text)
        partial.replace(out)
    except OSError:
        partial.unlink(missing_ok=True)
        stop(WriteError, "cannot-write", str(out), "the file cannot be written")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((FOLDER / "inspection.html.j2").read_text(encoding="utf-8"))
