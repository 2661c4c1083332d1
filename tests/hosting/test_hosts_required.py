"""A required policy, where no runtime has all of its points."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

import pytest

from hookcore import HookManager, PluginLoadError, hookimpl
from hookcore.hooks.options import OperatorOptions
from hookcore.hosting import STAGE_POINTS, Host

FOUND = {entry.name: entry for entry in entry_points(group="hookcore.hosts")}
RUNTIMES = sorted(
    FOUND.keys()
    & {"agent-framework", "agent-hooks", "crewai", "google-adk", "langchain", "openai-agents"}
    | FOUND.keys() & {"pydantic-ai", "strands"}
)


class Everywhere:
    """A policy of every text, wherever a runtime has one."""

    @hookimpl
    def pre_model_call(self, ctx: Any) -> None:
        """Judge the messages."""

    @hookimpl
    def prompt_build(self, ctx: Any) -> None:
        """Judge a prompt."""

    @hookimpl
    def setup_message(self, ctx: Any) -> None:
        """Judge a message."""

    @hookimpl
    def pre_turn(self, ctx: Any) -> None:
        """Judge a turn."""


class Turns:
    """A policy of turns, and of nothing else."""

    @hookimpl
    def pre_turn(self, ctx: Any) -> None:
        """Judge a turn."""


@pytest.fixture(params=RUNTIMES)
def host(request: pytest.FixtureRequest) -> Host:
    found: Host = FOUND[request.param].load()
    return found


def test_a_policy_of_all_texts_may_be_required_where_few_points_are(host: Host) -> None:
    manager = HookManager()
    manager.register_configured(Everywhere(), "p", operator=OperatorOptions(required=True))
    host.declare(manager)
    assert manager.declaration is not None


def test_a_policy_of_turns_may_not_be_required_where_there_are_none(host: Host) -> None:
    assert "pre_turn" in STAGE_POINTS
    manager = HookManager()
    manager.register_configured(Turns(), "p", operator=OperatorOptions(required=True))
    with pytest.raises(PluginLoadError, match="it hooks pre_turn, which this host never"):
        host.declare(manager)
