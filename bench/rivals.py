"""The callbacks of one agent framework, and hookcore's own, in one process: run by `peering.py`.

    python bench/rivals.py NAME ROUNDS BURST_SECONDS

It runs in the framework's own venv and prints the rounds as JSON. Each framework is called where
its own runtime calls it, with plugins that do nothing.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

if __package__ in {None, ""}:
    # Run as a script: this folder is no place to import from, but the one above it is.
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != here]
    sys.path.append(str(here.parent))

from bench.dispatching import NoOp, awaiting, filled, statement
from bench.paying import Async
from bench.race import Burst, race
from bench.wrapping import Around
from hookcore import HookManager, ToolCallContext

OURS_ASYNC = "hookcore, 1 async hook"
OURS_PLAIN = "hookcore, 1 hook"
GIVEN = {"path": "a.txt", "depth": 3}


def _context() -> ToolCallContext:
    return ToolCallContext(tool_name="read_file", payload=GIVEN)


def _ours_async() -> Burst:
    manager, ctx = HookManager(), _context()
    manager.register(Async())
    return awaiting(lambda: manager.adispatch("pre_tool_call", ctx))


def _ours_plain() -> Burst:
    manager, ctx = filled(1), _context()
    return statement(
        "dispatch(point, ctx)", dispatch=manager.dispatch, point="pre_tool_call", ctx=ctx
    )


async def _body(given: Any) -> Any:
    return given


def _our_wraps(count: int) -> Burst:
    manager, ctx = HookManager(), _context()
    for _ in range(count):
        manager.register(Around())
    return awaiting(lambda: manager.awrap("wrap_tool_call", ctx, _body))


@contextmanager
def google_adk() -> Iterator[dict[str, Burst]]:
    """Race ADK's plugin manager: a bare loop of awaited callbacks."""
    base: Any = importlib.import_module("google.adk.plugins.base_plugin").BasePlugin
    made: Any = importlib.import_module("google.adk.plugins.plugin_manager").PluginManager

    class Plugin(base):
        async def before_tool_callback(
            self, *, tool: Any, tool_args: Any, tool_context: Any
        ) -> None:
            pass

    manager = made(plugins=[Plugin(name="noop")])
    call = manager.run_before_tool_callback
    yield {
        "google-adk, 1 plugin": awaiting(
            lambda: call(tool=None, tool_args=GIVEN, tool_context=None)
        ),
        OURS_ASYNC: _ours_async(),
    }


@contextmanager
def pydantic_ai_slim() -> Iterator[dict[str, Burst]]:
    """Race pydantic-ai's chain of `wrap_tool_execute`, one and five deep."""
    capabilities: Any = importlib.import_module("pydantic_ai.capabilities")
    combined: Any = importlib.import_module("pydantic_ai.capabilities.combined")
    models: Any = importlib.import_module("pydantic_ai.models.test")
    tools: Any = importlib.import_module("pydantic_ai.tools")
    usage: Any = importlib.import_module("pydantic_ai.usage")
    messages: Any = importlib.import_module("pydantic_ai.messages")

    class Wrap(capabilities.AbstractCapability):
        async def wrap_tool_execute(
            self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
        ) -> Any:
            return await handler(args)

    ctx = tools.RunContext(deps=None, model=models.TestModel(), usage=usage.RunUsage())
    part = messages.ToolCallPart("read_file", GIVEN)
    definition = tools.ToolDefinition(name="read_file")

    def wrapped(count: int) -> Burst:
        chain = combined.CombinedCapability([Wrap() for _ in range(count)])
        return awaiting(
            lambda: chain.wrap_tool_execute(
                ctx, call=part, tool_def=definition, args=GIVEN, handler=_body
            )
        )

    yield {
        "pydantic-ai, 1 wrap": wrapped(1),
        "hookcore, 1 wrap": _our_wraps(1),
        "pydantic-ai, 5 wraps": wrapped(5),
        "hookcore, 5 wraps": _our_wraps(5),
    }


@contextmanager
def langchain() -> Iterator[dict[str, Burst]]:
    """Race LangChain's chain of `awrap_tool_call`, five deep."""
    factory: Any = importlib.import_module("langchain.agents.factory")

    async def wrap(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        return await handler(request)

    chain = factory._chain_async_tool_call_wrappers([wrap] * 5)
    yield {
        "langchain, 5 wraps": awaiting(lambda: chain(GIVEN, _body)),
        "hookcore, 5 wraps": _our_wraps(5),
    }


@contextmanager
def strands_agents() -> Iterator[dict[str, Burst]]:
    """Race Strands' registry of callbacks."""
    hooks: Any = importlib.import_module("strands.hooks")
    registry = hooks.HookRegistry()
    registry.add_callback(hooks.BeforeToolCallEvent, NoOp().pre_tool_call)
    event = hooks.BeforeToolCallEvent(
        agent=None, selected_tool=None, tool_use={"name": "read_file"}, invocation_state={}
    )
    call = registry.invoke_callbacks
    yield {
        "strands, 1 callback": statement("call(event)", call=call, event=event),
        OURS_PLAIN: _ours_plain(),
    }


@contextmanager
def openai_agents() -> Iterator[dict[str, Burst]]:
    """Race the hooks of an openai-agents run, which are gathered with those of the agent."""
    agents: Any = importlib.import_module("agents")
    hooks = agents.RunHooks()

    async def nothing() -> None:
        pass

    async def call() -> None:
        await asyncio.gather(hooks.on_tool_start(None, None, None), nothing())

    yield {"openai-agents, 1 hook": awaiting(call), OURS_ASYNC: _ours_async()}


CPEX = """
plugins:
  - name: noop
    kind: rivals_cpex.NoOp
    hooks: [tool_pre_invoke]
    mode: sequential
    priority: 100
plugin_dirs: []
plugin_settings: {parallel_execution_within_band: false, plugin_timeout: 30}
"""
CPEX_PLUGIN = """
from cpex.framework import Plugin, ToolPreInvokeResult
class NoOp(Plugin):
    async def tool_pre_invoke(self, payload, context):
        return ToolPreInvokeResult()
"""


@contextmanager
def cpex() -> Iterator[dict[str, Burst]]:
    """Race cpex, the plugin framework of the ContextForge gateway."""
    framework: Any = importlib.import_module("cpex.framework")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rivals_cpex.py").write_text(CPEX_PLUGIN, encoding="utf-8")
        (folder / "plugins.yaml").write_text(CPEX, encoding="utf-8")
        sys.path.append(name)
        manager = framework.PluginManager(str(folder / "plugins.yaml"))
        asyncio.run(manager.initialize())
        payload = framework.ToolPreInvokePayload(name="read_file", args=GIVEN)
        context = framework.GlobalContext(request_id="1")
        yield {
            "cpex, 1 plugin": awaiting(
                lambda: manager.invoke_hook("tool_pre_invoke", payload, context)
            ),
            OURS_ASYNC: _ours_async(),
        }


RIVALS = {
    "cpex": cpex,
    "google-adk": google_adk,
    "langchain": langchain,
    "openai-agents": openai_agents,
    "pydantic-ai-slim": pydantic_ai_slim,
    "strands-agents": strands_agents,
}


def main(arguments: list[str]) -> int:
    """Race one framework and print its rounds."""
    name, rounds, burst_s = arguments
    logging.disable(logging.CRITICAL)
    with RIVALS[name]() as contestants:
        print(json.dumps(race(contestants, rounds=int(rounds), burst_s=float(burst_s))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
