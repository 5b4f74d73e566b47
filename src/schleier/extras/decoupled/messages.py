"""What the parties say to each other: bytes as hexadecimal digits, everything bounded and nothing unexpected."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from schleier.extras.decoupled._refusals import refuse

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_-]{1,40}$")]
"""Of a scope or an epoch: no sign that separates the parts of a derivation."""
Hex32 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Hex64 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{128}$")]
Pseudonym = Annotated[str, StringConstraints(pattern=r"^[a-z2-7]{26}$")]
Value = Annotated[str, StringConstraints(max_length=200)] | bool | int | float | None
Place = tuple[str, str]
"""A scope and its epoch: within one, an entity has one pseudonym; across two, nothing in common."""


class Message(BaseModel):
    """Frozen, and strict."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Somewhere(Message):
    """A message about one scope and epoch."""

    scope: Name
    epoch: Name

    @property
    def place(self) -> Place:
        """Scope and epoch."""
        return self.scope, self.epoch


class Ask(Somewhere):
    """A wallet asks the registrar for a token that the registrar will not recognise."""

    blinded: Hex32


class Issued(Message):
    """The registrar's answer, and the proof that it used the key that all see."""

    evaluated: Hex32
    proof: Hex64


class PublicKey(Somewhere):
    """A line of the public list of keys; each line holds the digest of the one before."""

    public: Hex32
    before: Hex32


class Rules(Message):
    """How long wallets wait and among how many they hide; no default, for this decides who can be found."""

    n_min: int = Field(ge=2)
    """Tokens that must be issued before the first is redeemed."""
    window: float = Field(gt=0)
    """Each wallet waits a time drawn from 0 to this, in seconds (a simulation has its own unit)."""
    batch: int = Field(ge=2)
    """Pseudonyms are shown so many at a time, shuffled."""


class Redemption(Somewhere):
    """A wallet shows its token to the service, with the keys that will speak for the pseudonym."""

    token: Hex32 = Field(repr=False)
    output: Hex64 = Field(repr=False)
    key: Hex32
    box: Hex32
    signature: Hex64

    def text(self) -> bytes:
        """What is signed."""
        parts = (self.scope, self.epoch, self.token, self.output, self.key, self.box)
        return "|".join(("redeem", *parts)).encode()


class Check(Somewhere):
    """The service asks the registrar whether a token is its own; the receipt lets it ask again after a failure."""

    token: Hex32 = Field(repr=False)
    output: Hex64 = Field(repr=False)
    receipt: Hex32


class Spoken(Message):
    """Something said under a pseudonym, to a challenge that is good once."""

    pseudonym: Pseudonym
    challenge: Hex32
    signature: Hex64
    record: Annotated[dict[Name, Value], Field(max_length=100)] | None = None


class Disclosure(Somewhere):
    """What a user shows to restore the link: only who has it can."""

    token: Hex32 = Field(repr=False)
    factor: Hex32 = Field(repr=False)
    output: Hex64 = Field(repr=False)


class Erasure(Message):
    """What the service signs after it erased a pseudonym."""

    pseudonym: Pseudonym
    records: int
    journal: Hex32
    """Digest of the journal without it."""
    signature: Hex64

    def text(self) -> bytes:
        """What is signed."""
        return f"erased|{self.pseudonym}|{self.records}|{self.journal}".encode()


M = TypeVar("M", bound=Message)


def read(kind: type[M], document: Any) -> M:
    """A message from what was received; what is wrong with it is not repeated, for it may be a secret."""
    try:
        return kind.model_validate(document)
    except ValidationError:
        refuse("bad-message")
