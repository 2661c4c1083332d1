"""Requests for approval, and what a store of them does, each in one step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = ["Claim", "Decided", "Draft", "Request", "Requests", "State", "Verdict"]

State = Literal["pending", "approved", "denied", "taken", "expired"]
Verdict = Literal["approved", "denied"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A request that is made unless there is one for the same call.

    Args:
        binding: what it is looked up by: the call's digest and its scope.
        digest: the call's digest.
        scope: the session, agent or tenant, for people to read.
        tool: the tool's name.
        shown: the arguments as people may see them, as JSON.
        asker: the plugin whose question it is; empty for the policy's own.
        needed: how many people have to approve it.
    """

    binding: str
    digest: str
    scope: str
    tool: str
    shown: str
    asker: str
    needed: int = 1


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is stored; times are in seconds since 1970, by the store's clock.

    ``expires`` is when nobody can decide any more, or, once it is approved, take it.
    """

    id: str
    digest: str
    scope: str
    tool: str
    shown: str
    asker: str
    needed: int
    state: State
    created: float
    expires: float
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """The answer to who wants to make a call.

    Args:
        state: ``taken``: it was approved, and is to be made now; ``pending`` and ``denied``: it
            was not; ``expired``: there is no request for it any more.
        id: the request's.
        by: who decided it.
        new: whether the request was made just now.
    """

    state: State
    id: str = ""
    by: tuple[str, ...] = ()
    new: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """The answer to who decides.

    Args:
        counted: whether the decision counts.
        state: the request's state afterwards; None when there is no such request.
        why: the reason why it does not count, or what is still missing.
    """

    counted: bool
    state: State | None
    why: str = ""


class Requests(Protocol):
    """A store of requests; each method is one step, and raises ``StoreAwayError``."""

    def claim(self, draft: Draft, *, make: bool) -> Claim:
        """Take an approval of the call, tell of the request for it, or make one if *make*."""

    def decide(self, ident: str, digest: str, verdict: Verdict, by: str) -> Decided:
        """Decide a request, which must be pending and of this digest."""

    def find(self, ident: str) -> Request | None:
        """Return a request; None when there is none, or none any more."""

    def listed(self, *, pending: bool) -> list[Request]:
        """Return the requests that are pending, or all of the last days, the oldest first."""

    def close(self) -> None:
        """Close what is open; the next call opens it again."""
