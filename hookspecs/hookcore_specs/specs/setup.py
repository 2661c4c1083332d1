"""The points at which a request is set up."""

from __future__ import annotations

from typing import Any

from ..contexts import SetupContext
from ..markers import hookspec

__all__ = ["SetupSpecs"]


class SetupSpecs:
    """A request is prepared before its run begins: tools, state, message."""

    @hookspec(context=SetupContext)
    def setup_tools(self, ctx: SetupContext) -> Any:
        """The tools that a request's agent will be offered have been gathered.

        The payload is the host's tool registry, often a dict or list; ``ctx.agent`` says whose.

        Continue or edit the registry in place, or return another one. An abort refuses the
        request before its run begins. What is missing here can still be called by a model that
        guesses: deny it at ``pre_tool_call`` too.

        Example::

            from hookcore import HookManager, SetupContext, hookimpl

            class LeastPrivilege:
                @hookimpl(agents=["reader"])
                def setup_tools(self, ctx: SetupContext):
                    return {name: tool for name, tool in ctx.payload.items() if name != "write"}

            manager = HookManager()
            manager.register(LeastPrivilege())
            tools = {"read": open, "write": print}
            ctx = manager.dispatch("setup_tools", SetupContext(payload=tools, agent="reader"))
            assert list(ctx.payload) == ["read"]
        """

    @hookspec(context=SetupContext)
    def setup_state(self, ctx: SetupContext) -> Any:
        """The state that a request starts from has been restored.

        The payload is the host's state, often a dict.

        Continue or edit the state in place, or return another one. An abort refuses the request
        before its run begins.

        Example::

            from hookcore import HookManager, SetupContext, hookimpl

            class Tenancy:
                @hookimpl
                def setup_state(self, ctx: SetupContext):
                    return {**ctx.payload, "tenant": ctx.attributes["tenant"]}

            manager = HookManager()
            manager.register(Tenancy())
            ctx = SetupContext(payload={"turns": 3}, attributes={"tenant": "acme"})
            assert manager.dispatch("setup_state", ctx).payload == {"turns": 3, "tenant": "acme"}
        """

    @hookspec(context=SetupContext)
    def setup_message(self, ctx: SetupContext) -> Any:
        """The message that opens a request has been prepared.

        The payload is that message, a text or the host's message object.

        Continue or edit the message in place, or return another one. An abort refuses the request
        before its run begins.

        Example::

            from hookcore import HookAborted, HookManager, SetupContext, hookimpl

            class Sizes:
                @hookimpl(gate=True)
                def setup_message(self, ctx: SetupContext):
                    if len(ctx.payload) > 10_000:
                        raise HookAborted("the message is too long", message="Please be brief.")

            manager = HookManager()
            manager.register(Sizes())
            assert manager.dispatch("setup_message", SetupContext(payload="hi")).payload == "hi"
            try:
                manager.dispatch("setup_message", SetupContext(payload="hi" * 9_999))
            except HookAborted as refused:
                told = refused.message
            assert told == "Please be brief."
        """
