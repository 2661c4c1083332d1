"""The adapters: each method of an extension as a hook at one of the dispatcher's points.

| method | point |
|---|---|
| on_tool, on_state, on_message | setup_tools, setup_state, setup_message |
| before_run, after_run, on_success | pre_run, post_run, execution_end |
| before_turn, after_turn | pre_turn, post_turn |
| before_model, on_model_request, after_model | pre_model_call, wrap_model_call, model_output |
| before_tool, on_tool_call, after_tool | pre_tool_call, wrap_tool_call, post_tool_call |
| on_event, accept | extension_event, accept_event |

``on_error`` is no point: it is told by the runtime once everything else is over, since it has to
come also when the run has not begun.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookContext, hookimpl

from ..callrecord import CallRecord
from .awaiting import settled
from .calls import after_failure, after_tool, around_model, around_tool, before_model, before_tool
from .groups import AllHooks
from .part import Find, Part
from .requests import (
    after_model,
    after_run,
    after_turn,
    before_run,
    before_turn,
    on_event,
    on_message,
    on_state,
    on_success,
    on_tool,
)

if TYPE_CHECKING:
    from hookcore_specs import EventContext

__all__ = ["ExtensionBinding", "acceptor", "plugin_of"]

_ADAPTERS: dict[str, tuple[str, Callable[..., Any]]] = {
    "on_tool": ("setup_tools", on_tool),
    "on_state": ("setup_state", on_state),
    "on_message": ("setup_message", on_message),
    "before_run": ("pre_run", before_run),
    "after_run": ("post_run", after_run),
    "on_success": ("execution_end", on_success),
    "before_turn": ("pre_turn", before_turn),
    "after_turn": ("post_turn", after_turn),
    "before_model": ("pre_model_call", before_model),
    "after_model": ("model_output", after_model),
    "before_tool": ("pre_tool_call", before_tool),
    "after_tool": ("post_tool_call", after_tool),
    "on_event": ("extension_event", on_event),
}
_WRAPS: dict[str, tuple[str, Callable[..., Any]]] = {
    "on_model_request": ("wrap_model_call", around_model),
    "on_tool_call": ("wrap_tool_call", around_tool),
}


class ExtensionBinding(Part):
    """One extension's part in one request, with what the runtime tells it beside the points."""

    async def request_failed(self, error: Exception) -> None:
        """Tell the extension that the request failed."""
        if not self.saw_success and "on_error" in _overridden(self.extension):
            await settled(self.extension.on_error(self.context, error))

    async def call_failed(self, record: CallRecord, error: Exception) -> None:
        """Tell the extension of a failure in ``on_tool_call``, where no tool has raised."""
        if "after_tool" in _overridden(self.extension):
            await after_failure(self, record, error)


def _overridden(extension: AllHooks) -> set[str]:
    """Return the methods that an extension has of its own."""
    names = (*_ADAPTERS, *_WRAPS, "on_error", "accept")
    own = vars(extension)
    kind = type(extension)
    return {
        name
        for name in names
        if name in own or getattr(kind, name, None) is not getattr(AllHooks, name)
    }


def plugin_of(extension: AllHooks, part: Callable[[], Any]) -> Any:
    """Return a plugin with a hook for each method that the extension overrides, or None.

    Args:
        extension: the extension.
        part: gives its part in the request that is being served, or None.
    """

    def find(ctx: HookContext) -> Part | None:
        binding: Part | None = part()
        return binding if binding is not None and binding.is_meant(ctx) else None

    hooks: dict[str, Any] = {}
    for name in _overridden(extension):
        if name in _ADAPTERS:
            point, adapter = _ADAPTERS[name]
            hooks[name] = _marked(extension, point, name, _hook(find, adapter))
        elif name in _WRAPS:
            point, adapter = _WRAPS[name]
            hooks[name] = _marked(extension, point, name, adapter(find))
    return _as_plugin(extension, hooks)


def _as_plugin(extension: AllHooks, hooks: dict[str, Any]) -> Any:
    if not hooks:
        return None
    entries = {name: staticmethod(hook) for name, hook in hooks.items()}
    made = type("ExtensionPlugin", (), entries)()
    made.__name__ = extension.name
    return made


def _marked(extension: AllHooks, point: str, name: str, function: Callable[..., Any]) -> Any:
    function.__name__ = name
    return hookimpl(specname=point, priority=extension.priority, on_error="raise")(function)


def _hook(find: Find, adapter: Callable[..., Any]) -> Callable[..., Any]:
    async def hook(ctx: Any) -> None:
        binding = find(ctx)
        if binding is not None:
            await adapter(binding, ctx)

    return hook


def acceptor(extension: AllHooks) -> Any:
    """Return a plugin with the extension's ``accept``, None when it accepts nothing."""
    if "accept" not in _overridden(extension):
        return None

    def accept(ctx: EventContext) -> bool:
        return bool(extension.accept(ctx.attributes.get("config"), ctx.payload))

    hook = _marked(extension, "accept_event", "accept", accept)
    return _as_plugin(extension, {"accept": hook})
