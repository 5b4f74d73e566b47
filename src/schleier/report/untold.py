"""What happens when a document has another form than expected: one error, raised on purpose, caught once per section.

Reports of other versions and of strangers are read too. Whoever reads a part of one says what it expects of it (a
``Form``, or ``finite`` for a single number); a part that is something else is shown by its own English sentence.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

HUGE = 1e300
"""From here on a number is taken for a mistake."""


class Untold(Exception):
    """A part of a document cannot be told in the words there are for it."""


Share = Annotated[float, Field(ge=0, le=1 + 1e-9)]
Count = Annotated[int, Field(ge=0, le=10**15)]


class Form(BaseModel):
    """What a part of a document must hold to be told; further entries do not matter.

    >>> class Spread(Form):
    ...     unique: Count
    >>> Spread.of({"unique": 3, "other": None}).unique
    3
    >>> Spread.of({"unique": "three"})
    Traceback (most recent call last):
    ...
    schleier.report.untold.Untold: unique: Input should be a valid integer
    """

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False, extra="ignore")

    @classmethod
    def of(cls, part: object) -> Self:
        """The part in this form, or ``Untold``."""
        try:
            return cls.model_validate(part)
        except ValidationError as error:
            first = error.errors()[0]
            raise Untold(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def finite(value: Any) -> float:
    """A number that can be shown, or ``Untold``.

    >>> finite(0.5)
    0.5
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Untold(f"not a number: {type(value).__name__}")
    if not abs(value) < HUGE or not math.isfinite(value):
        raise Untold("a number without end")
    return value
