"""How a source is brought to the engines."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schleier.engine._stage import FEW_ROWS, in_parts


def test_a_file_of_one_row_group_is_parted_for_the_threads(tmp_path: Path) -> None:
    table = pa.table({"age": pa.array(range(FEW_ROWS + 1), pa.int32()), "sex": ["f"] * (FEW_ROWS + 1)})
    path = tmp_path / "one.parquet"
    pq.write_table(table, path)
    parted = in_parts(path, 3, tmp_path)
    assert pq.ParquetFile(parted).num_row_groups == 3
    assert pq.read_table(parted).equals(table)
    assert in_parts(parted, 3, tmp_path) == parted  # enough already


def test_few_rows_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "few.parquet"
    pq.write_table(pa.table({"age": range(FEW_ROWS - 1)}), path)
    assert in_parts(path, 3, tmp_path) == path
