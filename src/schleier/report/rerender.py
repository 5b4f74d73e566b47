"""The report of an existing release once more: in another language, or as PDF."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from schleier.core.atomic import whole_file
from schleier.core.errors import DataError, WriteError, stop
from schleier.flow.release.documents import Report
from schleier.flow.release.release import is_release
from schleier.report.html import Html
from schleier.report.pdf import to_pdf


def write_report(release: Path, lang: str, out: Path) -> None:
    """Render the public report of a release into a file, by its ending as HTML or PDF."""
    if not is_release(release):
        stop(DataError, "not-a-release", str(release), "this folder is not a whole release of Schleier")
    try:
        report = Report.model_validate_json((release / "public" / "report.json").read_text(encoding="utf-8"))
    except ValidationError:
        stop(DataError, "old-report", str(release), "the report was written by another version of Schleier")
    page = Html().render(report, lang)
    if out.suffix not in (".html", ".pdf"):
        stop(WriteError, "unknown-format", str(out), "a report is written as .html or .pdf")
    with whole_file(out) as place:
        place.write_bytes(to_pdf(page) if out.suffix == ".pdf" else page.encode())
