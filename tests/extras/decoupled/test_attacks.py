"""The attacks on a simulated population: where they must fail, and where they must succeed to mean anything."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("rbcl")
from schleier.cli import app
from schleier.core.run import Run
from schleier.extras.decoupled._payload import uniqueness
from schleier.extras.decoupled.attacking import collusion, every, payload, timing
from schleier.extras.decoupled.messages import Rules
from schleier.extras.decoupled.simulation import PLACE, Plan, simulate

PERSONS = 60
LUCKY = 10
"""As many hits by chance, where one is expected, come once in ten million runs."""
KEY = bytes(32)


def test_by_the_rules_all_attacks_are_at_chance() -> None:
    plan = Plan(PERSONS, 100.0, Rules(n_min=PERSONS, window=1000.0, batch=15))
    outcome = simulate(plan, Run(key=KEY))
    found = {result.attack: result for result in every(outcome, Run(key=KEY))}
    assert len(found) == 9
    for name in ("collusion-both", "collusion-registrar", "collusion-service", "timing"):
        assert found.pop(name).found.successes < LUCKY, name
    assert {result.found.successes for result in found.values()} == {0}
    assert outcome.registrar.refused["double-issue"] and outcome.registrar.refused["foreign-token"]
    assert outcome.service.refused["double-spend"] and outcome.service.refused["stale-challenge"]
    assert outcome.service.anonymity(*PLACE) == [(PERSONS, PERSONS)] * 4
    shown = [name for batch in outcome.service.released(*PLACE) for name in batch]
    assert sorted(shown) == sorted(set(outcome.pseudonyms)), "one each"


def test_without_a_delay_the_order_tells_who_is_who() -> None:
    plan = Plan(PERSONS, 100.0, Rules(n_min=2, window=1e-9, batch=2))
    outcome = simulate(plan, Run(key=KEY))
    found = timing(outcome.issued_at, outcome.redeemed_at, Run(key=KEY))
    assert found.found.successes >= PERSONS - 2 and not found.at_chance
    assert outcome.service.anonymity(*PLACE)[0][0] == 2


def test_the_collusion_finds_wallets_whose_secret_can_be_guessed() -> None:
    plan = Plan(PERSONS, 100.0, Rules(n_min=PERSONS, window=1000.0, batch=15), careless=True)
    outcome = simulate(plan, Run(key=KEY))
    for known in ("both", "service"):
        assert collusion(outcome, Run(key=KEY), known).found.share == 1.0, "or the attack would prove nothing"


def test_the_collusion_finds_wallets_that_blind_badly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schleier.extras.decoupled._group.random_scalar", lambda: (2).to_bytes(32, "little"))
    outcome = simulate(Plan(20, 100.0, Rules(n_min=20, window=10.0, batch=5)), Run(key=KEY))
    monkeypatch.undo()
    assert collusion(outcome, Run(key=KEY), "both").found.share == 1.0
    assert collusion(outcome, Run(key=KEY), "registrar").found.share == 1.0
    assert collusion(outcome, Run(key=KEY), "service").found.successes < LUCKY, "it has no request to compare with"


def test_whoever_knows_the_behaviour_finds_the_profile() -> None:
    rng = np.random.default_rng(1)
    profiles = rng.normal(size=(50, 4)) * [1, 10, 100, 1000]
    truth = rng.permutation(50)
    assert payload(profiles, profiles[truth], truth.tolist()).found.share == 1.0
    blurred = payload(np.round(profiles / [9, 90, 900, 9000]), profiles[truth], truth.tolist())
    assert blurred.found.successes < LUCKY * 2


def test_few_values_single_out_a_profile() -> None:
    profiles = {name: {("a", i % 2), ("b", i % 4), ("c", i)} for i, name in enumerate("stuvwxyz")}
    shares = uniqueness(profiles, 3, KEY)
    assert shares == [pytest.approx(1 / 3), pytest.approx(2 / 3), 1.0]


def test_the_command_tells_the_attacks_in_both_languages() -> None:
    rules = ["--persons", "30", "--n-min", "30", "--window", "500", "--batch", "10"]
    german = CliRunner().invoke(app, ["decoupled", "simulate", *rules, "--lang", "de"])
    assert german.exit_code == 0 and "durch Zufall" in german.output and "30 Pseudonyme wurden gezeigt" in german.output
    told = json.loads(CliRunner().invoke(app, ["decoupled", "simulate", *rules, "--json"]).output)
    assert len(told["attacks"]) == 9 and told["hidden"] == {"count": 30, "waiting": 0, "fewest": 30, "median": 30.0}
    few = CliRunner().invoke(app, ["decoupled", "simulate", *rules[:2], "--n-min", "31", *rules[4:]])
    assert few.exit_code == 3
    none = CliRunner().invoke(app, ["decoupled", "simulate", *rules[:4]])
    assert none.exit_code == 2, "what decides privacy has no default"
