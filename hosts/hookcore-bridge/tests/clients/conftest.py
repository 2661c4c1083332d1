"""One run of a real agent: its home, its model, and a daemon with the policies of the test."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hookcore_bridge.hook import thin
from hookcore_bridge.serve.asking import get
from tests.waiting import until

from .agents import AGENTS, Agent, Place, installed
from .model import FakeModel, Step

MESSAGE = "No, says the lab."
POLICY = '''
import os
import time
from hookcore import Abort, hookimpl


class Lab:
    """Does what a command or a prompt says that policies do."""

    on_error = "deny"

    @hookimpl
    def pre_tool_call(self, ctx):
        command = str(ctx.tool_input.get("command", ""))
        if "CHANGE" in command:
            return {**ctx.tool_input, "command": "echo changed >> changed.txt"}
        if "CRASH" in command:
            raise RuntimeError("hunter2")
        if "HANG" in command:
            time.sleep(60)
        if "KILL" in command:
            os.kill(os.getpid(), 9)

    @hookimpl(gate=True, specname="pre_tool_call", tools=["shell"])
    def judge(self, ctx):
        if "DENY" in ctx.tool_input.get("command", ""):
            return Abort("rule 7", message="No, says the lab.")

    @hookimpl
    def post_tool_call(self, ctx):
        ctx.texts().replace(lambda text: text.replace("SECRET", "[gone]"))

    @hookimpl
    def message_received(self, ctx):
        if "FORBIDDEN" in ctx.payload.content:
            return Abort("rule 8", message="Not that, says the lab.")
        if "please" in ctx.payload.content:
            ctx.payload.content += " HINT-OF-THE-LAB"
'''


class Lab:
    """One run."""

    def __init__(self, root: Path, agent: Agent) -> None:
        self.agent = agent
        self.place = Place(root / "home", root / "work", "")
        for folder in (self.place.home, self.place.work):
            folder.mkdir()
        (self.place.home / "run").mkdir(mode=0o700)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.place.home),
            "XDG_RUNTIME_DIR": str(self.place.home / "run"),
        }
        self.base = thin.endpoint(
            thin.surroundings(
                {name: self.environment[name] for name in ("HOME", "XDG_RUNTIME_DIR")}
            )
        )
        site = root / "site"
        info = site / "lab-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lab\nVersion: 1.0\n", "utf-8")
        (info / "entry_points.txt").write_text("[hookcore.plugins]\nlab = lab:Lab\n", "utf-8")
        (site / "lab.py").write_text(textwrap.dedent(POLICY), "utf-8")
        (self.place.work / "hookcore.toml").write_text("[plugins.lab]\nenabled = true\n", "utf-8")
        with (root / "daemon.txt").open("w") as log:
            self.daemon = subprocess.Popen(
                [sys.executable, "-m", "hookctl", "serve", "--deadline", "4"],
                env={**self.environment, "PYTHONPATH": str(site)}, cwd="/",
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        until(lambda: self.status() is not None)

    def status(self) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads(get(f"{self.base}.sock", "/v1/status"))
        except OSError:
            return None
        return found

    def run(
        self,
        *steps: Step,
        prompt: str = "please do it",
        others: tuple[str, ...] = (),
        elsewhere: dict[str, list[Step]] | None = None,
        hooks: bool = True,
    ) -> FakeModel:
        """Run the agent with a model that has these answers; return what the model was asked.

        Without ``hooks`` it has those that its files hold already.
        """
        model = FakeModel(list(steps), elsewhere or {})
        with model.served():
            self.place.model = model.url
            if hooks:
                self.done = self.agent.run(self.place, prompt, *others)
            else:
                self.done = self.agent.start(self.place, prompt)
        return model

    def ran(self, name: str) -> bool:
        """Tell whether a command ran that writes a file of this name."""
        return (self.place.work / name).exists()

    def end(self) -> None:
        status = self.status()
        if status is not None:
            with suppress(ProcessLookupError):
                os.kill(status["pid"], signal.SIGTERM)
        self.daemon.terminate()
        self.daemon.wait(30)


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest) -> Agent:
    if not installed():
        pytest.skip("the real agents are not installed: .ci/agents does that")
    return AGENTS[request.param]


@pytest.fixture
def lab(agent: Agent) -> Iterator[Lab]:
    # The path of a socket is short, and pytest's folders are not.
    root = Path(tempfile.mkdtemp(prefix="lab-"))
    made = Lab(root, agent)
    yield made
    made.end()
    shutil.rmtree(root, ignore_errors=True)


Run = Callable[..., FakeModel]
