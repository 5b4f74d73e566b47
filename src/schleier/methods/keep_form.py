"""Pseudonyms of the same form: digits stay digits, letters letters, and check digits are computed anew (FF1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import model_validator

from schleier.core.component import counted
from schleier.core.errors import DataError, InfeasibleError, RecipeError, stop
from schleier.core.letters import runs_of
from schleier.core.limits import small_text
from schleier.core.promises import Keeps
from schleier.core.pseudonym import Left, Pseudonym, undone
from schleier.core.schema import Schema
from schleier.methods._checked import free_part, off, places_of, with_check
from schleier.methods._enciphered import enciphered
from schleier.methods._forms import FORMS, Form, Kind, without_marks
from schleier.methods._shapes import FIRST, OTHER, RADIX, Shape, in_parts, numbered, piecewise, shapes, together
from schleier.methods._whole_columns import common, without_all_marks

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from schleier.core.keys import Key

NEVER_RIGHT = 5
"""How far check digits are off where pseudonyms must not be valid."""


class KeepForm(Pseudonym):
    """Numbers become numbers of the same form, which whoever has the key can undo.

    >>> KeepForm(column="account", key="bank", domain="accounts", kind="iban").wrong
    'refuse'
    """

    reference: ClassVar[str] = "NIST SP 800-38G (FF1); ISO 7064, ISO 13616, ISO/IEC 7812; SGB V 290, SGB VI 147"
    keeps: ClassVar[Keeps] = {"rows": "exact", "other columns": "exact", "missing": "exact"}
    example: ClassVar[dict[str, object]] = {
        "column": "person", "key": "env:SCHLEIER_EXAMPLE_KEY", "domain": "persons", "kind": "letters",
    }  # fmt: skip

    kind: Kind
    """What the numbers are: digits (all else stays), letters (digits and letters), iban, tax (German tax number),
    health (insurance), pension (insurance), card or phone."""
    wrong: Literal["refuse", "keep", "repair"] = "refuse"
    """What is done with wrong check digits: the run stops, the pseudonym has a wrong one too, or a right one."""
    valid: bool = True
    """Whether check digits are right. Those of cards never are, so that a pseudonym cannot be taken for a card."""
    live: str | None = None
    """A text file of numbers that somebody has, one in a line: no pseudonym is one of them."""
    reason: str = ""
    """Why a pseudonym may be a number that somebody has; told in the report."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if not self.valid and self.form.right is None:
            raise ValueError("numbers of this kind have no check digit")
        return self

    @property
    def form(self) -> Form:
        """How such numbers are written."""
        return FORMS[self.kind]

    @property
    def reversible(self) -> bool:
        """Whoever has the key can undo them."""
        return True

    def exposes(self) -> tuple[Left, ...]:
        """What stays of a number."""
        prefix: tuple[Left, ...] = ("prefix",) if self.form.stays else ()
        right: tuple[Left, ...] = ("check_digit",) if self.form.right else ()
        return ("equality", *prefix, *right)

    def candidates(self, schema: Schema) -> int | None:
        """Those that are declared, else all numbers of the kind."""
        return super().candidates(schema) or self.form.many

    def comparable(self, values: pa.Array) -> pa.Array:
        """Numbers without marks, in capitals; refused where they have another form or a wrong check digit."""
        plain = self._of_form(values)
        return self._checked(plain) if self.form.right else plain

    def _of_form(self, values: pa.Array, *, back: bool = False) -> pa.Array:
        from schleier.kernels.pseudonyms.reading import pattern_of, without_form

        plain, form = super().comparable(values), self.form
        if form.marks:
            plain = without_all_marks(plain, form, abroad=not back)  # pseudonyms may begin with zeros for no plus
        odd = sum(without_form(*runs_of(part), pattern_of(form.pattern or "[ -~]+")) for part in in_parts(plain))
        if odd:
            message = f"{counted(odd, 'different value')} without the form of the kind '{self.kind}'"
            hint = "correct them, or declare what stands for missing; numbers that were read as numbers have lost zeros"
            stop(DataError, "odd-form", "column", message, hint)
        return plain

    def _checked(self, values: pa.Array) -> pa.Array:
        """The same numbers, with wrong check digits refused, kept or repaired."""
        import numpy as np

        wrong, none = 0, 0
        for part in in_parts(values):
            for shape in shapes(part, self.form):
                wrong += int(np.count_nonzero(off(shape.letters, self.form)))
                if self.form.rule is not None:
                    none += int((~self.form.rule(free_part(shape.letters, self.form))).sum())
        if none:
            message = f"{counted(none, 'different value')} of which there is no such number"
            stop(DataError, "odd-form", "column", message, "correct them, or declare what stands for missing")
        if wrong and self.wrong == "refuse":
            message = f"{counted(wrong, 'different value')} with a wrong check digit"
            hint = 'correct them, or say what is done with them: wrong = "keep" or wrong = "repair"'
            stop(DataError, "wrong-check-digit", "column", message, hint)
        return piecewise(values, self._repaired) if wrong and self.wrong == "repair" else values

    def _repaired(self, values: pa.Array) -> pa.Array:
        parts = [(shape.rows, with_check(shape.letters, self.form)) for shape in shapes(values, self.form)]
        return together(parts, len(values))

    def spell(self, values: pa.Array, key: Key) -> pa.Array:
        """The enciphered numbers."""
        return self._turned(values, key, back=False)

    def reveal(self, pseudonyms: pa.Array, key: Key) -> pa.Array:
        """The numbers behind pseudonyms; missing where something else is given.

        Where no number with a wrong check digit got a pseudonym, what leads to one is none.
        """

        def undo(held: pa.Array) -> pa.Array:
            found = self._turned(self._of_form(held, back=True), key, back=True)
            strict = self.model_copy(update={"wrong": "refuse"})
            return strict._checked(found) if self.form.right and self.wrong != "keep" else found

        return undone(pseudonyms, undo)

    @property
    def one_to_one(self) -> bool:
        """Enciphering is; but two wrong check digits can be as far off as each other."""
        return self.wrong != "keep"

    def refuse(self, values: pa.Array, found: pa.Array) -> None:
        """Stop where a pseudonym is a number that somebody has, and no reason is given."""
        import pyarrow as pa

        if not self.form.lifelike or not self.valid or self.reason:
            return
        hits = len(common(found, values))
        if self.live is not None:
            lines = [line.strip() for line in small_text(Path(self.live), RecipeError, "live").splitlines()]
            listed = pa.array([without_marks(line, self.form) for line in lines if line], found.type)
            hits += len(common(found, listed))
        if hits:
            message = f"{counted(hits, 'pseudonym')} would be the number of somebody"
            hint = "say valid = false for wrong check digits, use give_token, or give a reason why that may be"
            stop(InfeasibleError, "live-number", "kind", message, hint)

    def _turned(self, values: pa.Array, key: Key, *, back: bool) -> pa.Array:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        secret = key.derive(self.domain, f"form {self.kind}")
        cipher = Cipher(algorithms.AES(secret), modes.ECB()).encryptor()  # single blocks, as the standard says

        def turned(part: pa.Array) -> pa.Array:
            parts = [(shape.rows, self._of_shape(shape, cipher.update, back=back)) for shape in shapes(part, self.form)]
            return together(parts, len(part))

        return piecewise(values, turned)

    def _of_shape(self, shape: Shape, cipher: Callable[[bytes], bytes], *, back: bool) -> NDArray[np.uint8]:
        import numpy as np

        length, form = shape.letters.shape[1], self.form
        checks = places_of(form, length)
        most = 0 if self.kind == "digits" else OTHER - 1
        free = [i for i in range(shape.stays, length) if shape.classes[i] <= most and i not in checks]
        radixes = tuple(RADIX[shape.classes[i]] for i in free)
        fixed = [i for i in range(length) if i not in free and i not in checks]
        different, which = numbered(shape.letters.take(fixed, axis=1))
        # What stays is bound to the pseudonym: another bank, another permutation.
        tweaks = [bytes(row) + bytes(shape.classes) for row in different]
        first = np.array([FIRST[shape.classes[i]] for i in free], np.uint8)
        words = shape.letters.take(free, axis=1) - first
        found = shape.letters.copy()
        found[:, free] = enciphered(words, radixes, tweaks, which, cipher, form.rule, back=back) + first
        if form.right is None:
            return found
        broken = form.broken if self.valid else NEVER_RIGHT
        # Values were compared before: unless wrong digits are kept, there are none.
        away = off(shape.letters, form) if back or self.wrong == "keep" else 0
        return with_check(found, form, away + (-broken if back else broken))
