"""What the parties refuse, each with its reason and the way out; every refusal is counted by its code."""

from __future__ import annotations

from typing import NoReturn

from schleier.core.errors import InfeasibleError, Problem

AGAIN = "nothing was changed; repeat the step from its beginning"
REASONS = (
    ("unknown-scope", "this scope and epoch were not opened here", "open them first, or correct the name"),
    ("double-issue", "this identity was already served in this epoch", "send the same request again to get its answer"),
    ("not-served", "this identity has no token in this epoch", "ask for one first"),
    ("foreign-request", "this request belongs to somebody else", "a wallet draws a request of its own"),
    (
        "bad-proof",
        "the answer was not made with the key in the public list",
        "tell others: the registrar may tag wallets",
    ),
    (
        "other-key-list",
        "the key list does not continue the one that was pinned",
        "get it from a place all wallets look at",
    ),
    (
        "too-few-issued",
        "too few tokens are issued yet to hide among",
        "wait until the counter of the registrar is higher",
    ),
    ("too-early", "the delay of this wallet is not over", "wait; redeemed at once, its order would tell who it is"),
    ("bad-token", "the registrar does not know this token as its own, or it is spent", AGAIN),
    ("double-spend", "this token was redeemed for another key", "one token makes one pseudonym"),
    ("bad-signature", "the signature does not belong to this message", AGAIN),
    ("stale-challenge", "this challenge was not asked for, or was answered before", "ask for a new one"),
    ("unknown-pseudonym", "nobody has this pseudonym", "correct it"),
    ("not-released", "this pseudonym waits for its batch", "wait until enough others were redeemed"),
    ("blocked", "this pseudonym was excluded", "nothing more is taken from it in this epoch"),
    ("wrong-step", "this step does not follow from what the wallet did before", "begin with asking for a token"),
    ("not-allowed", "this ticket was not given out here", "ask the operator for one"),
    ("bad-message", "a message is incomplete, too long or not in its form", AGAIN),
    ("bad-record", "a record does not have the declared columns, or values of another kind", "send what is declared"),
    (
        "no-safeguards",
        "a profile needs a recipe with criteria, about its pseudonym",
        "add criteria, and the unit column",
    ),
    ("tells-places", "places identify whoever was there", "leave them out, or make the columns areas beforehand"),
    ("broken-journal", "the journal was changed, or the key is another one", "restore journal and key from one backup"),
    ("open-secret", "other users can read the secret", "chmod 600; if others may have read it, begin anew"),
    ("in-use", "another process has this folder", "wait until it has ended"),
)
"""Code, reason and way out."""


class Refused(InfeasibleError):
    """A step of the protocol that is not taken; the state stays what it was."""

    @property
    def code(self) -> str:
        """Why, as a word."""
        return self.problems[0].code


def refuse(wanted: str, where: str = "") -> NoReturn:
    """Take no step, and say why."""
    code, message, hint = next(reason for reason in REASONS if reason[0] == wanted)
    raise Refused(Problem(code, where, message, hint)) from None
