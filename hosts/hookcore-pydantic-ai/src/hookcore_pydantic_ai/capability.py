"""The capability: an agent that has it is governed, however it is run."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import ToolDenied
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import WrapperToolset

from hookcore import Denied, HookManager, get_manager
from hookcore.hosting import (
    TOOL_POINTS,
    Handle,
    denials_outside,
    has_any_hooks,
    is_inside_tool,
    stop_if_failed,
    stoppable,
    with_defaults,
)

from .host import HOST
from .model import GovernedModel

__all__ = ["Hookcore"]


class Hookcore(AbstractCapability[Any]):
    """Let a manager govern an agent: its runs, its model's requests and its tools.

    ``Agent(model, capabilities=[Hookcore()])``, or ``agent.run(..., capabilities=[Hookcore()])``.

    Args:
        manager: the hooks; the process-wide manager when None.

    Raises:
        PluginLoadError: a required plugin needs what this host does not do.
    """

    def __init__(self, manager: HookManager | None = None) -> None:
        self._manager = get_manager() if manager is None else manager
        #: The prompt that policies gave this run, which may be None.
        self._prompts: list[Any] = []
        HOST.declare(self._manager)
        self._manager.add_control_flow(ApprovalRequired, CallDeferred)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return None: a manager is no part of an agent's specification."""
        return None

    def get_ordering(self) -> Any:
        """Stand inside all others, so that what policies judge is what is used."""
        return CapabilityOrdering(position="innermost")

    async def for_run(self, ctx: Any) -> Any:
        """Return a copy for one run."""
        del ctx
        own = copy.copy(self)
        own._prompts = []
        return own

    @denials_outside()
    async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
        """Make the run a run of the manager's.

        Raises:
            PolicyDenied: a policy denied the run or its result.
        """
        result: Any = None
        told = {"agent": Handle(ctx.agent), "run_id": ctx.run_id, "session_id": ctx.conversation_id}
        async with self._manager.run({"prompt": ctx.prompt}, message=ctx.prompt, **told) as run:
            if run.message is not ctx.prompt:
                self._prompts.append(run.message)
            with stoppable(run):
                result = await handler()
            run.result = result.output
        if result is None:  # a hook has put a value in the place of the run's failure
            return AgentRunResult(output=run.result)
        same = run.result is result.output
        return result if same else replace(result, output=run.result)

    async def before_node_run(self, ctx: Any, *, node: Any) -> Any:
        """Give the run the prompt that the policies made of its own."""
        del ctx
        if self._prompts and hasattr(node, "user_prompt"):
            return replace(node, user_prompt=self._prompts.pop())
        return node

    def get_wrapper_model(self, model: Any) -> Any:
        """Return the model, governed."""
        return GovernedModel(model, self._manager)

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Run a tool as the policies let it run; the model reads a denial as the tool's result."""
        if not has_any_hooks(self._manager, TOOL_POINTS):
            return await handler(args)
        return await _tool(self._manager, ctx, tool_def, args, handler, call_id=call.tool_call_id)

    def get_wrapper_toolset(self, toolset: Any) -> Any:
        """Return the tools, judged again where another capability changed what was judged."""
        return _Tools(toolset, self._manager)

    async def wrap_output_process(
        self, ctx: Any, *, output_context: Any, output: Any, handler: Any
    ) -> Any:
        """Run an output function as a tool; of others' output there is nothing to run.

        Raises:
            ModelRetry: a policy denied it, which the model is told.
        """
        if not output_context.has_function:
            return await handler(output)
        call, whole = output_context.tool_call, isinstance(output, dict)
        result = await self._manager.acall_tool(
            output_context.function_name or (call.tool_name if call else "output"),
            output if whole else {"output": output},
            lambda args: handler(args if whole else args["output"]),
            on_denied="return",
            call_id=call.tool_call_id if call else None,
            tool=output_context.tool_def,
            agent=Handle(ctx.agent),
        )
        if isinstance(result, Denied):
            raise ModelRetry(str(result))
        return result


@dataclass
class _Tools(WrapperToolset[Any]):
    """The tools below all capabilities."""

    manager: HookManager

    async def call_tool(self, name: str, tool_args: Any, ctx: Any, tool: Any) -> Any:
        """Run a tool, whose call is judged unless just this one was."""

        async def body(arguments: Any) -> Any:
            return await self.wrapped.call_tool(name, arguments, ctx, tool)

        call_id = ctx.tool_call_id
        if not has_any_hooks(self.manager, TOOL_POINTS):
            return await body(tool_args)
        if is_inside_tool(self.manager, name, tool_args, call_id=call_id):
            return await body(tool_args)
        return await _tool(self.manager, ctx, tool.tool_def, tool_args, body, call_id=call_id)


async def _tool(
    manager: HookManager, ctx: Any, tool: Any, args: Any, call: Any, *, call_id: str | None
) -> Any:
    result = await manager.acall_tool(
        tool.name,
        with_defaults(args, tool.parameters_json_schema),
        call,
        on_denied="return",
        call_id=call_id,
        tool=tool,
        agent=Handle(ctx.agent),
    )
    stop_if_failed()
    return ToolDenied(str(result)) if isinstance(result, Denied) else result
