"""The write edge reads rows back piece by piece."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from schleier.flow.release.edge import batches


def test_a_written_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    """The memory a run needs would otherwise grow with the release, whatever limit the engine has."""
    numbers = pa.table({"x": np.random.default_rng(1).normal(size=1_000_000)})
    pq.write_table(numbers, tmp_path / "rows.parquet", row_group_size=20_000, use_dictionary=False)
    del numbers
    before = pa.total_allocated_bytes()
    most = max(pa.total_allocated_bytes() - before for _ in batches(tmp_path / "rows.parquet"))
    assert most < (tmp_path / "rows.parquet").stat().st_size // 3
