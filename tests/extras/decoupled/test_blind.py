"""The oblivious function: every vector of RFC 9497 for ristretto255 in modes 0 and 1, and what strangers may send.

Source of the vectors: RFC 9497, appendices A.1.1 and A.1.2; all keys follow from the same seed and text.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schleier.core.errors import DataError

pytest.importorskip("rbcl")
from schleier.extras.decoupled import _blind as blind
from schleier.extras.decoupled import _group as group

SEED, INFO = bytes([0xA3]) * 32, b"test key"
FIRST = "64d37aed22a27f5191de1c1d69fadb899d8862b58eb4220029e036ec4c1f6706"
SECOND = "222a5e897cf59db8145db8d16e597e8facb80ae7d4e26d9881aa6f61d645fc0e"
ZERO, LONG = "00", "5a" * 17
PLAIN = [
    (
        ZERO,
        "609a0ae68c15a3cf6903766461307e5c8bb2f95e7e6550e1ffa2dc99e412803c",
        "7ec6578ae5120958eb2db1745758ff379e77cb64fe77b0b2d8cc917ea0869c7e",
        "527759c3d9366f277d8c6020418d96bb393ba2afb20ff90df23fb7708264e2f3"
        "ab9135e3bd69955851de4b1f9fe8a0973396719b7912ba9ee8aa7d0b5e24bcf6",
    ),
    (
        LONG,
        "da27ef466870f5f15296299850aa088629945a17d1f5b7f5ff043f76b3c06418",
        "b4cbf5a4f1eeda5a63ce7b77c7d23f461db3fcab0dd28e4e17cecb5c90d02c25",
        "f4a74c9c592497375e796aa837e907b1a045d34306a749db9f34221f7e750cb4"
        "f2a6413a6bf6fa5e19ba6348eb673934a722a7ede2e7621306d18951e7cf2c73",
    ),
]
OF_ZERO = (
    "b58cfbe118e0cb94d79b5fd6a6dafb98764dff49c14e1770b566e42402da1a7d"
    "a4d8527693914139caee5bd03903af43a491351d23b430948dd50cde10d32b3c"
)
OF_LONG = (
    "8a9a2f3c7f085b65933594309041fc1898d42d0858e59f90814ae90571a6df60"
    "356f4610bf816f27afdd84f47719e480906d27ecd994985890e5f539e7ea74b6"
)
PROVEN = [
    (
        (ZERO,),
        (FIRST,),
        ("863f330cc1a1259ed5a5998a23acfd37fb4351a793a5b3c090b642ddc439b945",),
        ("aa8fa048764d5623868679402ff6108d2521884fa138cd7f9c7669a9a014267e",),
        "ddef93772692e535d1a53903db24367355cc2cc78de93b3be5a8ffcc6985dd06"
        "6d4346421d17bf5117a2a1ff0fcb2a759f58a539dfbe857a40bce4cf49ec600d",
        SECOND,
        (OF_ZERO,),
    ),
    (
        (LONG,),
        (FIRST,),
        ("cc0b2a350101881d8a4cba4c80241d74fb7dcbfde4a61fde2f91443c2bf9ef0c",),
        ("60a59a57208d48aca71e9e850d22674b611f752bed48b36f7a91b372bd7ad468",),
        "401a0da6264f8cf45bb2f5264bc31e109155600babb3cd4e5af7d181a2c9dc0a"
        "67154fabf031fd936051dec80b0b6ae29c9503493dde7393b722eafdf5a50b02",
        SECOND,
        (OF_LONG,),
    ),
    (
        (ZERO, LONG),
        (FIRST, SECOND),
        (
            "863f330cc1a1259ed5a5998a23acfd37fb4351a793a5b3c090b642ddc439b945",
            "90a0145ea9da29254c3a56be4fe185465ebb3bf2a1801f7124bbbadac751e654",
        ),
        (
            "aa8fa048764d5623868679402ff6108d2521884fa138cd7f9c7669a9a014267e",
            "cc5ac221950a49ceaa73c8db41b82c20372a4c8d63e5dded2db920b7eee36a2a",
        ),
        "cc203910175d786927eeb44ea847328047892ddf8590e723c37205cb74600b0a"
        "5ab5337c8eb4ceae0494c2cf89529dcf94572ed267473d567aeed6ab873dee08",
        "419c4f4f5052c53c45f3da494d2b67b220d02118e0857cdbcf037f9ea84bbe0c",
        (OF_ZERO, OF_LONG),
    ),
]


def of(*texts: str) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


@pytest.mark.parametrize(("text", "blinded", "evaluated", "output"), PLAIN)
def test_the_vectors_of_mode_0(text: str, blinded: str, evaluated: str, output: str) -> None:
    key = blind.derive_key_pair(SEED, INFO, 0)
    assert key.secret.hex() == "5ebcea5ee37023ccb9fc2d2019f9d7737be85591ae8652ffa9ef0f4d37063b0e"
    (data,) = of(text)
    hidden = blind.blind(data, 0, factor=bytes.fromhex(FIRST))
    assert hidden.element.hex() == blinded
    answer = blind.evaluate_blind(key, hidden.element)
    assert answer.hex() == evaluated
    assert blind.unblinded(data, hidden.factor, answer).hex() == blind.evaluate(key, data, 0).hex() == output


@pytest.mark.parametrize(("texts", "factors", "blinded", "evaluated", "proof", "nonce", "outputs"), PROVEN)
def test_the_vectors_of_mode_1(
    texts: tuple[str, ...],
    factors: tuple[str, ...],
    blinded: tuple[str, ...],
    evaluated: tuple[str, ...],
    proof: str,
    nonce: str,
    outputs: tuple[str, ...],
) -> None:
    key = blind.derive_key_pair(SEED, INFO)
    assert key.secret.hex() == "e6f73f344b79b379f1a0dd37e07ff62e38d9f71345ce62ae3a9bc60b04ccd909"
    assert key.public.hex() == "c803e2cc6b05fc15064549b5920659ca4a77b2cca6f04f6b357009335476ad4e"
    data = of(*texts)
    hidden = [blind.blind(one, factor=factor) for one, factor in zip(data, of(*factors), strict=True)]
    elements = [one.element for one in hidden]
    answers = [blind.evaluate_blind(key, one) for one in elements]
    assert (elements, answers) == (of(*blinded), of(*evaluated))
    made = blind.prove(key, elements, answers, nonce=bytes.fromhex(nonce))
    assert made.hex() == proof and blind.proven(key.public, elements, answers, made)
    got = [blind.unblinded(one, its.factor, answer) for one, its, answer in zip(data, hidden, answers, strict=True)]
    assert got == of(*outputs) == [blind.evaluate(key, one) for one in data]


@given(texts=st.lists(st.binary(max_size=60), min_size=1, max_size=4))
def test_whatever_the_blinding_the_output_is_that_of_the_key(texts: list[bytes]) -> None:
    key = blind.derive_key_pair(SEED, INFO)
    hidden = [blind.blind(text) for text in texts]
    elements = [one.element for one in hidden]
    answers = [blind.evaluate_blind(key, one) for one in elements]
    assert blind.proven(key.public, elements, answers, blind.prove(key, elements, answers))
    for text, one, answer in zip(texts, hidden, answers, strict=True):
        assert blind.unblinded(text, one.factor, answer) == blind.evaluate(key, text)


def test_no_proof_holds_for_another_key_order_or_batch() -> None:
    key, other = (blind.derive_key_pair(SEED, info) for info in (INFO, b"another"))
    elements = [blind.blind(text).element for text in (b"a", b"b")]
    answers = [blind.evaluate_blind(key, one) for one in elements]
    proof = blind.prove(key, elements, answers)
    tagged = [answers[0], blind.evaluate_blind(other, elements[1])]
    assert blind.proven(key.public, elements, answers, proof)
    for public, blinded, evaluated, said in (
        (other.public, elements, answers, proof),
        (key.public, elements[::-1], answers, proof),
        (key.public, elements[:1], answers[:1], proof),
        (key.public, elements, tagged, proof),
        (key.public, elements, tagged, blind.prove(key, elements, tagged)),
        (key.public, elements, tagged, blind.prove(other, elements, tagged)),
        (key.public, [], [], proof),
        (key.public, elements, answers[:1], proof),
        (key.public, elements, answers, proof[:-1]),
        (key.public, elements, answers, bytes(64)),
        (key.public, elements, [answers[0], bytes(32)], proof),
    ):
        assert not blind.proven(public, blinded, evaluated, said)


@given(place=st.integers(0, 511))
def test_a_proof_with_one_bit_changed_does_not_hold(place: int) -> None:
    key = blind.derive_key_pair(SEED, INFO)
    element = blind.blind(b"a").element
    answer = blind.evaluate_blind(key, element)
    proof = bytearray(blind.prove(key, [element], [answer]))
    proof[place // 8] ^= 1 << place % 8
    assert not blind.proven(key.public, [element], [answer], bytes(proof))


# RFC 9496, appendix A.2 and section 4.3.1: the identity, a negative field element, one that is not reduced, one that is
# no square, and bytes of another length.
REFUSED = [
    "00" * 32,
    "0100000000000000000000000000000000000000000000000000000000000000",
    "00" + "ff" * 31,
    "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_element_is_refused_before_the_key_is_used(text: str) -> None:
    key = blind.derive_key_pair(SEED, INFO)
    with pytest.raises(DataError) as refused:
        blind.evaluate_blind(key, bytes.fromhex(text))
    assert [problem.code for problem in refused.value.problems] == ["bad-element"]


@pytest.mark.parametrize("number", [0, group.ORDER, 2**256 - 1])
def test_a_scalar_has_one_form_and_is_not_zero(number: int) -> None:
    with pytest.raises(DataError, match="no scalar"):
        blind.blind(b"a", factor=number.to_bytes(32, "little"))


def test_what_is_too_long_or_short_is_refused_and_keys_do_not_show() -> None:
    with pytest.raises(DataError, match="at most 65535"):
        blind.evaluate(blind.derive_key_pair(SEED, INFO), bytes(2**16))
    with pytest.raises(DataError, match="32 bytes"):
        blind.derive_key_pair(b"short", INFO)
    key, hidden = blind.derive_key_pair(SEED, INFO), blind.blind(b"a")
    assert key.secret.hex() not in repr(key) and hidden.factor.hex() not in repr(hidden)
    assert repr(key.secret) not in repr(key) and repr(hidden.factor) not in repr(hidden)
