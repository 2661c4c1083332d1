"""Signatures under the heads of a log, by ed25519."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, Any, Final, Literal

from ._report import Anchor

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

__all__ = ["KeyFormatError", "PublicKey", "SigningKey"]

_BYTES: Final = 32
_TAG: Final = b"hookcore-audit-v1\0"
_HOW: Final = "make one with: hookctl audit keygen FILE"

What = Literal["checkpoint", "pruned"]


class KeyFormatError(ValueError):
    """Raised for a key that cannot be read, and where there is nothing to use it with."""


class PublicKey:
    """Checks signatures.

    Args:
        text: the 32 bytes of the key in base64.

    Raises:
        KeyFormatError: it is no key, or the package cryptography is missing.
    """

    def __init__(self, text: str) -> None:
        raw = _bytes(text)
        self._key: Ed25519PublicKey = _ed25519().Ed25519PublicKey.from_public_bytes(raw)
        self.id = _id(raw)

    def vouches(self, what: What, head: Anchor, every: int, signature: object) -> bool:
        """Return whether a signature is this key's for a head.

        Args:
            what: what the head was signed as.
            head: the head.
            every: the promise that stands beside it.
            signature: in base64, as it stands in the record.
        """
        from cryptography.exceptions import InvalidSignature

        try:
            raw = base64.b64decode(str(signature), validate=True)
            self._key.verify(raw, _message(what, head, every))
        except (InvalidSignature, ValueError):
            return False
        return True


class SigningKey:
    """Makes signatures; shows itself to nobody.

    Args:
        text: the 32 secret bytes in base64; a new key when None.

    Raises:
        KeyFormatError: it is no key, or the package cryptography is missing.
    """

    def __init__(self, text: str | None = None) -> None:
        kind: Any = _ed25519().Ed25519PrivateKey
        self._key: Ed25519PrivateKey = (
            kind.generate() if text is None else kind.from_private_bytes(_bytes(text))
        )
        self.public = base64.b64encode(self._key.public_key().public_bytes_raw()).decode()
        self.id = _id(self._key.public_key().public_bytes_raw())

    def secret(self) -> str:
        """Return the secret bytes in base64, to be kept."""
        return base64.b64encode(self._key.private_bytes_raw()).decode()

    def sign(self, what: What, head: Anchor, every: int = 0) -> str:
        """Return the signature for a head, in base64.

        Args:
            what: what the head is signed as.
            head: the head.
            every: for how many records at the most the next signature will be.
        """
        return base64.b64encode(self._key.sign(_message(what, head, every))).decode()


def _message(what: str, head: Anchor, every: int) -> bytes:
    return b"%b%b\0%d\0%b\0%d" % (_TAG, what.encode(), head.seq, head.hash.encode(), every)


def _id(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:16]


def _bytes(text: str) -> bytes:
    try:
        raw = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != _BYTES:
        raise KeyFormatError(f"the key is not {_BYTES} bytes in base64: {_HOW}")
    return raw


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise KeyFormatError(
            "signatures need the package cryptography: pip install 'hookcore-audit[sign]'"
        ) from error
    return ed25519
