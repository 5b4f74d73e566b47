"""What requests of our own interface hold."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MOST = 1000
Text = Annotated[str, Field(max_length=200)]
Pid = Annotated[str, Field(min_length=8, max_length=8, pattern="^[2-9A-HJ-NP-Z]{8}$")]
Reason = Annotated[str, Field(min_length=3, max_length=200)]


class Body(BaseModel):
    """Refuses what it does not know."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, strict=True, allow_inf_nan=False)


class IdentityBody(Body):
    """Who somebody is."""

    given_name: Text | None = None
    surname: Text | None = None
    birth_name: Text | None = None
    birth_date: Text | None = None
    postcode: Text | None = None
    town: Text | None = None


class PersonBody(Body):
    """A person who comes."""

    identity: IdentityBody
    tentative: bool = True


class PeopleBody(Body):
    """Many persons."""

    people: Annotated[list[IdentityBody], Field(min_length=1, max_length=MOST)]


class ValuesBody(Body):
    """Many values of a domain."""

    domain: Annotated[str, Field(pattern="^[a-z][a-z0-9-]{0,39}$")]
    values: Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(min_length=1, max_length=MOST)]


class CaseBody(Body):
    """A person, and what is known of him."""

    identity: IdentityBody
    payload: Annotated[dict[Text, str | int | float | bool | None], Field(max_length=100)]


class DoubtBody(Body):
    """What a clerk decides."""

    same: bool


class MergeBody(Body):
    """Two pseudonyms of one person."""

    pid: Pid
    into: Pid


class PidBody(Body):
    """A pseudonym."""

    pid: Pid


class ReasonBody(PidBody):
    """A pseudonym, and why."""

    reason: Reason


class AccessBody(Body):
    """A program to let in."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9-]{0,39}$")]
    role: Annotated[str, Field(max_length=20)]
    days: Annotated[int, Field(ge=1, le=400)]
