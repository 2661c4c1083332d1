"""The terminal channel: a line in is a message, a message out is a line."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest

from hookcore import HookManager
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, Limits, TerminalChannel

pytestmark = pytest.mark.asyncio


def clerk(turns: Any) -> Agent:
    return Agent("clerk", ScriptedModel(turns))


async def test_a_terminal_is_served_to_its_end(
    manager: HookManager, seen: list[tuple[str, Any]]
) -> None:
    target = io.StringIO()
    channel = TerminalChannel(source=io.StringIO("one\n\ntwo\n"), target=target)
    await Gateway(clerk(["1", "2"]), channel, manager).serve()
    assert target.getvalue() == "1\n2\n"
    assert seen[-1][0] == "gateway_stop"


async def test_a_terminal_waits_for_room_and_loses_no_line(manager: HookManager) -> None:
    target = io.StringIO()
    channel = TerminalChannel(source=io.StringIO("x\n" * 20), target=target)
    limits = Limits(queue=2, workers=1)
    await Gateway(clerk(lambda request: "ok"), channel, manager, limits=limits).serve()
    assert target.getvalue() == "ok\n" * 20


async def test_bytes_that_are_no_text_are_read_as_such_and_the_rest_as_it_is(
    manager: HookManager,
) -> None:
    source = io.TextIOWrapper(io.BytesIO(b"hello\n\xff\xfe\nagain\n"), encoding="utf-8")
    channel = TerminalChannel(source=source, target=io.StringIO())
    model = ScriptedModel(["1", "2", "3"])
    await asyncio.wait_for(Gateway(Agent("clerk", model), channel, manager).serve(), 5)
    read = [request.messages[-1].content for request in model.requests]
    assert read == ["hello", "\ufffd\ufffd", "again"]


@pytest.mark.parametrize(
    ("reply", "encoding", "shown"),
    [
        ("caf\u00e9", "ascii", b"caf?\n"),
        ("half \ud83d", "utf-8", b"half \xef\xbf\xbd\n"),
        ("\x1b]0;mine\x07\x1b[2J ok", "ascii", b"?]0;mine??[2J ok\n"),
        ("two\nlines\tand \U0001f469\u200d\U0001f4bb", "utf-8", None),
    ],
)
async def test_a_reply_is_shown_whatever_is_in_it_and_steers_no_terminal(
    manager: HookManager, reply: str, encoding: str, shown: bytes | None
) -> None:
    written = io.BytesIO()
    target = io.TextIOWrapper(written, encoding=encoding, newline="")
    channel = TerminalChannel(source=io.StringIO("hello\n"), target=target)
    await Gateway(clerk([reply]), channel, manager).serve()
    assert written.getvalue() == (f"{reply}\n".encode() if shown is None else shown)


class Source(io.StringIO):
    """Many lines, the number of which it tells; at the end it may fail."""

    def __init__(self, lines: int, *, fails: bool = False) -> None:
        super().__init__()
        self.lines = lines
        self.fails = fails
        self.read_ones = 0
        self.ahead: list[int] = []
        self.gateway: Gateway | None = None

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override] # of typeshed's two bases
        if self.read_ones == self.lines:
            if self.fails:
                raise OSError("the line is dead")
            return ""
        self.read_ones += 1
        assert self.gateway is not None
        self.ahead.append(self.read_ones - self.gateway.stats["accepted"])
        return "x\n"


async def test_a_terminal_that_cannot_be_read_any_more_has_ended(
    manager: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    source, target = Source(2, fails=True), io.StringIO()
    channel = TerminalChannel(source=source, target=target)
    source.gateway = Gateway(clerk(lambda request: "ok"), channel, manager)
    await asyncio.wait_for(source.gateway.serve(), 5)
    assert target.getvalue() == "ok\nok\n"
    assert "channel terminal cannot read on" in caplog.text


async def test_a_terminal_reads_no_further_ahead_than_its_lines_are_taken(
    manager: HookManager,
) -> None:
    source = Source(400)
    channel = TerminalChannel(source=source, target=io.StringIO())
    limits = Limits(queue=5)
    source.gateway = Gateway(clerk(lambda request: "ok"), channel, manager, limits=limits)
    await source.gateway.serve()
    assert source.gateway.stats["replied"] == 400
    assert max(source.ahead) <= 3


async def test_the_reader_ends_with_its_channel(manager: HookManager, until: Any) -> None:
    stopped = asyncio.Event()

    async def answer(request: Any) -> str:
        await stopped.wait()
        return "ok"

    source = Source(400)
    channel = TerminalChannel(source=source, target=io.StringIO())
    limits = Limits(queue=5)
    source.gateway = Gateway(clerk(answer), channel, manager, limits=limits)
    await source.gateway.start()
    await until(lambda: source.gateway is not None and source.gateway.stats["accepted"] >= 6)
    stopping = asyncio.ensure_future(source.gateway.stop())
    stopped.set()
    await stopping
    assert source.read_ones <= source.gateway.stats["accepted"] + 3


class OneLine(io.StringIO):
    """A source whose lines cannot be had as a whole."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override] # of typeshed's two bases
        assert size is not None
        assert 0 < size <= 1001
        return super().readline(size)


@pytest.mark.parametrize("long", ["x" * 50_000, " " * 5000 + "x", "x" * 1001])
async def test_a_line_without_an_end_is_refused_and_not_kept_in_memory(
    manager: HookManager, long: str
) -> None:
    target = io.StringIO()
    channel = TerminalChannel(source=OneLine(f"{long}\nhello\n"), target=target)
    model = ScriptedModel(["ok"])
    limits = Limits(message_bytes=1000)
    await Gateway(Agent("clerk", model), channel, manager, limits=limits).serve()
    told, answer = target.getvalue().splitlines()
    assert "1000 bytes at most" in told
    assert answer == "ok"
    assert [request.messages[-1].content for request in model.requests] == ["hello"]
