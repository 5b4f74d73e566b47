"""The two experiments of 1991 on invented worlds: ``python -m bench.experiments`` [PART ...].

Müller, Blien, Knoche, Wirth et al., *Die faktische Anonymität von Mikrodaten*. Draws 1 % files from 17 million persons,
makes mistakes in them as published processes say, and attacks them through the trustee. Writes bench/experiments.json
and the tables and pictures of docs/guide/experiments-of-1991.md. All of it takes some minutes of processor time;
 with names of parts as arguments only these run, and what is known of the others stays.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from bench import experiments_scholars as one
from bench import experiments_survey as two
from bench import experiments_synthetic as three
from bench.experiments_files import KEY, plain, samples_of
from bench.experiments_text import write_page
from bench.harness import STORE
from schleier.world.designs import Design, Drawn, Maker

STORED = Path(__file__).with_suffix(".json")
PERSONS, SAMPLES = 17_000_000, 3


def main(arguments: Sequence[str]) -> None:
    """Run the parts that were asked for, and write the page."""
    parts: Mapping[str, Callable[[], dict[str, Any]]] = {
        "scholars": lambda: scholars(PERSONS, SAMPLES),
        **{f"survey-{level}": partial(survey, PERSONS, SAMPLES, level=level) for level in two.LEVELS},
        "survey-near": lambda: near(PERSONS, SAMPLES),
        "synthetic": lambda: synthetic(PERSONS, SAMPLES),
    }
    for name, part in parts.items():
        if not arguments or name in arguments:
            begun = time.process_time()
            found = part()
            found["cpu"] = round(time.process_time() - begun)
            found["peak"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)
            stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
            STORED.write_text(json.dumps({**stored, name: found}, indent=1) + "\n", encoding="utf-8")
    write_page(json.loads(STORED.read_text(encoding="utf-8")))


def drawn_of(design: Design, persons: int, samples: int, sampled: float = 0.01) -> tuple[Drawn, dict[str, Any]]:
    """The files of a design, what they cost, and how what both have in common scatters over all samples."""
    maker = Maker(design, persons, KEY, sampled=sampled, samples=samples)
    folder = STORE / f"{design}-{persons}-{samples}-{sampled}"
    if not (folder / "cost.json").exists():
        begun = time.process_time()
        made = maker.draw()
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("released", "known"):
            pq.write_table(plain(getattr(made, name)), folder / f"{name}.parquet")
        (folder / "cost.json").write_text(json.dumps(time.process_time() - begun), encoding="utf-8")
    drawn = Drawn(*(pq.read_table(folder / f"{name}.parquet") for name in ("released", "known")))
    cost = json.loads((folder / "cost.json").read_text(encoding="utf-8"))
    number = samples_of(maker, drawn.known["person"].to_numpy())
    every = np.bincount(number[number < int(1 / sampled)], minlength=int(1 / sampled))
    told = {
        "persons": persons,
        "known": drawn.known.num_rows,
        "making": round(cost, 1),
        "common": {
            "mean": round(float(every.mean()), 2),
            "deviation": round(float(every.std(ddof=1)), 2),
            "binomial": round(float(np.sqrt(drawn.known.num_rows * sampled * (1 - sampled))), 2),
            "least": int(every.min()),
            "most": int(every.max()),
            "samples": len(every),
        },
    }
    return drawn, told


def scholars(persons: int, samples: int, sampled: float = 0.01) -> dict[str, Any]:
    """Experiment 1: exact matching, near techniques and measures, for each error process."""
    drawn, found = drawn_of("scholars", persons, samples, sampled)
    _say(str(found))
    found["handbook"] = one.handbook(plain(drawn.known))
    for process in one.PROCESSES:
        pairs = one.files(drawn, process, samples)
        more = one.today(process) if process == "process_2" else {}
        found[process] = {"exact": one.exact_part(pairs), "near": one.near_part(pairs, process, more, _say)}
        _say(f"{process} {found[process]['exact']}")
        if process == "process_2":
            found["beliefs"] = one.beliefs_part(pairs)
            found["measures"] = one.measures_part(pairs)
    return found


def survey(persons: int, samples: int, sampled: float = 0.01, *, level: str) -> dict[str, Any]:
    """Experiment 2: 13, 21 and 35 keys, at one level of errors."""
    drawn, found = drawn_of("survey", persons, samples, sampled)
    found |= two.phases_part(two.files(drawn, level, samples))
    _say(f"{level} {found}")
    return found


def near(persons: int, samples: int, sampled: float = 0.01) -> dict[str, Any]:
    """Experiment 2 with techniques that forgive differences, on one sample."""
    drawn, found = drawn_of("survey", persons, samples, sampled)
    return {**found, **two.near_part(two.files(drawn, "allbus", samples)[0], _say)}


def synthetic(persons: int, samples: int, sampled: float = 0.01) -> dict[str, Any]:
    """The synthetic file: 500 entries of the handbook with errors of process 4, looked for in the handbook itself."""
    drawn, found = drawn_of("scholars", persons, samples, sampled)
    return {**found, "synthetic": three.compared(plain(drawn.known), _say)}


def _say(text: str) -> None:
    print(f"{time.process_time():.0f} s {text}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
