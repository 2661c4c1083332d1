"""The points of a tool call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..contexts import ToolCallContext
from ..markers import hookspec
from ..points import Kind

__all__ = ["ToolSpecs"]


class ToolSpecs:
    """A call of a tool by its name: before, around, after, and its end."""

    @hookspec(payload=dict, context=ToolCallContext, false_aborts=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> dict[str, Any] | bool | None:
        """A tool is about to be called; nothing of it has run.

        The payload is the tool input, a dict, also as ``ctx.tool_input``. Besides it
        ``ctx.tool_name`` (as the model wrote it) and ``ctx.tool`` (the host's object) matter.

        Continue or edit the dict in place, or return another dict to replace it. An abort, or a
        returned ``False``, denies the call: the tool is not entered, ``post_tool_call`` does not
        fire, and ``tool_finished`` tells of it. Gates judge the input that the tool will get.

        Example::

            from hookcore import (
                Abort,
                HookAborted,
                HookManager,
                ToolCallContext,
                hookimpl,
            )

            class ReadOnly:
                @hookimpl(tools=["delete_*", "drop_*"], gate=True)
                def pre_tool_call(self, ctx: ToolCallContext):
                    return Abort("this agent only reads", message="Deleting is switched off.")

            manager = HookManager()
            manager.register(ReadOnly())
            assert manager.call_tool("get_user", {"id": 7}, lambda given: given["id"]) == 7
            try:
                manager.call_tool("delete_user", {"id": 7}, lambda given: given["id"])
            except HookAborted as denial:
                told = denial.message
            assert told == "Deleting is switched off."
        """

    @hookspec(kind=Kind.WRAP, context=ToolCallContext)
    def wrap_tool_call(self, ctx: ToolCallContext, call_next: Callable[..., Any]) -> Any:
        """Stands around the call of a tool, once ``pre_tool_call`` has let it through.

        The payload is the tool input; the result is the tool's. An ``async def`` awaits
        ``call_next()``, or ``call_next(other_input)`` to pass on another input, and returns the
        result, or another in its place. It may call more than once (a retry), or not at all (a
        cache). A plain generator with one ``yield`` serves sync and async hosts alike: ``yield``
        calls on and gives the result; what it returns replaces that, ``None`` keeps it.

        An abort stops the call. What the tool raises is not the hook's failure. Gates stand
        innermost: an input that a wrap changes is judged again.

        Example::

            from hookcore import HookManager, ToolCallContext, hookimpl

            class Units:
                @hookimpl(tools=["thermometer"])
                def wrap_tool_call(self, ctx: ToolCallContext, call_next):
                    celsius = yield
                    return {"celsius": celsius, "fahrenheit": celsius * 9 / 5 + 32}

            manager = HookManager()
            manager.register(Units())
            result = manager.call_tool("thermometer", {}, lambda given: 20)
            assert result == {"celsius": 20, "fahrenheit": 68.0}
        """

    @hookspec(context=ToolCallContext, after_body=True)
    def post_tool_call(self, ctx: ToolCallContext) -> Any:
        """A tool has returned or raised, and nobody has seen that yet.

        The payload is the result, also as ``ctx.tool_result``; after an error it is ``None`` and
        ``ctx.error`` is the exception. ``ctx.tool_input``, ``ctx.tool_name`` and
        ``ctx.duration_ms`` can still be read. It does not fire for a denied call.

        Continue or edit the result in place, or return another one (``Replace(None)`` for
        ``None``); after an error a replacement takes the exception's place. An abort withholds the
        result: the call ends as denied.

        Example::

            from hookcore import HookManager, ToolCallContext, hookimpl

            class Fallback:
                @hookimpl(tools=["search"])
                def post_tool_call(self, ctx: ToolCallContext):
                    if isinstance(ctx.error, TimeoutError):
                        return {"hits": [], "note": "the search was too slow"}

            def search(given):
                raise TimeoutError

            manager = HookManager()
            manager.register(Fallback())
            assert manager.call_tool("search", {"q": "cats"}, search)["hits"] == []
        """

    @hookspec(kind=Kind.OBSERVE, context=ToolCallContext, after_body=True)
    def tool_finished(self, ctx: ToolCallContext) -> None:
        """A tool call is over, whichever way; it fires exactly once for each call.

        The payload is the result that the host gets, or ``None``. ``ctx.status`` is ``"ok"``,
        ``"error"``, ``"denied"`` or ``"cancelled"``; ``ctx.entered`` says whether the tool began;
        ``ctx.duration_ms`` is how long it took. Nothing can be changed or stopped here.

        Example::

            from hookcore import HookManager, ToolCallContext, hookimpl

            class Audit:
                lines = []

                @hookimpl(tools=["rm"])
                def pre_tool_call(self, ctx: ToolCallContext):
                    return False

                @hookimpl
                def tool_finished(self, ctx: ToolCallContext):
                    self.lines.append((ctx.tool_name, ctx.status, ctx.entered))

            manager = HookManager()
            manager.register(Audit())
            manager.call_tool("ls", {}, lambda given: ["a.txt"])
            manager.call_tool("rm", {"path": "a.txt"}, lambda given: None, on_denied="return")
            assert Audit.lines == [("ls", "ok", True), ("rm", "denied", False)]
        """
