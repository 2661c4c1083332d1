"""Keys of ed25519: in files, 32 bytes in base64, as `hookctl audit keygen` writes them too."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

__all__ = ["KeyFormatError", "PublicKey", "SecretKey", "read_public", "read_secret", "write_new"]

_BYTES: Final = 32


class KeyFormatError(ValueError):
    """Raised for a file that holds no key."""


class PublicKey:
    """Checks signatures.

    Args:
        text: the key in base64.

    Raises:
        KeyFormatError: it is none.
    """

    def __init__(self, text: str) -> None:
        raw = _raw(text)
        self._key = Ed25519PublicKey.from_public_bytes(raw)
        self.text = base64.b64encode(raw).decode()
        #: A key's id follows from the key, so that one key never counts as two.
        self.id = hashlib.sha256(raw).hexdigest()[:16]

    def signed(self, message: bytes, signature: str) -> bool:
        """Return whether a signature in base64 is this key's for a message."""
        try:
            self._key.verify(base64.b64decode(signature, validate=True), message)
        except (InvalidSignature, ValueError):
            return False
        return True


class SecretKey:
    """Makes signatures; shows itself to nobody.

    Args:
        text: the key in base64; a new one when None.

    Raises:
        KeyFormatError: it is none.
    """

    def __init__(self, text: str | None = None) -> None:
        self._key = (
            Ed25519PrivateKey.generate()
            if text is None
            else Ed25519PrivateKey.from_private_bytes(_raw(text))
        )
        raw = self._key.public_key().public_bytes_raw()
        self.public = PublicKey(base64.b64encode(raw).decode())

    def sign(self, message: bytes) -> str:
        """Return the signature for a message, in base64."""
        return base64.b64encode(self._key.sign(message)).decode()

    def secret(self) -> str:
        """Return the key itself in base64, to be kept."""
        return base64.b64encode(self._key.private_bytes_raw()).decode()


def read_public(file: Path) -> PublicKey:
    """Read a public key.

    Raises:
        KeyFormatError: the file holds none, or cannot be read.
    """
    return PublicKey(_text(file))


def read_secret(file: Path) -> SecretKey:
    """Read a secret key.

    Raises:
        KeyFormatError: the file holds none, or cannot be read.
    """
    return SecretKey(_text(file))


def write_new(file: Path) -> SecretKey:
    """Make a key: the secret one in a file for its owner alone, the public one in ``FILE.pub``.

    Args:
        file: neither of the two may be there.

    Raises:
        OSError: they cannot be written, or one is there.
    """
    key = SecretKey()
    public = file.with_name(f"{file.name}.pub")
    if public.exists():
        raise FileExistsError(17, "File exists", str(public))
    for path, text, mode in ((file, key.secret(), 0o600), (public, key.public.text, 0o644)):
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
        with os.fdopen(descriptor, "w") as opened:
            opened.write(f"{text}\n")
    return key


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(1024).decode("ascii")
    except UnicodeDecodeError:
        raise KeyFormatError(f"{file} holds no key of hookctl bundle keygen") from None
    except OSError as error:
        raise KeyFormatError(f"{file} cannot be read: {error.strerror or error}") from error


def _raw(text: str) -> bytes:
    try:
        raw = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != _BYTES:
        raise KeyFormatError(
            f"the key is not {_BYTES} bytes in base64: make one with hookctl bundle keygen FILE"
        )
    return raw
