"""The points of a model call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..contexts import ModelCallContext
from ..markers import hookspec
from ..messages import ModelChoice
from ..points import Kind

__all__ = ["ModelSpecs"]


class ModelSpecs:
    """A call to a model: its choice, its prompt, its messages, its response."""

    @hookspec(payload=ModelChoice, context=ModelCallContext)
    def model_resolve(self, ctx: ModelCallContext) -> ModelChoice | None:
        """The host has chosen a provider and a model, and has not used them yet.

        The payload is the :class:`ModelChoice`, with ``provider`` and ``model``; ``ctx.agent`` and
        ``ctx.attributes`` say for whom.

        Continue or edit its fields in place, or return another choice: a route. An abort refuses
        the call.

        Example::

            from hookcore import HookManager, ModelCallContext, ModelChoice, hookimpl

            class StayInTheHouse:
                @hookimpl(agents=["payroll"])
                def model_resolve(self, ctx: ModelCallContext):
                    return ModelChoice(provider="local", model="small")

            manager = HookManager()
            manager.register(StayInTheHouse())
            choice = ModelChoice(provider="cloud", model="large")
            ctx = ModelCallContext(payload=choice, agent="payroll")
            assert manager.dispatch("model_resolve", ctx).payload.provider == "local"
        """

    @hookspec(payload=str, context=ModelCallContext)
    def prompt_build(self, ctx: ModelCallContext) -> str | None:
        r"""The prompt of an agent has been built.

        The payload is its text.

        Continue, or return another text. An abort refuses the call that the prompt is for.

        Example::

            from hookcore import HookManager, ModelCallContext, hookimpl

            class HouseRules:
                @hookimpl(trylast=True)
                def prompt_build(self, ctx: ModelCallContext):
                    return ctx.payload + "\nNever quote prices."

            manager = HookManager()
            manager.register(HouseRules())
            ctx = ModelCallContext(payload="You sell bicycles.")
            prompt = manager.dispatch("prompt_build", ctx).payload
            assert prompt == "You sell bicycles.\nNever quote prices."
        """

    @hookspec(payload=list, context=ModelCallContext, false_aborts=True, write_back=True)
    def pre_model_call(self, ctx: ModelCallContext) -> list[Any] | bool | None:
        """A model is about to be called; nothing has been sent.

        The payload is the host's own messages list, also as ``ctx.messages``. Besides it
        ``ctx.model``, ``ctx.provider``, ``ctx.tools``, ``ctx.iterations`` (model calls of the run
        before this one), ``ctx.llm`` and ``ctx.executor`` matter.

        Continue or edit the list in place, or return another one, which is written into the host's
        list. An abort, or a returned ``False``, denies the call: the model is not called,
        ``post_model_call`` does not fire, and ``model_finished`` tells of it.

        Example::

            from hookcore import HookAborted, HookManager, ModelCallContext, hookimpl

            class IterationLimit:
                @hookimpl(gate=True)
                def pre_model_call(self, ctx: ModelCallContext):
                    if ctx.iterations >= 25:
                        raise HookAborted(f"{ctx.iterations} model calls in one run")

            manager = HookManager()
            manager.register(IterationLimit())
            messages = [{"role": "user", "content": "hi"}]
            assert manager.call_model(messages, lambda sent: "hello", iterations=24) == "hello"
            try:
                manager.call_model(messages, lambda sent: "hello", iterations=25)
            except HookAborted as denial:
                reason = denial.reason
            assert reason == "25 model calls in one run"
        """

    @hookspec(kind=Kind.WRAP, context=ModelCallContext)
    def wrap_model_call(self, ctx: ModelCallContext, call_next: Callable[..., Any]) -> Any:
        """Stands around the call of a model, once ``pre_model_call`` has let it through.

        The payload is the messages as they will be sent. The result is the response; of a call
        that streams, an async iterator of events, and the hook an async generator over them. An
        ``async def`` awaits ``call_next()``, or ``call_next(other_messages)`` to send others, and
        returns the response or another in its place. It may call more than once (a retry), or not
        at all (a cache). A plain generator with one ``yield`` serves sync and async hosts alike.

        An abort stops the call. What the model raises is not the hook's failure. Gates stand
        innermost: messages that a wrap changes are judged again.

        Example::

            import asyncio
            from hookcore import HookManager, ModelCallContext, hookimpl

            class Retry:
                @hookimpl
                async def wrap_model_call(self, ctx: ModelCallContext, call_next):
                    try:
                        return await call_next()
                    except ConnectionError:
                        return await call_next()

            answers = iter([ConnectionError("try again"), "hello"])

            async def model(messages):
                answer = next(answers)
                if isinstance(answer, Exception):
                    raise answer
                return answer

            manager = HookManager()
            manager.register(Retry())
            assert asyncio.run(manager.acall_model([], model)) == "hello"
        """

    @hookspec(kind=Kind.OBSERVE, context=ModelCallContext)
    def model_input(self, ctx: ModelCallContext) -> None:
        """The messages as they are sent to the model, after all wraps; once for each sending.

        The payload is those messages. Nothing can be changed or stopped here.

        Example::

            from hookcore import HookManager, ModelCallContext, hookimpl

            class Sizes:
                characters = 0

                @hookimpl
                def model_input(self, ctx: ModelCallContext):
                    self.characters += sum(len(message["content"]) for message in ctx.messages)

            sizes, manager = Sizes(), HookManager()
            manager.register(sizes)
            manager.call_model([{"role": "user", "content": "hello"}], lambda sent: "hi")
            assert sizes.characters == 5
        """

    @hookspec(context=ModelCallContext, after_body=True, streams=True)
    def post_model_call(self, ctx: ModelCallContext) -> Any:
        r"""A model has answered or raised, and nobody has acted on that yet.

        The payload is the response, also as ``ctx.response``; after an error it is ``None`` and
        ``ctx.error`` is the exception. ``ctx.messages`` can still be read. It does not fire for a
        denied call.

        Continue or edit the response in place, or return another one; after an error it takes the
        exception's place. An abort withholds the response: the call ends as denied.

        Nothing of a streamed response leaves before the hooks here have judged all of it; then the
        payload is what the events amount to, a :class:`ModelResponse` or, where all of them are
        text, a ``str``. One marked ``stream="observe"`` is told of it afterwards.

        One marked ``stream="window"`` sees the response while it passes. Its payload is a ``str``,
        the text that is held back so far with what has come, and it returns another ``str``;
        ``ctx.hold`` says how many characters at the end to go on holding. Thinking, and each
        further text of a response, is a text of its own. Once a tool call is whole, the payload is
        a :class:`ModelResponse` with that call alone and no content; a replacement is one too.

        An event of a stream that nobody can read is a failure of each hook here.

        Example::

            import re
            from hookcore import HookManager, ModelCallContext, hookimpl

            class NoCards:
                @hookimpl
                def post_model_call(self, ctx: ModelCallContext):
                    if ctx.error is None:
                        return re.sub(r"\b\d{4}( \d{4}){3}\b", "[card]", ctx.response)

            manager = HookManager()
            manager.register(NoCards())
            answer = manager.call_model([], lambda sent: "Use 4111 1111 1111 1111 please.")
            assert answer == "Use [card] please."
        """

    @hookspec(kind=Kind.OBSERVE, context=ModelCallContext, after_body=True)
    def model_output(self, ctx: ModelCallContext) -> None:
        """The response as the host goes on with it, after ``post_model_call``.

        The payload is that response, also as ``ctx.response``. It fires only where there is one.
        Nothing can be changed or stopped here.

        Example::

            from hookcore import HookManager, ModelCallContext, hookimpl

            class Transcript:
                lines = []

                @hookimpl
                def model_output(self, ctx: ModelCallContext):
                    self.lines.append(f"{ctx.model}: {ctx.response}")

            manager = HookManager()
            manager.register(Transcript())
            manager.call_model([], lambda sent: "hello", model="small")
            assert Transcript.lines == ["small: hello"]
        """

    @hookspec(kind=Kind.OBSERVE, context=ModelCallContext, after_body=True)
    def model_finished(self, ctx: ModelCallContext) -> None:
        """A model call is over, whichever way; it fires exactly once for each call.

        There is no payload. ``ctx.status`` is ``"ok"``, ``"error"``, ``"denied"`` or
        ``"cancelled"``; ``ctx.usage`` holds the token counts where the host knows them. Nothing
        can be changed or stopped here.

        Example::

            from hookcore import HookManager, ModelCallContext, hookimpl

            class Tokens:
                total = 0

                @hookimpl
                def model_finished(self, ctx: ModelCallContext):
                    if ctx.usage is not None:
                        self.total += ctx.usage["total_tokens"]

            def model(messages):
                call.usage = {"total_tokens": 42}
                return "hello"

            tokens, manager = Tokens(), HookManager()
            manager.register(tokens)
            call = ModelCallContext(messages=[], model="small")
            manager.call_model(call, model)
            assert tokens.total == 42
        """
