"""Build the documentation as a searchable site that asks nobody for anything: build/site.

The pages are those of docs/ and the root of the project, as they are, and the reference of the Python names, written
here from docstrings. The navigation follows docs/README.md and the questions components answer. What was built is
looked through: a link that leads nowhere, or a page that would load something from elsewhere, is an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

ROOT = Path(__file__).parent.parent
SITE = ROOT / "build" / "site"
PAGES = ROOT / "build" / "site-pages"
"""What the generator reads, laid out like the project, so that links hold."""
WHOLE = ("docs", "examples")
"""Folders that pages lead to."""
AT_THE_ROOT = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE")
SHIM = "https://unpkg.com/iframe-worker/shim"
"""What the generator would have a browser fetch so that pages on the disk can be searched; website.js does it here."""
REFERENCE = "docs/reference"
STYLE = """\
.md-typeset img[src*="pictures/methods"] { display: block; max-width: min(100%, 26rem); }
[data-md-color-scheme="slate"] .md-typeset img[src$=".svg"] { background: #fff; border-radius: .3rem; padding: .3rem; }
.md-typeset table:not([class]) td:last-child { min-width: 12rem; }
.md-typeset td:first-child code { white-space: nowrap; word-break: normal; }
.md-typeset math { font-size: 1.05em; }
"""
CONFIGURATION: dict[str, Any] = {
    "site_name": "Schleier",
    "site_description": "Anonymise microdata and prove what the result is worth",
    "docs_dir": PAGES.name,
    "site_dir": SITE.name,
    "extra_css": ["site.css"],
    "extra": {"generator": False},
    "plugins": {"offline": {}, "search": {}},
    "theme": {
        "language": "en",
        "font": False,
        "features": [
            *("navigation.tabs", "navigation.indexes", "navigation.top", "navigation.path", "navigation.prune"),
            *("content.code.copy", "search.highlight", "toc.follow"),
        ],
        "palette": [
            {"media": media, "scheme": scheme, "toggle": {"icon": icon, "name": name}}
            for media, scheme, icon, name in (
                ("(prefers-color-scheme)", "default", "lucide/sun-moon", "Always light"),
                ("(prefers-color-scheme: light)", "default", "lucide/sun", "Always dark"),
                ("(prefers-color-scheme: dark)", "slate", "lucide/moon", "As the system"),
            )
        ],
    },
}

FORMULA = re.compile(
    r"(?P<fence>^ *(?P<mark>`{3,}).*?\n *(?P=mark) *$)|(?P<code>`[^`]+`)"
    r"|\$\$(?P<display>[^$]+)\$\$|\$(?P<inline>[^\s$](?:[^$`]*[^\s$])?)\$",
    re.DOTALL | re.MULTILINE,
)


def with_formulas(text: str) -> str:
    """A page whose formulas are MathML, which browsers show without a program; code is left alone.

    >>> with_formulas("`$x$` is $x$")
    '`$x$` is <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>x</mi></mrow></math>'
    """
    convert = import_module("latex2mathml.converter").convert  # in the set-up of the site only

    def shown(found: re.Match[str]) -> str:
        if found["fence"] or found["code"]:
            return found[0]
        tex = " ".join((found["display"] or found["inline"]).split())
        return str(convert(tex, display="block" if found["display"] else "inline"))

    return FORMULA.sub(shown, text)


def gather() -> None:
    """Lay out all pages for the generator: those of the project, and the reference."""
    import reference

    shutil.rmtree(PAGES, ignore_errors=True)
    for name in WHOLE:
        shutil.copytree(ROOT / name, PAGES / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in AT_THE_ROOT:
        shutil.copy(ROOT / name, PAGES / name)
    for page in PAGES.rglob("*.md"):
        page.write_text(with_formulas(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name, text in reference.pages().items():
        (PAGES / REFERENCE / name).write_text(text + "\n", encoding="utf-8")
    (PAGES / "site.css").write_text(STYLE, encoding="utf-8")


def navigation() -> list[Any]:
    """The pages in their order: the guide as docs/README.md has it, components by question."""
    import reference
    from questions import QUESTIONS, grouped

    from docs import FOLDERS
    from schleier.core import registry

    kinds = []
    for kind in QUESTIONS:
        folder = FOLDERS[kind]
        components = {word: registry.get(kind, word) for word in registry.ours(kind)}  # type: ignore[arg-type]
        groups = grouped(kind, components)
        listed = [{question: [f"docs/{folder}/{word}.md" for word in words]} for question, (words, _) in groups.items()]
        kinds.append({folder.capitalize(): [f"docs/{folder}/README.md", *(one for one in listed if any(one.values()))]})
    names = [{part: [{name: f"{REFERENCE}/{name}.md"} for name in of]} for part, of in reference.parts().items()]
    decisions = sorted(file.name for file in (ROOT / "docs/decisions").glob("0*.md"))
    others = {"Decisions": ["docs/decisions/README.md", *(f"docs/decisions/{name}" for name in decisions)]}
    return [
        {"Home": "README.md"},
        {"Guide": ["docs/README.md", *guide((ROOT / "docs/README.md").read_text(encoding="utf-8"))]},
        *kinds,
        {"Python": [f"{REFERENCE}/README.md", *names]},
        {"Project": ["CONTRIBUTING.md", "CHANGELOG.md", others]},
    ]


def guide(text: str) -> list[dict[str, list[str]]]:
    """The sections of the guide and their pages, as the front page of the documentation lists them.

    >>> guide("## Guide\\n\\n### Begin\\n\\n- [A](guide/a.md): words\\n\\n## Components\\n\\n[no](guide/b.md)")
    [{'Begin': ['docs/guide/a.md']}]
    """
    part = text.partition("## Guide\n")[2].partition("\n## ")[0]
    sections = re.split(r"^### ", part, flags=re.MULTILINE)[1:]
    return [
        {section.partition("\n")[0]: [f"docs/{page}" for page in re.findall(r"^- \[[^]]*\]\(([^)]+)\)", section, re.M)]}
        for section in sections
    ]


def keep_to_itself(site: Path) -> None:
    """Put our own program in the place of the one that pages would fetch; what only a web server needs goes."""
    for name in ("404.html", "sitemap.xml"):
        (site / name).unlink(missing_ok=True)
    shutil.copy(Path(__file__).with_suffix(".js"), site / "assets" / "worker.js")
    for page in site.rglob("*.html"):
        here = "../" * (len(page.relative_to(site).parts) - 1) + "assets/worker.js"
        page.write_text(page.read_text(encoding="utf-8").replace(SHIM, here), encoding="utf-8")


class Links(HTMLParser):
    """Where a page leads to, what it loads, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.leads, self.loads, self.anchors = list[str](), list[str](), set[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names."""
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        self.leads += [found["href"]] if tag == "a" and "href" in found else []
        self.loads += [found[name] for name in ("src", "data", "poster", "action") if name in found]
        self.loads += [found["href"]] if tag in ("link", "use", "image") and "href" in found else []
        self.loads += [part.split()[0] for part in found.get("srcset", "").split(",") if part.strip()]


def complaints(site: Path) -> Iterator[str]:
    """What is wrong with a built site: links that lead nowhere, and anything that comes from elsewhere."""
    parsed = {page: Links(page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html"))}
    for page, links in parsed.items():
        shown = page.relative_to(site).as_posix()
        yield from (f"{shown}: loads {url}" for url in links.loads if elsewhere(url))
        for url in (*links.leads, *links.loads):
            if elsewhere(url) or url.startswith(("data:", "javascript:", "mailto:")):
                continue
            path, _, anchor = url.partition("#")
            target = Path(os.path.normpath(page.parent / unquote(path))) if path else page
            if target not in parsed and not target.is_file():
                yield f"{shown}: {url} leads nowhere"
            elif anchor and not anchor.startswith("__") and target in parsed and anchor not in parsed[target].anchors:
                yield f"{shown}: {url} leads to a place that is not there"
    for style in sorted(site.rglob("*.css")):
        for url in re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s;]+)""", style.read_text(encoding="utf-8")):
            if elsewhere(url):
                yield f"{style.relative_to(site).as_posix()}: loads {url}"


def elsewhere(url: str) -> bool:
    """Whether an address is not of this site.

    >>> elsewhere("https://example.org/a.css"), elsewhere("//example.org"), elsewhere("a/b.html#c")
    (True, True, False)
    """
    return bool(re.match(r"(?:[a-z][a-z0-9+.-]*:)?//", url, re.IGNORECASE))


def main() -> int:
    """Build the site and look through it; 1 when something is wrong with it."""
    import tomli_w

    gather()
    configuration = PAGES.with_name("zensical.toml")
    settings = {"project": {**CONFIGURATION, "nav": navigation()}}
    configuration.write_text(tomli_w.dumps(settings), encoding="utf-8")
    shutil.rmtree(SITE, ignore_errors=True)
    program = Path(sys.executable).with_name("zensical")
    done = subprocess.run([program, "build", "--clean", "--strict", "--config-file", configuration], check=False)
    if SITE.is_dir():
        keep_to_itself(SITE)
    found = list(complaints(SITE)) if SITE.is_dir() else ["nothing was built"]
    print(*found, sep="\n", end="\n" if found else "")
    if not found and not done.returncode:
        print(f"Open {(SITE / 'index.html').relative_to(ROOT)} in a browser.")
    return 1 if found or done.returncode else 0


if __name__ == "__main__":
    raise SystemExit(main())
