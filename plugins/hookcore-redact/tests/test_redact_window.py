"""Streams: text that passes while it comes, and nothing of a value with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import (
    HookContext,
    HookDispatchedEvent,
    HookManager,
    ModelCallContext,
    ToolCallChunk,
)
from hookcore_redact import Redact, RedactSettings

ALNUM = "a1B2c3D4e5" * 12
KEY = "sk-" + "ant-api03-" + ALNUM[:80]
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n" + (ALNUM[:64] + "\n") * 50 + "-----END RSA PRIVATE KEY-----"
)


def streamed(chunks: Iterable[str], **settings: Any) -> Iterator[str]:
    """Yield what leaves a window, as the core lets it through."""
    plugin: Any = Redact(RedactSettings(stream="window", **settings))
    ctx = ModelCallContext(response="")
    held, hold = "", plugin._window.first_hold
    for chunk in chunks:
        held += chunk
        if len(held) <= hold:
            continue
        ctx.payload, ctx.hold = held, None
        held = plugin.post_model_call(ctx) or held
        assert ctx.hold is not None
        hold = ctx.hold
        cut = max(0, len(held) - (hold if hold <= 8192 else len(held)))
        yield held[:cut]
        held = held[cut:]
    ctx.payload = held
    yield plugin.post_model_call(ctx) or held


def whole(text: str, **settings: Any) -> str:
    redacted: str = Redact(RedactSettings(**settings)).redact(text)
    return redacted


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def test_a_key_split_over_five_chunks_is_one_placeholder() -> None:
    text = f"The key is {KEY}, keep it."
    at = text.index(KEY)
    cuts = [0, at + 3, at + 20, at + 45, at + 70, len(text)]
    chunks = [text[start:end] for start, end in pairwise(cuts)]
    assert len(chunks) == 5
    assert "".join(streamed(chunks)) == "The key is [ANTHROPIC_KEY_1], keep it."


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize("secret", [KEY, PEM, "a@b.co.uk", "4111 1111 1111 1111", "+49 30 1234567"])
def test_the_size_of_the_chunks_makes_no_difference(secret: str, size: int) -> None:
    text = f"{'some words before it, ' * 40}{secret} {'and after it, ' * 60}{secret}"
    assert "".join(streamed(pieces(text, size))) == whole(text)


def test_a_value_that_grows_with_the_next_chunk_is_taken_as_a_whole() -> None:
    padding = "x " * 200
    assert "".join(streamed([padding + "mail a@b.co", ".uk now"])) == padding + "mail [EMAIL_1] now"


def test_a_value_that_ends_the_stream_does_not_leave() -> None:
    padding = "x " * 200
    assert "".join(streamed([padding, KEY[:60], KEY[60:]])) == padding + "[ANTHROPIC_KEY_1]"


def test_the_same_value_keeps_its_placeholder_and_another_gets_another() -> None:
    padding = "x " * 300
    text = f"a@b.co {padding} c@d.eu {padding} a@b.co"
    assert "".join(streamed(pieces(text, 50))).split("x ")[-1].strip() == "[EMAIL_1]"
    assert "[EMAIL_2]" in "".join(streamed(pieces(text, 50)))


def test_plain_text_leaves_while_it_comes() -> None:
    left = list(streamed(pieces("plain words here " * 100, 17)))
    held = [sum(map(len, left[:count])) for count in range(len(left))]
    assert max(17 * (16 + count) - gone for count, gone in enumerate(held)) < 400


def test_a_value_longer_than_any_window_is_held_until_it_ends() -> None:
    text = "key: " + PEM.replace("\n" + ALNUM[:64], "\n" + ALNUM[:64] * 4) + " done"
    assert "".join(streamed(pieces(text, 500))) == "key: [PRIVATE_KEY_1] done"


def test_a_placeholder_that_the_model_wrote_stays() -> None:
    text = "as [EMAIL_7] said " * 60
    assert "".join(streamed(pieces(text, 11))) == text


WORDS = st.sampled_from(
    [
        "hello",
        "Grüße",
        "日本語",
        "[EMAIL_4]",
        "12:30",
        "HAT001",
        "sk-",
        "a@",
        "-----BEGIN",
        "\n",
        "4111",
    ]
)
VALUES = st.sampled_from(
    [
        KEY,
        "jörg@b.co.uk",
        "4111 1111 1111 1111",
        "DE89 3704 0044 0532 0130 00",
        "10.1.2.3",
        PEM[:900],
    ]
)


@given(
    st.lists(st.one_of(WORDS, WORDS, VALUES), min_size=1, max_size=60).map(" ".join),
    st.lists(st.integers(1, 300), min_size=1, max_size=8),
)
@settings(deadline=None)
def test_a_stream_comes_out_as_the_whole_text_would(text: str, sizes: list[int]) -> None:
    chunks: list[str] = []
    at = 0
    while at < len(text):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(text[at : at + size])
        at += size
    assert "".join(streamed(chunks, placeholders="fixed")) == whole(text, placeholders="fixed")


async def consume(manager: HookManager, chunks: Iterable[str], **fields: Any) -> list[str]:
    async def model(_messages: list[Any]) -> AsyncIterator[str]:
        for chunk in chunks:
            yield chunk

    return [event async for event in manager.astream_model([], model, **fields)]


def through_manager(
    mode: str, chunks: Iterable[str]
) -> tuple[list[str], list[HookDispatchedEvent]]:
    manager, events = HookManager(), list[HookDispatchedEvent]()
    manager.register(Redact, name="redact", settings={"stream": mode})
    manager.subscribe(events.append)
    left = asyncio.run(consume(manager, chunks))
    manager.close()
    return left, [event for event in events if event.interception_point == "post_model_call"]


FIVE = [
    f"{'some words ' * 60}The key is {KEY[:4]}",
    KEY[4:30],
    KEY[30:50],
    KEY[50:70],
    KEY[70:] + "!",
]


def test_buffered_nothing_of_a_response_leaves_before_it_is_complete() -> None:
    left, (event,) = through_manager("buffer", FIVE)
    assert "".join(left) == f"{'some words ' * 60}The key is [ANTHROPIC_KEY_1]!"
    assert len(left) == 1
    assert event.outcome == "modified"


def test_in_a_window_text_leaves_early_and_the_key_never() -> None:
    left, (event,) = through_manager("window", FIVE)
    assert "".join(left) == f"{'some words ' * 60}The key is [ANTHROPIC_KEY_1]!"
    assert len(left) > 1
    assert event.outcome == "modified"


def test_observed_a_stream_leaves_as_it_is_and_the_event_tells() -> None:
    left, (event,) = through_manager("observe", FIVE)
    assert left == FIVE
    assert [(record.verdict, record.effect) for record in event.records] == [("modify", "observed")]
    assert KEY not in repr(event)


def test_concurrent_streams_of_a_run_are_kept_apart() -> None:
    manager = HookManager()
    manager.register(Redact, name="redact", settings={"stream": "window"})
    mails = [f"person{number}@example.com" for number in range(8)]

    async def all_of_them() -> list[str]:
        texts = [f"{'words ' * 100}{mail} {'more ' * 100}{mail}" for mail in mails]
        streams = (consume(manager, pieces(text, 9), run_id="r") for text in texts)
        return ["".join(left) for left in await asyncio.gather(*streams)]

    left = asyncio.run(all_of_them())
    manager.close()
    assert not any(mail in text for mail in mails for text in left)
    numbers = [{word for word in text.split() if word.startswith("[EMAIL_")} for text in left]
    assert all(len(found) == 1 for found in numbers)
    assert len(set.union(*numbers)) == 8


class Watched(Redact):
    """Shows what the plugin keeps for a run."""

    kept: dict[str, Any]

    def _vault(self, ctx: HookContext) -> Any:
        self.kept = ctx.state
        return super()._vault(ctx)


def test_what_was_held_of_a_stream_is_forgotten_when_it_is_over() -> None:
    manager, plugin = HookManager(), Watched(RedactSettings(stream="window"))
    manager.register(plugin, name="redact")
    asyncio.run(consume(manager, FIVE, run_id="r", call_id="c"))
    manager.close()
    assert list(plugin.kept) == ["vault"]


def test_what_is_held_is_not_shown() -> None:
    plugin: Any = Redact(RedactSettings(stream="window"))
    ctx = ModelCallContext(response=f"the key is {KEY}")
    plugin.post_model_call(ctx)
    assert KEY not in repr(ctx.state)


def test_a_tool_call_in_a_window_is_redacted_as_in_a_buffer() -> None:
    chunk = ToolCallChunk(0, "c", "send", f'{{"to": "a@b.co", "key": "{KEY}"}}')
    after = {}
    for mode in ("window", "buffer"):
        plugin: Any = Redact(RedactSettings.model_validate({"stream": mode}))
        after[mode] = plugin.post_model_call(ModelCallContext(response=chunk))
    assert after["window"] == after["buffer"]
    assert after["window"].arguments == '{"to": "a@b.co", "key": "[ANTHROPIC_KEY_1]"}'
