"""The digest of a call: of its tool, its arguments and the folder that it runs in."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import rfc8785

__all__ = ["NoCanonicalFormError", "binding_of", "call_digest"]

_TAG: Final = b"hookcore-approval-v1\0"
_SAFE: Final = 2**53 - 1
_LONGEST: Final = 256 * 1024
_DEEPEST: Final = 64
_ENCODER: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


class NoCanonicalFormError(ValueError):
    """Raised for arguments of which nobody can say that they are the same as others."""


def call_digest(tool: str, arguments: object, cwd: str | None = None) -> str:
    """Return the SHA-256 of a call in canonical JSON (RFC 8785), as approvers give it back.

    The order of keys does not matter, nor whether a number is written 2 or 2.0; anything else does.

    Args:
        tool: the tool's name, as the model wrote it.
        arguments: the call's arguments, of JSON's types.
        cwd: the folder that it runs in, where the host tells it.

    Raises:
        NoCanonicalFormError: the arguments are not of JSON's types, not valid text, or too long to
            be shown to a person.
    """
    reading = _Reading()
    try:
        plain = reading.plain(arguments, "", 0)
        large = sorted(reading.large)
        call = {"v": 1, "tool": tool, "args": plain, "large": large, "cwd": cwd}
        data = _simple(call) if reading.is_simple else rfc8785.dumps(call)
    except (ValueError, RecursionError) as error:
        raise NoCanonicalFormError("arguments that have no canonical form") from error
    if len(data) > _LONGEST:
        raise NoCanonicalFormError(f"arguments of over {_LONGEST} bytes, too long to be shown")
    return hashlib.sha256(_TAG + data).hexdigest()


class _Reading:
    """Reads arguments as JSON can have them.

    An integer that JSON's readers would round is read as a text; the list of such places, which is
    digested too, keeps it apart from a text of the same digits.
    """

    def __init__(self) -> None:
        self.large: list[str] = []
        #: Whether Python's own encoder writes the canonical form: it sorts keys by code point and
        #: not by UTF-16, and writes floats in its own way.
        self.is_simple = True

    def plain(self, value: Any, path: str, depth: int) -> Any:
        """Return a value as JSON has it.

        Args:
            value: the value.
            path: where it stands.
            depth: how deep that is.
        """
        kind = type(value)
        if depth > _DEEPEST:
            raise ValueError("too deep")
        if kind is str:
            return value
        if kind is dict:
            # A key is told by its length as well, so that no two places have one path.
            return {
                self._key(key): self.plain(inner, f"{path}/{len(key)}:{key}", depth + 1)
                for key, inner in value.items()
            }
        if kind in {list, tuple}:
            return [self.plain(each, f"{path}/{at}", depth + 1) for at, each in enumerate(value)]
        if kind is int and abs(value) > _SAFE:
            self.large.append(path)
            return f"{value:x}"
        if kind is float:
            self.is_simple = False
        elif value is not None and kind not in {int, bool}:
            raise ValueError(f"{kind.__name__} is no type of JSON's")
        return value

    def _key(self, key: Any) -> str:
        if type(key) is not str:
            raise ValueError("a key that is no text")
        if not key.isascii():
            self.is_simple = False
        return key


def _simple(call: dict[str, Any]) -> bytes:
    """Return the canonical form of what has no floats and ASCII keys, ten times as fast."""
    return _ENCODER.encode(call).encode()


def binding_of(digest: str, scope: str) -> str:
    """Return what an approval is looked up by: the digest of a call, and who may make it.

    Args:
        digest: the call's digest.
        scope: the session, agent or tenant.
    """
    text = f"{digest}\0{scope}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(_TAG + text).hexdigest()
