"""Linking 8,000 known persons with 170,000 released records by 35 keys, and a million with ten million by exact values.

Keys are those of the survey of 1991, years as numbers and everything else as words; one of a hundred persons is in both
files, with some errors. Work is processor time of all threads from the two tables to the finding of the trustee,
without imports and without compiling. A peer or the bare computation runs on a tenth of the persons beside ours.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.harness import STORE, Contestant, Requirement, Results, Round, call

SIZES = (800, 8_000)
"""Persons looked for among so many records; a peer is asked for the smaller number only."""
RECORDS = 170_000
MANY, MOST = 1_000_000, 10_000_000
METRIC = "work"
OURS = "Schleier"
WORDS = {
    "sex": 2, "marital": 4, "school": 6, "training": 8, "status": 11, "employed": 3, "unemployed": 3, "hours": 7,
    "seeking": 3, "contract": 4, "ended": 8, "income": 9, "household": 9, "partner_status": 11, "partner_hours": 8,
    "partner_employed": 3, "partner_unemployed": 3, "partner_seeking": 3, "sex_1": 2, "sex_2": 2, "sex_3": 2,
    "sex_4": 2, "sex_5": 2, "school_1": 4, "school_2": 4, "school_3": 4, "school_4": 4, "school_5": 2, "living": 7,
}  # fmt: skip
YEARS = {"born": 38, "born_1": 33, "born_2": 27, "born_3": 25, "born_4": 18, "born_5": 10}
KEYS = (*YEARS, *WORDS)
"""Übersicht 9.4 of Müller, Blien, Knoche, Wirth et al. (1991): 35 keys with so many categories."""
BLOCKS = (("born", "status", "training"), ("school", "hours", "income", "partner_status"))
TITLE = "{}, {:,} x {:,} x 35"
LIMITS = {
    "exact": 3.0,
    "mahalanobis": 20.0,
    "hamming": 45.0,
    "sets": 60.0,
    "discriminant": 40.0,
    "splink": 120.0,
}
FULL, FULL_RECORDS, FULL_LIMIT = "discriminant, full variant", 3_000, 600.0
LARGEST = 60.0
MEMORY = 4.0
VERSION = 1


def rounds(sizes: tuple[int, ...]) -> Iterator[Round]:
    peers = {"exact": "join", "mahalanobis": "nearest", "hamming": "cdist", "discriminant": "sums", "splink": "splink"}
    for persons in sizes:
        for name in LIMITS:
            if name == "splink" and importlib.util.find_spec("splink") is None:
                continue
            ours = Contestant(OURS, call("cases.matching:ours", name=name, persons=persons, records=RECORDS))
            known = name in peers and (persons == min(SIZES) or name in ("exact", "splink"))
            peer = call("cases.matching:peer", name=peers[name], persons=persons, records=RECORDS) if known else None
            there = (Contestant(peers[name], peer),) if peer else ()
            yield Round(TITLE.format(name, persons, RECORDS), (*there, ours), RECORDS, largest=persons == max(SIZES))
    if max(SIZES) in sizes:
        ours = Contestant(OURS, call("cases.matching:ours", name=FULL, persons=max(SIZES), records=FULL_RECORDS))
        yield Round(TITLE.format(FULL, max(SIZES), FULL_RECORDS), (ours,), FULL_RECORDS, largest=True)
        largest = {"name": "exact", "persons": MANY, "records": MOST}
        there = Contestant("join", call("cases.matching:peer", **{**largest, "name": "join"}))
        ours = Contestant(OURS, call("cases.matching:ours", **largest))
        yield Round(TITLE.format("exact", MANY, MOST), (there, ours), MOST, largest=True)


def requirements(results: Results) -> Iterator[Requirement]:
    limits = {TITLE.format(name, max(SIZES), RECORDS): limit for name, limit in LIMITS.items()}
    limits[TITLE.format("exact", MANY, MOST)] = LARGEST
    limits[TITLE.format(FULL, max(SIZES), FULL_RECORDS)] = FULL_LIMIT
    for title, limit in limits.items():
        if (entry := results.get(title, OURS)) is not None:
            work, peak = entry.median("work"), entry.median("peak") / 2**30
            yield Requirement(f"less than {limit:g} s: {title}", entry.failure or f"{work:.1f} s", work < limit)
            claim = f"less than {MEMORY:g} GB of memory: {title}"
            yield Requirement(claim, entry.failure or f"{peak:.1f} GB", peak < MEMORY)


def people(rows: int, block: int) -> dict[str, Any]:
    """Persons of whom most keys go together: with their age, and whether they have a partner, work and children."""
    import numpy as np

    rng = np.random.Generator(np.random.Philox(key=[1991, block]))
    age, kind = rng.integers(0, 38, rows), rng.integers(0, 6, rows)
    work, partner = rng.random(rows) < 0.65, rng.random(rows) < 0.6
    children = np.minimum(rng.geometric(0.55, rows) - 1, 5)
    found = {"born": 1932 + age}
    for place in range(1, 6):
        years = YEARS[f"born_{place}"]
        born = 1987 - np.minimum(rng.integers(0, years, rows), years - 1)
        found[f"born_{place}"] = np.where(children >= place, born, 0)
    for j, (name, many) in enumerate(WORDS.items()):
        draw = np.minimum(rng.geometric(0.35, rows) - 1, many - 1)
        code = (kind * (j % 3) + age // 8 * (j % 2) + draw) % many
        if name.startswith("partner"):
            code = np.where(partner, code, 0)
        elif name in ("hours", "contract", "status"):
            code = np.where(work, code, 0)
        elif name[-1].isdigit():
            code = np.where(children >= int(name[-1]), code, 0)
        found[name] = code
    return {name: values.astype(np.int16) for name, values in found.items()}


def spoilt(values: dict[str, Any], share: float, block: int) -> dict[str, Any]:
    """The same persons in another file: so many values of each key differ."""
    import numpy as np

    rng = np.random.Generator(np.random.Philox(key=[1992, block]))
    rows, found = len(values["born"]), {}
    for name in KEYS:
        wrong = rng.random(rows) < share
        if name in YEARS:
            off = rng.choice(np.array([-1, 1], dtype=np.int16), rows)
            found[name] = np.where(wrong & (values[name] > 0), values[name] + off, values[name])
        else:
            found[name] = np.where(wrong, rng.integers(0, WORDS[name], rows, dtype=np.int16), values[name])
    return found


def table(values: dict[str, Any], key: str, first: int) -> Any:
    """A table with its key; words as texts, years as numbers, and no year where there is no child."""
    import numpy as np
    import pyarrow as pa

    columns: dict[str, Any] = {key: np.arange(first, first + len(values["born"]))}
    for name in KEYS:
        if name in YEARS:
            columns[name] = pa.array(values[name], mask=values[name] == 0)
        else:
            words = pa.array([f"{name[:3]}{i:02d}" for i in range(WORDS[name])])
            columns[name] = pa.DictionaryArray.from_arrays(pa.array(values[name]), words).cast(pa.string())
    return pa.table(columns)


def files(persons: int, records: int) -> tuple[Path, Path, int]:
    """Both files, made once, and how many persons are in both: one of a hundred, the first ones of each."""
    import pyarrow.parquet as pq

    STORE.mkdir(exist_ok=True)
    both = persons // 100
    found = []
    for key, rows, own in (("id", records, 0), ("entry", persons, 10_000)):
        path = STORE / f"matching-{VERSION}-{key}-{persons}-{records}.parquet"
        found.append(path)
        if path.exists():
            continue
        partial, writer = path.with_suffix(f".{os.getpid()}"), None
        for block, start in enumerate(range(0, rows, 500_000)):
            made = people(min(500_000, rows - start), own + block)
            if start == 0:
                true = people(both, 77_777)
                true = true if key == "id" else spoilt(true, 0.02, 0)
                for name in KEYS:
                    made[name][:both] = true[name]
            part = table(made, key, start)
            writer = writer or pq.ParquetWriter(partial, part.schema)
            writer.write_table(part)
        assert writer is not None
        writer.close()
        partial.rename(path)
    return found[0], found[1], both


def case(persons: int, records: int, *, coarse: bool = False) -> Any:
    """Both files with the truth, as the trustee gets them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import schleier as sl
    from schleier.core.engine import Resources
    from schleier.core.measure import Case
    from schleier.engine.duckdb import Duckdb

    there, here, both = files(persons, records)
    scales: dict[str, Any] = {name: "discrete" if name in YEARS else "nominal" for name in KEYS}
    columns = [sl.Column(name=name, role="quasi", scale=scale) for name, scale in scales.items()]
    engine = Duckdb(Resources(memory_limit="3GB"))
    schema = sl.Schema(row_key="id", columns=columns)
    if coarse:
        released = sl.Dataset.from_frame(blurred(pq.read_table(there)), _blurred(schema), engine)
    else:
        released = sl.read(there, schema, engine)
    known = sl.read(here, sl.Schema(row_key="entry", columns=columns), engine)
    pair = sl.Schema(columns=[sl.Column(name=name, scale="discrete") for name in ("id", "entry")])
    true = pa.table({"id": range(both), "entry": range(both)})
    truth = sl.Dataset.from_frame(true, pair, engine).frame.select("id", "entry")
    return Case(released, released, known=known, truth=truth)


def _blurred(schema: Any) -> Any:
    import schleier as sl

    others = [one.model_copy(update={"scale": "ordinal"}) if one.name in YEARS else one for one in schema]
    return sl.Schema(row_key="id", columns=others)


def blurred(records: Any) -> Any:
    """Years in classes of five, words as lists of two, and here and there a gap."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    rng = np.random.default_rng(7)
    for name in KEYS:
        place = records.schema.get_field_index(name)
        values = records[name].combine_chunks()
        if name in YEARS:
            year = np.asarray(values.fill_null(0))
            labels = pa.array([f"{5 * i}-{5 * i + 4}" for i in range(1995 // 5 + 1)])
            cells = pa.DictionaryArray.from_arrays(pa.array(year // 5), labels).cast(pa.string())
            cells = pc.if_else(values.is_null(), pa.scalar(None, pa.string()), cells)
        elif WORDS[name] >= 4:
            words = [f"{name[:3]}{i:02d}" for i in range(WORDS[name])]
            code = pc.index_in(values, pa.array(words))
            pairs = [f"{{{', '.join(words[i : i + 2])}}}" for i in range(0, len(words), 2)]
            cells = pa.array(pairs).take(pa.array(np.asarray(code) // 2))
        else:
            cells = values
        gap = rng.random(len(records)) < 0.05
        records = records.set_column(place, name, pc.if_else(pa.array(gap), pa.scalar(None, pa.string()), cells))
    return records


def attack(name: str, persons: int, records: int) -> Any:
    import schleier as sl

    how: dict[str, Any] = {"knowledge": "file", "targets": "all"}
    made: dict[str, Callable[[], Any]] = {
        "exact": lambda: sl.attacks.ExactMatch(**how),
        "mahalanobis": lambda: sl.attacks.DistanceMatch(metric="mahalanobis", **how),
        "hamming": lambda: sl.attacks.DistanceMatch(metric="hamming", weights={"born": 3.0, "income": 0.5}, **how),
        "sets": lambda: sl.attacks.DistanceMatch(metric="gower", **how),
        "discriminant": lambda: sl.attacks.DiscriminantMatch(fraction=0.01, **how),
        FULL: lambda: sl.attacks.DiscriminantMatch(variant="full", fraction=0.3, **how),
        "splink": lambda: sl.attacks.ProbabilisticMatch(blocking=BLOCKS, **how),
    }
    return made[name]()


def ours(name: str, persons: int, records: int) -> dict[str, Any]:
    """The whole attack, compiled beforehand on few rows."""
    import schleier as sl

    finding, work = None, 0.0
    for some, many in ((100, 1_000), (persons, records)):
        given = case(some, many, coarse=name == "sets")
        technique = attack(name, some, many)
        start = time.process_time()
        finding = technique.measure(given, sl.Run(key=bytes(32)))
        work = time.process_time() - start
    assert finding is not None
    told = {fact: finding.detail[fact] for fact in ("contained", "claims", "correct")}
    return {"work": work, **told}


def peer(name: str, persons: int, records: int) -> dict[str, Any]:
    """The bare computation of the same, by whoever does it best, without anybody who judges it."""
    there, here, _ = files(persons, records)
    found = {"join": _join, "nearest": _nearest, "cdist": _cdist, "sums": _sums, "splink": _splink}[name]
    return found(there, here)


def _join(there: Path, here: Path) -> dict[str, Any]:
    import duckdb
    import pyarrow  # noqa: F401  # loading it is no work

    connection = duckdb.connect()
    keys = ", ".join(KEYS)
    same = " AND ".join(f"a.{key} IS NOT DISTINCT FROM b.{key}" for key in KEYS)
    start = time.process_time()
    found = connection.sql(
        f"""WITH a AS (SELECT {keys}, min(entry) AS entry, count(*) AS n FROM '{here}' GROUP BY ALL HAVING n = 1),
        b AS (SELECT {keys}, min(id) AS id, count(*) AS n FROM '{there}' GROUP BY ALL HAVING n = 1)
        SELECT entry, id FROM a JOIN b ON {same}"""
    ).to_arrow_table()
    return {"work": time.process_time() - start, "claims": len(found)}


def _points(there: Path, here: Path) -> tuple[Any, Any]:
    """Words as zeros and ones, years in standard deviations: the errors of all are alike here."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    both = pa.concat_tables([pq.read_table(path, columns=list(KEYS)) for path in (there, here)])
    parts = []
    for name in KEYS:
        values = both[name].combine_chunks()
        if name in YEARS:
            year = np.asarray(values.fill_null(1960), dtype=np.float32)
            parts.append(((year - year.mean()) / year.std())[:, None])
        else:
            parts.append(np.eye(WORDS[name], dtype=np.float32)[np.asarray(values.dictionary_encode().indices)][:, 1:])
    points = np.concatenate(parts, axis=1)
    split = pq.read_metadata(there).num_rows
    return points[:split], points[split:]


def _nearest(there: Path, here: Path) -> dict[str, Any]:
    from sklearn.metrics import pairwise_distances_argmin_min

    records, persons = _points(there, here)
    start = time.process_time()
    pairwise_distances_argmin_min(persons, records, metric="sqeuclidean")
    return {"work": time.process_time() - start}


def _cdist(there: Path, here: Path) -> dict[str, Any]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from scipy.spatial.distance import cdist

    both = pa.concat_tables([pq.read_table(path, columns=list(KEYS)) for path in (there, here)])
    codes = [np.asarray(both[n].combine_chunks().dictionary_encode().indices.fill_null(-1)) for n in KEYS]
    points = np.column_stack(codes).astype(np.float64)
    split = pq.read_metadata(there).num_rows
    weights = np.ones(len(KEYS))
    start = time.process_time()
    for first in range(split, len(points), 100):
        cdist(points[first : first + 100], points[:split], "hamming", w=weights).argmin(axis=1)
    return {"work": time.process_time() - start}


def _sums(there: Path, here: Path) -> dict[str, Any]:
    import numpy as np
    from scipy.spatial.distance import cdist
    from scipy.special import logsumexp

    records, persons = (one.astype(np.float64) for one in _points(there, here))
    start = time.process_time()
    for first in range(0, len(persons), 100):
        off = cdist(persons[first : first + 100], records, "sqeuclidean")
        off *= -0.5
        off.argmax(axis=1)
        logsumexp(off, axis=1)
    return {"work": time.process_time() - start}


def _splink(there: Path, here: Path) -> dict[str, Any]:
    import duckdb
    import splink
    import splink.comparison_library as compare
    from splink.blocking_rule_library import block_on

    connection = duckdb.connect()
    api = splink.DuckDBAPI(connection)
    keys = ", ".join(KEYS)
    start = time.process_time()
    tables = []
    for name, path, key in (("known", here, "entry"), ("released", there, "id")):
        rows = connection.sql(f"SELECT {key} AS unique_id, {keys} FROM '{path}'").to_arrow_table()
        tables.append(api.register(rows, dataset_display_name=name))
    settings = splink.SettingsCreator(
        link_type="link_only",
        comparisons=[compare.ExactMatch(key) for key in KEYS],
        blocking_rules_to_generate_predictions=[block_on(*rule) for rule in BLOCKS],
        retain_matching_columns=False,
    )
    linker = splink.Linker(tables, settings, log_level=None)
    linker.training.estimate_u_using_random_sampling(max_pairs=2_000_000, seed=1)
    for rule in BLOCKS:
        with suppress(ValueError):  # of few pairs
            linker.training.estimate_parameters_using_expectation_maximisation(block_on(*rule))
    found = linker.inference.predict(threshold_match_probability=0.9).as_pyarrow_table()
    return {"work": time.process_time() - start, "claims": len(found)}
