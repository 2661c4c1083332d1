"""The gateway: agents behind channels, from its start to its stop."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookcore import get_manager
from hookcore.hosting import describe_failure
from hookcore_agent import Agent
from hookcore_specs import ChannelMessage, GatewayContext

from .channels import Channel, Inlet, Listening, Ticket
from .commands import Command, Commands
from .declaring import declare
from .delivery import Delivery
from .errors import GatewayClosedError, GatewayError
from .heartbeat import Heartbeat, Prompt, checked
from .intake import Intake
from .keepers import keeper_of
from .limits import Limits
from .pipeline import Enrich, Pipeline
from .pool import Pool
from .routing import Route, agents_by_name, channels_by_name, router
from .sessions import Sessions
from .tasks import cancelled, closed, received
from .telling import told

if TYPE_CHECKING:
    from types import TracebackType

    from hookcore import HookManager

__all__ = ["Gateway"]

logger = logging.getLogger("hookcore")

_REAPING = 60.0


class Gateway:
    """Serves agents on channels; every message goes one way, past the same hooks.

    ``async with Gateway(...)`` starts and stops it. It starts once.

    Args:
        agents: an agent or several, all under the gateway's hooks.
        channels: a channel or several.
        hooks: the manager; the process-wide one when None.
        limits: the bounds.
        heartbeat: seconds between two beats; without a heartbeat when None.
        prompts: what the heartbeat asks agents.
        enrich: plain or async functions that add to a message what it only points to, after its
            hooks and before the agent.
        commands: further commands by name, without the slash.
        route: names the agent for a message; by default its recipient, or else the first agent.
        allow_reroute: whether hooks at ``message_sending`` may change channel and recipient.
        sessions: where conversations are kept: "memory", for as long as the process lives, or
            "sqlite", in ``sessions_file``.
        sessions_file: the database, which is this gateway's own.
        name: who speaks when no agent does.

    Raises:
        GatewayError: what is given does not fit together.
    """

    def __init__(
        self,
        agents: Agent | Iterable[Agent],
        channels: Channel | Iterable[Channel],
        hooks: HookManager | None = None,
        *,
        limits: Limits | None = None,
        heartbeat: float | None = None,
        prompts: Iterable[Prompt] = (),
        enrich: Iterable[Enrich] = (),
        commands: Mapping[str, Command] | None = None,
        route: Route | None = None,
        allow_reroute: bool = False,
        sessions: str = "memory",
        sessions_file: str | Path | None = None,
        name: str = "gateway",
    ) -> None:
        self.hooks = get_manager() if hooks is None else hooks
        self.limits = limits or Limits()
        self.agents = agents_by_name(agents, self.hooks)
        self.channels = channels_by_name(channels)
        self.limits.workers_for(self.channels)  # it names no channel that is not there
        self.heartbeat = heartbeat
        self.prompts = tuple(prompts)
        checked(self.prompts, tuple(self.channels), tuple(self.agents), heartbeat)
        self.name = name
        #: How many messages were accepted and refused, and how many ended with each status.
        self.stats: Counter[str] = Counter()
        self._keeper = keeper_of(sessions, sessions_file)
        self._sessions = Sessions(self.hooks, self.limits, self._keeper)
        self._pipeline = Pipeline(
            manager=self.hooks,
            sessions=self._sessions,
            delivery=Delivery(self.hooks, self.channels, allow_reroute=allow_reroute),
            route=router(self.agents, route),
            enrich=tuple(enrich),
            commands=Commands(commands or {}, self._sessions),
            limits=self.limits,
            name=name,
        )
        self._intake: Intake | None = None
        self._address: tuple[str | None, int | None] = (None, None)
        self._receiving: dict[str, asyncio.Task[None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._ending = asyncio.Event()
        self._stop: asyncio.Task[None] | None = None

    # What it is

    @property
    def address(self) -> tuple[str | None, int | None]:
        """The host and port of the first channel that listens."""
        return self._address

    @property
    def sessions(self) -> tuple[str, ...]:
        """The ids of the open sessions."""
        return self._sessions.ids

    @property
    def is_running(self) -> bool:
        """True when it takes messages."""
        return self._intake is not None and self._intake.is_open

    # Start

    async def start(self) -> None:
        """Bind addresses, tell the hooks, and take messages.

        Raises:
            GatewayError: it has been started before, or an address is not to be had.
        """
        if self._intake is not None:
            raise GatewayError("a gateway starts once: make another one")
        declare(self.hooks)
        pool = Pool(self._pipeline.handle, self.limits, self.channels)
        self._intake = Intake(pool, self.limits, self.channels, self.stats)
        try:
            await self._keeper.open(self.limits.idle, self.limits.sessions)
            await self._listen()
        except BaseException:
            await self._close()
            raise
        error: BaseException | None = None
        try:
            error = await self._tell("gateway_start", self.limits.gateway_start)
        except asyncio.CancelledError as cancel:
            error = cancel
        if error is not None:
            await self.stop()
            raise error
        self._intake.is_open = True
        for channel in self.channels.values():
            inlet = Inlet(self._intake.accept, pool.room, self.limits.message_bytes)
            self._receiving[channel.name] = asyncio.ensure_future(received(channel, inlet))
        self._tasks.append(asyncio.ensure_future(self._reap()))
        if self.heartbeat is not None:
            beating = Heartbeat(
                self.hooks,
                self.heartbeat,
                self.prompts,
                self._intake.accept,
                address=self._address,
                limits=self.limits,
            )
            self._tasks.append(asyncio.ensure_future(beating.run(self._ending)))
        await asyncio.sleep(0)  # the channels have begun to receive when this returns

    async def _listen(self) -> None:
        for channel in self.channels.values():
            if isinstance(channel, Listening):
                address = await channel.listen()
                if self._address == (None, None):
                    self._address = address

    async def _tell(self, point: str, seconds: float) -> BaseException | None:
        host, port = self._address
        ctx = GatewayContext(host=host, port=port)
        return await told(self.hooks, point, ctx, seconds, self.limits.grace)

    async def _reap(self) -> None:
        idle = self.limits.idle
        pause = _REAPING if idle is None else min(_REAPING, idle / 4)
        while not self._ending.is_set():
            await asyncio.sleep(pause)
            self._sessions.end_idle()

    # While it runs

    def submit(self, message: ChannelMessage, path: str = "webhook") -> Ticket:
        """Hand in a message from the program itself; the reply goes to its channel and sender.

        Args:
            message: the message; its channel is one of the gateway's.
            path: the way it came, which hooks read in ``ctx.attributes["path"]``.

        Raises:
            GatewayClosedError: the gateway does not run.
            QueueFullError: too many messages wait.
            MessageTooLargeError: the message is too long.
        """
        if self._intake is None:
            raise GatewayClosedError("the gateway has not started")
        return self._intake.accept(message, path)

    async def end_session(self, session_id: str, reason: str = "closed") -> bool:
        """End a session when its message in progress is done.

        Args:
            session_id: its id, one of :attr:`sessions`.
            reason: why, for hooks.

        Returns:
            Whether this ended it.
        """
        return bool(await self._sessions.end(self._sessions.key_of(session_id), reason))

    async def serve(self) -> None:
        """Run until every channel has ended or :meth:`stop` is called, then stop gracefully.

        SIGTERM stops it too, where the event loop can listen for signals; so does cancelling it.
        """
        loop = asyncio.get_running_loop()
        await self.start()
        # No signals outside of the main thread and on some systems.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(signal.SIGTERM, self._ending.set)
        try:
            await self._over()
        finally:
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.remove_signal_handler(signal.SIGTERM)
            await self.stop()

    async def _over(self) -> None:
        stopping: asyncio.Future[Any] = asyncio.ensure_future(self._ending.wait())
        ended: asyncio.Future[Any] = asyncio.ensure_future(asyncio.wait(self._receiving.values()))
        try:
            await asyncio.wait({ended, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            ended.cancel()

    # Stop

    async def stop(self) -> None:
        """Take no more messages, finish those accepted, end the sessions, tell the hooks.

        Each of these has its time, see :class:`Limits`. A second call waits for the first.
        """
        if self._intake is None:
            return
        if self._stop is None:
            self._stop = self._intake.pool.start(self._stopped(self._intake))
        await asyncio.shield(self._stop)

    async def _stopped(self, intake: Intake) -> None:
        intake.is_open = False
        self._ending.set()
        await cancelled(self._tasks, self.limits.grace)
        try:
            await intake.pool.drain()
            await self._sessions.end_all("shutdown")
        finally:
            await cancelled(self._receiving.values(), self.limits.grace)
            await self._close()
            error = await self._tell("gateway_stop", self.limits.gateway_stop)
            if error is not None:
                logger.error("a hook failed as the gateway stopped: %s", describe_failure(error))

    async def _close(self) -> None:
        closing = [c.close() for c in self.channels.values() if isinstance(c, Listening)]
        await closed([*closing, self._keeper.close()], self.limits.grace)

    async def __aenter__(self) -> Gateway:  # noqa: PYI034 - Self is of Python 3.11
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()
