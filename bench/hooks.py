"""Measure what policies cost coding agents: each event, the first one, and calls in a real session.

    python bench/hooks.py [--json FILE] [--sessions N]

It starts a daemon of its own (hookcore-bridge) in a temporary home, with tool-policy, shell-guard,
path-guard and redact enabled, and prints in milliseconds: what a request over HTTP takes, and what
the command of a hook takes beside `true`; and how long the first event after a boot waits, for
which a daemon has to be started.

Where CODING_AGENTS names a folder in which `.ci/agents` has installed them, it runs sessions of the
real Claude Code, of 12 tool calls each, with a hook that is `true`, one that asks by HTTP and one
that is the command, in turns. From each answer of the model to the next request is a call: the
middle of all of them is compared.

Exit status 1 says that a limit was missed: 5 ms by HTTP and 35 ms by the command for each call, and
1 second for the first one. They are times, so a busy machine misses them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[1]
CONFIG = """
[plugins.tool-policy]
enabled = true
settings = { deny = ["mcp__prod__*"] }
[plugins.shell-guard]
enabled = true
[plugins.path-guard]
enabled = true
[plugins.redact]
enabled = true
"""
LIMITS = {"http": 5.0, "command": 35.0, "first": 1000.0}
CALLS = 12


class Home:
    """A home with a project under policies."""

    def __init__(self, root: Path) -> None:
        self.root, self.project = root, root / "work"
        self.project.mkdir()
        (self.project / "hookcore.toml").write_text(CONFIG, encoding="utf-8")
        (root / "run").mkdir(mode=0o700)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(root), "XDG_RUNTIME_DIR": str(root / "run"),
        }  # fmt: skip
        thin: Any = importlib.import_module("hookcore_bridge.hook.thin")
        places = {"HOME": str(root), "XDG_RUNTIME_DIR": str(root / "run")}
        self.base: str = thin.endpoint(thin.surroundings(places))
        words = [f"{name}={folder}" for name, folder in places.items()]
        bare = [sys.executable, "-I", "-S", thin.__file__]
        self.command = [*bare, *words, "claude-code", "PreToolUse"]
        told = {
            "session_id": "s", "cwd": str(self.project), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls -la && git status"},
            "tool_use_id": "c",
        }  # fmt: skip
        self.told = json.dumps(told).encode()

    def hook(self) -> None:
        """Answer one event by the command."""
        done = subprocess.run(
            self.command, input=self.told, env=self.environment, capture_output=True, check=True
        )
        assert done.stdout == b"{}", done.stdout

    def http(self) -> tuple[str, str]:
        """Return the address and the token of the daemon."""
        (file,) = (self.root / ".local/state/hookcore").glob("bridge-*.json")
        found = json.loads(file.read_text(encoding="utf-8"))
        return f"http://127.0.0.1:{found['port']}", found["token"]

    def stop(self) -> None:
        """End the daemon, and wait until it is gone."""
        asking: Any = importlib.import_module("hookcore_bridge.serve.asking")
        with suppress(OSError):
            pid = json.loads(asking.get(f"{self.base}.sock", "/v1/status"))["pid"]
            os.kill(pid, signal.SIGTERM)
            while Path(f"/proc/{pid}").exists() and not _is_dead(pid):
                time.sleep(0.01)


def _is_dead(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return True
    state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    return state == "Z"


@contextmanager
def home() -> Iterator[Home]:
    """Give a home, whose daemon ends with the block."""
    # The path of a socket is short.
    root = Path(tempfile.mkdtemp(prefix="hooks-"))
    made = Home(root)
    try:
        yield made
    finally:
        made.stop()
        shutil.rmtree(root, ignore_errors=True)


def middle(work: Callable[[], object], times: int) -> float:
    """Return the median of what something takes, in milliseconds."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def events(at: Home) -> dict[str, float]:
    """Measure single events, and the first one."""
    firsts = []
    for _ in range(3):
        firsts.append(middle(at.hook, 1))
        at.stop()
    at.hook()
    url, token = at.http()
    connection = HTTPConnection(url.removeprefix("http://"))

    def request() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        connection.request("POST", "/v1/hooks/claude-code", at.told, headers)
        assert connection.getresponse().read() == b"{}"

    idle = middle(lambda: subprocess.run(["true"], check=True), 30)
    found = {
        "first": min(firsts),
        "http": middle(request, 200),
        "command": middle(at.hook, 30) - idle,
    }
    connection.close()
    return found


def sessions(at: Home, count: int) -> dict[str, float]:
    """Measure the calls of real sessions: what a hook adds to one, beside `true`."""
    sys.path.insert(0, str(ROOT / "hosts" / "hookcore-bridge" / "tests"))
    agents: Any = importlib.import_module("clients.agents")
    model: Any = importlib.import_module("clients.model")
    claude = agents.AGENTS["claude-code"]
    gaps: dict[str, list[float]] = {}
    at.hook()
    url, token = at.http()
    ask = {
        "type": "http", "url": f"{url}/v1/hooks/claude-code", "timeout": 10,
        "headers": {"Authorization": f"Bearer {token}"}, "onFailure": "block",
    }  # fmt: skip
    words = agents.command(agents.Place(at.root, at.project, ""), "claude-code", "PreToolUse")
    handlers: dict[str, dict[str, Any]] = {
        "true": {"type": "command", "command": "true"},
        "http": ask,
        "command": {"type": "command", "command": words, "onFailure": "block"},
    }
    for turn in range(count + 1):
        for name, handler in handlers.items():
            steps = [model.Step((claude.call(f"echo {n}"),)) for n in range(CALLS)]
            fake = model.FakeModel(steps)
            with fake.served():
                place = agents.Place(at.root, at.project, fake.url)
                settings = {"hooks": {"PreToolUse": [{"hooks": [handler]}]}}
                place.write(at.root / ".claude/settings.json", settings)
                claude.start(place, "go on")
            if turn:  # the first ones bring the client into memory
                gaps.setdefault(name, []).extend(fake.gaps())
    middles = {name: statistics.median(taken) * 1000 for name, taken in gaps.items()}
    return {name: middles[name] - middles["true"] for name in ("http", "command")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return 1 when a limit was missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--sessions", type=int, default=5, help="sessions of each kind (5)")
    options = parser.parse_args(arguments)
    with home() as at:
        found = {"events": events(at)}
        if os.environ.get("CODING_AGENTS"):
            found["sessions"] = sessions(at, options.sessions)
        else:
            print("CODING_AGENTS is not set: no real sessions")
    missed = 0
    for part, figures in found.items():
        for name, value in figures.items():
            limit = LIMITS[name]
            missed += value > limit
            verdict = "missed" if value > limit else "ok"
            print(f"{part:9} {name:8} {value:8.1f} ms   limit {limit:6.0f} ms   {verdict}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2), encoding="utf-8")
    return min(missed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
