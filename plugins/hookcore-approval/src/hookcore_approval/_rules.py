"""The rules of deciding, which every store keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hookcore import HookcoreError

from .requests import Decided, Request, State, Verdict

__all__ = ["KEPT_S", "TooManyError", "decided", "expired", "vote"]

KEPT_S: Final = 15 * 86_400.0
"""The seconds that a request is kept, to be looked at: longer than any of them is open."""


class TooManyError(HookcoreError):
    """Raised when so many requests wait that no further one is made."""

    def __init__(self, pending: int) -> None:
        super().__init__(f"{pending} requests wait already")


def expired(request: Request, now: float) -> Request:
    """Return a request as it is at a time: what was not decided or taken in time has expired."""
    if request.expires <= now and request.state in {"pending", "approved"}:
        return replace(request, state="expired")
    return request


def decided(request: Request | None, digest: str, by: str) -> Decided | None:
    """Return why a decision does not count; None when it does.

    Args:
        request: the request; None when there is none.
        digest: the digest of the call that somebody has decided on.
        by: who has.
    """
    if request is None:
        return Decided(counted=False, state=None, why="there is no such request")
    if request.digest != digest:
        return Decided(counted=False, state=request.state, why="it is of another call")
    if request.state != "pending":
        return Decided(counted=False, state=request.state, why=f"it is {request.state}")
    if by in request.by:
        why = "another person has to approve it, too"
        return Decided(counted=False, state="pending", why=why)
    return None


def vote(request: Request, verdict: Verdict, by: str) -> tuple[State, list[str]]:
    """Return the state after a decision that counts, and who has decided."""
    people = [*request.by, by]
    if verdict == "denied":
        return "denied", people
    return ("approved" if len(people) >= request.needed else "pending"), people
