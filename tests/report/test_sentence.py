"""Words of components: which sentences are told, in which number, and how each fact is shown."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from schleier.report.fields import FORMS, SPECIAL, Telling
from schleier.report.language import Words, plain, plural_form
from schleier.report.sentence import Sentence, holds, look_up, tell_all
from schleier.report.untold import Untold

ENGLISH, GERMAN = Telling(Words.of("en")), Telling(Words.of("de"))


def said(text: str, telling: Telling = ENGLISH, **facts: Any) -> str:
    return plain(Sentence({"en": {"other": text}}).tell(facts, telling)).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        ("there", True),
        ("nothing", False),
        ("zero", False),
        ("no", False),
        ("empty", False),
        ("!zero", True),
        ("!there", False),
        ("!absent", True),
        ("kind=entropy", True),
        ("kind!=entropy", False),
        ("absent=x", False),
        ("absent!=x", True),
        ("no=false", True),
        ("cautions=cut", True),
        ("cautions!=cut", False),
        ("cautions!=few", True),
        ("table=age", True),
        ("zero=0", True),
        ("half=0.5", True),
        ("inner.deep", True),
        ("inner.none", False),
        ("there.deep", False),
    ],
)
def test_conditions(condition: str, held: bool) -> None:
    facts = {"there": 3, "nothing": None, "zero": 0, "no": False, "empty": [], "kind": "entropy", "half": 0.5}
    more = {"cautions": ["weights", "cut"], "table": {"age": 1}, "inner": {"deep": 1}}
    assert holds(condition, {**facts, **more}) is held


@pytest.mark.parametrize("odd", ["", "a b", "=x", "!"])
def test_a_condition_that_is_none_is_a_mistake(odd: str) -> None:
    with pytest.raises(ValueError, match="a condition is"):
        holds(odd, {})


@pytest.mark.parametrize(
    ("n", "forms", "form"),
    [
        (0, "zero one other", "zero"),
        (0, "one other", "other"),
        (1, "one other", "one"),
        (1.0, "one other", "one"),
        (2, "zero one other", "other"),
        (True, "one other", "other"),
        (None, "one other", "other"),
        ("1", "one other", "other"),
        (["a"], "one other", "one"),
        ({}, "zero other", "zero"),
    ],
)
def test_the_form_of_a_number(n: Any, forms: str, form: str) -> None:
    assert plural_form(n, forms.split()) == form


def test_a_sentence_is_told_when_all_it_names_is_there() -> None:
    one = Sentence({"en": {"one": "One {what}.", "other": "{n} {what}."}}, when=("kind=a",), count="n")
    assert one.told({"n": 2, "what": "x", "kind": "a"}, "en")
    assert not one.told({"n": 2, "kind": "a"}, "en")
    assert not one.told({"n": 2, "what": None, "kind": "a"}, "en")
    assert not one.told({"what": "x", "kind": "a"}, "en")
    assert not one.told({"n": 2, "what": "x", "kind": "b"}, "en")
    assert one.told({"n": 0, "what": "", "kind": "a"}, "en"), "zero and empty are there"
    assert [plain(s) for s in tell_all([one, one], {"n": 1, "what": "x", "kind": "a"}, ENGLISH)] == ["One x."] * 2


def test_a_language_that_is_missing_falls_back_to_english() -> None:
    one = Sentence({"en": {"other": "{n:share} of all"}})
    assert plain(one.tell({"n": 0.0123}, GERMAN)).replace("\u00a0", " ") == "1,2 % of all"


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("{x}", "age", "age"),
        ("{x}", ["age", "sex"], "age and sex"),
        ("{x}", [], "–"),
        ("{x}", 12345, "12,345"),
        ("{x}", 0.123456, "0.123"),
        ("{x}", True, "yes"),
        ("{x}", [1, 2.5], "1 and 2.5"),
        ("{x}", {"a": 3, "b": 5}, "a 3 and b 5"),
        ("{x}", [["age"]], "age"),
        ("{x}", [["age"], ["sex", "job"]], "each of the combinations (age) and (sex, job)"),
        ("{x:share}", 0.25, "25 %"),
        ("{x:share}", -0.25, "−25 %"),
        ("{x:points}", 0.1234, "12.3"),
        ("{x:number}", 1234.567, "1,235"),
        ("{x:whole}", 23.9, "23"),
        ("{x:value}", 1990, "1990"),
        ("{x:name}", "<b>", "<b>"),
        ("{x:names}", {"a": 1, "b": 2}, "a and b"),
        ("{x:names}", "a", "a"),
        ("{x:table}", {"a": 0.5}, "a 0.5"),
        ("{x:levels}", {"age": 2, "sex": 0}, "age to level 2 of its hierarchy and sex as it was"),
        ("{x:keys}", (("a", "b"),), "a and b"),
        ("{x:groups}", [["a"], ["b", "c"]], "(a) and (b, c)"),
        ("{x:sensitive}", [], "the sensitive columns"),
        ("{x:sensitive}", ["a"], "a"),
        ("{x:conditions}", [{"column": "a", "at_least": 1, "missing": True}], "a at least 1, or missing"),
        ("{x:conditions}", {"column": "a", "is_in": "3 values"}, "a one of 3 values not named here"),
        ("{x:total}", [1, 2], "3"),
        ("{x:total}", {"a": 1, "b": 4}, "5"),
        ("{x:total}", 7, "7"),
        ("{x:total}", [12, "fewer than 10", 1], "13 and fewer than 10"),
        ("{x:table}", {"a": "fewer than 10"}, "a fewer than 10"),
        ("{x}", "fewer than 10", "Fewer than 10"),
        ("but {x:number}", "fewer than 10", "but fewer than 10"),
        ("{x:count}", ["a", "b"], "2"),
        ("{x:classes}", [10, 20], "3"),
        ("{x:component}", {"method": "round_to", "base": 5}, "Numbers rounded (base 5)"),
    ],
)
def test_how_a_fact_is_shown(text: str, value: Any, shown: str) -> None:
    from schleier.report.component_words import ComponentWords

    telling = ComponentWords("method", "x").telling(Words.of("en"))
    assert said(text, telling, x=value) == shown


def test_a_step_inside_another_one_is_told() -> None:
    from schleier.report.component_words import ComponentWords

    telling = ComponentWords("method", "x").telling(Words.of("de"))
    told = said("{x:step}", telling, x={"method": "round_to", "column": "income", "base": 5})
    assert told == "Zahlen gerundet. Die Zahlen in income wurden auf Vielfache von 5 gerundet."


def test_an_interval_is_shown_where_there_is_one() -> None:
    assert said("{level:interval}", level=0.5, low=0.25, high=0.75) == "50 %, 95 % interval 25 % to 75 %"
    assert said("{level:interval}", level=0.5, low=None, high=0.75) == "50 %"


def test_what_was_given_is_not_rounded() -> None:
    assert said("{year} {n}", Telling(Words.of("en"), as_given=frozenset({"year"})), year=1990, n=1990) == "1990 1,990"


def test_values_of_options_have_words() -> None:
    telling = Telling(Words.of("de"), {"kind": {"joint": {"en": "jointly", "de": "gemeinsam"}}})
    assert said("{kind:word}", telling, kind="joint") == "gemeinsam"
    assert said("{kind:word}", telling, kind=["joint", "joint"]) == "gemeinsam und gemeinsam"
    odd = Sentence({"en": {"other": "{kind:word}"}}).tell({"kind": "<odd>"}, telling)
    assert odd == '<code translate="no">&lt;odd&gt;</code>'


def test_what_is_code_is_marked_and_everything_is_escaped() -> None:
    told = Sentence({"en": {"other": "Set `k = 5` & more: {x}"}}).tell({"x": "<b>"}, ENGLISH)
    assert told == (
        'Set <code translate="no">k = 5</code> &amp; more: <span class="name" translate="no">&lt;b&gt;</span>'
    )


ODD = ["words", float("nan"), float("inf"), 1e301, True, [1], [None], {"a": {}}, {}, [["a"], 1]]


@pytest.mark.parametrize("form", [*FORMS, *SPECIAL, ""])
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_an_odd_fact_is_told_or_untold_and_no_other_error(form: str, odd: Any) -> None:
    with contextlib.suppress(Untold):
        assert "nan" not in said(f"{{x:{form}}}" if form else "{x}", x=odd)


@pytest.mark.parametrize(
    "text", ["{x:share}", "{x:number}", "{x:whole}", "{x:points}", "{x:total}", "{x:interval}", "{x}"]
)
@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf"), 1e301])
def test_a_number_without_end_is_untold(text: str, odd: float) -> None:
    with pytest.raises(Untold):
        said(text, x=odd)


def test_a_bug_is_not_taken_for_a_document_of_another_form() -> None:
    with pytest.raises(KeyError):
        said("{x:no_such_form}", x=1)


def test_a_dot_looks_into_a_table() -> None:
    assert look_up({"a": {"b": {"c": 1}}}, "a.b.c") == 1
    assert look_up({"a": 5}, "a.b") is None
