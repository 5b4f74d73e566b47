"""A thousand digests recovered by trying every candidate: IPv4 addresses, days of birth, postcodes; no keyed ones.

Work is processor time of all threads from the two tables to the finding of the trustee, without imports and without
compiling. The peer is ``hashlib`` in one loop of Python over a part of the same candidates, its work scaled up.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (1_000,)
"""Pseudonyms."""
METRIC = "work"
OURS, PEER, KEYED = "enumeration", "hashlib", "enumeration, keyed"
LIMITS = {"ipv4": 540.0, "birth_date": 1.0, "postcode": 1.0}
"""Seconds of one core."""
LEAST = 8e6
"""Candidates of one second of one core."""
PART = 1_000_000


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for many in sizes:
        for form in LIMITS:
            ours = Contestant(OURS, call("cases.pseudonym_attacks:ours", form=form, many=many))
            keyed = Contestant(KEYED, call("cases.pseudonym_attacks:ours", form=form, many=many, keyed=True))
            peer = Contestant(PEER, call("cases.pseudonym_attacks:peer", form=form, many=many))
            yield Round(form, (peer, ours, keyed), many, largest=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for form, limit in LIMITS.items():
        if (entry := results.get(form, OURS)) is not None:
            facts, work = entry.samples[0].facts, entry.median("work")
            share = facts.get("found", 0.0)
            yield Requirement(f"all are recovered: {form}", entry.failure or f"{share:.1%}", share == 1.0)
            yield Requirement(f"less than {limit:g} s: {form}", entry.failure or f"{work:.2f} s", work < limit)
            if form == "ipv4":
                speed = facts.get("speed", 0.0)
                claim = f"at least {LEAST:,.0f} candidates a second"
                yield Requirement(claim, entry.failure or f"{speed:,.0f}", speed >= LEAST)
        if (entry := results.get(form, KEYED)) is not None:
            share = entry.samples[0].facts.get("found", 1.0)
            yield Requirement(f"none of keyed ones: {form}", entry.failure or f"{share:.1%}", share == 0.0)


def values(form: str, many: int) -> list[str]:
    """Candidates drawn from the whole space, and the last one, so that all of it is searched."""
    import numpy as np

    from schleier.kernels.pseudonyms.forms import writings

    space = writings([form])[0].space  # type: ignore[list-item]
    drawn = np.random.default_rng(4).integers(0, space.count, many - 1).tolist()
    return [space.text(number).decode() for number in (*drawn, space.count - 1)]


def ours(form: str, many: int, keyed: bool = False) -> dict[str, Any]:
    import hashlib
    import hmac

    import pyarrow as pa

    import schleier as sl
    from schleier.core.measure import Case
    from schleier.kernels.pseudonyms.enumeration import Recipe, enumerate_space
    from schleier.kernels.pseudonyms.forms import writings

    true, key = values(form, many), bytes(range(32))
    texts = [one.encode() for one in true]
    made = [(hmac.new(key, one, "sha256") if keyed else hashlib.sha256(one)).hexdigest() for one in texts]
    schema = sl.Schema(row_key="id", columns=[sl.Column(name="value", role="quasi", scale="text")])
    before, after = (
        sl.Dataset.from_frame(pa.table({"id": list(range(many)), "value": one}), schema) for one in (true, made)
    )
    enumerate_space(writings(["postcode"])[0].space, Recipe(), [bytes(32)], many=1)
    attack = sl.attacks.Enumeration(sensitive="value", targets="all", most="all")
    start = time.process_time()
    found = attack.measure(Case(before, after), sl.Run(key=bytes(32)))
    work = time.process_time() - start
    return {"work": work, "found": found.detail["correct"] / many, "speed": found.detail["tried"] / max(work, 1e-9)}


def peer(form: str, many: int) -> dict[str, Any]:
    import hashlib

    from schleier.kernels.pseudonyms.forms import writings

    space = writings([form])[0].space  # type: ignore[list-item]
    wanted = {hashlib.sha256(one.encode()).digest() for one in values(form, many)}
    part = [space.text(number) for number in range(min(PART, space.count))]
    start = time.process_time()
    found = sum(hashlib.sha256(one).digest() in wanted for one in part)
    return {"work": (time.process_time() - start) * space.count / len(part), "found": found / many}
