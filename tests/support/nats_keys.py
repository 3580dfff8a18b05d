"""Keys of NATS for tests, and what its tools make of them: a configuration of a server, and a credentials file."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
PUBLIC = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
"""An example of NATS's own pages."""
CREDENTIALS = "-----BEGIN USER NKEY SEED-----"
_OPERATOR, _ACCOUNT, _USER, _SEED = 14 << 3, 0, 20 << 3, 18 << 3
_ISSUED = 1_700_000_000


def _base32(content: bytes) -> str:
    total = 0
    for byte in content:
        total ^= byte << 8
        for _ in range(8):
            total = (total << 1 ^ 0x1021 if total & 0x8000 else total << 1) & 0xFFFF
    return base64.b32encode(content + total.to_bytes(2, "little")).decode().rstrip("=")


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


class _Key:
    def __init__(self, kind: int) -> None:
        keys: Any = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519", reason="it signs for a server")
        self._kind = kind
        self._private = keys.Ed25519PrivateKey.generate()

    def public(self) -> str:
        return _base32(bytes([self._kind]) + self._private.public_key().public_bytes_raw())

    def seed(self) -> str:
        return _base32(bytes([_SEED | self._kind >> 5, (self._kind & 31) << 3]) + self._private.private_bytes_raw())

    def token(self, subject: str, **claims: Any) -> str:
        """A JWT that this key has signed."""
        content = {"jti": subject, "iat": _ISSUED, "iss": self.public(), "name": "test", "sub": subject,
                   "nats": claims | {"version": 2}}
        parts = [{"typ": "JWT", "alg": "ed25519-nkey"}, content]
        text = ".".join(_base64(json.dumps(part).encode()) for part in parts)
        return f"{text}.{_base64(self._private.sign(text.encode()))}"


def credentials() -> tuple[str, str]:
    """What a server needs to believe an operator, and the credentials file of a user of an account of that operator."""
    operator, account, user = _Key(_OPERATOR), _Key(_ACCOUNT), _Key(_USER)
    unbounded = dict.fromkeys(("subs", "data", "payload"), -1)
    limits = unbounded | dict.fromkeys(("imports", "exports", "conn", "leaf"), -1) | {"wildcards": True}
    of_account = operator.token(account.public(), type="account", limits=limits)
    of_user = account.token(user.public(), type="user", pub={}, sub={}, **unbounded)
    config = f"""
operator: {operator.token(operator.public(), type="operator")}
resolver: MEMORY
resolver_preload: {{{account.public()}: {of_account}}}
"""
    return config, f"""-----BEGIN NATS USER JWT-----
{of_user}
------END NATS USER JWT------

{CREDENTIALS}
{user.seed()}
------END USER NKEY SEED------
"""
