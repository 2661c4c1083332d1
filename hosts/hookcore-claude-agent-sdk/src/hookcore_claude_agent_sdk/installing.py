"""Governing the whole process: ``query()`` and every ``ClaudeSDKClient``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

from claude_agent_sdk import ClaudeSDKClient, ResultMessage
from claude_agent_sdk._internal.client import InternalClient

from hookcore import HookManager, RunContext
from hookcore.hosting import (
    Adapter,
    arun_stream,
    current_run,
    denials_outside,
    new_call_id,
    put_all,
    stoppable,
)

from .host import HOST
from .results import leaving
from .session import Session

__all__ = ["install", "uninstall"]

_JUDGING = ("post_run", "output", "execution_end")
_AGENT = "claude"
_SESSION = "_hookcore_session"


def install(manager: HookManager | None = None, *, accept_untested: bool = False) -> HookManager:
    """Let a manager govern all sessions of the process that begin from now on; return the manager.

    A second call only changes the manager.

    Args:
        manager: the hooks; the process-wide manager when None.
        accept_untested: whether a version of the SDK will do that was not tested: this replaces
            what is the SDK's own business.

    Raises:
        RuntimeVersionError: the SDK's version was not tested.
        PluginLoadError: a required plugin needs what this host does not do.
    """
    return _adapter.install(manager, accept_untested=accept_untested)


def uninstall() -> None:
    """Undo :func:`install`; sessions that go on stay governed to their end."""
    _adapter.uninstall()


class RunFailedError(Exception):
    """A run's failure, of which the client tells in the result."""

    def __init__(self, result: Any) -> None:
        super().__init__(str(result.result or result.subtype))
        self.result = result


def _query(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def process_query(self: Any, prompt: Any, options: Any, transport: Any = None) -> Any:
        session, last = Session(_adapter.manager), None
        message = prompt if isinstance(prompt, str) else None

        def messages(run: Any) -> Any:
            given = _judged(session, prompt) if message is None else run.message
            return _messages(session, run, old(self, given, session.options(options), transport))

        told: dict[str, Any] = {"message": message, "events": leaving, "agent": _AGENT}
        run = arun_stream(session.manager, messages, {"prompt": message}, **told)
        async with aclosing(run) as items:
            try:
                async for item in items:
                    last = item
                    yield item
            except RunFailedError as failed:
                if last is not failed.result:  # what was held is not judged
                    yield failed.result

    return process_query


async def _messages(session: Session, run: Any, made: Any) -> AsyncGenerator[Any, None]:
    """Yield the messages of a run, to which the session belongs."""
    try:
        with stoppable(run):
            async with aclosing(made) as messages:
                while (message := await _next(session, messages)) is not None:
                    session.check()
                    if isinstance(message, ResultMessage):
                        run.result = message
                    yield message
            session.check()
        if run.result is not None and run.result.is_error:
            raise RunFailedError(run.result)
    finally:
        await session.close()


async def _next(session: Session, messages: Any) -> Any:
    with session.around():
        return await anext(messages, None)


async def _judged(session: Session, prompts: Any) -> AsyncIterator[Any]:
    """Yield the messages of a prompt that streams, as the policies at pre_run leave them."""

    async def judge(content: Any) -> Any:
        ctx = RunContext(payload=content, **current_run().fill({}))
        return await session.manager.asettle("pre_run", ctx)

    async for item in prompts:
        yield await _settled(session, item, judge)


async def _settled(session: Session, item: Any, judge: Callable[[Any], Any]) -> Any:
    """Return a message of a prompt that streams; of a denied one the client is told nothing."""
    message = item["message"]
    try:
        content = await judge(message["content"])
    except Exception as error:  # noqa: BLE001 - nobody waits here; it is raised with the result
        session.errors.append(error)
        content = "denied"
    return {**item, "message": {**message, "content": content}}


def _connect(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def connect(self: Any, prompt: Any = None) -> None:
        session, options = Session(_adapter.manager), self.options
        setattr(self, _SESSION, session)
        given = None if prompt is None else await _begun(session, prompt)
        self.options = session.options(options)
        try:
            with session.around():
                await old(self, given)
        except BaseException:
            await session.close()
            raise
        finally:
            self.options = options

    return connect


def _ask(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def query(self: Any, prompt: Any, session_id: str = "default") -> None:
        session = getattr(self, _SESSION, None)
        if session is None:
            await old(self, prompt, session_id)
            return
        given = await _begun(session, prompt)
        with session.around():
            await old(self, given, session_id)

    return query


async def _begun(session: Session, prompt: Any) -> Any:
    """Begin a run, which ends with the next result; return the prompt that it is to have."""

    async def begin(content: Any) -> Any:
        run_id, calls = new_call_id(), session.calls
        told: dict[str, Any] = {"run_id": run_id, "message": content, "agent": _AGENT}
        given = await calls.begin_run({"prompt": content}, **told)
        session.runs.append(run_id)
        return given

    async def each() -> AsyncIterator[Any]:
        async for item in prompt:
            yield await _settled(session, item, begin)

    return await begin(prompt) if isinstance(prompt, str) else each()


def _receive(old: Callable[..., Any]) -> Callable[..., Any]:
    @denials_outside()
    async def receive_messages(self: Any) -> AsyncIterator[Any]:
        session: Any = getattr(self, _SESSION, None)
        held: list[Any] = []
        async with aclosing(old(self)) as messages:
            async for message in messages:
                held.append(message)
                if isinstance(message, ResultMessage) and session:
                    held = await _ended(session, held)
                elif session and any(map(session.manager.has_hooks, _JUDGING)):
                    continue
                for item in held:
                    yield item
                held = []

    return receive_messages


async def _ended(session: Session, held: list[Any]) -> list[Any]:
    """End the oldest run with its result; return the messages that may leave."""
    result, before = held[-1], held[-1].result
    run_id = session.runs.pop(0) if session.runs else None
    error = session.errors.pop() if session.errors else None
    if run_id is None:
        if error is not None:
            raise error
        return held
    if error is None and result.is_error:
        error = RunFailedError(result)
    try:
        told = {} if error is None else {"error": error}
        judged = await session.calls.end(run_id, *(() if told else (result,)), **told)
    except RunFailedError:
        return [result]
    same = judged is result and judged.result == before
    return held if same else leaving(judged, held)


def _disconnect(old: Callable[..., Any]) -> Callable[..., Any]:
    async def disconnect(self: Any) -> None:
        session = getattr(self, _SESSION, None)
        try:
            await old(self)
        finally:
            if session is not None:
                await session.close()

    return disconnect


_SEAMS: tuple[tuple[Any, str, Callable[[Any], Any]], ...] = (
    (InternalClient, "process_query", _query),
    (ClaudeSDKClient, "connect", _connect),
    (ClaudeSDKClient, "query", _ask),
    (ClaudeSDKClient, "receive_messages", _receive),
    (ClaudeSDKClient, "disconnect", _disconnect),
)
"""The places, as the tested versions have them."""
_adapter = Adapter(HOST, put_all(_SEAMS))
