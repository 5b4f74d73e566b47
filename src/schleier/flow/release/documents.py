"""The two documents of a release: the report may be published, the audit stays."""

from __future__ import annotations

import datetime
from typing import Any

from pydantic import Field

from schleier.core.caution import Caution
from schleier.core.criterion import Verdict
from schleier.core.measure import Finding
from schleier.core.record import Frozen
from schleier.core.shown import Shown

REPORT_FORMAT = "schleier-report-1"
FEWEST = 30
"""Records from which on a report tells the digest."""


class ReportedColumn(Frozen):
    """A released column."""

    name: str
    """Name in the file."""
    title: str = ""
    """What it is called."""
    role: str
    """Meaning for disclosure."""
    scale: str
    """What may be computed with it."""
    decimals: int | None = None
    """Released precision."""
    labels: dict[str, str] = Field(default_factory=dict, repr=False)
    """Words for coded values."""
    kind: str = ""
    """As what the digest takes its values, however the file stores them."""
    judged: str = ""
    """Who judged the role: guess, person or profile; empty where nobody did, or an older report does not tell."""
    judged_on: datetime.date | None = None
    """The day on which a person judged it."""


class ReportedStep(Frozen):
    """One step that was applied."""

    method: str
    """Recipe word of the method."""
    label: str
    """Name of the step."""
    columns: tuple[str, ...]
    """Columns it read."""
    parameters: dict[str, Any] = Field(repr=False)
    """Its public parameters."""
    facts: tuple[dict[str, Any], ...] = Field(default=(), repr=False)
    """What it reported."""
    changed: tuple[str, ...] | None = None
    """Columns whose values it may have changed, and those it made."""
    same_rows: bool | None = None
    """Whether it neither left out nor added records."""
    withheld: tuple[str, ...] | None = None
    """Secret parameters it has and does not publish; told where it publishes others on purpose."""


class ReportedOverride(Frozen):
    """A demand of a parent recipe that was weakened on purpose."""

    where: str
    """Which one."""
    reason: str
    """Why."""


class ReportedSequel(Frozen):
    """What a release and earlier ones about the same persons tell together."""

    earlier: int
    """Number of earlier releases it was judged with."""
    k: int
    """How many must look alike in all of them together."""
    level: int
    """The smallest number that does."""
    units: bool = False
    """Whether units (households, persons in a panel) were counted rather than records."""
    k_alone: int = 0
    """How many must look alike in one of the releases alone, the most any of them promises."""
    criteria: tuple[int, ...] = ()
    """The places of the criteria that hold for all of them together, too, beside the number."""


class Report(Shown, Frozen):
    """What may be published about a release."""

    format: str = REPORT_FORMAT
    """Version of this document's form."""
    schleier: str
    """Version of Schleier that made the release."""
    file: str
    """Name of the released file."""
    title: str = ""
    """What the release is called."""
    purpose: str = ""
    """What the release is for."""
    access: str = ""
    """Who gets it: public, contract or on-site."""
    protection: str = ""
    """How much harm a disclosure could do: normal, high or very high."""
    digest: str
    """SHA-256 over the logical content of the released file; empty for fewer than 30 records, where whoever knows all
    but a few values could try the rest until it fits. The audit has it always."""
    records_read: int
    """Records in the original."""
    records_released: int
    """Records in the release; in tens where its rows were made of values (``made_rows``) and it is not public."""
    made_rows: bool = False
    """Whether a row stands for values of several records, so that how many there are tells of these values."""
    state: str = ""
    """What the release is by law: "pseudonymous" where somebody can lead records back to persons, else nothing."""
    columns: tuple[ReportedColumn, ...]
    """The released columns."""
    columns_left_out: tuple[str, ...] = ()
    """Columns of the original that are not in the release."""
    unchanged: tuple[str, ...] | None = None
    """Released columns in which every record has the value it had; nothing where an older report does not tell."""
    steps: tuple[ReportedStep, ...] = ()
    """What was done."""
    criteria: tuple[Verdict, ...] = ()
    """What was demanded, and the level reached."""
    after: ReportedSequel | None = None
    """The level reached together with earlier releases; absent when it was not judged with any."""
    cautions: tuple[Caution, ...] = ()
    """Why the release is not to be called safe without reservation, the most important first."""
    too_wide: bool = False
    """Whether it was not looked at what comes back through released columns, because there are so many."""
    findings: tuple[Finding, ...] = ()
    """What was measured, as far as it may be published."""
    not_compared: dict[str, str] = Field(default_factory=dict)
    """Records and, by column, values that comparisons did not look at, because the release does not show them."""
    findings_withheld: tuple[str, ...] = ()
    """Measures whose result would tell about a single unit: only the holder knows it."""
    attacks: tuple[Finding, ...] = ()
    """What attackers achieved in experiments."""
    attacks_withheld: tuple[str, ...] = ()
    """Attacks of which only the holder knows what they achieved: a single person could change it."""
    attacks_left_out: tuple[str, ...] = ()
    """Attacks that were not tried because nothing they are aimed at was done."""
    overrides: tuple[ReportedOverride, ...] = ()
    """Demands weakened on purpose."""
    control: bool = False
    """Whether attacks were compared with rows that took no part in the release."""

    def to_html(self, language: str = "en") -> str:
        """The report as one page that needs nothing from elsewhere; a notebook shows its card."""
        from schleier.core import registry

        return str(registry.get("renderer", "html")().render(self, language))


class Audit(Frozen):
    """What stays with the data holder."""

    schleier: str
    """Version of Schleier that made the release."""
    run_key: str = Field(repr=False)
    """The secret key of all random draws, in hexadecimal."""
    key_from: str = ""
    """Where the key came from: "new" (made for this run), "given" (by hand), "release" (of the release that was
    replayed, whose rows these are) or "derived" (from that key, for these other rows)."""
    source_fingerprint: str = Field(default="", repr=False)
    """Keyed fingerprint of the rows that were read: tells a replay whether it is given the same ones."""
    release_fingerprint: str = Field(default="", repr=False)
    """Keyed fingerprint of the released rows, on which their order depends."""
    digest: str
    """Digest of the release."""
    engine: str
    """Engine that moved the rows."""
    source: str
    """Where the rows came from."""
    types: dict[str, str] = Field(default_factory=dict)
    """What each column held when it was read: integer, number, text, date, time, zoned or boolean."""
    steps: tuple[dict[str, Any], ...] = Field(repr=False)
    """Fitted steps with all parameters."""
    findings: tuple[Finding, ...] = Field(default=(), repr=False)
    """What was measured, exactly."""
    attacks: tuple[Finding, ...] = Field(default=(), repr=False)
    """What attackers achieved, exactly."""
    after: tuple[dict[str, Any], ...] = ()
    """What the comparisons with earlier releases found, exactly."""
    notes: tuple[dict[str, Any], ...] = Field(repr=False)
    """Everything the steps reported, restricted notes included."""
    advice: dict[str, Any] | None = Field(default=None, repr=False)
    """What was answered before the recipe was written, and what was advised."""
