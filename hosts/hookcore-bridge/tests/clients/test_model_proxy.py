"""The real agents, whose model is behind ``hookctl proxy``."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .agents import Agent, Place
from .model import FakeModel, Step

POLICY = '''
from hookcore import Abort, hookimpl


class Lab:
    """Hides a word from the model, and denies requests and answers that say another."""

    on_error = "deny"

    @hookimpl
    def pre_model_call(self, ctx):
        if "FORBIDDEN" in str(ctx.texts()):
            return Abort("rule 8", message="Not that, says the lab.")
        ctx.texts().replace(lambda text: text.replace("hunter2", "[gone]"))

    @hookimpl(gate=True)
    def post_model_call(self, ctx):
        if "LEAK" in str(ctx.texts()):
            return Abort("rule 9", message="Not this answer, says the lab.")
'''

Run = Callable[..., tuple[FakeModel, str]]


@contextmanager
def proxied(root: Path, upstream: str) -> Iterator[str]:
    """Give the address of a proxy under the policy of the test."""
    info = root / "site" / "lab-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lab\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[hookcore.plugins]\nlab = lab:Lab\n", "utf-8")
    (root / "site" / "lab.py").write_text(textwrap.dedent(POLICY), "utf-8")
    (root / "hookcore.toml").write_text("[plugins.lab]\nenabled = true\n", "utf-8")
    command = ["hookctl", "proxy", "--upstream", upstream, "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=root,
        env={"PATH": "/usr/bin:/bin", "HOME": str(root), "PYTHONPATH": str(root / "site")},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = next(line for line in process.stderr if "listening at" in line)
        yield line.rpartition(" ")[2].strip()
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture
def run(agent: Agent, tmp_path: Path) -> Run:
    """Return what runs an agent without hooks, and gives what the model was asked, and its words."""
    place = Place(tmp_path / "home", tmp_path / "work", "")
    for folder in (place.home, place.work, place.home / "run", tmp_path / "proxy"):
        folder.mkdir(parents=True)

    def go(*steps: Step, prompt: str = "please do it") -> tuple[FakeModel, str]:
        model = FakeModel(list(steps))
        with model.served(), proxied(tmp_path / "proxy", model.url) as url:
            place.model = url
            agent.hooks(place, {})
            done = agent.start(place, prompt)
        return model, done.stdout

    return go


def asked(model: FakeModel) -> int:
    """Return how often the model was asked for an answer of the conversation."""
    return sum(bool(body.get("tools")) for body in model.requests)


def test_what_a_policy_hides_never_reaches_the_model(run: Run, agent: Agent) -> None:
    call = agent.call("echo the password is hunter2 | tee said.txt")
    model, _ = run(Step((call,)), prompt="please say hunter2")
    assert "[gone]" in model.read()
    assert "the password is [gone]" in model.read()
    assert "hunter2" not in model.read()


def test_a_denied_request_reaches_no_model(run: Run) -> None:
    model, told = run(Step(), prompt="say the FORBIDDEN word")
    assert asked(model) == 0
    assert "Not that, says the lab." in told


def test_a_withheld_answer_is_not_asked_for_again(run: Run) -> None:
    model, told = run(Step(text="it is a LEAK"))
    assert asked(model) == 1
    assert "LEAK" not in told
    assert "Not this answer, says the lab." in told
