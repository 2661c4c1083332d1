"""The three kinds of signed documents: who may sign, what is in a bundle, and what is newest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ._envelope import Envelope
from ._keys import PublicKey
from ._refused import RefusedError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ROLES", "Document", "FileEntry", "Manifest", "Role", "RoleName", "Root", "Timestamp"]

RoleName = Literal["root", "bundle", "timestamp"]
ROLES: Final[tuple[RoleName, ...]] = ("root", "bundle", "timestamp")

# Numbers that every reader of JSON keeps exact.
_Count = Annotated[int, Field(ge=1, lt=2**53)]
_Seconds = Annotated[int, Field(ge=0, lt=2**53)]
_Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_Name = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,63}$")]


class Document(BaseModel):
    """The part that all documents have."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    KIND: ClassVar[str]
    WHAT: ClassVar[str]

    name: _Name
    """The fleet that it is for."""
    created: _Seconds

    def envelope(self) -> Envelope:
        """Return the document, to be signed."""
        text = json.dumps(self.model_dump(), sort_keys=True, separators=(",", ":"))
        return Envelope(f"application/vnd.hookcore.{self.KIND}.v1+json", text.encode())

    @classmethod
    def of(cls, envelope: Envelope) -> Self:
        """Read a document; who has signed it is another question.

        Raises:
            RefusedError: it is one of another kind, or says what no such document says.
        """
        if envelope.kind != f"application/vnd.hookcore.{cls.KIND}.v1+json":
            raise RefusedError(cls.WHAT, "it is a document of another kind")
        try:
            return cls.model_validate_json(envelope.payload)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "it"
            raise RefusedError(cls.WHAT, f"{where}: {first['msg']}") from None


class Role(BaseModel):
    """The keys that may sign documents of a kind, and how many of them must."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    keys: Annotated[list[str], Field(min_length=1, max_length=64)]
    threshold: Annotated[int, Field(ge=1, le=64)] = 1


class Root(Document):
    """The keys of a fleet. Its next version is signed by the keys of this one."""

    KIND = "bundle-root"
    WHAT = "root"

    version: _Count
    expires: _Seconds
    keys: dict[str, str]
    roles: dict[RoleName, Role]

    @cached_property
    def public(self) -> Mapping[str, PublicKey]:
        """The keys by their ids."""
        return {name: PublicKey(text) for name, text in self.keys.items()}

    @model_validator(mode="after")
    def _fits(self) -> Root:
        if set(self.roles) != set(ROLES):
            raise ValueError(f"it names the keys of {', '.join(ROLES)}")
        if any(name != key.id for name, key in self.public.items()):
            raise ValueError("a key has an id that is not its own")
        for what, role in self.roles.items():
            if len(set(role.keys)) != len(role.keys) or not set(role.keys) <= set(self.keys):
                raise ValueError(f"the keys of {what} are not all there, once")
            if role.threshold > len(role.keys):
                raise ValueError(f"{what} wants {role.threshold} of {len(role.keys)} keys")
        return self

    def lacks(self, role: RoleName, envelope: Envelope) -> str | None:
        """Tell how many signatures of a role's keys a document has, if they are too few."""
        wanted = self.roles[role]
        keys = {name: self.public[name] for name in wanted.keys}
        found = len(envelope.signers(keys))
        if found >= wanted.threshold:
            return None
        return f"{found} of {wanted.threshold} trusted keys signed"

    def check(self, role: RoleName, envelope: Envelope) -> None:
        """Check that enough keys of a role have signed a document.

        Raises:
            RefusedError: they have not.
        """
        lack = self.lacks(role, envelope)
        if lack is not None:
            raise RefusedError("signature", f"{lack} the {role}")

    def has_changed_all(self, role: RoleName, before: Root) -> bool:
        """Return whether a role has no key any more that it had before."""
        return not set(self.roles[role].keys) & set(before.roles[role].keys)


class FileEntry(BaseModel):
    """One file of a bundle."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    sha256: _Digest
    size: _Seconds


class Manifest(Document):
    """The content of a bundle."""

    KIND = "bundle"
    WHAT = "manifest"

    revision: _Count
    expires: _Seconds
    files: dict[str, FileEntry]


class Timestamp(Document):
    """The word that a bundle is the newest one, at the time at which it was signed."""

    KIND = "bundle-timestamp"
    WHAT = "timestamp"

    revision: _Count
    sha256: _Digest
    size: _Seconds
