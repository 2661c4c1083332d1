"""Sessions in a database: what outlives a process, and what does not."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from hookcore import ChannelMessage, HookManager
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, GatewayError, InMemoryChannel, Limits, Prompt
from hookcore_gateway.keeping_sqlite import SqliteKeeper

pytestmark = pytest.mark.asyncio

Seen = list[tuple[str, Any]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


def clerk() -> Agent:
    """Return an agent that says how many messages it was sent."""
    return Agent("clerk", ScriptedModel(lambda request: f"{len(request.messages)} so far"))


async def said(
    manager: HookManager, file: Path, *posts: tuple[str, str], limits: Limits | None = None
) -> list[str]:
    """Return the replies of a gateway that lives for these messages alone."""
    channel = InMemoryChannel()
    gateway = Gateway(
        clerk(), channel, manager, sessions="sqlite", sessions_file=file, limits=limits
    )
    async with gateway:
        for sender, text in posts:
            await channel.post(text, sender=sender).outcome()
    return [message.content for message in channel.sent]


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def rows(file: Path) -> list[Any]:
    database = sqlite3.connect(file)
    try:
        return database.execute("SELECT who, agent, id, data FROM sessions").fetchall()
    finally:
        database.close()


async def test_a_conversation_goes_on_in_the_next_process_in_the_same_session(
    manager: HookManager, file: Path, seen: Seen
) -> None:
    first = await said(manager, file, ("ana", "hi"), ("ben", "hi"), ("ana", "again"))
    second = await said(manager, file, ("ana", "and again"), ("eve", "hi"))
    assert (first, second) == (
        ["1 so far", "1 so far", "3 so far"],
        ["5 so far", "1 so far"],
    )
    starts = [ctx for name, ctx in seen if name == "session_start"]
    assert starts[0].session_id == starts[2].session_id
    assert [ctx.attributes for ctx in starts] == [{}, {}, {"resumed": True}, {}]


SERVER = """
import asyncio, sys
from hookcore import HookManager
from hookcore_agent import Agent, ScriptedModel
from hookcore_gateway import Gateway, HttpChannel

async def main():
    agent = Agent("clerk", ScriptedModel(lambda request: f"{len(request.messages)} so far"))
    channel = HttpChannel()
    gateway = Gateway(
        agent, channel, HookManager(), sessions="sqlite", sessions_file=sys.argv[1]
    )
    async with gateway:
        print(channel.url, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


def asked(url: str) -> str:
    request = urllib.request.Request(
        f"{url}/messages",
        json.dumps({"content": "hi", "sender": "ana"}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as response:
        return str(json.load(response)["content"])


async def test_what_a_client_was_told_is_kept_when_the_process_is_killed(file: Path) -> None:
    pytest.importorskip("uvicorn", reason="the extra hookcore-gateway[http] is not installed")
    told = []
    for _ in range(3):
        with subprocess.Popen(  # noqa: ASYNC220 - it is awaited line by line
            [sys.executable, "-c", SERVER, str(file)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            told += [await asyncio.to_thread(asked, url) for _ in range(2)]
            process.send_signal(signal.SIGKILL)
    assert told == [f"{number} so far" for number in (1, 3, 5, 7, 9, 11)]


async def test_without_the_setting_nothing_outlives_the_process(
    manager: HookManager, tmp_path: Path
) -> None:
    for _ in range(2):
        channel = InMemoryChannel()
        async with Gateway(clerk(), channel, manager):
            await channel.post("hi", sender="ana").outcome()
        assert channel.sent[0].content == "1 so far"
    assert not names(tmp_path)


async def test_a_session_that_ended_is_forgotten(manager: HookManager, file: Path) -> None:
    await said(manager, file, ("ana", "hi"), ("ana", "/new"))
    assert rows(file) == []


async def test_new_is_heard_for_a_conversation_that_this_process_has_not_seen_yet(
    manager: HookManager, file: Path
) -> None:
    await said(manager, file, ("ana", "hi"), ("ben", "hi"))
    after = await said(manager, file, ("ana", "/new"), ("ana", "hi"), ("ben", "hi"))
    assert after[1:] == ["1 so far", "3 so far"]


async def test_an_evicted_session_is_forgotten(manager: HookManager, file: Path) -> None:
    await said(manager, file, ("ana", "hi"), ("ben", "hi"), limits=Limits(sessions=1))
    assert [json.loads(row[0])[1] for row in rows(file)] == ["ben"]


async def test_a_conversation_that_was_idle_for_too_long_is_not_resumed(file: Path) -> None:
    now = [1000.0]
    place = (("memory", "ana", None), "clerk")
    for expected in (True, False):
        keeper = SqliteKeeper(file, clock=lambda: now[0])
        await keeper.open(60.0, 10)
        if expected:
            await keeper.save(place, "s1", {"messages": []})
        assert (await keeper.load(place) is not None) is expected
        await keeper.close()
        now[0] += 61.0


async def test_only_the_latest_are_kept_when_there_are_too_many(file: Path) -> None:
    now = [0.0]
    keeper = SqliteKeeper(file, clock=lambda: now[0])
    await keeper.open(None, 10)
    for number in range(5):
        now[0] += 1
        await keeper.save((("memory", f"s{number}", None), "clerk"), f"{number}", {})
    keeper.prune(None, 2)
    await keeper.close()
    assert sorted(row[2] for row in rows(file)) == ["3", "4"]


async def test_the_conversations_of_prompts_are_not_kept(manager: HookManager, file: Path) -> None:
    channel = InMemoryChannel()
    prompts = [Prompt("News?", channel="memory", recipient="ana")]
    gateway = Gateway(
        clerk(),
        channel,
        manager,
        heartbeat=0.01,
        prompts=prompts,
        sessions="sqlite",
        sessions_file=file,
    )
    async with gateway:
        await channel.delivered(1)
    assert rows(file) == []


async def test_kept_is_what_was_sent_and_not_what_a_hook_took_out(
    manager: HookManager, policy: Any, file: Path
) -> None:
    def shorten(ctx: Any) -> None:
        ctx.payload.content = "withheld"

    policy("message_sending", shorten)
    await said(manager, file, ("ana", "hi"))
    data = json.loads(rows(file)[0][3])
    assert [message["content"] for message in data["messages"]] == ["hi", "withheld"]


async def test_a_conversation_that_is_no_json_is_told_and_costs_no_answer(
    manager: HookManager, policy: Any, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def odd(ctx: Any) -> None:
        ctx.payload["handle"] = object()

    policy("setup_state", odd)
    assert await said(manager, file, ("ana", "hi")) == ["1 so far"]
    [record] = [record for record in caplog.records if "could not be kept" in record.message]
    assert record.levelname == "ERROR"


async def test_what_was_kept_and_cannot_be_read_is_told_and_begun_anew(
    manager: HookManager, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await said(manager, file, ("ana", "hi"), ("ben", "hi"), ("eve", "hi"))
    database = sqlite3.connect(file)
    for sender, data in (("ana", "{"), ("ben", "[]"), ("eve", '{"messages": [{"x": 1}]}')):
        who = json.dumps(["memory", sender, None])
        database.execute("UPDATE sessions SET data = ? WHERE who = ?", (data, who))
    database.commit()
    database.close()
    again = await said(manager, file, ("ana", "hi"), ("ben", "hi"), ("eve", "hi"))
    assert again == ["1 so far"] * 3
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 3


async def test_two_gateways_cannot_have_one_database(manager: HookManager, file: Path) -> None:
    one = Gateway(clerk(), InMemoryChannel(), manager, sessions="sqlite", sessions_file=file)
    two = Gateway(clerk(), InMemoryChannel(), manager, sessions="sqlite", sessions_file=file)
    async with one:
        with pytest.raises(GatewayError, match="no other gateway uses"):
            await two.start()


async def test_a_database_of_another_kind_or_place_stops_the_start(
    manager: HookManager, tmp_path: Path
) -> None:
    text, newer = tmp_path / "text", tmp_path / "newer.db"
    text.write_text("not a database, but long enough to be looked at as one" * 20)
    database = sqlite3.connect(newer)
    database.execute("PRAGMA user_version = 7")
    database.close()
    for file in (text, newer, tmp_path / "missing" / "sessions.db", tmp_path):
        gateway = Gateway(
            clerk(), InMemoryChannel(), manager, sessions="sqlite", sessions_file=file
        )
        with pytest.raises(GatewayError, match="sessions cannot be kept in"):
            await gateway.start()


async def test_the_database_is_for_its_owner_only(manager: HookManager, file: Path) -> None:
    await said(manager, file, ("ana", "hi"))
    assert mode(file) == 0o600


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"sessions": "redis"}, 'takes "memory" or "sqlite"'),
        ({"sessions": "sqlite"}, "needs sessions_file="),
        ({"sessions": "sqlite", "sessions_file": ""}, "needs sessions_file="),
        ({"sessions_file": "x.db"}, 'say sessions="sqlite"'),
    ],
)
async def test_settings_that_do_not_go_together_are_refused(
    manager: HookManager, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(GatewayError, match=problem):
        Gateway(clerk(), InMemoryChannel(), manager, **options)


# Bounds of memory


@pytest.mark.parametrize("field", ["sender", "recipient", "thread", "id"])
async def test_an_identifier_has_a_bound_of_its_own(manager: HookManager, field: str) -> None:
    channel = InMemoryChannel()
    fields = {"sender": "ana", field: "x" * 1025}
    async with Gateway(clerk(), channel, manager):
        with pytest.raises(GatewayError, match=f"a message's {field} has 1024 bytes at most"):
            channel.post("hi", **fields)


@pytest.mark.parametrize(
    "more",
    [
        {"subject": "x" * 999},
        {"metadata": {"a": ["x" * 999]}},
        {"metadata": {"x" * 999: 1}},
        {"attachments": [b"x" * 999]},
        {"attachments": [bytearray(999)]},
        {"attachments": [ChannelMessage(channel="", sender="", recipient="", content="x" * 999)]},
        {"subject": "ü" * 499},
    ],
    ids=range(7),
)
async def test_all_fields_of_a_message_count_to_its_length(
    manager: HookManager, more: dict[str, Any]
) -> None:
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager, limits=Limits(message_bytes=1000)):
        with pytest.raises(GatewayError, match="1000 bytes at most, all its fields together"):
            channel.post("hi", **more)


async def test_waiting_messages_have_a_bound_together(manager: HookManager) -> None:
    channel = InMemoryChannel()
    go = asyncio.Event()

    async def slow(request: Any) -> str:
        await go.wait()
        return "done"

    agent = Agent("clerk", ScriptedModel(slow))
    limits = Limits(queue_bytes=3000, per_channel=1, workers=1)
    async with Gateway(agent, channel, manager, limits=limits):
        tickets = [channel.post("x" * 1000, sender=f"s{number}") for number in range(4)]
        with pytest.raises(GatewayError, match="3 messages wait already"):
            channel.post("hi")
        go.set()
        for ticket in tickets:
            await ticket.outcome()
        assert (await channel.post("hi").outcome()).status == "replied"


async def test_the_conversations_of_many_senders_have_a_bound_together(
    manager: HookManager, seen: Seen
) -> None:
    channel = InMemoryChannel()
    async with Gateway(clerk(), channel, manager, limits=Limits(session_bytes=5000)) as gateway:
        for number in range(20):
            await channel.post("x" * 1000, sender=f"s{number}").outcome()
        assert 2 <= len(gateway.sessions) <= 4
    reasons = [ctx.reason for name, ctx in seen if name == "session_end"]
    assert reasons[:16] == ["evicted"] * 16
