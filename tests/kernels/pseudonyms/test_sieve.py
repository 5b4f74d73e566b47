"""A sieve holds nothing back that was put in, and nearly everything else."""

from __future__ import annotations

import numpy as np

from schleier.kernels.pseudonyms.sieve import Bytes, Sieve, Whole


def numbers(first: int, many: int) -> tuple[Whole, Bytes]:
    words = [b"%010d" % number for number in range(first, first + many)]
    return np.arange(many + 1, dtype=np.int64) * 10, np.frombuffer(b"".join(words), np.uint8)


def test_what_was_put_in_passes_and_little_else() -> None:
    sieve = Sieve(5000)
    sieve.put(*numbers(0, 5000))
    assert sieve.passes(*numbers(0, 5000)).all()
    assert sieve.passes(*numbers(5000, 20_000)).mean() < 0.1


def test_an_empty_sieve_holds_everything_back() -> None:
    assert not Sieve(0).passes(*numbers(0, 100)).any()
