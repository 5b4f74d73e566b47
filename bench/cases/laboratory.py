"""Every technique that can be tried on any release, on files of which the answer is known beforehand.

Pure noise: the records of other persons under the row keys of those looked for. Over 20 keys, each with persons of its
own, no technique may find more than its baseline (one-sided, 0.001 for all techniques together). The file itself:
exact, near and learnt matches find at least 99 % of the persons whose key nobody else has. Techniques are found by the
registry; those that follow a trace need a release that leaves it, and are tested there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from bench.harness import Contestant, Requirement, Results, Round, call

SIZES = (200,)
METRIC = "work"
KEYS = 20
LEVEL = 0.001
"""For all techniques together."""
FOUND = 0.99
SURE = ("exact_match", "distance_match", "learned_match")
"""Techniques that must find nearly everybody in the file itself."""
KNOWN = ("age", "sex", "region", "born")
NOISE, OPEN = "pure noise, {:,} records and 20 keys", "the file itself, {:,} records"


def techniques() -> list[str]:
    """Those that follow no trace, and try themselves rather than others."""
    from schleier.core import registry
    from schleier.core.measure import Measure
    from schleier.core.trust.aim import Technique

    found = []
    for word in registry.names("attack"):
        kind = registry.get("attack", word)
        if issubclass(kind, Technique) and not kind.against and kind.parts is Measure.parts:
            found.append(word)
    return found


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for rows in sizes:
        for title, what in ((NOISE, "noise"), (OPEN, "opened")):
            asked = [word for word in techniques() if what == "noise" or word in SURE]
            made = (Contestant(word, call(f"cases.laboratory:{what}", word=word, rows=rows)) for word in asked)
            yield Round(title.format(rows), tuple(made), rows, largest=True)


def requirements(results: Results) -> Iterator[Requirement]:
    for entry in results:
        facts = entry.samples[0].facts
        if entry.round.startswith("pure noise"):
            many = sum(one.round == entry.round for one in results)
            told = f"{facts.get('share', 0):.2%} against {facts.get('baseline', 0):.2%}, p = {facts.get('p', 0):.3f}"
            holds = not entry.failure and facts["p"] > LEVEL / many
            yield Requirement(f"{entry.name} is no better than its baseline", entry.failure or told, holds)
        else:
            share = facts.get("share", 0.0)
            claim = f"{entry.name} finds at least {FOUND:.0%} of those with a key of their own"
            yield Requirement(claim, entry.failure or f"{share:.2%}", not entry.failure and share >= FOUND)


def made(word: str, targets: Any, **more: Any) -> Any:
    """A technique as its own example has it, for so many persons."""
    from schleier.core import registry

    kind = registry.get("attack", word)
    return kind(**{**kind.example, "targets": targets, **more})


def noise(word: str, rows: int) -> dict[str, Any]:
    """How often a technique is right about persons who are not in the file at all, key by key."""
    import numpy as np
    from scipy.stats import ttest_1samp

    import schleier as sl
    from schleier.core.attack import Attack
    from schleier.core.measure import Case
    from schleier.testing import example_schema, example_table

    schema = example_schema()
    key = str(schema.row_key)
    people = example_table(3 * KEYS * rows)
    technique = made(word, rows)
    found, start = list[tuple[float, float]](), time.process_time()
    for turn in range(KEYS):
        inside, strangers, outside = (people.slice((3 * turn + part) * rows, rows) for part in range(3))
        released = strangers.set_column(strangers.schema.get_field_index(key), key, inside[key])
        original = sl.Dataset.from_frame(inside, schema)
        alien = sl.Dataset.from_frame(released, schema, original.engine)
        # Where the same claims are tried on others, too, these tell what is right without any record of a person.
        others = None if isinstance(technique, Attack) else sl.Dataset.from_frame(outside, schema, original.engine)
        finding = technique.measure(Case(original, alien, control=others), sl.Run(key=bytes([turn]) * 32))
        beside = None if others is None else finding.detail.get("control_claims")
        found.append((finding.value, max(float(finding.detail["baseline"]), float(beside or 0.0))))
    share, baseline = np.array(found).T
    gain = share - baseline
    p = float(ttest_1samp(gain, 0.0, alternative="greater").pvalue) if gain.std() > 0 else float(gain.mean() <= 0)
    work = time.process_time() - start
    return {"work": work, "share": float(share.mean()), "baseline": float(baseline.mean()), "p": p}


def opened(word: str, rows: int) -> dict[str, Any]:
    """How many of the persons whose key is known in full and nobody else's are found in the file as it is."""
    import pyarrow.compute as pc

    import schleier as sl
    from schleier.core.measure import Case
    from schleier.testing import example_schema, example_table

    people = example_table(3 * rows)
    for name in KNOWN:
        people = people.filter(pc.is_valid(people[name]))
    key = str(example_schema().row_key)
    first = people.group_by(list(KNOWN)).aggregate([(key, "min")])
    people = people.filter(pc.is_in(people[key], first[f"{key}_min"].combine_chunks()))
    assert len(people) >= rows
    data = sl.Dataset.from_frame(people.slice(0, rows), example_schema())
    start = time.process_time()
    finding = made(word, "all", known=KNOWN).measure(Case(data, data), sl.Run(key=bytes(32)))
    return {"work": time.process_time() - start, "share": finding.value}
