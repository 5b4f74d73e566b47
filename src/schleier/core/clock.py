"""Whether dates are written with a time of day, and how a release writes them."""

from __future__ import annotations

import re

CLOCK = re.compile(r"%-?[HIpMSgfnzZcX]")
"""Signs of strftime that tell a time of day."""


def moment_form(date: str) -> str:
    """The form of days and times, by that of dates.

    >>> moment_form("%d.%m.%Y"), moment_form("%Y-%m-%d %H:%M")
    ('%d.%m.%Y %H:%M:%S', '%Y-%m-%d %H:%M')
    """
    return date if CLOCK.search(date) else f"{date} %H:%M:%S"
