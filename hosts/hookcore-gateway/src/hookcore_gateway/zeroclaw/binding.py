"""The adapters: each method of a handler as a hook at one of the dispatcher's points.

| method | point |
|---|---|
| on_gateway_start, on_gateway_stop | gateway_start, gateway_stop |
| on_heartbeat_tick | heartbeat_tick |
| on_session_start, on_session_end | session_start, session_end |
| on_message_received, on_message_sending, on_message_sent | the points of these names |
| before_model_resolve, before_prompt_build | model_resolve, prompt_build |
| before_llm_call, on_llm_input, on_llm_output | pre_model_call, model_input, model_output |
| before_tool_call and its twin | pre_tool_call |
| on_after_tool_call and its twins, on_tool_call_abandoned | tool_finished |
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, Literal

from hookcore import RegistrationError
from hookcore_specs import hookimpl

from . import modifying, observing
from .handler import HookHandler

__all__ = ["handler_plugin"]

_OBSERVING: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "gateway_start": (("on_gateway_start",), observing.gateway_start),
    "gateway_stop": (("on_gateway_stop",), observing.gateway_stop),
    "heartbeat_tick": (("on_heartbeat_tick",), observing.heartbeat_tick),
    "session_start": (("on_session_start",), observing.session_start),
    "session_end": (("on_session_end",), observing.session_end),
    "message_sent": (("on_message_sent",), observing.message_sent),
    "model_input": (("on_llm_input",), observing.model_input),
    "model_output": (("on_llm_output",), observing.model_output),
    "tool_finished": (
        (
            "on_after_tool_call",
            "on_after_tool_call_with_context",
            "on_after_tool_call_with_context_and_args",
            "on_tool_call_abandoned",
        ),
        observing.tool_finished,
    ),
}
_MODIFYING: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "message_received": (("on_message_received",), modifying.message_received),
    "message_sending": (("on_message_sending",), modifying.message_sending),
    "model_resolve": (("before_model_resolve",), modifying.model_resolve),
    "prompt_build": (("before_prompt_build",), modifying.prompt_build),
    "pre_model_call": (("before_llm_call",), modifying.pre_model_call),
    "pre_tool_call": (
        (
            "before_tool_call",
            "before_tool_call_with_context",
            # Who wants to know which call has ended needs the id that its beginning gives it.
            "on_after_tool_call_with_context",
            "on_after_tool_call_with_context_and_args",
            "on_tool_call_abandoned",
        ),
        modifying.pre_tool_call,
    ),
}


_HOOKS = frozenset(
    name
    for adapters in (_OBSERVING, _MODIFYING)
    for methods, _ in adapters.values()
    for name in methods
)


def handler_plugin(handler: HookHandler) -> Any:
    """Return a plugin with a hook for each method that a handler overrides, for any manager.

    Args:
        handler: the handler.

    Raises:
        RegistrationError: it is no handler, its name, priority or options are wrong, it overrides
            no hook, or has a method that only nearly has the name of one.
    """
    if not isinstance(handler, HookHandler):
        raise RegistrationError(f"a handler is a HookHandler, not {handler!r}", handler)
    priority, options = _priority(handler), _options(handler)
    own = _overridden(handler)
    _refuse_near_misses(handler)
    if not own:
        raise RegistrationError(
            f"{_name(handler)} overrides none of HookHandler's hooks: {', '.join(sorted(_HOOKS))}",
            handler,
        )
    hooks: dict[str, Any] = {}
    for point, (methods, adapter) in _OBSERVING.items():
        if own.intersection(methods):
            mark = hookimpl(specname=point, priority=priority, timeout=options["timeout"])
            hooks[point] = mark(_hook(handler, adapter, point))
    for point, (methods, adapter) in _MODIFYING.items():
        if own.intersection(methods):
            mark = hookimpl(specname=point, priority=priority, **options)
            hooks[point] = mark(_hook(handler, adapter, point))
    entries = {name: staticmethod(hook) for name, hook in hooks.items()}
    plugin = type("HandlerPlugin", (), entries)()
    plugin.__name__ = _name(handler)
    return plugin


def _name(handler: HookHandler) -> str:
    name = handler.name()
    if not isinstance(name, str) or not name.strip():
        raise RegistrationError(
            f"{type(handler).__name__}.name() must give a text that is not blank, not {name!r}",
            handler,
        )
    return name


def _priority(handler: HookHandler) -> int:
    priority = handler.priority()
    if isinstance(priority, bool) or not isinstance(priority, int):
        raise RegistrationError(
            f"{handler.name()}.priority() must give a whole number, not {priority!r}", handler
        )
    return 100 - priority


def _options(handler: HookHandler) -> dict[Literal["on_error", "timeout"], Any]:
    if handler.on_error not in {"allow", "deny"}:
        raise RegistrationError(
            f'{handler.name()}.on_error must be "allow" or "deny", not {handler.on_error!r}',
            handler,
        )
    return {"on_error": handler.on_error, "timeout": handler.timeout}


def _overridden(handler: HookHandler) -> set[str]:
    """Return the methods that a handler has of its own."""
    kind, own = type(handler), vars(handler)
    return {
        name
        for name in _HOOKS
        if name in own or getattr(kind, name) is not getattr(HookHandler, name)
    }


def _refuse_near_misses(handler: HookHandler) -> None:
    """Refuse a method that would never be called, since its name is nearly that of a hook."""
    for name in sorted({*dir(type(handler)), *vars(handler)} - {*dir(HookHandler)}):
        nearest = get_close_matches(name, _HOOKS, n=1, cutoff=0.9)
        if nearest and not name.startswith("_") and callable(getattr(handler, name, None)):
            raise RegistrationError(
                f"{_name(handler)}.{name}() is no hook: did you mean {nearest[0]}()?", handler
            )


def _hook(handler: HookHandler, adapter: Callable[..., Any], point: str) -> Callable[..., Any]:
    async def hook(ctx: Any) -> None:
        await adapter(handler, ctx)

    hook.__name__ = hook.__qualname__ = point
    return hook
