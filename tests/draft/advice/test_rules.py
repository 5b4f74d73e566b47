"""The rules of advise on a table of cases; and that nothing but more strictness follows from a stricter answer."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

from schleier.core.errors import RecipeError
from schleier.draft.advice.questions import Question, open_points, questions
from schleier.draft.advice.rules import Decision, decide, points, rules
from schleier.draft.profile import Profile
from schleier.draft.steps import K

TABLE = tomllib.loads(Path(__file__).with_name("cases.toml").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = TABLE["case"]


def answers_of(case: dict[str, Any]) -> dict[str, Any]:
    return {**TABLE["usual"], **case["answers"]}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_table(case: dict[str, Any]) -> None:
    answers, found = answers_of(case), case.get("found", {})
    if "wrong" in case:
        assert [list(point.keys) for point in points(answers, found)] == case["wrong"]
        with pytest.raises(RecipeError) as error:
            decide(answers, found)
        assert len(error.value.problems) == len(case["wrong"])
        return
    decision = decide(answers, found)
    told = (decision.outcome, list(decision.profiles), decision.k, decision.l)
    assert told == (case["outcome"], case.get("profiles", []), case.get("k", 0), case.get("l", 0))
    assert decision.protection == case.get("protection", decision.protection)
    assert decision.reasons and all(reason.sources for reason in decision.reasons)


def test_the_table_has_every_outcome_and_every_contradiction() -> None:
    assert len(CASES) >= 25
    assert {case["outcome"] for case in CASES if "outcome" in case} == set(rules().outcomes) == set(rules().advice)
    found = {point.text["en"] for case in CASES for point in points(answers_of(case), case.get("found", {}))}
    assert {one.en for one in rules().contradiction} <= found


def test_every_missing_answer_is_named_at_once() -> None:
    assert [point.keys[0] for point in open_points({})] == [one.key for one in questions()]
    (purpose,) = open_points({**TABLE["usual"], "purpose": "  "})
    assert purpose.problem.code == "bad-answer"
    for key in TABLE["usual"]:
        left = {other: answer for other, answer in TABLE["usual"].items() if other != key}
        with pytest.raises(RecipeError) as error:
            decide(left)
        assert f"answers.{key}" in [problem.where for problem in error.value.problems]


@pytest.mark.parametrize("answer", [5, None, ["public", 3], {"a": 1}, [], ["register", {}]])
def test_what_is_no_word_is_no_answer(answer: Any) -> None:
    for key in ("access", "needed", "attackers", "purpose"):
        with pytest.raises(RecipeError):
            decide({**TABLE["usual"], key: answer})


def test_a_text_of_the_person_is_never_quoted() -> None:
    with pytest.raises(RecipeError) as error:
        decide({"purpose": "zzz-secret" * 300, "access": "zzz-secret"})
    assert "zzz" not in str(error.value)


def test_not_knowing_is_the_strictest_answer_and_so_is_every_default() -> None:
    for one in questions():
        strictest = next(iter(one.choices), "")
        assert one.default in ("", strictest)
        if one.several:
            assert set(one.unknown) == set(one.choices) - {one.alone}
        else:
            assert one.unknown in ("", strictest)


def test_texts_are_there_in_both_languages() -> None:
    table = rules()
    texts = [text for one in questions() for text in (one.text, one.why, *one.choices.values())]
    texts += [rule.reason for rule in table.rule]
    texts += [text for ending in table.advice.values() for text in (ending.title, ending.means)]
    assert all(set(text) == {"en", "de"} and all(text.values()) for text in texts)


def strictness(decision: Decision) -> tuple[int, int, int]:
    """How strict an advice is; what gives no records needs no classes."""
    place = -rules().outcomes.index(decision.outcome)
    return (place, decision.k, decision.l) if decision.records else (place, 99, 99)


def stricter(question: Question, answer: Any) -> list[Any]:
    """The answers that tell of more danger than this one."""
    if question.several:
        return [[*answer, other] for other in question.choices if other not in answer and other != question.alone]
    order = [*question.choices]
    return order[: order.index(answer)] if answer in order else []


def test_a_stricter_answer_never_weakens_the_advice() -> None:
    rng, tried = random.Random(7), 0
    ordered = [one for one in questions() if not one.free and one.key != "collected"]
    for _ in range(3000):
        answers = dict(TABLE["usual"])
        answers["collected"] = rng.choice(["yes", "planned"])
        for one in ordered:
            answers[one.key] = [rng.choice([*one.choices][:-1])] if one.several else rng.choice([*one.choices])
        one = rng.choice(ordered)
        for other in stricter(one, answers[one.key]):
            changed = {**answers, one.key: other}
            if not points(answers, {}) and not points(changed, {}):
                tried += 1
                before, after = strictness(decide(answers)), strictness(decide(changed))
                assert all(new >= old for old, new in zip(before, after, strict=True)), (one.key, answers, other)
    assert tried > 1000


def test_no_advice_is_weaker_than_its_profile_or_the_draft() -> None:
    for access, row in K.items():
        for protection in row:
            decision = decide({**TABLE["usual"], "access": access, "protection": protection})
            if decision.records:
                where = "on-site" if decision.outcome == "on_site" else access
                assert decision.k >= K[where][protection]
                assert all(decision.k >= Profile.of(name).k for name in decision.profiles)


@pytest.mark.parametrize("wrong", ["zzz-secret", ["high"], 5, {"a": 1}])
def test_what_was_answered_without_being_asked_must_be_an_answer_too(wrong: Any) -> None:
    for key in ("protection", "access", "attackers"):
        with pytest.raises(RecipeError) as error:
            decide({**TABLE["usual"], "needed": "no", key: wrong})
        assert [problem.where for problem in error.value.problems] == [f"answers.{key}"]
        assert "zzz" not in str(error.value)


def test_a_sentence_that_no_file_can_hold_is_no_answer() -> None:
    (point,) = points({**TABLE["usual"], "purpose": "half a character: \ud800"}, {})
    assert point.keys == ("purpose",)
