"""Signed documents: DSSE envelopes, whose signatures are over the very bytes that are read."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._keys import PublicKey, SecretKey
from ._refused import RefusedError

__all__ = ["Envelope"]


@dataclass(frozen=True)
class Envelope:
    """A document's bytes, what kind of document it is, and who has signed both.

    See https://github.com/secure-systems-lab/dsse. The kind is signed with the bytes, so that no
    document can be given for one of another kind.
    """

    kind: str
    payload: bytes
    signatures: Mapping[str, str] = field(default_factory=dict)
    """The signatures in base64, by the id of the key."""

    def signed_by(self, keys: Iterable[SecretKey]) -> Envelope:
        """Return the document with the signatures of more keys."""
        message = self._message()
        more = {key.public.id: key.sign(message) for key in keys}
        return Envelope(self.kind, self.payload, {**self.signatures, **more})

    def signers(self, keys: Mapping[str, PublicKey]) -> frozenset[str]:
        """Return the ids of those keys that have really signed it."""
        message = self._message()
        return frozenset(
            name
            for name, signature in self.signatures.items()
            if name in keys and keys[name].signed(message, signature)
        )

    def _message(self) -> bytes:
        kind = self.kind.encode()
        return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(self.payload), self.payload)

    def as_table(self) -> dict[str, Any]:
        """Return what is written as JSON."""
        return {
            "payloadType": self.kind,
            "payload": base64.b64encode(self.payload).decode(),
            "signatures": [
                {"keyid": name, "sig": signature}
                for name, signature in sorted(self.signatures.items())
            ],
        }

    def as_json(self) -> bytes:
        """Return the JSON of :meth:`as_table`."""
        return json.dumps(self.as_table(), indent=1).encode() + b"\n"

    @classmethod
    def of(cls, table: object, what: str) -> Envelope:
        """Read what :meth:`as_table` returns.

        Args:
            table: the parsed JSON.
            what: which document it is to be, for the message.

        Raises:
            RefusedError: it is no envelope.
        """
        try:
            found: Any = table
            signatures = {str(each["keyid"]): str(each["sig"]) for each in found["signatures"]}
            payload = base64.b64decode(found["payload"], validate=True)
            return cls(str(found["payloadType"]), payload, signatures)
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise RefusedError(what, "it is no signed document") from None

    @classmethod
    def from_json(cls, data: bytes, what: str) -> Envelope:
        """Read what :meth:`as_json` returns.

        Raises:
            RefusedError: it is none.
        """
        try:
            table = json.loads(data)
        except (ValueError, RecursionError):
            raise RefusedError(what, "it is not readable") from None
        return cls.of(table, what)
