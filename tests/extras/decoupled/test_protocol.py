"""Registrar, service and wallet: the published numbers, the properties, and everything that is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("rbcl")
from extras.decoupled.parties import CARS, RECIPE, RULES, holding, named, services
from schleier.core.errors import DataError
from schleier.extras.decoupled import _blind as blind
from schleier.extras.decoupled import _keys as keys
from schleier.extras.decoupled._refusals import REASONS, Refused
from schleier.extras.decoupled.messages import Ask, Check, Issued, Redemption, Rules, read
from schleier.extras.decoupled.registrar import Registrar
from schleier.extras.decoupled.service import PseudonymService
from schleier.extras.decoupled.wallet import Wallet, belongs

USER = bytes(range(32))
FACTOR = bytes.fromhex("64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706")


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(Refused) as error:
        yield
    assert error.value.code == code


def test_our_vector_of_a_whole_pseudonym() -> None:
    """Our own: secret, keys and factor by hand; the key of the registrar follows from "registrar" alone there."""
    key = blind.derive_key_pair(bytes([0x11]) * 32, b"registrar")
    wallet = Wallet.in_memory(USER)
    ask = wallet.ask(*CARS, factor=FACTOR)
    assert key.public.hex() == "1eee915fc9cfa82951bf595fbc8192388857f0870ac2bd25c2fa679970062762"
    assert ask.blinded == "902c2a33f89bc06abf426ac3af5025e597c517ba8f4f831e08667915ec26d059"
    evaluated = blind.evaluate_blind(key, bytes.fromhex(ask.blinded))
    assert evaluated.hex() == "621ae45c4bd82061f9a5326f2e8f1d219858444dd6f73e6b6dfd5b0f2357ca54"
    token = keys.derive(USER, "token|cars|2026")
    assert token.hex() == "10b8beb5c17fec07ee444674680e7d10f8e26fd64d866ffcda72a61e58bdc01c"
    output = blind.unblinded(token, FACTOR, evaluated)
    assert output.hex() == (
        "66dff2a676ef3b6fe0b36b9af5120f3c610af772c8f6fab7ff2a057511966020"
        "c179053a9f97f3b629fd58e42734d0493c28d0189f4bd8038c3df3d6109355f4"
    )
    public = keys.public_of(keys.derive(USER, "key|cars|2026"))
    assert public.hex() == "df860d855dea92fa52a65c92ed7860950031f375b8fec5df3fb7acfebb542665"
    assert keys.pseudonym(bytes([0x22]) * 32, *CARS, token, public) == "pewofkw676b3gsfhtko7eixd2i"


def test_one_entity_has_one_pseudonym_that_differs_in_another_epoch() -> None:
    registrar, service = services()
    wallets = named(registrar, service, "abcd")
    names = [wallet.pseudonym(*CARS) for wallet in wallets]
    assert len(set(names)) == 4 and sorted(names) == sorted(name for batch in service.released(*CARS) for name in batch)
    assert service.anonymity(*CARS) == [(4, 4.0), (4, 4.0)]
    assert service.redeem(wallets[0].redemption(*CARS, 1.0)) == names[0], "a lost answer is given again"
    registrar.open("cars", "2027")
    service.open("cars", "2027", RULES)
    wallet = wallets[0]
    wallet.pin(registrar.key_list())
    wallet.accept("cars", "2027", registrar.issue("a", wallet.ask("cars", "2027")))
    assert wallet.disclose("cars", "2027").token != wallet.disclose(*CARS).token


def test_records_go_in_and_messages_come_back_without_a_name() -> None:
    registrar, service = services()
    first, second = named(registrar, service, "ab")
    for wallet, speed in ((first, 90), (second, 90)):
        challenge = service.challenge(wallet.pseudonym(*CARS))
        service.submit(wallet.say(*CARS, "use", challenge, {"speed": speed, "fuel": 6.5}))
    service.post(first.pseudonym(*CARS), b"change the oil")
    said = first.say(*CARS, "collect", service.challenge(first.pseudonym(*CARS)))
    (letter,) = service.collect(said)
    assert first.open_mail(*CARS, letter) == b"change the oil"
    with refused("bad-message"):
        second.open_mail(*CARS, letter)
    rows = service.records(*CARS)
    release = service.payload(*CARS).release(rows)
    assert len(rows) == 2 and all(verdict.holds for verdict in release.report.criteria)


def test_only_the_user_restores_the_link() -> None:
    registrar, service = services()
    first, second = named(registrar, service, "ab")
    shown = first.disclose(*CARS)
    assert belongs(shown, registrar.logged(*CARS, "a")) and not belongs(shown, registrar.logged(*CARS, "b"))
    assert service.holds(*CARS, shown.token) == first.pseudonym(*CARS)
    assert not belongs(shown.model_copy(update={"factor": second.disclose(*CARS).factor}), registrar.logged(*CARS, "b"))
    for told in (shown.token, shown.factor, shown.output):
        assert told not in repr(shown)


def test_double_issue_and_double_spend_are_refused() -> None:
    registrar, service = services()
    first, second = named(registrar, service, "ab")
    with refused("double-issue"):
        registrar.issue("a", Wallet.in_memory().ask(*CARS))
    with refused("foreign-request"):
        registrar.issue("c", first.ask(*CARS))
    assert registrar.issue("a", first.ask(*CARS)).evaluated, "the same question after a lost answer"
    assert registrar.issued(*CARS) == 2
    thief = Wallet.in_memory()
    secret = keys.derive(thief._secret, "key|cars|2026")
    taken = first.redemption(*CARS, 1.0).model_copy(update={"key": keys.public_of(secret).hex()})
    taken = taken.model_copy(update={"signature": keys.sign(secret, taken.text())})
    with refused("double-spend"):
        service.redeem(taken)
    other = PseudonymService.in_memory(bytes([9]) * 32, registrar)
    other.open(*CARS, RULES)
    with refused("bad-token"):
        other.redeem(second.redemption(*CARS, 1.0))
    assert (registrar.refused["double-issue"], service.refused["double-spend"]) == (1, 1)
    assert registrar.refused["double-spend"] == 1


def test_tokens_of_nobody_of_another_registrar_scope_or_epoch_are_refused() -> None:
    registrar, service = services()
    named(registrar, service, "ab")
    stranger = Registrar.in_memory(bytes([7]) * 32)
    stranger.open(*CARS)
    wallet = holding(stranger, "c")
    wallet.wait(*CARS, 2, RULES, 0.0)
    with refused("bad-token"):
        service.redeem(wallet.redemption(*CARS, 1.0))
    registrar.open("vans", "2026")
    service.open("vans", "2026", RULES)
    both = [holding(registrar, identity, ("vans", "2026")) for identity in "cd"]
    both[0].wait("vans", "2026", 2, RULES, 0.0)
    told = both[0].redemption("vans", "2026", 1.0).model_copy(update={"scope": "cars"})
    speaking = keys.derive(both[0]._secret, "key|vans|2026")
    told = told.model_copy(update={"signature": keys.sign(speaking, told.text())})
    with refused("bad-token"):
        service.redeem(told)
    assert registrar.refused["foreign-token"] == 2


def test_every_wallet_notices_a_key_of_its_own() -> None:
    registrar, _ = services()
    tagging = Registrar.in_memory(bytes([8]) * 32)
    tagging.open(*CARS)
    wallet = Wallet.in_memory()
    wallet.pin(registrar.key_list())
    with refused("bad-proof"):
        wallet.accept(*CARS, tagging.issue("a", wallet.ask(*CARS)))
    with refused("other-key-list"):
        wallet.pin(tagging.key_list())
    with refused("other-key-list"):
        wallet.pin([])
    registrar.open("vans", "2026")
    lines = registrar.key_list()
    with refused("other-key-list"):
        wallet.pin([lines[0], lines[1].model_copy(update={"before": bytes(32).hex()})])
    with refused("other-key-list"):
        Wallet.in_memory().pin(lines[1:])
    wallet.pin(lines)
    assert wallet.accept(*CARS, registrar.issue("a", wallet.ask(*CARS))) is None


def test_nobody_redeems_before_enough_can_hide_or_before_the_delay() -> None:
    registrar, service = services(rules=Rules(n_min=3, window=50.0, batch=2))
    first, second = (holding(registrar, identity) for identity in "ab")
    with refused("too-few-issued"):
        first.wait(*CARS, registrar.issued(*CARS), service.rules(*CARS), 0.0)
    due = first.wait(*CARS, 3, service.rules(*CARS), 10.0)
    assert 10 <= due <= 60 and first.wait(*CARS, 3, service.rules(*CARS), 99.0) == due, "drawn once"
    with refused("too-early"):
        first.redemption(*CARS, due - 0.001)
    with refused("too-few-issued"):
        service.redeem(first.redemption(*CARS, due))
    with refused("wrong-step"):
        second.redemption(*CARS, 99.0)
    third = holding(registrar, "c")
    name = service.redeem(first.redemption(*CARS, due))
    first.named(*CARS, name)
    assert service.released(*CARS) == []
    with refused("not-released"):
        service.collect(first.say(*CARS, "collect", service.challenge(name)))
    third.wait(*CARS, 3, service.rules(*CARS), 0.0)
    service.redeem(third.redemption(*CARS, 50.0))
    assert [len(batch) for batch in service.released(*CARS)] == [2]


@pytest.mark.parametrize("field", ["n_min", "window", "batch"])
def test_rules_that_decide_privacy_have_no_default_and_a_floor(field: str) -> None:
    good = {"n_min": 2, "window": 1.0, "batch": 2}
    for bad in ({name: value for name, value in good.items() if name != field}, good | {field: 0}):
        with refused("bad-message"):
            read(Rules, bad)


def test_a_replayed_foreign_or_changed_statement_is_refused() -> None:
    registrar, service = services()
    first, second = named(registrar, service, "ab")
    name, record = first.pseudonym(*CARS), {"speed": 90, "fuel": 6.5}
    said = first.say(*CARS, "use", service.challenge(name), record)
    service.submit(said)
    with refused("stale-challenge"):
        service.submit(said)
    foreign = service.challenge(second.pseudonym(*CARS))
    with refused("stale-challenge"):
        service.submit(first.say(*CARS, "use", foreign, record))
    for change in ({"record": {"speed": 91, "fuel": 6.5}}, {"signature": bytes(64).hex()}):
        told = first.say(*CARS, "use", service.challenge(name), record)
        with refused("bad-signature"):
            service.submit(told.model_copy(update=change))
    with refused("bad-signature"):
        service.erase(first.say(*CARS, "use", service.challenge(name)))
    with refused("unknown-pseudonym"):
        service.challenge("a" * 26)
    assert len(service.records(*CARS)) == 1


@pytest.mark.parametrize(
    "record",
    [
        None,
        {},
        {"speed": 90},
        {"speed": "90", "fuel": 1.0},
        {"speed": True, "fuel": 1.0},
        {"speed": 1, "fuel": 1, "x": 1},
    ],
)
def test_only_declared_records_are_kept(record: dict[str, object] | None) -> None:
    registrar, service = services()
    (first, _) = named(registrar, service, "ab")
    said = first.say(*CARS, "use", service.challenge(first.pseudonym(*CARS)), record)
    with refused("bad-record"):
        service.submit(said)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (('[[criteria]]\ncriterion = "k_anonymity"\nk = 2', ""), "no-safeguards"),
        (('role = "unit"', 'role = "plain"'), "no-safeguards"),
        (('"speed"', '"gps_lat"'), "tells-places"),
        (('"speed", role = "quasi", scale = "discrete"', '"area", role = "quasi", scale = "place"'), "tells-places"),
    ],
)
def test_a_profile_that_identifies_is_not_begun(change: tuple[str, str], code: str) -> None:
    assert change[0] in RECIPE
    with refused(code):
        services(recipe=RECIPE.replace(*change))


def test_a_blocked_pseudonym_says_nothing_more_and_its_owner_gets_no_other() -> None:
    registrar, service = services()
    first, _ = named(registrar, service, "ab")
    service.block(first.pseudonym(*CARS))
    with refused("blocked"):
        service.submit(first.say(*CARS, "use", service.challenge(first.pseudonym(*CARS)), {"speed": 1, "fuel": 1.0}))
    with refused("double-issue"):
        registrar.issue("a", Wallet.in_memory().ask(*CARS))


def test_a_profile_is_continued_by_whoever_has_both_keys() -> None:
    registrar, service = services()
    named(registrar, service, "ab")
    registrar.open("cars", "2027")
    service.open("cars", "2027", RULES)
    wallets = named(registrar, service, "cd")
    for wallet, identity in zip(wallets, "cd", strict=True):
        wallet.pin(registrar.key_list())
        wallet.accept("cars", "2027", registrar.issue(identity, wallet.ask("cars", "2027")))
    for wallet in wallets:
        wallet.wait("cars", "2027", 2, RULES, 0.0)
        wallet.named("cars", "2027", service.redeem(wallet.redemption("cars", "2027", 1.0)))
    first, second = wallets
    old, new = first.pseudonym(*CARS), first.pseudonym("cars", "2027")

    def statements(wallet: Wallet) -> tuple[object, object]:
        return (
            first.say("cars", "2027", "continue", service.challenge(new), other=old),
            wallet.say(*CARS, "continue", service.challenge(wallet.pseudonym(*CARS)), other=new),
        )

    with refused("bad-signature"):
        service.follow(*statements(second))  # type: ignore[arg-type]
    service.follow(*statements(first))  # type: ignore[arg-type]
    assert service._profiles[new].before == old


def test_what_was_erased_is_gone_and_its_token_stays_spent(tmp_path: Path) -> None:
    registrar, service = services(tmp_path)
    first, second = named(registrar, service, "ab")
    name = first.pseudonym(*CARS)
    for wallet, speed in ((first, 177), (second, 90)):
        challenge = service.challenge(wallet.pseudonym(*CARS))
        service.submit(wallet.say(*CARS, "use", challenge, {"speed": speed, "fuel": 6.5}))
    shown = first.disclose(*CARS)
    proof = service.erase(first.say(*CARS, "erase", service.challenge(name)))
    assert proof.records == 1 and proof.journal == service.digest
    assert keys.signed(bytes.fromhex(service.signs_as), proof.signature, proof.text())
    for again in (service, None):
        if again is None:
            service.close()
            again = PseudonymService.at(tmp_path / "service", registrar)
        kept = repr(again._journal.entries)
        assert not any(text in kept for text in (name, "177", shown.token, keys.public_of(USER).hex()))
        assert [record["speed"] for _, record in again.records(*CARS)] == [90]
        with refused("double-spend"):
            again.redeem(first.redemption(*CARS, 1.0))
        with refused("unknown-pseudonym"):
            again.holds(*CARS, shown.token)
    again.close()
    registrar.close()


def test_a_wallet_comes_back_from_its_backup_and_only_with_the_passphrase(tmp_path: Path) -> None:
    registrar, service = services()
    first, _ = named(registrar, service, "ab")
    backup = first.backup("a long passphrase")
    assert first._secret not in backup
    with pytest.raises(DataError, match="does not open"):
        Wallet.restored(backup, "another")
    again = Wallet.restored(backup, "a long passphrase", tmp_path / "new")
    assert again.pseudonym(*CARS) == first.pseudonym(*CARS) and again.disclose(*CARS) == first.disclose(*CARS)
    again.close()
    assert Wallet.at(tmp_path / "new", "a long passphrase").pseudonym(*CARS) == first.pseudonym(*CARS)
    assert not list((tmp_path / "new").glob("secret")), "the secret lies there sealed only"


BAD: list[tuple[Callable[[object], object], object]] = [
    (lambda document: read(Ask, document), {"scope": "a|b", "epoch": "1", "blinded": "00" * 32}),
    (lambda document: read(Ask, document), {"scope": "a\n", "epoch": "1", "blinded": "00" * 32}),
    (lambda document: read(Ask, document), {"scope": "a", "epoch": "1", "blinded": "00" * 31}),
    (lambda document: read(Ask, document), {"scope": "a", "epoch": "1", "blinded": "00" * 32, "more": 1}),
    (lambda document: read(Issued, document), {"evaluated": "00" * 32}),
    (lambda document: read(Redemption, document), []),
    (lambda document: read(Check, document), None),
]


@pytest.mark.parametrize(("reader", "document"), BAD)
def test_messages_in_another_form_are_refused(reader: Callable[[object], object], document: object) -> None:
    with refused("bad-message"):
        reader(document)


def test_no_secret_is_shown() -> None:
    registrar, service = services()
    first, _ = named(registrar, service, "ab")
    shown, told = first.disclose(*CARS), first.redemption(*CARS, 1.0)
    texts = " ".join(map(repr, (registrar, service, first, told, registrar._epochs, service._profiles)))
    for secret in (shown.token, shown.output, shown.factor, first._secret.hex(), repr(first._secret)):
        assert secret not in texts


def test_every_reason_is_used() -> None:
    code = "".join(file.read_text(encoding="utf-8") for file in Path(blind.__file__).parent.glob("*.py"))
    assert [reason[0] for reason in REASONS if code.count(f'"{reason[0]}"') < 2] == []
