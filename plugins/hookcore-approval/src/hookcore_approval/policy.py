"""The plugin: a gate at ``pre_tool_call``, and the answers to what other policies ask."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final, Literal, NoReturn

from hookcore import (
    HookAborted,
    NamePatterns,
    Question,
    ToolCallContext,
    hookimpl,
    is_recording,
    tool_aliases,
)
from hookcore_stores import StoreAwayError

from ._credits import Credits
from ._digest import NoCanonicalFormError, binding_of, call_digest
from ._people import may_decide, user_name
from ._rules import TooManyError
from ._shown import one_line, shown_arguments
from ._stores import requests_of
from .requests import Claim, Draft, Requests, Verdict
from .settings import ApprovalSettings

__all__ = ["Approval"]

_NAME: Final = "approval"
_POLL_SECONDS: Final = 0.25
_LONGEST_NAME: Final = 256
_log = logging.getLogger("hookcore_approval")
_asking: ContextVar[bool] = ContextVar("hookcore_approval_asking", default=False)


class Approval:
    """Lets a call through when a person has approved exactly this call, and then once.

    Args:
        settings: which calls, and where requests are kept.

    Raises:
        StoreSettingsError: the store cannot be used as it is set up.
    """

    Settings: ClassVar[type[ApprovalSettings]] = ApprovalSettings
    on_error: ClassVar[Literal["deny"]] = "deny"
    # Behind all other gates: what they deny spends no approval, and asks nobody.
    priority: ClassVar[int] = 1000

    def __init__(self, settings: ApprovalSettings) -> None:
        self._settings = settings
        self._two_people = NamePatterns(settings.two_people)
        self._credits = Credits()
        # What is only tried out asks nobody, and needs no server.
        self._requests = requests_of(settings) if is_recording() else None
        if settings.tools:
            # A hook's options are fixed where it is marked, and the settings choose its tools.
            filtered = hookimpl(gate=True, offload=True, tools=settings.tools)
            setattr(self, "pre_tool_call", filtered(partial(Approval.pre_tool_call, self)))  # noqa: B010

    @property
    def tool_patterns(self) -> list[str]:
        """The patterns in the settings, which ``hookctl doctor`` compares with the tools it saw."""
        return [*self._settings.tools, *self._settings.two_people]

    @hookimpl(gate=True, offload=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Let the call through, or abort it; without tools in the settings, let all through.

        Args:
            ctx: the call; its tool, arguments and ``cwd`` attribute are what is approved.

        Raises:
            HookAborted: nobody has approved exactly this call.
        """
        if not self._settings.tools:
            return
        self._require(ctx, self._draft(ctx, asker=""))

    def answer_question(self, question: Question) -> str | None:
        """Answer yes to what another policy asks about a tool call that a person has approved.

        Args:
            question: the question; any that is not about a call to be made is left to others.

        Raises:
            HookAborted: nobody has approved exactly this call.
        """
        ctx = question.context
        if _asking.get() or not self._settings.questions:
            return None
        if not isinstance(ctx, ToolCallContext) or ctx.point != "pre_tool_call":
            return None
        self._require(ctx, self._draft(ctx, asker=question.asker or "a policy"))
        return "yes"

    def close(self) -> None:
        """Close the store; the next call opens it again."""
        if self._requests is not None:
            self._requests.close()

    def _draft(self, ctx: ToolCallContext, *, asker: str) -> Draft:
        tool, cwd = ctx.tool_name, ctx.attributes.get("cwd")
        if not isinstance(tool, str) or not 0 < len(tool) <= _LONGEST_NAME:
            self._deny("the call names no tool, or one of a length that no tool has", "call")
        if not isinstance(ctx.tool_input, dict):
            self._deny("the arguments are no table", "call")
        try:
            digest = call_digest(tool, ctx.tool_input, cwd if isinstance(cwd, str) else None)
        except NoCanonicalFormError as error:
            self._deny(str(error), "call")
        scope = self._scope(ctx)
        return Draft(
            binding=binding_of(digest, scope),
            digest=digest,
            scope=scope.encode("utf-8", "backslashreplace").decode(),
            tool=tool,
            shown="",
            asker=asker,
            needed=2 if self._settings.two_people and self._needs_two(ctx) else 1,
        )

    def _needs_two(self, ctx: ToolCallContext) -> bool:
        names = (str(ctx.tool_name), *tool_aliases(ctx))
        return any(self._two_people.matches(name) for name in names)

    def _scope(self, ctx: ToolCallContext) -> str:
        kind = self._settings.scope
        if kind == "session":
            found: object = ctx.session_id
        elif kind == "tenant":
            found = ctx.attributes.get("tenant")
        else:
            agent = ctx.agent
            named = isinstance(agent, str) or agent is None
            found = agent if named else getattr(agent, "role", None) or getattr(agent, "name", "")
        return f"{kind} {'' if found is None else found}"

    def _require(self, ctx: ToolCallContext, draft: Draft) -> None:
        """Return once the call is approved, which spends the approval.

        Raises:
            HookAborted: it is not.
        """
        if ctx.dry_run or self._requests is None:
            self._deny("a person would be asked here, and nobody is in a dry run", "dry-run")
        if self._credits.take(draft.binding, ctx.call_id, draft.asker):
            return
        requests = self._requests
        try:
            # Most calls of a denied or waiting one come again: only a new request needs the rest.
            claim = requests.claim(draft, make=False)
            if claim.state == "expired":
                shown = shown_arguments(ctx.tool_input, self._settings.show)
                claim = requests.claim(replace(draft, shown=shown), make=True)
            if claim.state == "pending" and claim.new:
                _log.info("request %s: %s waits for a person", claim.id, one_line(draft.tool))
            if claim.state == "pending" and self._settings.terminal:
                claim = self._ask_here(ctx, requests, draft, claim)
            if claim.state == "pending" and self._settings.wait_s:
                claim = self._wait(requests, draft, claim)
        except StoreAwayError as error:
            self._deny(f"the store is away ({error})", "store")
        except TooManyError as error:
            self._deny(str(error), "too-many")
        if claim.state != "taken":
            self._refuse(claim)
        self._credits.give(draft.binding, ctx.call_id, draft.asker)
        _log.info(
            "request %s: %s was approved by %s and is made now",
            claim.id,
            one_line(draft.tool),
            one_line(", ".join(claim.by)),
        )

    def _ask_here(
        self, ctx: ToolCallContext, requests: Requests, draft: Draft, claim: Claim
    ) -> Claim:
        """Ask at the host's prompter, and return what has become of the request."""
        person = user_name()
        if not may_decide(self._settings, person):
            return claim
        asker = f" ({draft.asker} asks)" if draft.asker else ""
        arguments = one_line(shown_arguments(ctx.tool_input, self._settings.show))
        with _own_question():
            try:
                answer = ctx.request_human_input(
                    f"approval: run {one_line(draft.tool)} {arguments}?{asker}",
                    f"Type yes or no (request {claim.id}):",
                )
            except HookAborted:
                return claim  # nobody is here: the request waits
        said = answer.strip().lower()
        if said not in {"y", "yes", "n", "no"}:
            return claim
        verdict: Verdict = "approved" if said.startswith("y") else "denied"
        requests.decide(claim.id, draft.digest, verdict, person)
        return self._again(requests, draft, claim)

    def _wait(self, requests: Requests, draft: Draft, claim: Claim) -> Claim:
        """Wait for a decision, and return what has become of the request."""
        end = time.monotonic() + self._settings.wait_s
        found = claim
        while found.state == "pending" and (left := end - time.monotonic()) > 0:
            time.sleep(min(_POLL_SECONDS, left))
            found = self._again(requests, draft, claim)
        return found

    def _again(self, requests: Requests, draft: Draft, claim: Claim) -> Claim:
        found = requests.claim(draft, make=False)
        if found.state != "expired":
            return found
        # Another call with the same arguments may have taken it.
        request = requests.find(claim.id)
        taken = request is not None and request.state == "taken"
        return Claim("expired", claim.id, () if request is None or not taken else request.by)

    def _refuse(self, claim: Claim) -> NoReturn:
        request = f"request {claim.id}"
        if claim.state == "pending":
            raise HookAborted(
                f"approval: {request} waits for a person",
                source=_NAME,
                message=f"A person has to approve this call first ({request}). Make exactly the "
                "same call again when it is approved.",
                rule="waiting",
            )
        if claim.state == "denied":
            by = one_line(", ".join(claim.by))
            raise HookAborted(
                f"approval: {request} was denied by {by}",
                source=_NAME,
                message=f"A person has denied this call ({request}). Do not make it again.",
                rule="denied",
            )
        why = "was used by another call" if claim.by else "expired"
        raise HookAborted(
            f"approval: {request} {why}; the call was not made, make it again",
            source=_NAME,
            message=f"The approval of this call {why} ({request}). Make the call again to ask "
            "for another one.",
            rule="used" if claim.by else "expired",
        )

    @staticmethod
    def _deny(why: str, rule: str) -> NoReturn:
        raise HookAborted(
            f"approval: {why}",
            source=_NAME,
            message="This call needs a person's approval, and it cannot be asked for now.",
            rule=rule,
        )


@contextlib.contextmanager
def _own_question() -> Iterator[None]:
    token = _asking.set(True)
    try:
        yield
    finally:
        _asking.reset(token)
