"""Measure what approval and audit cost a tool call, beside a gate that only lets pass.

    python bench/approvals.py [--quick]

It needs hookcore-approval and hookcore-audit, and for Redis a server: redis-server, where it is
installed, is started on a free port and stopped again. Exit status 1 says that a limit was missed.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any, Final

if __package__ in {None, ""}:
    # Run as a script: this folder's modules are found under the folder above it.
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench.race import Burst, Claim, judge, race, ratio
from hookcore import HookManager, hookimpl
from hookcore_approval import Approval, ApprovalSettings
from hookcore_audit import Audit, AuditSettings

URL: Final = "HOOKCORE_REDIS_URL"
ASKED: Final = {
    "audit / gate": 1.5,
    "approval waits, SQLite / gate": 3.0,
    "approval waits, Redis / gate": 6.0,
}
"""The ratios that were asked for when this began; where one is not reached, the limit is looser."""
GIVEN: Final = {"to": "bob", "amount": 10, "note": "as agreed on the phone last week"}


class Gate:
    """A gate that lets everything pass."""

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        """Let pass."""


class Told:
    """A plugin with the hooks of the audit log, which do nothing."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        """Continue."""

    @hookimpl
    def tool_finished(self, ctx: Any) -> None:
        """Continue."""

    @hookimpl
    def hook_dispatched(self, ctx: Any) -> None:
        """Continue."""


def _manager(*plugins: object) -> HookManager:
    manager = HookManager()
    for plugin in plugins:
        manager.register(plugin)
    return manager


def _calls(
    manager: HookManager,
    clock: Callable[[], float] = perf_counter,
    before: Callable[[], object] = int,
) -> Burst:
    """Call a tool so many times."""
    call = manager.call_tool

    def burst(count: int) -> float:
        before()
        started = clock()
        for _ in range(count):
            call("pay", GIVEN, _body, session_id="s", on_denied="return")
        return clock() - started

    return burst


def _body(given: Any) -> Any:
    return given


def _cycle(approval: Approval, settings: ApprovalSettings) -> Burst:
    """Ask, decide and take, so many times."""
    from hookcore_approval._stores import requests_of

    manager, requests = _manager(approval), requests_of(settings)

    def burst(count: int) -> float:
        started = perf_counter()
        for _ in range(count):
            manager.call_tool("pay", GIVEN, _body, session_id="c", on_denied="return")
            request = requests.listed(pending=True)[-1]
            requests.decide(request.id, request.digest, "approved", "ann")
            assert manager.call_tool("pay", GIVEN, _body, session_id="c") is not None
        return perf_counter() - started

    return burst


@contextmanager
def _redis(folder: Path) -> Iterator[bool]:
    """Have a server, if there is one to be started."""
    if shutil.which("redis-server") is None:
        yield False
        return
    from hookcore_stores.testing import RedisServer

    server = RedisServer(folder, "--appendonly", "yes")
    os.environ[URL] = server.url
    try:
        yield True
    finally:
        server.kill()


def contestants(folder: Path, *, redis: bool) -> dict[str, Burst]:
    """Return the bursts by name.

    Args:
        folder: where files may lie.
        redis: whether there is a server.
    """
    audit = Audit(AuditSettings(path=folder / "audit", when_away="allow", anchor="off"))
    kinds: dict[str, dict[str, Any]] = {"SQLite": {"path": folder / "a" / "approvals.sqlite3"}}
    if redis:
        kinds["Redis"] = {"store": "redis", "timeout_ms": 5000}
    found = {
        "gate": _calls(_manager(Gate())),
        # Of these, the time of the thread that calls: another one writes the audit log.
        "gate, its thread": _calls(_manager(Gate()), thread_time),
        "hooks that are told": _calls(_manager(Told()), thread_time),
        "audit": _calls(_manager(audit), thread_time, lambda: audit.flush(30.0)),
        "approval, of another tool": _calls(
            _manager(
                Approval(ApprovalSettings(tools=["deploy"], terminal=False, **kinds["SQLite"]))
            )
        ),
    }
    for kind, place in kinds.items():
        settings = ApprovalSettings(tools=["pay"], terminal=False, expires_s=86_400.0, **place)
        found[f"approval waits, {kind}"] = _calls(_manager(Approval(settings)))
    for kind, place in kinds.items():
        other = {"path": folder / "b" / "approvals.sqlite3"} if kind == "SQLite" else place
        settings = ApprovalSettings(tools=["pay"], terminal=False, scope="agent", **other)
        found[f"ask, decide, take, {kind}"] = _cycle(Approval(settings), settings)
    return found


def claims(*, redis: bool) -> list[Claim]:
    """Return what is claimed of these contestants."""
    found = [
        ratio("audit", "hooks that are told", 1.5),
        ratio("audit", "gate, its thread", name="audit / gate"),
        ratio("approval, of another tool", "gate", 1.0),
        ratio("approval waits, SQLite", "gate", 4.0),
        ratio("ask, decide, take, SQLite", "gate"),
    ]
    if redis:
        found += [
            ratio("approval waits, Redis", "gate", 6.0),
            ratio("ask, decide, take, Redis", "gate"),
        ]
    return found


def _answer(kept: bool) -> str:  # noqa: FBT001 - one question, one word
    return "kept" if kept else "not reached"


def _folder() -> tempfile.TemporaryDirectory[str]:
    # A log may be written until the process ends.
    return tempfile.TemporaryDirectory(ignore_cleanup_errors=True)


def main() -> int:
    """Print the ratios; return 1 when a limit was missed."""
    logging.disable(logging.CRITICAL)
    quick = "--quick" in sys.argv[1:]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(_folder()))
        redis = stack.enter_context(_redis(folder / "redis"))
        rounds = race(
            contestants(folder, redis=redis),
            rounds=2 if quick else 15,
            burst_s=0.0005 if quick else 0.01,
        )
    if not redis:
        print("redis-server is not installed: its rows are left out")
    for name in rounds[0]:
        print(f"{name:<40}{min(times[name] for times in rounds) / 1e3:10.1f} us at its best")
    verdicts = judge(claims(redis=redis), rounds)
    for verdict in verdicts:
        limit = "" if verdict.limit is None else f"  <= {verdict.limit:g}"
        missed = "  MISSED" if verdict.kept is False else ""
        asked = ASKED.get(verdict.name)
        wish = "" if asked is None else f"  (asked <= {asked:g}: {_answer(verdict.value <= asked)})"
        print(f"{verdict.name:<40}{verdict.value:10.2f}{limit}{missed}{wish}")
    return int(any(verdict.kept is False for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
