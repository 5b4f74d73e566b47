"""Components are found by file name; what is not there is named with a way out."""

from __future__ import annotations

from collections.abc import Iterator
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


ONLY_IN_WINGS = {"session", "detector", "service", "section"}


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What was found before is looked for anew, now and afterwards."""
    registry._places.cache_clear()
    registry.wings.cache_clear()
    yield
    registry._places.cache_clear()
    registry.wings.cache_clear()


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, forgotten: None) -> Any:
    """Lets a test play the part of third parties."""

    def offer(*more: tuple[str, str], **entries: str) -> None:
        def entry_points(group: str) -> list[EntryPoint]:
            found = [*entries.items(), *more] if group == "schleier.method" else []
            return [EntryPoint(name, value, group) for name, value in found]

        monkeypatch.setattr("importlib.metadata.entry_points", entry_points)

    return offer


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten: None) -> Any:
    """Lets a test build a house of empty files."""

    def build(*files: str) -> None:
        for file in files:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).touch()

    monkeypatch.setattr(registry, "PACKAGE", tmp_path)
    return build


def test_every_file_of_a_room_is_found_unless_it_is_a_helper() -> None:
    files = {file.stem for folder in ("methods", "search") for file in (SOURCE / folder).glob("*.py")}
    assert set(registry.ours("method")) >= {name for name in files if not name.startswith("_")}
    assert not [name for name in registry.names("method") if name.startswith("_")]
    assert {"drop", "coarsen"} <= set(registry.names("method"))
    assert {"k_anonymity"} <= set(registry.names("criterion"))
    assert {"uniqueness", "changed_cells"} <= set(registry.names("measure"))
    assert {"duckdb", "spark"} == set(registry.names("engine"))
    assert registry.names("renderer") == ["html"]


def test_no_source_is_read_to_list_names(monkeypatch: pytest.MonkeyPatch, forgotten: None) -> None:
    def read(*_: Any, **__: Any) -> str:
        raise AssertionError("a source was read")

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [])
    monkeypatch.setattr(Path, "read_text", read)
    monkeypatch.setattr(Path, "open", read)
    assert all(registry.names(kind) or kind in ONLY_IN_WINGS for kind in registry.KINDS)


@pytest.mark.parametrize("kind", registry.KINDS)
def test_names_are_sorted_and_lead_to_classes(kind: registry.Kind) -> None:
    assert registry.names(kind) == sorted(registry.names(kind))
    for name, found in registry.every(kind).items():
        assert isinstance(found, type) and snake(found.__name__) == name


def test_every_format_is_one() -> None:
    for form in registry.every("format").values():
        assert isinstance(form.suffixes, tuple)
        assert callable(getattr(form, "header", None)) or callable(getattr(form, "unwrap", None))


@pytest.mark.parametrize(
    ("kind", "promise"), [("engine", "map_groups"), ("format", "suffixes"), ("renderer", "render")]
)
def test_what_is_found_does_what_its_kind_does(kind: registry.Kind, promise: str) -> None:
    assert all(hasattr(found, promise) for found in registry.every(kind).values())


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


def test_two_third_parties_with_one_word_are_an_error_that_names_both(offered: Any) -> None:
    offered(("other", "veil.other:Other"), other="lace.other:Other", drop="somewhere.evil:Drop")
    for ask in (lambda: registry.get("method", "other"), lambda: registry.names("method")):
        with pytest.raises(InternalError, match=r"lace\.other:Other, veil\.other:Other") as caught:
            ask()
        assert [problem.code for problem in caught.value.problems] == ["same-word"]
    assert registry.get("method", "top_code").word() == "top_code", "others can still be used"


def test_one_component_offered_twice_is_one(offered: Any) -> None:
    offered(("other", "schleier.core.method:Method"), other="schleier.core.method:Method")
    assert registry.get("method", "other") is Method


def test_wings_are_found_by_the_names_of_their_rooms(house: Any) -> None:
    house("methods/drop.py", "methods/_help.py", "extras/__init__.py", "extras/lace/__init__.py")
    house("extras/lace/methods/blur.py", "extras/lace/methods/_thread.py", "extras/lace/search/seek.py")
    house("extras/lace/report/map.py", "extras/lace/renderers/page.py", "report/html.py", "report/lines.py")
    house("extras/_draft/__init__.py", "extras/_draft/methods/no.py", "extras/gone/methods/__pycache__/old.cpython.pyc")
    assert registry.wings() == ("lace",)
    assert registry.ours("method") == ["blur", "drop", "seek"]
    assert (registry.ours("section"), registry.ours("renderer")) == (["map"], ["html", "page"])
    assert registry._places("method")["blur"] == ["schleier.extras.lace.methods.blur:Blur"]


@pytest.mark.parametrize("other", ["methods/blur.py", "search/blur.py", "extras/veil/methods/blur.py"])
def test_one_word_in_two_places_of_the_tree_is_an_error(other: str, house: Any) -> None:
    house("methods/drop.py", "extras/lace/__init__.py", "extras/lace/methods/blur.py", "extras/veil/__init__.py", other)
    place = f"schleier.{other.removesuffix('.py').replace('/', '.')}:Blur"
    for ask in (lambda: registry.get("method", "blur"), lambda: registry.names("method")):
        with pytest.raises(InternalError) as caught:
            ask()
        assert place in str(caught.value) and "schleier.extras.lace.methods.blur:Blur" in str(caught.value)
    assert registry.ours("criterion") == [], "another kind is not concerned"


def test_what_a_third_party_offers_must_be_a_class(offered: Any) -> None:
    offered(other="schleier.core.names:camel")
    with pytest.raises(InternalError, match="'other' is not a class"):
        registry.get("method", "other")


def test_python_users_find_components_by_class_name() -> None:
    assert schleier.methods.TopCode.word() == "top_code"
    assert schleier.criteria.KAnonymity.word() == "k_anonymity"
    assert {"ChangedCells", "Uniqueness"} <= set(dir(schleier.measures))
    with pytest.raises(AttributeError, match=r"no method 'TopCod' \(did you mean 'TopCode'\?\)"):
        _ = schleier.methods.TopCod
    assert dir(schleier.detectors) == [camel(word) for word in registry.names("detector")]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = schleier.nonsense  # type: ignore[attr-defined]


def test_everything_the_package_promises_is_there() -> None:
    assert all(getattr(schleier, name) is not None for name in schleier.__all__)
    of_wings = {"detectors": "detector", "services": "service", "sessions": "session"}
    empty = {name for name, kind in of_wings.items() if not registry.ours(kind)}
    assert set(dir(schleier)) == {"__version__", *schleier.__all__} - empty


@pytest.mark.parametrize("word", ["drop", "top_code", "k_anonymity", "changed_cells"])
def test_words_and_class_names_translate_both_ways(word: str) -> None:
    assert snake(camel(word)) == word
