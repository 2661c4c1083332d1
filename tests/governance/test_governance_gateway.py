"""A gateway says which points it dispatches, before it takes a message."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookManager, PluginLoadError, hookimpl, hookspec
from hookcore.log.reading import open_log
from hookcore.log.writer import writer_of
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, InMemoryChannel

pytestmark = pytest.mark.asyncio

EVERYWHERE = """
from hookcore import hookimpl

class Plugin:
    @hookimpl
    def pre_step(self, ctx): ...
    @hookimpl
    def message_received(self, ctx): ...
    @hookimpl
    def pre_tool_call(self, ctx): ...
"""


class DeploySpecs:
    @hookspec
    def pre_deploy(self, ctx: Any) -> None:
        """A deployment is about to begin."""


class Deploys:
    @hookimpl
    def pre_deploy(self, ctx: Any) -> None: ...


async def ran(manager: HookManager) -> None:
    agent = Agent("clerk", ScriptedModel([]), hooks=manager)
    async with Gateway(agent, InMemoryChannel(), manager):
        pass


async def test_the_doctor_hears_of_a_gateways_points(machine: Any) -> None:
    machine.user.write_text("[log]\nenabled = true\n[plugins.all]\nenabled = true\n")
    machine.install("all", EVERYWHERE)
    manager = machine.load()
    await ran(manager)
    writer = writer_of(manager)
    assert writer is not None
    assert writer.flush(10)
    with open_log() as log:
        assert log is not None
        assert log.hosts() == {"gateway"}
        assert {"gateway_start", "message_sent", "pre_tool_call"} <= log.points()
        assert "pre_step" not in log.points()


async def test_a_required_policy_that_stands_at_the_points_of_every_host_is_fine(
    machine: Any, caplog: pytest.LogCaptureFixture
) -> None:
    machine.system.write_text("[plugins.all]\nrequired = true\n")
    machine.install("all", EVERYWHERE)
    await ran(machine.load())
    assert "never dispatches" not in caplog.text


async def test_a_required_policy_that_knows_steps_only_refuses_the_start(machine: Any) -> None:
    machine.system.write_text('[plugins.all]\nrequired = true\npoints = ["pre_step"]\n')
    machine.install("all", EVERYWHERE)
    with pytest.raises(PluginLoadError, match="it hooks pre_step, which this host never"):
        await ran(machine.load())


async def test_a_policy_that_waits_in_vain_is_a_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    manager = HookManager()
    manager.add_hookspecs(DeploySpecs)
    manager.register(Deploys(), name="deploys")
    await ran(manager)
    assert "plugin deploys: it hooks pre_deploy, which this host never dispatches" in caplog.text


async def test_what_the_program_has_said_stands(caplog: pytest.LogCaptureFixture) -> None:
    manager = HookManager()
    manager.add_hookspecs(DeploySpecs)
    manager.register(Deploys(), name="deploys")
    manager.declare([*manager.points])
    await ran(manager)
    assert caplog.text == ""
