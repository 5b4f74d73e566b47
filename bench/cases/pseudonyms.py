"""Pseudonyms of whole columns: tokens, numbers of ten digits (FF1), addresses of a log, account numbers.

Work is processor time of all threads from the column to its pseudonyms, without imports and compiling. The baseline is
a loop of Python that takes an HMAC of each value of the same column, over a part of it, its work scaled up. Memory is
what the process grows by at most, the pseudonyms included, against the larger of the column and its pseudonyms.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.harness import Contestant, Requirement, Results, Round, call

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

SIZES = (200_000, 1_000_000, 10_000_000)
"""Values; of addresses, lines of a log."""
METRIC = "work"
LOOP, OURS = "hmac in a loop", "pseudonyms"
MANY = 10_000_000
LIMITS = {"tokens": 6.0, "digits": 6.0, "addresses": 3.0, "iban": 8.0}
"""Seconds of one core for ten million."""
MEMORY, JUDGED = 2.0, 1_000_000
"""How often the column, of columns so long: beside shorter ones, buffers of one size weigh more."""
PART = 100_000
BANKS, LINES = 2_000, 500
"""Banks of accounts, and lines of a log for each network that is in it."""
KEY = bytes(range(32))


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    for many in sizes:
        for kind in LIMITS:
            both = tuple(
                Contestant(name, call(f"cases.pseudonyms:{function}", kind=kind, many=many))
                for name, function in ((LOOP, "loop"), (OURS, "ours"))
            )
            yield Round(f"{many:,} {kind}", both, many, largest=many == max(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for title in results.rounds:
        entry, limit = results.get(title, OURS), LIMITS[title.split()[1]]
        if entry is None:
            continue
        work = entry.median("work") * MANY / entry.rows
        claim = f"less than {limit:g} s for {MANY:,}: {title}"
        yield Requirement(claim, entry.failure or f"{work:.2f} s", work < limit)
        if entry.rows >= JUDGED:
            memory = max((sample.facts.get("memory", float("inf")) for sample in entry.samples), default=0.0)
            claim = f"at most {MEMORY:g} columns of memory: {title}"
            yield Requirement(claim, entry.failure or f"{memory:.2f}", memory <= MEMORY)


def ours(kind: str, many: int) -> dict[str, Any]:
    import pyarrow.compute as pc

    import schleier as sl
    from schleier.core.keys import Key

    key, common = Key(KEY), {"column": "value", "key": "k", "domain": "d"}
    step: Any = {
        "tokens": lambda: sl.methods.GiveToken(**common),
        "digits": lambda: sl.methods.KeepForm(**common, kind="digits"),
        "addresses": lambda: sl.methods.KeepPrefix(**common),
        "iban": lambda: sl.methods.KeepForm(**common, kind="iban", valid=False),
    }[kind]()
    step.pseudonyms(column(kind, 1_000).unique(), key)  # compiles, which is no work
    values = column(kind, many)
    before, start = _memory(afresh=True), time.process_time()
    found = step.pseudonyms(values, key)
    work = time.process_time() - start
    grown = (_memory() - before) / max(values.nbytes, found.nbytes)
    different = pc.count_distinct(values).as_py()
    assert pc.count_distinct(found).as_py() == different  # who was two persons is two afterwards
    return {"work": work, "memory": grown, "different": different}


def loop(kind: str, many: int) -> dict[str, Any]:
    import hmac

    values = [value.encode() for value in column(kind, many).slice(0, PART).to_pylist()]
    start = time.process_time()
    found = {hmac.digest(KEY, value, "sha256") for value in values}
    work = (time.process_time() - start) * many / len(values)
    return {"work": work, "different": len(found)}


def column(kind: str, many: int) -> pa.Array:
    """Different values in no order; of addresses those that a server sees, some of them often."""
    import numpy as np
    import pyarrow as pa

    from schleier.core.letters import words_of
    from schleier.kernels.pseudonyms.addresses import as_text
    from schleier.kernels.pseudonyms.check_digits import two_digits_97

    draw = np.random.default_rng(5)
    if kind == "addresses":
        some = max(many // LINES, 10)
        networks = draw.integers(0, 256, (some, 3), np.uint8)
        often = np.minimum((some ** draw.random(many)).astype(np.int64), some) - 1  # few networks send most
        hosts = (256 * draw.random(many) ** 3).astype(np.uint8)
        starts, run = as_text(np.hstack([networks[often], hosts[:, None]]))
        return pa.StringArray.from_buffers(many, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(run))
    numbers = _digits(np.arange(many, dtype=np.int64) * 7_368_787 % 10**10, 10)
    if kind != "iban":
        return words_of(numbers + np.uint8(48))
    banks = _digits(draw.integers(10**7, 10**8, BANKS), 8)[draw.integers(0, BANKS, many)]
    country = np.tile(np.array([13, 14], np.uint8), (many, 1))
    check = _digits(two_digits_97(np.hstack([banks, numbers, country])), 2)
    letters = np.hstack([country + 55, check + 48, banks + 48, numbers + 48])
    return words_of(letters.astype(np.uint8))


def _digits(numbers: NDArray[np.int64], length: int) -> NDArray[np.uint8]:
    import numpy as np

    found = np.empty((len(numbers), length), np.uint8)
    for place in range(length - 1, -1, -1):
        numbers, found[:, place] = np.divmod(numbers, 10)
    return found


def _memory(*, afresh: bool = False) -> int:
    """Bytes the process holds, or held at most since it was asked afresh."""
    if afresh:
        import gc

        import pyarrow as pa

        gc.collect()
        pa.default_memory_pool().release_unused()
        Path("/proc/self/clear_refs").write_text("5")
    name = "VmRSS:" if afresh else "VmHWM:"
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
