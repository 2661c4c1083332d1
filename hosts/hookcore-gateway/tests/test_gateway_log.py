"""Text from outside is one line in the log, in ASCII, whatever is in it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hookcore import ChannelMessage, HookAborted, HookManager
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, GatewayError, InMemoryChannel, Limits
from hookcore_gateway.shown import shown

BAD = "x\nLINE forged\r\u2028\ud800\x1b[31m"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ana", "ana"),
        (None, "-"),
        ("a\nb", "a\\nb"),
        ("\ud800", "\\ud800"),
        ("é", "\\xe9"),
        ("x" * 500, "x" * 200 + "..."),
    ],
)
def test_a_text_is_shown_in_ascii_on_one_line_of_bounded_length(text: Any, expected: str) -> None:
    assert shown(text) == expected


class Log(logging.Handler):
    """A log that takes ASCII only; its own lines begin with LINE."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("LINE %(message)s"))
        self.lines: list[str] = []
        self.lost: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        if text.isascii():
            self.lines += text.split("\n")
        else:
            self.lost.append(record)


class Broken(InMemoryChannel):
    """Delivers nothing, and gives a reason in the sender's words."""

    async def send(self, message: Any) -> None:
        raise OSError(message.recipient)


def refuse(ctx: Any) -> None:
    raise HookAborted(f"about {BAD}", source=BAD)


def fail(ctx: Any) -> None:
    raise RuntimeError(BAD)


def pass_on(ctx: Any) -> None:
    return None


async def hang(ctx: Any) -> None:
    await asyncio.Event().wait()


def elsewhere(ctx: Any) -> Any:
    return replace(ctx.payload, channel=BAD)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("point", "hook", "channel", "said"),
    [
        ("message_received", refuse, InMemoryChannel, "was denied by x\\nLINE forged"),
        ("message_sending", refuse, InMemoryChannel, "was denied by x\\nLINE forged"),
        ("message_received", hang, InMemoryChannel, "was given up"),
        ("message_received", fail, InMemoryChannel, "failed"),
        ("message_sent", fail, InMemoryChannel, "a hook at message_sent failed"),
        ("message_sending", elsewhere, InMemoryChannel, "the channel x\\nLINE forged"),
        ("message_received", pass_on, Broken, "was not delivered on memory"),
        ("session_end", fail, InMemoryChannel, "a hook failed as session"),
    ],
)
async def test_what_a_sender_is_called_forges_no_line_and_loses_none(
    manager: HookManager,
    policy: Any,
    *,
    point: str,
    hook: Callable[[Any], Any],
    channel: type[InMemoryChannel],
    said: str,
) -> None:
    policy(point, hook, on_error="raise")
    log, place = Log(), channel()
    logging.getLogger("hookcore").addHandler(log)
    try:
        agent = Agent("clerk", ScriptedModel(["hello"]))
        limits = Limits(deadline=0.05 if hook is hang else 60)
        async with Gateway(agent, place, manager, limits=limits, allow_reroute=True):
            await place.post("hi", sender=BAD, id=BAD, thread=BAD).outcome()
    finally:
        logging.getLogger("hookcore").removeHandler(log)
    assert log.lost == []
    assert said in "\n".join(log.lines)
    assert "LINE forged" not in [line[: len("LINE forged")] for line in log.lines]
    assert {line[:2] for line in log.lines} <= {"LI", "  "}


@pytest.mark.asyncio
async def test_a_failure_is_logged_with_the_error_itself_for_handlers_that_want_it(
    manager: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    channel = Broken()
    async with Gateway(Agent("clerk", ScriptedModel(["hello"])), channel, manager):
        await channel.post("hi", sender="ana").outcome()
    [record] = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], OSError)
    assert (record.funcName, record.levelname) == ("_log_loss", "ERROR")


@pytest.mark.asyncio
async def test_a_channel_that_is_not_there_is_named_in_ascii_on_one_line(
    manager: HookManager,
) -> None:
    message = ChannelMessage(channel=BAD, sender="ana", recipient="", content="hi")
    async with Gateway(Agent("clerk", ScriptedModel([])), InMemoryChannel(), manager) as gateway:
        with pytest.raises(GatewayError) as refused:
            gateway.submit(message)
    assert (str(refused.value).isascii(), "\n" in str(refused.value)) == (True, False)
