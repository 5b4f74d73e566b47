"""What every page is made with: one layout, one style, and a file written as a whole or not at all."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from schleier.core.atomic import whole_file
from schleier.core.errors import WriteError, stop
from schleier.report.language import Words, name

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Page:
    """What the layout shows of every page."""

    anchor: str
    """With what the addresses inside the page begin."""
    kicker: Markup
    """What kind of page it is."""
    title: Markup | str
    contents: Markup
    """What the list of its parts is called."""
    headings: Sequence[Markup]
    made: Markup
    """Who made it."""
    keys: Sequence[str] = ()
    """Its parts, where they depend on what was found."""


def render(template: str, words: Words, page: Page, **values: Any) -> str:
    """A page from the template of a name: no script, nothing from elsewhere."""
    css = Markup((FOLDER / "page.css").read_text(encoding="utf-8"))
    text = environment().get_template(f"{template}.html.j2").render(w=words, name=name, css=css, page=page, **values)
    # A browser obeys this one style and nothing else, whatever a name or a text might smuggle in.
    style = text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return text.replace("'STYLE'", f"'sha256-{digest}'", 1)


def write_html(text: str, out: Path, *, private: bool = False) -> None:
    """Write a page as a whole or not at all; a private one for its owner alone."""
    if out.suffix.lower() not in (".html", ".htm"):
        stop(WriteError, "unknown-format", str(out), "the page is written as .html", "choose a name that ends in .html")
    with whole_file(out, private=private) as place:
        place.write_text(text, encoding="utf-8", newline="")


@cache
def environment() -> Environment:
    """What templates are filled in with: everything that is not Markup is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
