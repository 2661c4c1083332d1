"""The one way of a message through the gateway, whichever way it came."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Final

from hookcore.hosting import copy_payload
from hookcore_agent.messages import text_of
from hookcore_specs import ChannelMessage, HookAborted, MessageContext

from .channels import Outcome
from .commands import Commands
from .delivery import Delivery
from .errors import ClientGoneError, GatewayError
from .history import settle
from .jobs import Answer, Job
from .limits import Limits
from .sessions import Sessions
from .shown import log_failure, shown
from .tasks import forgotten
from .visits import Visit

if TYPE_CHECKING:
    from hookcore import HookManager
    from hookcore_agent import Agent

__all__ = ["Enrich", "Pipeline"]

logger = logging.getLogger("hookcore")

Enrich = Callable[[ChannelMessage], "Awaitable[ChannelMessage | None] | ChannelMessage | None"]
"""Adds what a message only points to (media, links): edits it, or returns another one."""

#: What users are told; why it happened is the operator's.
NOTICES: Final = {
    "error": "Something went wrong, and there is no answer to this message.",
    "timeout": "This took too long and was given up.",
    "stopped": "Stopped.",
    "shutdown": "The service is stopping; please send this message again later.",
}
_AS_NOTHING: Final = "[no answer was sent]"


class Pipeline:
    """Leads a message from its channel to an agent and the answer back.

    Args:
        manager: the hooks.
        sessions: the sessions.
        delivery: sends the answers.
        route: says which agent a message is for.
        enrich: what is done to a message between its hooks and the agent, in order.
        commands: the commands.
        limits: the bounds.
        name: who says what no agent says.
    """

    def __init__(
        self,
        *,
        manager: HookManager,
        sessions: Sessions,
        delivery: Delivery,
        route: Callable[[ChannelMessage], Agent],
        enrich: Sequence[Enrich],
        commands: Commands,
        limits: Limits,
        name: str,
    ) -> None:
        self._manager = manager
        self._sessions = sessions
        self._delivery = delivery
        self._route = route
        self._enrich = enrich
        self._commands = commands
        self._limits = limits
        self._name = name

    async def handle(self, job: Job) -> None:
        """Deal with one message to its very end; failures go to the log and, neutrally, the user.

        Args:
            job: the message.
        """
        try:
            answer = await self._answered(job)
            # Before anybody is told it, and again with what was told in the end.
            await self._kept(job)
            answer = await self._replied(job, answer)
            await self._kept(job)
            job.ticket.finish(Outcome(answer.status, job.delivered))
        finally:
            if job.visit is not None:
                # Nobody else can be let into it while work that was given up goes on there.
                job.visit.end("shutdown" if job.cause == "shutdown" else "abandoned")

    async def _kept(self, job: Job) -> None:
        if job.visit is None or not self._sessions.are_kept:
            return
        keeping = asyncio.ensure_future(job.visit.keep())
        # It goes on behind a disk that hangs; the answer does not wait for it.
        await asyncio.wait({keeping}, timeout=self._limits.grace)

    # The answer

    async def _answered(self, job: Job) -> Answer:
        if job.cause is not None:
            return _notice(job)
        answer = await self._within(job, self._answer(job), self._limits.deadline)
        if answer is None or (job.cause is not None and answer.status == "replied"):
            return _notice(job)
        done: Answer = answer
        return done

    async def _answer(self, job: Job) -> Answer:
        try:
            return await self._asked(job)
        except HookAborted as refusal:
            _log_refusal(job, "message", refusal)
            return Answer("denied", str(refusal.message), job.agent)
        except Exception as error:  # noqa: BLE001 - the operator reads it, the user a notice
            log_failure(
                logger,
                error,
                "message %s from %s failed",
                shown(job.message.id),
                shown(job.path),
            )
            return Answer("error", NOTICES["error"], job.agent)

    async def _asked(self, job: Job) -> Answer:
        message = await self._received(job)
        reply = job.reply
        if reply is None:
            reply = await self._commands.reply(message, job.prompt)
        if reply is not None:
            return Answer("command", reply)
        agent = job.agent = self._route(message)
        key = (job.prompt, message.channel, message.sender, message.thread, agent.name)
        job.visit = Visit(self._sessions, key, message.channel, agent, job.go_on)
        session = await job.visit.enter()
        message = await self._enriched(message, job)
        result = await agent._run(message.content, session, self._manager)
        return Answer("replied", text_of(result.output), agent, result.run_id)

    async def _received(self, job: Job) -> ChannelMessage:
        ctx = MessageContext(
            payload=copy_payload(job.message),
            attributes={"path": job.path, "message_id": job.message.id},
        )
        message: ChannelMessage = await self._manager.areceive_message(ctx)
        job.go_on()
        return message

    async def _enriched(self, message: ChannelMessage, job: Job) -> ChannelMessage:
        for enrich in self._enrich:
            made = enrich(message)
            if inspect.isawaitable(made):
                made = await made
                job.go_on()
            if isinstance(made, ChannelMessage):
                message = made
            elif made is not None:
                kind = type(made).__name__
                raise GatewayError(f"enrich returns a ChannelMessage or None, not {kind}")
        return message

    # The reply

    async def _replied(self, job: Job, answer: Answer) -> Answer:
        """Send an answer, or what stands in its place, and return what was to be sent last."""
        sent = await self._sent(job, answer)
        # A notice in the place of a refused notice would be refused too.
        if not sent and not job.sending and answer.status in {"replied", "command"}:
            answer = job.refused or _notice(job)
            await self._sent(job, answer)
        if job.visit is not None:
            self._settle(job, job.visit, answer)
        return answer

    @staticmethod
    def _settle(job: Job, visit: Visit, answer: Answer) -> None:
        told = _AS_NOTHING if job.delivered is None else job.delivered.content
        if answer.status == "replied" and job.delivered is None:
            told = answer.text  # said, but the channel lost it
        settle(visit, told)

    async def _sent(self, job: Job, answer: Answer) -> bool:
        return bool(await self._within(job, self._send(job, answer), self._limits.send_timeout))

    async def _send(self, job: Job, answer: Answer) -> bool:
        sender = self._name if answer.agent is None else answer.agent.name
        try:
            await self._delivery.deliver(job, answer, sender)
        except HookAborted as refusal:
            _log_refusal(job, "reply", refusal)
            job.refused = Answer("denied", str(refusal.message), answer.agent, answer.run_id)
            return False
        except Exception as error:  # noqa: BLE001 - whatever it is, it was not delivered
            _log_loss(job, error)
            job.sending = True
            return False
        return True

    # Time

    async def _within(self, job: Job, work: Coroutine[Any, Any, Any], seconds: float) -> Any:
        """Do work in a task that others can cancel; return its result, None when it has none."""
        task = job.task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task}, timeout=seconds)
            if not task.done():
                job.cause = job.cause or "timeout"
                logger.warning("message %s was given up after %s s", shown(job.message.id), seconds)
                job.withdraw(task)
                await asyncio.wait({task}, timeout=self._limits.grace)
        finally:
            job.task = None  # from here on it begins nothing, see Job.go_on
            if not task.done():
                task.add_done_callback(forgotten)
                task.cancel()
        if not task.done() or task.cancelled():
            return None
        return task.result()


def _notice(job: Job) -> Answer:
    status = job.cause or "error"
    return Answer(status, NOTICES[status], job.agent)


def _log_refusal(job: Job, what: str, refusal: HookAborted) -> None:
    logger.warning(
        "%s %s from %s on %s was denied by %s: %s",
        what,
        shown(job.message.id),
        shown(job.message.sender),
        shown(job.message.channel),
        shown(refusal.source),
        shown(refusal.reason),
    )


def _log_loss(job: Job, error: Exception) -> None:
    place = (shown(job.message.id), shown(job.address.channel))
    if isinstance(error, ClientGoneError):
        # Nobody can be there for a prompt of the heartbeat: the operator chose a wrong channel.
        level = logging.INFO if job.prompt is None else logging.WARNING
        text = "the reply to message %s was not delivered on %s: %s"
        logger.log(level, text, *place, shown(error))
    else:
        log_failure(logger, error, "the reply to message %s was not delivered on %s", *place)
