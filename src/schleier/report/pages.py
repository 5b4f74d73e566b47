"""What every page is made with: one template, one style, and a file written as a whole or not at all."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from schleier.core.atomic import whole_file
from schleier.core.errors import WriteError, stop
from schleier.report.language import Words

if TYPE_CHECKING:
    from jinja2 import Template

FOLDER = Path(__file__).parent


def rendered(template: str, words: Words, **values: Any) -> str:
    """A page from the template of a name: no script, nothing from elsewhere."""
    css = Markup((FOLDER / "page.css").read_text(encoding="utf-8"))
    return _template(template).render(w=words, css=css, **values)


def write_html(text: str, out: Path, *, private: bool = False) -> None:
    """Write a page as a whole or not at all; a private one for its owner alone."""
    if out.suffix.lower() not in (".html", ".htm"):
        stop(WriteError, "unknown-format", str(out), "the page is written as .html", "choose a name that ends in .html")
    with whole_file(out, private=private) as place:
        place.write_text(text, encoding="utf-8", newline="")


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((FOLDER / f"{name}.html.j2").read_text(encoding="utf-8"))
