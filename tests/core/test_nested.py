"""A component inside another keeps its secrets there too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schleier.core.registry import get

NUMBER = 17.375


def made(word: str, **parameters: Any) -> Any:
    return get("method", word)(**parameters)


@pytest.mark.parametrize("search", ["coarsen", "mondrian", "partition_bottom_up"])
def test_what_a_criterion_keeps_secret_stays_secret_in_a_search(search: str) -> None:
    inside = {"criterion": "p_percent", "p": NUMBER, "columns": ["income"], "keys": [["age"]]}
    step = made(search, columns=["age"], criteria=[inside])
    assert str(NUMBER) not in json.dumps(step.parameters(public=True))
    assert step.parameters(public=True)["criteria"][0]["criterion"] == "p_percent"
    assert step.parameters()["criteria"][0]["p"] == NUMBER, "the audit holds it"


def test_what_a_first_method_keeps_secret_stays_secret() -> None:
    first: dict[str, Any] = {"method": "add_noise", "columns": ["income"], "kind": "independent", "d": NUMBER}
    step = made("restore_moments", columns=["income"], first=first)
    assert str(NUMBER) not in json.dumps(step.parameters(public=True))
    shown = made("restore_moments", columns=["income"], first=first | {"public": ["d"]})
    assert shown.parameters(public=True)["first"]["d"] == NUMBER


def test_a_first_method_counts_as_coarsely_as_a_step_of_its_own() -> None:
    first = {"method": "top_code", "column": "income", "upper": 10, "affected_upper": 3, "affected_lower": 12}
    step = made("keep_rules", first=first, rules=[{"column": "income", "at_least": 0}], invalid="clamp")
    told = step.parameters(public=True)["first"]
    assert (told["affected_upper"], told["affected_lower"]) == ("fewer than 10", 12)
    assert step.parameters()["first"]["affected_upper"] == 3, "the audit holds it"
