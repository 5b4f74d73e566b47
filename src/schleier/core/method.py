"""The waist: a method turns a dataset into a dataset."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from schleier.core.component import Component
from schleier.core.promises import STATISTICS, WAYS, Keeps
from schleier.core.schema import Schema
from schleier.core.traces import EVERYTHING, Nature, Trace, Traces, nature_of, refuse_unknown

if TYPE_CHECKING:
    from schleier.core.correction import Correction
    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.core.sql import Rewrite
    from schleier.core.traces import Trail


class Method(Component):
    """One transformation. ``fit`` learns from data, ``after`` tells the schema that follows, ``apply`` does it."""

    scales: ClassVar[Literal["rows", "groups", "memory"]] = "rows"
    """How it grows: row by row at any size, group by group, or with all rows in memory."""
    random: ClassVar[bool] = False
    """Whether it draws random numbers (always keyed, see ``Run``)."""
    traces: ClassVar[Traces | None] = None
    """What it leaves behind for an attacker (``core.traces``); undeclared, every attack is tried on what it changed."""
    nature: ClassVar[Nature] = ""
    """Follows from its traces: whether it makes values wrong, or leaves less of them to see."""
    effects: ClassVar[tuple[str, ...]] = ()
    """How it protects (Höhne 2.2): E1 no unique assignment, E2 nothing gained by it, E3 it is unreliable."""
    approaches: ClassVar[tuple[str, ...]] = ()
    """Where it takes hold (Höhne 2.2): A1 some columns, A2 some records, A3 conspicuous values, A4 all values."""
    keeps: ClassVar[Keeps] = {}
    """What it promises to leave right whatever its parameters, for example ``{"rows": "exact"}``; each is tested."""
    linkable: ClassVar[bool] = False
    """Whether it leaves pseudonyms: somebody can lead records back to persons, so that they stay personal data."""
    design: ClassVar[frozenset[str]] = frozenset()
    """Facts it notes that tell how it was set up; all other whole numbers among its facts are counts of the data."""
    builds: ClassVar[bool] = False
    """Whether it adds up columns to new ones: what earlier steps did to their parts then matters for these."""
    counts: ClassVar[frozenset[str]] = frozenset()
    """Facts and learned parameters that count records, units or cells; of fewer than ten everybody reads just that."""
    correction: ClassVar[Correction | None] = None
    """How an analyst corrects estimates from what it changed, where that is possible (``schleier.correct``)."""

    @classmethod
    def __pydantic_init_subclass__(cls, **more: Any) -> None:
        super().__pydantic_init_subclass__(**more)
        refuse_unknown(cls.__name__, "traces", cls.traces, EVERYTHING)
        refuse_unknown(cls.__name__, "statistics it keeps", set(cls.keeps), STATISTICS)
        refuse_unknown(cls.__name__, "ways to keep them", set(cls.keeps.values()), WAYS)
        cls.nature = nature_of(cls.traces)

    @classmethod
    def keeps_with(cls, known: Mapping[str, Any]) -> Keeps:
        """What it keeps with such parameters; of a report only those are known that are public."""
        return cls.keeps

    def promises(self) -> Keeps:
        """What this step keeps."""
        return self.keeps_with({name: getattr(self, name) for name in type(self).model_fields})

    def leaves(self) -> Traces | None:
        """The traces of this step, where its parameters decide which of those of the method there are."""
        return self.traces

    def trail(self, trace: Trace, schema: Schema) -> Trail | None:
        """What an attacker can find out about one of its traces; nothing where he must guess."""
        return None

    def declares(self, trace: Trace) -> bool:
        """Whether it is known to leave a trace: what is not declared is attacked, but not relied on."""
        return trace in (self.leaves() or ())

    def named_keys(self) -> tuple[str, ...]:
        """Names of the long-lived keys it needs, as the recipe declares them under ``[keys]``."""
        name = getattr(self, "key", None)
        return (name,) if isinstance(name, str) else ()

    def exposes(self) -> tuple[str, ...]:
        """What an attacker can use of pseudonyms it leaves: equality, prefix, interval, check_digit."""
        return ()

    def cautions(self) -> tuple[str, ...]:
        """Why a release made with this step is never green, in codes of ``core.caution``; nothing for most."""
        return ()

    def after(self, schema: Schema) -> Schema:
        """The schema of the result."""
        return schema

    def same_rows(self) -> bool:
        """Whether the fitted step neither leaves out nor adds records."""
        return self.promises().get("rows") == "exact"

    def makes_rows(self) -> bool:
        """Whether its rows stand for values that occur, not for records: how many there are tells of these values."""
        return False

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The columns whose values it may change, by the names they have before it; all it reads unless it tells.

        A method that declares no traces may change whatever it names or reads, and all columns when it names none.
        """
        named = getattr(self, "columns", None) or getattr(self, "column", None)
        told = (named,) if isinstance(named, str) else tuple(named or self.uses(schema))
        if self.traces is None:
            told = tuple(dict.fromkeys((*told, *self.uses(schema)))) or schema.names
        return told

    def becomes(self, schema: Schema) -> Mapping[str, tuple[str, ...]]:
        """Columns that go on under other names, with these; all others keep their name."""
        return {}

    def fit(self, data: Dataset, run: Run) -> Self:
        """The same step with its learned values filled in; raises when the data do not allow it."""
        return self

    def lenient(self) -> Self:
        """The same step for rows it was not fitted to: what it does not know becomes "*" instead of an error."""
        return self

    def again(self) -> Self:
        """The same fitted step for other rows: what it learned stays, what it only counted is counted anew."""
        return self

    def sql(self, schema: Schema, types: Mapping[str, str]) -> Rewrite | None:
        """What the fitted step does to the columns, in DuckDB's SQL; nothing when it cannot be said there."""
        return None

    def repeated(self, data: Dataset, before: Schema, run: Run) -> Dataset | None:
        """A finished file treated once more: nothing changes where it came from this step; none where it cannot tell.

        ``before`` is the schema the step met. A published rule that leaves values as fine as it found them, like
        rounding, is simply applied again; one that makes words of them must know its own words.
        """
        known = self.declares("rule") and not self.declares("coarsening")
        return self.apply(data, run) if known else None

    @abstractmethod
    def apply(self, data: Dataset, run: Run) -> Dataset:
        """The transformed dataset. An unfitted step fits itself first."""
