"""The scopes of a call: whose counters it is counted at."""

from __future__ import annotations

import hashlib
import threading
import unicodedata
from collections import OrderedDict
from functools import lru_cache
from typing import Any, Final

from hookcore import HookContext

__all__ = ["Roots", "Scopes", "tool_key"]

_RUNS_KEPT: Final = 65_536
_KEPT: Final = 4096
_LONGEST_KEPT: Final = 512
_ABSENT: Final[tuple[str, ...]] = ("-",)


class Roots:
    """The run that each run began in, so that sub-agents use up what their first run has."""

    def __init__(self) -> None:
        self._roots: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def began(self, ctx: HookContext) -> None:
        """Note a run that begins."""
        if ctx.run_id is not None:
            self.of(ctx.run_id, ctx.parent_run_id)

    def of(self, run_id: str, parent_run_id: str | None) -> str:
        """Return the first run of a run's tree, as far as this process has seen it."""
        with self._lock:
            root = self._roots.get(run_id)
            if root is None:
                parent = parent_run_id or run_id
                root = self._roots[run_id] = self._roots.get(parent, parent)
                if len(self._roots) > _RUNS_KEPT:
                    self._roots.popitem(last=False)
            return root


class Scopes:
    """Makes the keys of counters.

    Args:
        roots: the runs and their first ones.
    """

    def __init__(self, roots: Roots) -> None:
        self._roots = roots

    def key(self, rule: tuple[str, ...], per: tuple[str, ...], ctx: Any) -> str:
        """Return the key of a rule's counter for a call.

        It is a digest: the ids of tenants and sessions, and what models write, are nobody's to
        read on a shared server, and as long as they like.

        Args:
            rule: what sets the rule's counters apart from those of others.
            per: the scopes that have a counter each.
            ctx: the call.
        """
        parts = list(rule)
        for scope in per:
            parts.append(scope)
            parts += self._values(scope, ctx)
        is_short = sum(map(len, parts)) <= _LONGEST_KEPT
        return _kept_digest(*parts) if is_short else _digest(*parts)

    def _values(self, scope: str, ctx: Any) -> tuple[str, ...]:
        values: tuple[str, ...] = ()
        match scope:
            case "tool":
                values = (tool_key(str(ctx.tool_name or "")),)
            case "model":
                values = (str(ctx.model or ""),)
            case "agent":
                values = _agent(ctx.agent)
            case "tenant":
                tenant = ctx.attributes.get("tenant")
                values = _ABSENT if tenant is None else ("is", str(tenant))
            case "session":
                values = self._session(ctx)
        return values

    def _session(self, ctx: Any) -> tuple[str, ...]:
        if ctx.session_id is not None:
            return ("session", str(ctx.session_id))
        if ctx.run_id is not None:
            return ("run", self._roots.of(str(ctx.run_id), ctx.parent_run_id))
        return _ABSENT


def _digest(*parts: str) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b" % (len(data), data))
    return digest.hexdigest()


_kept_digest = lru_cache(_KEPT)(_digest)


def tool_key(name: str) -> str:
    """Return one word for all spellings of a tool's name, so that none has a counter of its own."""
    if name.isascii() and name.isalnum() and name.islower():
        return name
    folded = unicodedata.normalize("NFKD", name).casefold()
    return "".join(char for char in folded if char.isalnum()) or name


def _agent(agent: Any) -> tuple[str, ...]:
    if agent is None:
        return _ABSENT
    if isinstance(agent, str):
        return ("is", agent)
    for name in ("role", "name"):
        value = getattr(agent, name, None)
        if isinstance(value, str) and value:
            return ("is", value)
    return _ABSENT
