"""What a method leaves behind and what an attack is against are declared; silence is no shelter."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, get_args

import pytest

from schleier.core.data import Dataset
from schleier.core.errors import SchleierError
from schleier.core.measure import Case
from schleier.core.method import Method
from schleier.core.registry import every, get
from schleier.core.run import Run
from schleier.core.schema import Schema
from schleier.core.traces import EVERYTHING, MEANINGS, Trace, Traces
from schleier.core.trust.aim import Technique
from schleier.flow import correct as correct_module
from schleier.flow.release.documents import Report, ReportedColumn, ReportedStep
from schleier.report import component_words
from schleier.report import steps as steps_module
from schleier.report.language import Words, languages
from schleier.testing import example_schema, example_table

from .conftest import KEY
from .documents import reported_step

SOURCE = Path(__file__).parents[2] / "src" / "schleier"
COPIED = {
    "swap": {"columns": ["income", "disease"], "share": 0.3},
    "multiply_noise": {"columns": ["income", "age"], "kind": "controlled", "f": 0.11, "s": 0.03, "public": ["f", "s"]},
    "microaggregate": {"columns": ["income"], "k": 3, "grouping": "individual"},
    "top_code": {"column": "income", "upper": 3000},
    "impute": {},
    "pram": {},
    "sample": {},
    "replace_extremes": {"column": "income", "upper": 3000},
}


def copy_of(word: str, monkeypatch: pytest.MonkeyPatch) -> type[Method]:
    """The same method under another name, made from its source as somebody would who copies the file."""
    name = get("method", word).__name__
    text = re.sub(rf"\b{name}\b", f"Other{name}", (SOURCE / "methods" / f"{word}.py").read_text(encoding="utf-8"))
    module = ModuleType(f"copy_of_{word}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(text, module.__name__, "exec"), module.__dict__)
    found: type[Method] = getattr(module, f"Other{name}")
    return found


def attacks_on(step: Method) -> list[tuple[str, dict[str, Any]]]:
    """What is tried on a release made by one step."""
    data, run = Dataset.from_frame(example_table(), example_schema()), Run(key=KEY)
    with run.within("the step"):
        fitted = step.fit(data, run)
        released = fitted.apply(data, run)
    parts = get("attack", "auto")(targets=100).parts(Case(data, released, steps=(fitted,)), run)
    return [(part.word(), part.model_dump()) for part in parts]


@pytest.mark.parametrize("word", COPIED)
def test_a_copy_under_another_name_is_attacked_alike(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original, parameters = get("method", word), COPIED[word] or get("method", word).example
    expected = attacks_on(original(**parameters))
    assert len(expected) > 2
    subclass = type(f"Other{original.__name__}", (original,), {"__module__": __name__})
    for other in (copy_of(word, monkeypatch), subclass):
        assert other.word() != word
        assert attacks_on(other(**parameters)) == expected


ESTIMATES: list[dict[str, Any]] = [
    {"mean": 3.0, "column": "income"},
    {"total": 30.0, "column": "income"},
    {"total": 30.0, "column": "income", "weighted": True},
    {"variance": 9.0, "mean": 3.0, "column": "income"},
    {"covariance": [[9.0, 1.0], [1.0, 4.0]], "mean": [3.0, 2.0], "columns": ["income", "age"]},
    {"counts": [7.0, 2.0], "categories": ["flu", "none"], "column": "disease"},
]


@pytest.mark.parametrize("word", [*COPIED, "add_noise"])
def test_a_copy_under_another_name_is_corrected_alike(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original, other = get("method", word), copy_of(word, monkeypatch)
    step = original(**(COPIED.get(word) or original.example))
    known = {other.word(): other, word: original}
    monkeypatch.setattr(correct_module, "get", lambda kind, name, where: known[name])
    columns = tuple(ReportedColumn(name=c.name, role=c.role, scale=c.scale) for c in example_schema())
    said = []
    for method in (word, other.word()):
        reported = ReportedStep(
            method=method,
            label="the step",
            columns=step.uses(example_schema()),
            parameters=step.parameters(public=True),
            facts=({"sampled": "records", "taken": 10, "of": 40},),
            changed=step.changes(example_schema()),
        )
        report = Report(
            schleier="0", file="f", digest="0", records_read=40, records_released=40, columns=columns, steps=(reported,)
        )
        said.append([_answer(report, estimate) for estimate in ESTIMATES])
    assert said[0] == said[1]


@pytest.mark.parametrize("word", COPIED)
def test_a_copy_under_another_name_is_told_alike(word: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its words are copied with it: the file beside the module, under the new name."""
    other, (step, _) = copy_of(word, monkeypatch), reported_step(word)
    sys.modules[other.__module__].__file__ = str(tmp_path / f"{other.word()}.py")
    shutil.copy(SOURCE / "methods" / f"{word}.toml", tmp_path / f"{other.word()}.toml")
    known = component_words.declared_of
    found = lambda kind, name: other if name == other.word() else known(kind, name)  # noqa: E731
    for module in (component_words, steps_module):
        monkeypatch.setattr(module, "declared_of", found, raising=False)
    for lang in languages():
        words = Words.of(lang)
        first, second = (
            steps_module.tell_step(step.model_copy(update={"method": name}), words) for name in (word, other.word())
        )
        assert first.sentences and (first.title, first.sentences, first.rest) == (
            second.title,
            second.sentences,
            second.rest,
        )


def _answer(report: Report, estimate: dict[str, Any]) -> Any:
    """The corrected estimate, or why there is none."""
    try:
        return correct_module.correct(report, estimate)
    except SchleierError as error:
        return [(problem.code, problem.message) for problem in error.problems]


class Bare(Method):
    """Says nothing of what it does."""

    columns: tuple[str, ...]
    """What it may change."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        return self.columns

    def apply(self, data: Dataset, run: Run) -> Dataset:
        return data


NOT_HERE = {"enumeration", "sparse_match", "release_difference", "release_over_time"}
"""Attacks that fit where records have owners, further releases or digests: here there are none of these."""


def test_who_declares_nothing_is_attacked_with_everything() -> None:
    schema = example_schema()
    columns = tuple(column.name for column in schema if column.role not in ("weight", "unit", "identifier"))
    tried = {word for word, _ in attacks_on(Bare(columns=columns))}
    techniques = {word: one for word, one in every("attack").items() if issubclass(one, Technique) and word != "auto"}
    assert tried == {word for word, one in techniques.items() if "fitting" in vars(one)} - NOT_HERE
    assert len(tried) > 15
    assert Bare.nature == ""


class Mute(Method):
    """Does not even say what it reads."""

    def apply(self, data: Dataset, run: Run) -> Dataset:
        return data


class Reader(Bare):
    """Names one column, and changes another one that it reads."""

    target: str
    """What it really changes."""

    def uses(self, schema: Schema) -> tuple[str, ...]:
        return (*self.columns, self.target)


def test_silence_is_no_shelter() -> None:
    schema = example_schema()
    assert Mute().changes(schema) == schema.names
    assert Reader(columns=("sex",), target="income").changes(schema) == ("sex", "income")
    assert len({word for word, _ in attacks_on(Mute())}) > 15


class Quiet(Bare):
    """Says that it leaves nothing."""

    traces: ClassVar[Traces] = frozenset()


def test_who_leaves_nothing_is_attacked_with_what_is_always_tried() -> None:
    tried = {word for word, _ in attacks_on(Quiet(columns=("income", "age")))}
    assert tried == {word for word in tried if not get("attack", word).against} != set()


def test_every_trace_has_a_meaning_and_somebody_who_leaves_it() -> None:
    left = frozenset[Trace]().union(*(kind.traces or () for kind in every("method").values()))
    assert set(MEANINGS) == set(get_args(Trace)) == EVERYTHING == left


def test_our_methods_declare_their_traces(method: str) -> None:
    kind = get("method", method)
    if not kind.__module__.startswith("schleier."):
        pytest.skip("of somebody else: attacked with everything unless it declares")
    assert kind.traces is not None, f"{kind.__module__}: declare traces, what it leaves behind (core/traces.py)"
    assert kind(**kind.example).leaves() is not None


def test_an_attack_follows_traces_that_there_are(attack: str) -> None:
    assert getattr(get("attack", attack), "against", frozenset()) <= EVERYTHING


def test_a_trace_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="nois"):

        class Odd(Bare):
            traces: ClassVar[Any] = frozenset({"nois"})

    with pytest.raises(TypeError, match="swap"):

        class Named(Technique):
            against: ClassVar[Any] = frozenset({"swap"})
