"""Components are found by file name; what is not there is named with a way out."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import schleier
from schleier.core import registry
from schleier.core.errors import InternalError, RecipeError
from schleier.core.method import Method
from schleier.core.names import camel, snake

SOURCE = Path(schleier.__file__).parent


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets a test play the part of a third party."""

    def offer(**entries: str) -> None:
        def entry_points(group: str) -> list[EntryPoint]:
            return [EntryPoint(name, value, group) for name, value in entries.items() if group == "schleier.method"]

        monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
        registry._places.cache_clear()

    yield offer
    registry._places.cache_clear()


def test_every_file_that_defines_its_class_is_found() -> None:
    expected = {
        file.stem
        for folder in ("methods", "search")
        for file in (SOURCE / folder).glob("[a-z]*.py")
        if f"class {camel(file.stem)}(" in file.read_text(encoding="utf-8")
    }
    assert set(registry.names("method")) >= expected >= {"drop", "recode", "top_code"}
    assert {"k_anonymity"} <= set(registry.names("criterion"))
    assert {"uniqueness", "changed_cells"} <= set(registry.names("measure"))
    assert {"duckdb", "spark"} == set(registry.names("engine"))


@pytest.mark.parametrize("kind", registry.KINDS)
def test_names_are_sorted_and_lead_to_classes(kind: registry.Kind) -> None:
    assert registry.names(kind) == sorted(registry.names(kind))
    for name, found in registry.every(kind).items():
        assert isinstance(found, type) and snake(found.__name__) == name


def test_every_format_is_one() -> None:
    for form in registry.every("format").values():
        assert isinstance(form.suffixes, tuple)
        assert callable(getattr(form, "header", None)) or callable(getattr(form, "unwrap", None))


def test_a_part_of_a_folder_is_no_component_because_of_its_name() -> None:
    """A file that defines the class its name promises, but does not do what its kind does, is a part of another."""
    for kind, promise in registry.PROMISES.items():
        word = promise.removeprefix("def ").rstrip("( =")
        assert all(hasattr(found, word) for found in registry.every(kind).values()), kind


def test_an_unknown_name_comes_with_the_nearest_or_with_all() -> None:
    with pytest.raises(RecipeError) as caught:
        registry.get("method", "top_cod", "steps[3]")
    (problem,) = caught.value.problems
    assert (problem.code, problem.where, problem.hint) == ("unknown-method", "steps[3]", "did you mean 'top_code'?")
    with pytest.raises(RecipeError, match=r"there are: .*drop"):
        registry.get("method", "zzzzzz")


def test_a_third_party_adds_a_method_but_replaces_none_of_ours(offered: Any) -> None:
    offered(other="schleier.core.method:Method", drop="somewhere.evil:Drop")
    assert registry.get("method", "other") is Method
    assert registry.get("method", "drop").__module__ == "schleier.methods.drop"


def test_what_a_third_party_offers_must_be_a_class(offered: Any) -> None:
    offered(other="schleier.core.names:camel")
    with pytest.raises(InternalError, match="'other' is not a class"):
        registry.get("method", "other")


def test_python_users_find_components_by_class_name() -> None:
    assert schleier.methods.TopCode.word() == "top_code"
    assert schleier.criteria.KAnonymity.word() == "k_anonymity"
    assert {"ChangedCells", "Uniqueness"} <= set(dir(schleier.measures))
    with pytest.raises(AttributeError, match=r"no method 'TopCod'; there are: .*TopCode"):
        _ = schleier.methods.TopCod
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = schleier.nonsense  # type: ignore[attr-defined]


def test_everything_the_package_promises_is_there() -> None:
    assert all(getattr(schleier, name) is not None for name in schleier.__all__)
    assert set(schleier.__all__) <= set(dir(schleier))


@pytest.mark.parametrize("word", ["drop", "top_code", "k_anonymity", "changed_cells"])
def test_words_and_class_names_translate_both_ways(word: str) -> None:
    assert snake(camel(word)) == word
