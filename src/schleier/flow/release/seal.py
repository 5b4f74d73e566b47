"""The seal of a manifest: only who holds the run key can make it."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from schleier.core.run import Run

SEAL = "seal"


def seal_of(manifest: Mapping[str, Any], run_key: bytes) -> str:
    """HMAC-SHA-256 over all of a manifest but the seal itself, with a key that follows from the run key.

    >>> seal_of({"files": {}}, bytes(32)) == seal_of({"files": {}, "seal": "any"}, bytes(32))
    True
    """
    run = Run(key=run_key)
    with run.within("release"):
        key = run.subkey(SEAL)
    content = {name: value for name, value in manifest.items() if name != SEAL}
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
