"""Direct calls of a model: hooks after the call where CrewAI has none.

Its async calls, and its calls for a structured answer, mostly come back without having dispatched
``post_model_call``. A call here notices that and makes up for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ._executors import validated
from ._patches import Patches

__all__ = ["patch"]


class _Note:
    """Tell whether the answer to a call of a model has been hooked."""

    __slots__ = ("hooked", "llm")

    def __init__(self, llm: Any) -> None:
        self.llm = llm
        self.hooked = False


_HOOKED: ContextVar[_Note | None] = ContextVar("hookcore_crewai_hooked", default=None)


def patch(patches: Patches) -> None:
    """Wrap the call methods of CrewAI's own model classes, also of those imported later."""
    from crewai.llms.base_llm import BaseLLM

    patches.set(BaseLLM, "_invoke_after_llm_call_hooks", _noticed(BaseLLM))
    _patch_all(patches, BaseLLM)

    def patch_later(cls: Any, /, **kwargs: Any) -> None:
        super(BaseLLM, cls).__pydantic_init_subclass__(**kwargs)
        _patch_own(patches, cls)

    patches.set(BaseLLM, "__pydantic_init_subclass__", classmethod(patch_later))


def _noticed(base: Any) -> Callable[..., Any]:
    invoke = base._invoke_after_llm_call_hooks

    @functools.wraps(invoke)
    def invoke_and_note(self: Any, *args: Any, **kwargs: Any) -> Any:
        note = _HOOKED.get()
        if note is not None:
            note.hooked = True
        return invoke(self, *args, **kwargs)

    return invoke_and_note


def _patch_all(patches: Patches, cls: Any) -> None:
    for subclass in cls.__subclasses__():
        _patch_own(patches, subclass)
        _patch_all(patches, subclass)


def _patch_own(patches: Patches, cls: Any) -> None:
    # Other people's model classes dispatch where they want to, or not at all.
    if not cls.__module__.startswith("crewai."):
        return
    if "call" in vars(cls):
        patches.set(cls, "call", _call(cls.call))
    if "acall" in vars(cls):
        patches.set(cls, "acall", _acall(cls.acall))


@contextmanager
def _noticing(llm: Any) -> Iterator[_Note]:
    outer, note = _HOOKED.get(), _Note(llm)
    token = _HOOKED.set(note)
    try:
        yield note
    finally:
        _HOOKED.reset(token)
        if outer is not None and outer.llm is llm:
            # The model tries again by calling itself: the inner call's answer has been hooked.
            outer.hooked = True


def _call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        with _noticing(self) as note:
            result = method(self, messages, *args, **kwargs)
            return result if note.hooked else _after(self, messages, args, kwargs, result)

    return call


def _acall(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def acall(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        with _noticing(self) as note:
            result = await method(self, messages, *args, **kwargs)
            return result if note.hooked else _after(self, messages, args, kwargs, result)

    return acall


_AGENT_POSITION = 4  # of from_agent, after the messages


def _after(llm: Any, messages: Any, args: Any, kwargs: Any, result: Any) -> Any:
    from pydantic import BaseModel

    if not isinstance(result, (str, BaseModel)):
        return result
    agent = kwargs.get("from_agent")
    if agent is None and len(args) > _AGENT_POSITION:
        agent = args[_AGENT_POSITION]
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    text = result if isinstance(result, str) else result.model_dump_json()
    answer = llm._invoke_after_llm_call_hooks(messages, text, agent)
    if answer == text:
        return result
    return answer if isinstance(result, str) else validated(result, answer, None)
