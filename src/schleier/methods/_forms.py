"""Numbers with a form: what of them is free, what stays, and their check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.uint8]

Kind = Literal["digits", "letters", "iban", "tax", "health", "pension", "card", "phone"]
BANKS: Mapping[str, int] = {
    "AT": 5, "BE": 3, "BG": 8, "CH": 5, "CY": 8, "CZ": 4, "DE": 8, "DK": 4, "EE": 2, "ES": 8, "FI": 6, "FR": 10,
    "GB": 10, "GR": 7, "HR": 7, "HU": 7, "IE": 10, "IT": 11, "LI": 5, "LT": 5, "LU": 3, "LV": 4, "MT": 9, "NL": 4,
    "NO": 4, "PL": 8, "PT": 8, "RO": 4, "SE": 3, "SI": 5, "SK": 4,
}  # fmt: skip
"""Letters of the bank in an account number, behind country and check digits (ISO 13616)."""
ANYWHERE = 4
TAX = 329_857_920
"""German tax numbers: nine in ten arrangements (no zero first) of ten digits of which one occurs twice and one is
missing, or one three times (not in a row) and two are missing."""
HEALTH = 26 * 10**8
"""A letter and eight digits."""
PENSION = 70 * 31 * 12 * 100 * 26 * 100
"""Area, day, month, year, letter of the name, serial number."""
MOBILE = 18 * (10**7 + 10**8)
"""German mobile telephones: networks, and seven or eight digits."""


@dataclass(frozen=True)
class Form:
    """How numbers of a kind are written."""

    pattern: str = ""
    """What they look like without marks between; anything when empty."""
    marks: str = ""
    """Marks that may stand between letters and mean nothing."""
    stays: Callable[[str], int] | None = None
    """How many of the first letters stay, which are the same for all numbers that begin alike."""
    begins: int = 0
    """The first letters that decide how many stay."""
    place: tuple[int, ...] = ()
    """Where the check digits are."""
    right: Callable[[Rows], NDArray[np.int64]] | None = None
    """The check digits, of numerals without them."""
    modulus: int = 10
    least: int = 0
    """The smallest check digit."""
    broken: int = 0
    """How far the check digit of a pseudonym is off: it is never taken for a number that somebody has."""
    lifelike: bool = False
    """Whether a pseudonym could be the number of somebody."""
    abroad: str = ""
    """What numbers begin with for a plus."""
    many: int | None = None
    """About how many such numbers there are, where all can be tried."""
    rule: Callable[[Rows], NDArray[np.bool_]] | None = None
    """Which free parts there are at all."""


def _by(rule: str) -> Callable[[Rows], NDArray[np.int64]]:
    """The check digit by a rule of the kernels, which are loaded when the first one is computed."""

    def right(rows: Rows) -> NDArray[np.int64]:
        from schleier.kernels.pseudonyms import check_digits

        found: NDArray[np.int64] = getattr(check_digits, rule)(rows)
        return found

    return right


def _account(rows: Rows) -> NDArray[np.int64]:
    """Check digits of accounts: the country is read behind the account."""
    import numpy as np

    return _by("two_digits_97")(np.hstack([rows[:, 2:], rows[:, :2]]))


def _one_repeats(rows: Rows) -> NDArray[np.bool_]:
    """Which tax numbers there are: no zero first, one digit twice or three times (not in a row), the others once."""
    import numpy as np

    counts = np.stack([(rows == digit).sum(axis=1) for digit in range(10)], axis=1)
    several = (counts > 1).sum(axis=1) == 1
    row = ((rows[:, :-2] == rows[:, 1:-1]) & (rows[:, 1:-1] == rows[:, 2:])).any(axis=1)
    found: NDArray[np.bool_] = several & (counts.max(axis=1) <= 3) & ~row & (rows[:, 0] != 0)
    return found


def _phone_stays(start: str) -> int:
    """A country is kept, else the first digit.

    >>> _phone_stays("+"), _phone_stays("0")
    (3, 1)
    """
    return 3 if start == "+" else 1


FORMS: Mapping[Kind, Form] = {
    "digits": Form(),
    "letters": Form(),
    "iban": Form(
        "[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", " -", lambda start: 4 + BANKS.get(start[:2], ANYWHERE), 2, (2, 3),
        _account, 97, 2, lifelike=True,
    ),
    "tax": Form(
        "[1-9][0-9]{10}", " /-", place=(10,), right=_by("mod_11_10"), lifelike=True, many=TAX,
        rule=_one_repeats,
    ),
    "health": Form("[A-Z][0-9]{9}", " -", place=(9,), right=_by("health"), lifelike=True, many=HEALTH),
    "pension": Form("[0-9]{8}[A-Z][0-9]{3}", " -", place=(11,), right=_by("pension"), lifelike=True, many=PENSION),
    "card": Form("[0-9]{12,19}", " -", place=(-1,), right=_by("luhn"), broken=5),
    "phone": Form("[+]?[0-9]{7,15}", " -/().", _phone_stays, 1, lifelike=True, many=MOBILE, abroad="00"),
}  # fmt: skip


def without_marks(word: str, form: Form) -> str:
    """A number without the marks that mean nothing, in capitals."""
    plain = re.sub(f"[{re.escape(form.marks)}]", "", word).upper()
    return "+" + plain.removeprefix(form.abroad) if form.abroad and plain.startswith(form.abroad) else plain
