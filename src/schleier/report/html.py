"""The report as one self-contained page."""

from __future__ import annotations

from pathlib import Path

from schleier.flow.documents import Report

TEMPLATE = Path(__file__).with_name("report.html.j2")


class Html:
    """Renders a report as HTML that needs no network and no script."""

    def render(self, report: Report) -> str:
        """The page."""
        from jinja2 import Environment, StrictUndefined

        environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
        return template.render(report=report, holds=all(verdict.holds for verdict in report.criteria))
