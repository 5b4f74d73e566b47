"""Kernels run where nothing can be written: no cache, the same results."""

from __future__ import annotations

import subprocess
import sys

READ_ONLY = """
import numba.core.caching as caching

def refuse(self):
    raise OSError("read-only")

caching._CacheLocator.ensure_cache_path = refuse
"""
PLAIN = """
import numba
numba.njit(cache=True)(lambda x: x)
"""
OURS = """
import numpy as np
from schleier.kernels.classes.packed import mix_bits
print(int(mix_bits(np.uint64(1))))
"""


def ran(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)


def test_without_a_folder_for_the_cache() -> None:
    assert "no locator available" in ran(READ_ONLY + PLAIN).stderr  # what happens to others
    assert int(ran(READ_ONLY + OURS).stdout) == int(ran(OURS).stdout) == 6238072747940578789
