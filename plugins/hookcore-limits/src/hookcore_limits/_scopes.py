"""The scopes of a call: whose counters it is counted at."""

from __future__ import annotations

import hashlib
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from hookcore import HookContext
from hookcore_stores import renewed_in_children

__all__ = ["Roots", "Scopes", "tool_key"]

_RUNS_KEPT: Final = 65_536
_KEPT: Final = 4096
_LONGEST_KEPT: Final = 256
_ABSENT: Final[tuple[str, ...]] = ("-",)


class Roots:
    """The run that each run began in, so that sub-agents use up what their first run has."""

    def __init__(self) -> None:
        self._roots: OrderedDict[str, str] = OrderedDict()
        self._renew()
        renewed_in_children(self._renew)

    def _renew(self) -> None:
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
        self._readers: dict[str, Callable[[Any], tuple[str, ...]]] = {
            "global": _all,
            "tenant": _tenant,
            "session": self._session,
            "agent": _agent,
            "tool": _tool,
            "model": _model,
        }

    def keys(self, rule: Iterable[str], per: Sequence[str]) -> Callable[[Any], str]:
        """Return a function that gives the key of a rule's counter for a call.

        It is a digest: the ids of tenants and sessions, and what models write, are nobody's to
        read on a shared server, and as long as they like.

        Args:
            rule: what sets the rule's counters apart from those of others.
            per: the scopes that have a counter each.
        """
        ident = _digest(*rule, *per)
        first, *others = (self._readers[scope] for scope in per)

        def key(ctx: Any) -> str:
            values = first(ctx)
            for read in others:
                values += read(ctx)
            for value in values:
                if len(value) > _LONGEST_KEPT:
                    return _digest(ident, *values)
            return _kept_digest(ident, *values)

        return key

    def _session(self, ctx: Any) -> tuple[str, ...]:
        if ctx.session_id is not None:
            return ("session", str(ctx.session_id))
        if ctx.run_id is not None:
            return ("run", self._roots.of(str(ctx.run_id), ctx.parent_run_id))
        return _ABSENT


def _all(_ctx: Any) -> tuple[str, ...]:
    return ()


def _tool(ctx: Any) -> tuple[str, ...]:
    name = str(ctx.tool_name or "")
    return (_kept_tool_key(name) if len(name) <= _LONGEST_KEPT else tool_key(name),)


def _model(ctx: Any) -> tuple[str, ...]:
    return (str(ctx.model or ""),)


def _tenant(ctx: Any) -> tuple[str, ...]:
    tenant = ctx.attributes.get("tenant")
    return _ABSENT if tenant is None else ("is", str(tenant))


def _agent(ctx: Any) -> tuple[str, ...]:
    agent = ctx.agent
    if agent is None:
        return _ABSENT
    if isinstance(agent, str):
        return ("is", agent)
    name = _text_of(agent, "role") or _text_of(agent, "name")
    return ("is", name) if name else _ABSENT


def _text_of(agent: Any, attribute: str) -> str:
    try:
        value = getattr(agent, attribute, None)
    except Exception:  # noqa: BLE001 - a host's property may raise anything; it is then no name
        return ""
    return value if isinstance(value, str) else ""


def _digest(*parts: str) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b" % (len(data), data))
    return digest.hexdigest()


_kept_digest = lru_cache(_KEPT)(_digest)


def tool_key(name: str) -> str:
    """Return one word for all spellings of a tool's name, so that none has a counter of its own."""
    folded = unicodedata.normalize("NFKD", name).casefold()
    return "".join(char for char in folded if char.isalnum()) or name


_kept_tool_key = lru_cache(_KEPT)(tool_key)
