"""Minimal uniques of ten columns of the example world, against their definition with pandas: one group-by a subset.

And of nine of them against ``suda2`` of sdcMicro, which looks at all combinations: in the same run where R has that
package, otherwise by its share of the time that pandas takes. Work is processor time from the rows to the finding,
without imports and without compiling; of sdcMicro its compiled part alone.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.harness import STORE, Contestant, Requirement, Results, Round, call

SIZES = (100_000, 1_000_000)
METRIC = "work"
PEER, OURS = "pandas, by definition", "Schleier"
KEYS = (
    "land",
    "age",
    "sex",
    "nationality",
    "marital",
    "schooling",
    "occupation",
    "industry",
    "disease",
    "household_size",
)
LIMIT = {(100_000, 4): 2.0, (100_000, 10): 6.0, (1_000_000, 4): 20.0}
"""Seconds of work, by rows and columns of the largest combination."""
TITLE = "{:,} x 10 keys, up to {} columns"
PACKAGE, FASTER, FEWER = "sdcMicro, suda2", 5.0, KEYS[:9]
AGAINST = "100,000 x 9 keys, all combinations"
SHARE = 3.04 / 8.86
"""sdcMicro 5.8.1 (R 4.2.2) of pandas 2, seconds of processor time side by side; used where R has no sdcMicro."""
SCRIPT = """
table <- as.matrix(read.csv("{}", header = FALSE)); storage.mode(table) <- "double"
seconds <- system.time(found <- sdcMicro:::Suda2(table + 1, -999, ncol(table), 0.01, TRUE))
cat(sprintf('{{"work": %f, "score": %.0f}}', seconds[1] + seconds[2], sum(found$Res[, ncol(table) + 1])))
"""


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    from bench.cases.inspect import world

    for rows, most in LIMIT:
        if rows in sizes:
            given: dict[str, Any] = {"path": str(world(rows) / "population.parquet"), "most": most}
            ours = Contestant(OURS, call("cases.suda:ours", **given))
            peer = (Contestant(PEER, call("cases.suda:by_definition", **given)),) if rows == min(SIZES) else ()
            yield Round(TITLE.format(rows, most), (*peer, ours), rows, largest=most == len(KEYS))
    if min(SIZES) in sizes:
        path = world(min(SIZES)) / "population.parquet"
        given = {"path": str(path), "most": len(FEWER), "keys": FEWER}
        found = [Contestant(PEER, call("cases.suda:by_definition", **given))]
        found.append(Contestant(OURS, call("cases.suda:ours", **given)))
        if has_package():
            found.append(Contestant(PACKAGE, ("Rscript", "-e", SCRIPT.format(coded(path)))))
        yield Round(AGAINST, tuple(found), min(SIZES))


def requirements(results: Results) -> Iterator[Requirement]:
    for (rows, most), limit in LIMIT.items():
        title = TITLE.format(rows, most)
        if entry := results.get(title, OURS):
            work = entry.median("work")
            yield Requirement(f"less than {limit:g} s: {title}", entry.failure or f"{work:.2f} s", work < limit)
        if results.get(title, PEER):
            found = results.agreed(title, "minimal_uniques")
            yield Requirement(f"as many minimal uniques: {title}", f"{found or 0:,}", found is not None)

    peer, ours, package = (results.get(AGAINST, name) for name in (PEER, OURS, PACKAGE))
    if peer and ours:
        theirs = package.median("work") if package else SHARE * peer.median("work")
        ratio, how = theirs / ours.median("work"), "" if package else " (by its share of pandas)"
        yield Requirement(f"{FASTER:g} times as fast as sdcMicro{how}: {AGAINST}", f"{ratio:.1f}", ratio >= FASTER)
    if package:
        same = package.said("score") == {sum(ours.said("score"))} if ours else False
        yield Requirement(f"the same scores as sdcMicro: {AGAINST}", str(same), same)


def has_package() -> bool:
    """Whether R has sdcMicro."""
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(sdcMicro)"], capture_output=True, check=False).returncode == 0


def coded(path: Path) -> Path:
    """The nine columns as whole numbers for R, missing being one of them; made once."""
    import numpy as np
    import pyarrow.parquet as pq

    file = STORE / f"suda-{path.parent.name}.csv"
    if not file.exists():
        columns = pq.read_table(path, columns=list(FEWER)).columns
        codes = [np.asarray(one.combine_chunks().dictionary_encode().indices.fill_null(-1)) for one in columns]
        np.savetxt(file, np.column_stack(codes) + 1, fmt="%d", delimiter=",")
    return file


def by_definition(path: str, most: int, keys: tuple[str, ...] = KEYS) -> dict[str, Any]:
    """Who is alone in each subset of columns, and in no part of it."""
    import numpy as np
    import pandas as pd

    data = pd.read_parquet(path, columns=list(keys)).apply(lambda column: pd.factorize(column)[0])
    start, found, here = time.process_time(), 0, {(): np.zeros(len(data), dtype=bool)}
    for size in range(1, most + 1):
        smaller, here = here, {}
        for columns in combinations(keys, size):
            known = np.any([smaller[part] for part in combinations(columns, size - 1)], axis=0)
            alone = (data.groupby(list(columns), sort=False)[columns[0]].transform("size") == 1).to_numpy()
            found += int((alone & ~known).sum())
            here[columns] = alone
    return {"work": time.process_time() - start, "minimal_uniques": found}


def ours(path: str, most: int, keys: tuple[str, ...] = KEYS) -> dict[str, Any]:
    """The whole measure; the second time counts."""
    import pyarrow.parquet as pq

    import schleier as sl
    from schleier.core.measure import Case
    from schleier.core.registry import get

    schema = sl.Schema(columns=[sl.Column(name=name, role="quasi", scale="nominal") for name in keys])
    data, one = sl.Dataset.from_frame(pq.read_table(path, columns=list(keys)), schema), get("measure", "suda")
    for _ in range(2):
        start = time.process_time()
        finding = one(most=most, fraction=0.01).measure(Case(data, data), sl.Run(key=bytes(32)))
        work = time.process_time() - start
    told = {"work": work, "minimal_uniques": finding.detail["minimal_uniques"]}
    return told | {"score": round(_score(data, most))}


def _score(data: Any, most: int) -> float:
    """The scores of all records together, unmeasured: what another program must find too."""
    from schleier.core.classes.request import Request
    from schleier.kernels.suda.minimal_uniques import minimal
    from schleier.kernels.suda.scores import weights

    classes = data.classes(Request(keys=data.schema.quasi))
    return float(minimal(classes.codes, classes.sizes, weights(len(classes.keys), most, "elliot")).scores.sum())
