"""What leaves the released file unchanged leaves what is published unchanged: nobody who was capped, blanked or left
out comes back through a number, and nobody sees his own value in one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from schleier.core.amount import GRIDS, LEAST, Number, step_of, tail_means
from schleier.core.data import Dataset
from schleier.core.errors import InfeasibleError
from schleier.core.measure import Case, Finding
from schleier.core.registry import get, names
from schleier.core.run import Run
from schleier.core.trust.coarse import FEW
from schleier.core.trust.outsiders import for_outsiders, verdict_for_outsiders
from schleier.flow.recipe.recipe import DataSection, Recipe, ReleaseSection
from schleier.testing import ROW_KEY, example_schema, example_table

from .conftest import KEY, made, to_do
from .documents import reported_step

Load = Callable[..., Dataset]
CAPPED, DROPPED, BLANKED = 5, 17, 30
LIMIT = 4000.0
INCOMES = {("income", CAPPED): 1000.0, ("income", DROPPED): 10.0, ("income", BLANKED): 1.5}
HIDDEN = INCOMES | {("age", DROPPED): 0.5, ("weight", DROPPED): 10.0}
"""Values of which the released file shows nothing, and by how much they are multiplied."""
GREAT = 1e6
TRIED = 0.05
"""What attacks came to is told in twentieths."""


def table(changes: dict[tuple[str, int], float]) -> pa.Table:
    """The example, with some people who stand out, and some of their values multiplied."""
    found = example_table()
    values = {name: found[name].to_pylist() for name in ("income", "age", "weight")}
    for row, income in ((CAPPED, 9000.0), (DROPPED, 7000.0), (BLANKED, 6000.0)):
        values["income"][row] = income
    values["age"][DROPPED] = 88
    for (name, row), factor in changes.items():
        values[name][row] = type(values[name][row])(values[name][row] * factor)
    for name, column in values.items():
        kind = found.schema.field(name).type
        found = found.set_column(found.column_names.index(name), name, pa.array(column, kind))
    return found


def case(load: Load, changes: dict[tuple[str, int], float]) -> Case:
    """A release in which a value is capped, a record is left out and a cell is blank."""
    rows = table(changes)
    keys, original = rows[ROW_KEY].to_pylist(), load(rows)
    income = nw.when(nw.col("income") > LIMIT).then(nw.lit(LIMIT)).otherwise(nw.col("income"))
    blank = nw.when(nw.col(ROW_KEY) == keys[BLANKED]).then(nw.lit(None)).otherwise(income)
    released = original.filter(nw.col(ROW_KEY) != keys[DROPPED]).mutate(income=blank)
    step = get("method", "top_code")(column="income", upper=LIMIT)
    return Case(original, released, steps=(step.fit(original, Run(key=KEY)),))


Told = tuple[Finding | None, list[Any]]
SEEN: dict[tuple[str, str, int, bool], tuple[Case, Told]] = {}
"""What was published of a case, which several tests look at; the case is kept so that no other one gets its number."""


def found(measure: Any, one: Case, *, gate: bool = True) -> Told:
    """What is published: the finding, and what else the report says."""
    asked = type(measure).__qualname__, measure.model_dump_json(), id(one), gate
    if asked not in SEEN:
        run = Run(key=KEY)
        with run.within("measure"):
            exact = measure.measure(one, run)
            public = measure.disclose(one, run, exact) if gate else exact
        SEEN[asked] = one, (public, [note.facts for note in run.notes if note.visibility == "public"])
    return SEEN[asked][1]


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every entry inside tables and lists, by its path."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, one in parts:
        yield from numbers(one, f"{path}.{key}")
    if not isinstance(value, dict | list | tuple):
        yield path, value


def differing(one: Told, other: Told, rows: int) -> list[str]:
    """Entries that differ by more than one record makes: in a count, or in a share told in hundredths."""
    told = [
        {
            "finding": part[0] and part[0].model_dump(exclude={"text"}),
            "text": _numbers_of(part[0].text) if part[0] else [],
            "notes": part[1],
        }
        for part in (one, other)
    ]
    first, second = (dict(numbers(part)) for part in told)
    return [p for p in {*first, *second} if not _alike(first.get(p), second.get(p), rows)]


def _numbers_of(text: str) -> list[float]:
    """The numbers in a sentence, shares as such."""
    found = re.findall(r"(\d+(?:\.\d+)?)( ?%)?", text)
    return [
        float(number) / 100 if percent else float(number) if "." in number else int(number) for number, percent in found
    ]


def _alike(one: Any, other: Any, rows: int) -> bool:
    if isinstance(one, bool | str | None) or isinstance(other, bool | str | None):
        return bool(one == other)
    slack = 1 if isinstance(one, int) and isinstance(other, int) else 1 / rows
    grid = next((grid for grid in (TRIED, TRIED / 2, GRIDS[0]) if all(_on(grid, each) for each in (one, other))), 0.0)
    return abs(one - other) <= max(slack, grid) + 1e-12


def _on(grid: float, value: float) -> bool:
    return abs(value - round(value / grid) * grid) < 2e-6


@pytest.fixture(scope="module")
def cases(load: Load) -> tuple[Case, Case]:
    """Two originals that differ in what the release hides alone."""
    return case(load, {}), case(load, dict(HIDDEN))


HIDES = "what everybody reads follows from values that the release hides: see core/amount.py"
OWN = "tells of a column that is one unit's alone: see core/amount.py"


def test_hidden_values_change_nothing(measure: str, cases: tuple[Case, Case]) -> None:
    one = made("measure", measure)
    before, after = (found(one, each) for each in cases)
    assert differing(before, after, len(example_table())) == [], to_do("measure", measure, HIDES)


def untold_counts(finding: Finding, rows: int) -> list[str]:
    """Counts and shares of the original that are not told in tens."""
    told = {
        path: value for path, value in numbers(finding.detail) if ".before" in path and isinstance(value, float | int)
    }
    free = (".records", ".smallest")
    return [path for path, value in told.items() if not path.endswith(free) and not _in_tens(value, rows)]


def _in_tens(value: float, rows: int) -> bool:
    if isinstance(value, float):
        return any(_on(step, value) for step in (step_of(rows), step_of(rows - 1), TRIED))
    return value % LEAST == 0 or value == rows


def test_of_the_original_only_tens_are_told(measure: str, cases: tuple[Case, Case]) -> None:
    """Nobody learns that two records of the original stand alone: not by a count, a share or what is left of a sum."""
    one = made("measure", measure)
    public, _ = found(one, cases[0])
    assert public is None or not untold_counts(public, len(example_table())), to_do(
        "measure", measure, "what it says under 'before' is told in tens: see in_tens in core/amount.py"
    )


def test_counts_of_the_original_are_seen_without_the_gate(cases: tuple[Case, Case]) -> None:
    counting = [word for word in names("measure") if get("measure", word).counts_before]
    exact = {word: found(made("measure", word), cases[0], gate=False)[0] for word in counting}
    seen = [word for word, one in exact.items() if one and untold_counts(one, len(example_table()))]
    assert len(seen) > len(counting) / 2


@pytest.fixture(scope="module")
def perturbed(load: Load, cases: tuple[Case, Case]) -> tuple[Case, Case]:
    """Two originals of one release; they differ in what one released person said."""
    one, rows = cases[0], table({})
    for name, answer in {"income": 2500.0, "age": 44, "disease": "rare"}.items():
        values = rows[name].to_pylist()
        values[OWN_ROW] = answer
        rows = rows.set_column(rows.column_names.index(name), name, pa.array(values, rows.schema.field(name).type))
    return one, replace(one, original=load(rows))


def sharp(one: Finding | None, other: Finding | None, step: float) -> list[str]:
    """Entries that differ although they are neither counts in tens nor shares in steps."""
    first, second = (dict(numbers(part.model_dump(exclude={"text"}) if part else {})) for part in (one, other))
    different = [path for path in {*first, *second} if first.get(path) != second.get(path)]
    if one and other and all(_is_mean(part) for part in (one, other)):
        different = [path for path in different if path != ".value"]
    return [p for p in different if not all(_is_coarse(part.get(p), step) for part in (first, second))]


def _is_mean(finding: Finding) -> bool:
    """Whether the value follows from what is told of the columns."""
    told = finding.detail.get("columns")
    shares = [one for one in told.values() if isinstance(one, float)] if isinstance(told, dict) else []
    return bool(shares) and abs(finding.value - sum(shares) / len(shares)) < 1e-9


def _is_coarse(value: Any, step: float) -> bool:
    if isinstance(value, bool | str | None):
        return True
    rows = len(example_table()) - 1
    if isinstance(value, float):  # also so many tens of the records
        return any(_on(one, value) for one in (step, step_of(rows), step_of(rows + 1)))
    return value % LEAST == 0 or value == rows


OWN_ROW = 44
SHARP = "tells exactly what follows from one person's own values: see in_tens and in_steps in core/amount.py"


def test_what_one_person_said_shows_coarsely(measure: str, perturbed: tuple[Case, Case]) -> None:
    """Whoever knows all others reads at most on which side of a step the last one is."""
    one = made("measure", measure)
    before, after = (found(one, each)[0] for each in perturbed)
    assert sharp(before, after, GRIDS[0]) == [], to_do("measure", measure, SHARP)


def test_without_the_gate_it_shows_sharply(perturbed: tuple[Case, Case]) -> None:
    exact = [[found(made("measure", word), each, gate=False)[0] for each in perturbed] for word in names("measure")]
    assert sum(bool(sharp(*pair, GRIDS[0])) for pair in exact) > len(exact) / 3


@pytest.fixture(scope="module")
def released_pair(load: Load) -> tuple[Case, Case]:
    """Two files that differ in the disease of one person, released as they are but for somebody else."""
    rows, found = table({}), []
    for answer in ("flu", "rare"):
        values = rows["disease"].to_pylist()
        values[OWN_ROW] = answer
        original = load(rows.set_column(rows.column_names.index("disease"), "disease", pa.array(values)))
        found.append(Case(original, original.filter(nw.col(ROW_KEY) != rows[ROW_KEY][DROPPED].as_py())))
    return found[0], found[1]


def outside(measure: Any, one: Case) -> Finding | None:
    """What those may read who do not hold the file."""
    public, _ = found(measure, one)
    return public and for_outsiders(public, measure, one.released.rows)


def test_outsiders_read_of_nobody(measure: str, released_pair: tuple[Case, Case]) -> None:
    one = made("measure", measure)
    before, after = (outside(one, each) for each in released_pair)
    assert sharp(before, after, step_of(len(example_table()))) == [], to_do("measure", measure, SHARP)
    texts = [part.text for part in (before, after) if part is not None]
    assert len(set(texts)) < 2 or all(_is_coarse(n, GRIDS[0]) for text in texts for n in _numbers_of(text)), texts


def test_outsiders_read_no_exact_level(criterion: str, released_pair: tuple[Case, Case]) -> None:
    one = made("criterion", criterion)
    for each in released_pair:
        verdict = verdict_for_outsiders(one.check(each.released), one.model_dump())
        levels = (verdict.level, verdict.low, verdict.high, verdict.category_level)
        told = {value for _, value in numbers(one.model_dump()) if isinstance(value, float)}
        said = [level for level in (*levels, *_numbers_of(verdict.text)) if isinstance(level, float)]
        step = step_of(verdict.records)
        exact = [n for n in said if n not in told and n % 1 and abs(n - round(n / step) * step) > 1e-4]
        assert exact == [], to_do("criterion", criterion, SHARP)


def test_holders_of_a_public_file_read_more(released_pair: tuple[Case, Case]) -> None:
    exact = [[found(made("measure", word), each)[0] for each in released_pair] for word in names("measure")]
    assert any(sharp(*pair, step_of(len(example_table()))) for pair in exact)


def test_hidden_values_change_no_experiment(attack: str, cases: tuple[Case, Case]) -> None:
    one = made("attack", attack)
    before, after = (found(one, each) for each in cases)
    assert differing(before, after, len(example_table())) == [], to_do("attack", attack, HIDES)


def exact_numbers(attack: Any, finding: Finding) -> list[str]:
    """Numbers of an experiment that are neither in steps nor declared open, by their path."""
    declared = attack.openness
    parts = finding.model_dump(include={"value", "low", "high"}) | finding.detail
    free = {*declared.told, "baseline"}  # without a record: one of so many records, or in steps itself
    counts = {name: value for name, value in parts.items() if name in declared.counts and value}
    return [
        name
        for name, value in parts.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
        if name not in free and name not in counts and value and not (isinstance(value, float) and _on(0.025, value))
    ] + [name for name, value in counts.items() if value < LEAST]


def test_experiments_tell_no_counts(attack: str, cases: tuple[Case, Case]) -> None:
    """Whoever repeats an attack must not learn that his claims are right."""
    one = made("attack", attack)
    exact, public = (found(one, cases[0], gate=gate)[0] for gate in (False, True))
    assert exact is not None
    tells = get("attack", exact.name)
    assert exact_numbers(tells, exact), "without the gate it is seen"
    if public is None:  # only the holder reads it
        return
    told = "declare in openness what everybody may read of the detail: see core/trust/coarse.py"
    assert exact_numbers(tells, public) == [], to_do("attack", attack, told)
    spoken = {number for number in _numbers_of(public.text) if isinstance(number, int)}
    open_ = {value for value in public.detail.values() if isinstance(value, int)}
    assert spoken <= open_ | {FEW}, to_do("attack", attack, "its sentence tells a count that its detail does not")


def test_hidden_values_change_no_verdict(criterion: str, cases: tuple[Case, Case]) -> None:
    one = made("criterion", criterion)
    before, after = (one.check(each.released) for each in cases)
    assert before == after, to_do("criterion", criterion, HIDES)


def test_verdicts_on_the_original_would_tell(cases: tuple[Case, Case]) -> None:
    every = [made("criterion", word) for word in names("criterion")]
    assert any(one.check(cases[0].original) != one.check(cases[1].original) for one in every)


def step_told(one: Any, original: Dataset, *, gate: bool = True) -> tuple[Any, Dataset]:
    """What documents tell of a step, means of tails aside, and the released rows."""
    run = Run(key=KEY)
    with run.within("step"):
        fitted = one.fit(original, run)
        result = fitted.apply(original, run)
    hidden = tail_means(type(fitted))
    parameters = {n: v for n, v in fitted.parameters(public=gate).items() if n not in hidden}
    facts = [note.facts for note in run.notes if note.visibility == "public" or not gate]
    return {"parameters": parameters, "facts": facts}, result


def closed(data: Dataset) -> Dataset:
    """Rows of which one is left out, one is capped and one is blank, where these are still there to be told."""
    rows, schema = table({})[ROW_KEY].to_pylist(), data.schema
    left = data.filter(nw.col(schema.key) != rows[DROPPED]) if schema.key == ROW_KEY else data
    if "income" not in schema or not schema["income"].numeric:
        return left
    income = nw.when(nw.col("income") > LIMIT).then(nw.lit(LIMIT)).otherwise(nw.col("income"))
    blank = nw.when(nw.col(schema.key) == rows[BLANKED]).then(nw.lit(None)).otherwise(income)
    return left.mutate(income=blank) if schema.key == ROW_KEY else left.mutate(income=income)


def step_differs(one: Any, pair: Sequence[Dataset], *, close: bool, gate: bool = True) -> list[str]:
    """What documents tell differently of a step on two files, where what is released of them is the same."""
    try:
        (first, left), (second, right) = (step_told(one, each, gate=gate) for each in pair)
    except InfeasibleError:  # then nothing is released
        return []
    if close and not rows_of(closed(left)).equals(rows_of(closed(right))):
        return []
    mine, theirs = (dict(numbers(_spelled(part))) for part in (first, second))
    return [path for path in {*mine, *theirs} if not _alike(mine.get(path), theirs.get(path), len(example_table()))]


def _spelled(value: Any) -> Any:
    """The numbers in sentences as numbers: a count there may differ by one, too."""
    if isinstance(value, dict):
        return {name: _spelled(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled(one) for one in value]
    return _numbers_of(value) or value if isinstance(value, str) else value


def rows_of(data: Dataset) -> pa.Table:
    """Released rows in the order of their key."""
    return data.engine.arrays(data.frame.select(data.schema.key, *data.schema.names)).sort_by(data.schema.key)


@pytest.fixture(scope="module")
def files(load: Load) -> tuple[Dataset, Dataset]:
    """Two originals that differ in incomes that a release hides alone."""
    return load(table({})), load(table(dict(INCOMES)))


def test_hidden_values_change_no_step(method: str, files: tuple[Dataset, Dataset]) -> None:
    assert step_differs(made("method", method), files, close=True) == [], to_do("method", method, HIDES)


def test_nobody_sees_his_own_value_in_a_step(method: str, large: tuple[Case, Case]) -> None:
    both = [one.original for one in large]
    assert step_differs(made("method", method), both, close=False) == [], to_do("method", method, OWN)


def test_without_the_gate_steps_tell(files: tuple[Dataset, Dataset], large: tuple[Case, Case]) -> None:
    """What steps keep for the holder does tell."""
    both = [one.original for one in large]
    secretive = [made("method", word) for word in names("method") if get("method", word).secrets()]
    assert any(step_differs(one, files, close=True, gate=False) for one in secretive)
    assert any(step_differs(one, both, close=False, gate=False) for one in secretive)


@pytest.mark.parametrize("form", [word for word in names("format") if get("format", word).writes])
def test_documents_of_every_format_are_the_same(form: str, tmp_path: Path) -> None:
    """Byte by byte, with experiments, a measure and a verdict in them; of the file the report tells the digest."""
    steps = [get("method", "top_code")(column="income", upper=LIMIT, describe=False)]
    steps += [get("method", "restrict")(where=[{"column": "age", "at_most": 87}])]
    steps += [get("method", "drop")(columns=["person"])]
    written = []
    for changes in ({}, {hidden: INCOMES[hidden] for hidden in INCOMES if hidden[1] != BLANKED}):
        recipe = replace(
            Recipe(data=DataSection(), schema=example_schema()),
            steps=tuple(steps),
            release=ReleaseSection(format=form, access="public"),
            criteria=(get("criterion", "k_anonymity")(k=2, keys=[["sex"]]),),
            measures=(get("measure", "moments")(),),
            attacks=(get("attack", "closeness")(sensitive="income", targets=200), made("attack", "exact_match")),
        )
        out = tmp_path / str(len(written))
        recipe.run(table(changes), out=out, key=KEY)
        written.append({file.name: file.read_bytes() for file in sorted((out / "public").iterdir())})
    one, other = written
    assert len(one) > 3 and one.keys() == other.keys()
    file = json.loads(one["report.json"])["file"]  # some formats write the time into it
    assert [name for name in one if name != file and one[name] != other[name]] == []


def raw(value: Any, path: str = "") -> list[str]:
    """Broken numbers that nobody said the kind of."""
    return [place for place, one in numbers(value, path) if isinstance(one, float) and not isinstance(one, Number)]


def test_broken_numbers_say_what_they_are(method: str, files: tuple[Dataset, Dataset]) -> None:
    """A fact is a count, or a number of a kind; a learned parameter declares its kind."""
    one, run = made("method", method), Run(key=KEY)
    fitted = one.fit(files[0], run)
    fitted.apply(files[0], run)
    told = "say what a public number is: Design, or settle it (core/amount.py)"
    assert [raw(note.facts) for note in run.notes if note.visibility == "public" and raw(note.facts)] == [], to_do(
        "method", method, told
    )
    learned = {n: v for n, v in fitted.parameters(public=True).items() if n not in one.parameters(public=True)}
    counted = {n for n, v in learned.items() if any(isinstance(one, int | float) for _, one in numbers({n: v}))}
    untold = (
        {n for n in counted if not isinstance(learned[n], bool)}
        - tail_means(type(fitted))
        - fitted.counts
        - fitted.design
    )
    told = "declare what a learned parameter is: in counts or design, or by tail_mean (core/amount.py)"
    assert not untold, to_do("method", method, told)


def test_fewer_than_ten_are_told_as_such(method: str) -> None:
    """Whatever a step counts, everybody reads the number from ten on."""
    step, _ = reported_step(method)
    every = [*step.facts, step.parameters]
    few = [
        path
        for path, value in numbers(every)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < LEAST
        if get("method", method).counts & {*path.split(".")}
    ]
    assert few == [], to_do("method", method, "a count of fewer than ten is told")


def test_without_the_gate_hidden_values_come_back(load: Load) -> None:
    one = get("measure", "moments")()
    before = found(one, case(load, {}), gate=False)
    for hidden in INCOMES:
        assert differing(before, found(one, case(load, {hidden: 1000.0}), gate=False), 240)


LARGE = 100


def dominated(load: Load, most: float) -> Case:
    """A unit that is released as it is, and holds nearly all of a column."""
    rows = example_table()
    income = [most if i == LARGE else value for i, value in enumerate(rows["income"].to_pylist())]
    original = load(rows.set_column(rows.column_names.index("income"), "income", pa.array(income, pa.float64())))
    age = nw.when(nw.col("age") > 80).then(nw.lit(80)).otherwise(nw.col("age"))
    return Case(original, original.mutate(age=age))


@pytest.fixture(scope="module")
def large(load: Load) -> tuple[Case, Case]:
    """Two files that differ in the value of the unit that holds nearly all."""
    return dominated(load, GREAT), dominated(load, 3 * GREAT)


def told_of_income(measure: Any, one: Case) -> dict[str, Any]:
    """What is published of the column, what anybody computes from a public file aside."""
    public, _ = found(measure, one)
    parts = dict(numbers(public.detail)) if public else {}
    return {path: value for path, value in parts.items() if "income" in path.split(".") and ".after." not in path}


def test_nobody_sees_his_own_value(measure: str, large: tuple[Case, Case]) -> None:
    """Nothing that depends on the amount is told of a column that one unit holds alone; counts may be."""
    if get("measure", measure).kind == "risk":
        pytest.skip("looks at numbers of records")
    one = made("measure", measure)
    assert told_of_income(one, large[0]) == told_of_income(one, large[1]), to_do("measure", measure, OWN)


def test_nobody_sees_his_own_value_in_an_experiment(attack: str, large: tuple[Case, Case]) -> None:
    one = made("attack", attack)
    before, after = (found(one, each) for each in large)
    assert differing(before, after, len(example_table())) == [], to_do("attack", attack, OWN)


def test_nobody_sees_his_own_value_in_a_verdict(criterion: str, large: tuple[Case, Case]) -> None:
    """Whether it holds may depend on it: then nothing is released, or nobody is seen."""
    one, levels = made("criterion", criterion), {"level", "low", "high", "category_level"}
    before, after = (one.check(each.released).model_dump(include=levels) for each in large)
    assert before == after, to_do("criterion", criterion, OWN)


def test_without_the_gate_it_is_seen(load: Load, large: tuple[Case, Case], monkeypatch: pytest.MonkeyPatch) -> None:
    one = get("measure", "similarity")(columns=["income", "age"])
    for case in large:
        assert not any(isinstance(value, float) for value in told_of_income(one, case).values())
    monkeypatch.setattr("schleier.utility._comparison.enough", lambda *column: True)
    assert any(isinstance(value, float) for value in told_of_income(one, dominated(load, GREAT)).values())
