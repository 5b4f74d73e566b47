"""Keys of the parties: one secret each, from which all else follows; signatures, sealed boxes and sealed journals."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import stat
from base64 import b32encode
from pathlib import Path

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from schleier.core.atomic import whole_file
from schleier.core.system import open_to_others
from schleier.extras.decoupled._refusals import refuse

SALT = b"schleier/decoupled/1"
KEY_BYTES = 32
NONCE = 12
PSEUDONYM_BYTES = 16


def derive(secret: bytes, info: str) -> bytes:
    """A key for one purpose."""
    return HKDF(SHA256(), KEY_BYTES, SALT, info.encode()).derive(secret)


def tag(key: bytes, *parts: bytes) -> bytes:
    """A keyed mark of a text; its parts cannot be shifted into each other."""
    return hmac.digest(key, b"".join(len(part).to_bytes(4, "big") + part for part in parts), hashlib.sha256)


def pseudonym(key: bytes, scope: str, epoch: str, token: bytes, public: bytes) -> str:
    """The pseudonym of a token and the key of its wallet, in letters and digits."""
    made = hmac.digest(key, f"pseudonym|{scope}|{epoch}|".encode() + token + public, hashlib.sha256)
    return b32encode(made[:PSEUDONYM_BYTES]).decode().rstrip("=").lower()


def secret_of(folder: Path, name: str = "secret") -> bytes:
    """The secret of a party, made when there is none; only its owner may read it."""
    file = folder / name
    if not file.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(file, private=True) as place:
            place.write_bytes(secrets.token_bytes(KEY_BYTES).hex().encode())
    about = file.stat()
    if not stat.S_ISREG(about.st_mode) or open_to_others(about):
        refuse("open-secret", name)
    try:
        key = bytes.fromhex(file.read_text(encoding="ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        refuse("broken-journal", name)
    return key


def sign(secret: bytes, text: bytes) -> str:
    """A signature, by Ed25519."""
    return Ed25519PrivateKey.from_private_bytes(secret).sign(text).hex()


def public_of(secret: bytes) -> bytes:
    """The public half of a key that signs."""
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def signed(public: bytes, signature: str, text: bytes) -> bool:
    """Whether a signature is that of a text."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True


def box_of(secret: bytes) -> bytes:
    """The public half of a key that opens boxes."""
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def boxed(box: bytes, text: bytes) -> bytes:
    """A message that only the owner of a box can open."""
    once = X25519PrivateKey.generate()
    start = once.public_key().public_bytes_raw()
    return start + sealed(_shared(once, box, start + box), text, start)


def unboxed(secret: bytes, message: bytes) -> bytes:
    """What a message says to the owner of the box."""
    mine = X25519PrivateKey.from_private_bytes(secret)
    start = message[:KEY_BYTES]
    try:
        shared = _shared(mine, start, start + mine.public_key().public_bytes_raw())
        return unsealed(shared, message[KEY_BYTES:], start)
    except (ValueError, InvalidTag):
        refuse("bad-message")


def sealed(key: bytes, text: bytes, about: bytes) -> bytes:
    """A text that nobody reads or changes without the key, or in another place."""
    nonce = secrets.token_bytes(NONCE)
    return nonce + ChaCha20Poly1305(key).encrypt(nonce, text, about)


def unsealed(key: bytes, text: bytes, about: bytes) -> bytes:
    """The text again; ``InvalidTag`` when it was changed."""
    if len(text) < NONCE:
        raise InvalidTag
    return ChaCha20Poly1305(key).decrypt(text[:NONCE], text[NONCE:], about)


def _shared(mine: X25519PrivateKey, other: bytes, both: bytes) -> bytes:
    met = mine.exchange(X25519PublicKey.from_public_bytes(other))
    return HKDF(SHA256(), KEY_BYTES, SALT, b"box|" + both).derive(met)
