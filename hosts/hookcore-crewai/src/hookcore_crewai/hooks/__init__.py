"""CrewAI's package ``crewai.hooks``, over hookcore's dispatcher.

Its names are those of CrewAI 1.15, with the same behaviour; ``docs/crewai.md`` lists where it
differs, and why. It needs no CrewAI.
"""

from __future__ import annotations

from . import types as types  # as in CrewAI, submodules can be reached by name
from . import wrappers as wrappers
from .decorators import after_llm_call, after_tool_call, before_llm_call, before_tool_call
from .dispatch import (
    EXECUTION_BOUNDARY_POINTS,
    HookAborted,
    InterceptionPoint,
    dispatch,
    get_hooks,
    on,
)
from .dispatch import clear as clear_hooks
from .dispatch import clear_all as clear_all_hooks
from .dispatch import register as register_hook
from .dispatch import unregister as unregister_hook
from .llm_hooks import (
    LLMCallHookContext,
    clear_after_llm_call_hooks,
    clear_all_llm_call_hooks,
    clear_before_llm_call_hooks,
    get_after_llm_call_hooks,
    get_before_llm_call_hooks,
    register_after_llm_call_hook,
    register_before_llm_call_hook,
    unregister_after_llm_call_hook,
    unregister_before_llm_call_hook,
)
from .tool_hooks import (
    ToolCallHookContext,
    clear_after_tool_call_hooks,
    clear_all_tool_call_hooks,
    clear_before_tool_call_hooks,
    get_after_tool_call_hooks,
    get_before_tool_call_hooks,
    register_after_tool_call_hook,
    register_before_tool_call_hook,
    unregister_after_tool_call_hook,
    unregister_before_tool_call_hook,
)

__all__ = [
    "EXECUTION_BOUNDARY_POINTS",
    "HookAborted",
    "InterceptionPoint",
    "LLMCallHookContext",
    "ToolCallHookContext",
    "after_llm_call",
    "after_tool_call",
    "before_llm_call",
    "before_tool_call",
    "clear_after_llm_call_hooks",
    "clear_after_tool_call_hooks",
    "clear_all_global_hooks",
    "clear_all_hooks",
    "clear_all_llm_call_hooks",
    "clear_all_tool_call_hooks",
    "clear_before_llm_call_hooks",
    "clear_before_tool_call_hooks",
    "clear_hooks",
    "dispatch",
    "get_after_llm_call_hooks",
    "get_after_tool_call_hooks",
    "get_before_llm_call_hooks",
    "get_before_tool_call_hooks",
    "get_hooks",
    "on",
    "register_after_llm_call_hook",
    "register_after_tool_call_hook",
    "register_before_llm_call_hook",
    "register_before_tool_call_hook",
    "register_hook",
    "unregister_after_llm_call_hook",
    "unregister_after_tool_call_hook",
    "unregister_before_llm_call_hook",
    "unregister_before_tool_call_hook",
    "unregister_hook",
]


def clear_all_global_hooks() -> dict[str, tuple[int, int]]:
    """Unregister all hooks of model and tool calls.

    Returns:
        how many stood before and after the calls, under "llm_hooks", "tool_hooks" and "total".
    """
    model, tool = clear_all_llm_call_hooks(), clear_all_tool_call_hooks()
    total = (model[0] + tool[0], model[1] + tool[1])
    return {"llm_hooks": model, "tool_hooks": tool, "total": total}
