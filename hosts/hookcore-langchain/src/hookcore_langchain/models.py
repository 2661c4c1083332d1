"""A chat model of LangChain's, each of whose calls is a model call that policies judge.

The seam is inside the model, below LangChain's callbacks: tokens leave through those while the
model is asked, so that what stands around it withholds nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, closing
from typing import Any

from langchain_core.language_models import BaseChatModel

from hookcore import HookAborted, HookManager, ModelCallContext, get_manager
from hookcore.hosting import (
    MODEL_POINTS,
    Handle,
    current_run,
    denials_outside,
    has_any_hooks,
    is_inside_model,
)

from .messages import Codec, as_chunk, as_result, shown

__all__ = ["govern_model"]

_classes: weakref.WeakKeyDictionary[HookManager, dict[type, type]] = weakref.WeakKeyDictionary()
_CODEC = Codec()
_OF_ANOTHER_PROTOCOL = ("_stream_chat_model_events", "_astream_chat_model_events")
"""The method that some models stream with, and LangChain else makes of their governed streams."""


def govern_model(model: Any, manager: HookManager | None = None) -> Any:
    """Return a chat model like another, whose calls go through a manager's points.

    Args:
        model: the model, which stays as it is.
        manager: the hooks; the process-wide manager when None.

    Raises:
        TypeError: it is no chat model of LangChain's.
    """
    if not isinstance(model, BaseChatModel):
        raise TypeError(
            f"{type(model).__name__} is no chat model whose calls could be judged: give the agent "
            "a BaseChatModel, e.g. of init_chat_model() with the model's name"
        )
    if getattr(type(model), "is_governed", False):
        return model
    hooks = get_manager() if manager is None else manager
    # What LangChain's cache answers would be judged by nobody.
    twin = model.model_copy(update={"cache": False})
    twin.__class__ = _class_of(type(model), hooks)
    return twin


def _class_of(kind: type, manager: HookManager) -> type:
    classes = _classes.setdefault(manager, {})
    if kind not in classes:
        names = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
        hooks = weakref.proxy(manager)
        ours = {**_sync(kind, hooks), **_async(kind, hooks), "is_governed": True}
        made = classes[kind] = type(kind)(kind.__name__, (kind,), names)
        for name, value in ours.items():
            setattr(made, name, value)
        for name in _OF_ANOTHER_PROTOCOL:
            if getattr(kind, name, None) is not None:
                setattr(made, name, None)
    return classes[kind]


def _sync(kind: Any, manager: HookManager) -> dict[str, Any]:
    """Return the methods of a class of models that need no loop, governed."""

    @denials_outside()
    def generate(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> Any:
        call = _Call(manager, self, messages, stop, options)
        if call.is_inside:
            return kind._generate(self, messages, stop, run_manager, **options)
        return call.result(
            manager.call_model(
                call.ctx,
                lambda sent: call.keep(
                    kind._generate(self, sent, stop, call.tells(run_manager), **call.options)
                ),
            )
        )

    @denials_outside()
    def stream(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> Iterator[Any]:
        call = _Call(manager, self, messages, stop, options)
        if call.is_inside:
            yield from kind._stream(self, messages, stop, run_manager, **options)
            return
        # Tokens are told of by LangChain, as they leave here.
        made = manager.stream_model(
            call.ctx, lambda sent: kind._stream(self, sent, stop, **call.options), codec=_CODEC
        )
        with closing(made) as events:
            for event in events:
                yield as_chunk(event)

    # LangChain asks the class whether its models can stream.
    streams = kind._stream is not BaseChatModel._stream
    return {"_generate": generate, **({"_stream": stream} if streams else {})}


def _async(kind: Any, manager: HookManager) -> dict[str, Any]:
    """Return the async methods of a class of models, governed."""

    @denials_outside()
    async def agenerate(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> Any:
        call = _Call(manager, self, messages, stop, options)
        if call.is_inside:
            return await kind._agenerate(self, messages, stop, run_manager, **options)

        async def body(sent: Any) -> Any:
            tells = call.tells(run_manager)
            return call.keep(await kind._agenerate(self, sent, stop, tells, **call.options))

        return call.result(await manager.acall_model(call.ctx, body))

    @denials_outside()
    async def astream(
        self: Any, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any
    ) -> AsyncIterator[Any]:
        call = _Call(manager, self, messages, stop, options)
        if call.is_inside:
            async for event in kind._astream(self, messages, stop, run_manager, **options):
                yield event
            return
        made = manager.astream_model(
            call.ctx, lambda sent: kind._astream(self, sent, stop, **call.options), codec=_CODEC
        )
        async with aclosing(made) as events:
            async for event in events:
                yield as_chunk(event)

    own = {kind._stream, kind._astream} - {BaseChatModel._stream, BaseChatModel._astream}
    return {"_agenerate": agenerate, **({"_astream": astream} if own else {})}


class _Call:
    """One call of a model: its context, and the result as it was before hooks saw it."""

    def __init__(
        self, manager: HookManager, model: Any, messages: Any, stop: Any, options: Any
    ) -> None:
        del stop
        self._manager = manager
        self._name = getattr(model, "model_name", None) or getattr(model, "model", None)
        self._options = options
        self._tools = options.get("tools")
        self._result: Any = None
        #: Whether the call is not to be judged here: nobody waits, or it is judged further out.
        self.is_inside = not has_any_hooks(manager, MODEL_POINTS) or is_inside_model(
            manager, messages, model=self._name
        )
        if self.is_inside:
            return
        told = {"llm": Handle(model), "model": self._name, "provider": model._llm_type}
        told["tools"] = None if self._tools is None else list(self._tools)
        self.ctx = ModelCallContext(messages=list(messages), **current_run().fill(told))

    @property
    def options(self) -> dict[str, Any]:
        """The options of the call, as the hooks left them.

        Raises:
            HookAborted: a hook named another model.
        """
        if self.ctx.model != self._name:
            raise HookAborted(
                f"a hook changed the model from {self._name} to {self.ctx.model}, and LangChain "
                "asks only the one that it has",
                source="hookcore-langchain",
            )
        if self.ctx.tools == self._tools:
            return dict(self._options)
        return {**self._options, "tools": list(self.ctx.tools or ())}

    def tells(self, run_manager: Any) -> Any:
        """Return who may be told of tokens as they come: nobody when a hook judges them."""
        return None if self._manager.has_hooks("post_model_call") else run_manager

    def keep(self, result: Any) -> Any:
        """Keep a result, and return what hooks see of it."""
        self._result = result
        return shown(result)

    def result(self, value: Any) -> Any:
        """Return the result that stands for what the hooks left."""
        return as_result(value, self._result)
