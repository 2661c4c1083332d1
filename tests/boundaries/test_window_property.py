"""However a text is cut, a window wider than the secret finds it, and loses nothing else."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookManager, TextChunk, hookimpl

SECRET = re.compile(r"sk-[a-z0-9]{8}")
PING = {"type": "ping"}


def redacting(window: int) -> HookManager:
    class Redact:
        @hookimpl(stream="window", window=window)
        def post_model_call(self, ctx: Any) -> str:
            return SECRET.sub("[key]", ctx.response)

    manager = HookManager()
    manager.register(Redact())
    return manager


async def streamed(manager: HookManager, parts: list[Any]) -> list[Any]:
    async def model(messages: Any) -> AsyncIterator[Any]:
        for part in parts:
            yield part

    return [event async for event in manager.astream_model([], model)]


PIECES = st.one_of(
    st.sampled_from(["sk-abcd1234", "sk-", "sk-abcd123"]), st.text("xyz ", min_size=1, max_size=9)
)


@given(
    pieces=st.lists(PIECES, max_size=12),
    cuts=st.lists(st.integers(1, 7), min_size=1, max_size=40),
    pings=st.sets(st.integers(0, 40)),
    window=st.integers(11, 40),
)
def test_what_leaves_is_the_text_as_a_whole_would_have_been_rewritten(
    pieces: list[str], cuts: list[int], pings: set[int], window: int
) -> None:
    text, parts, at = "".join(pieces), list[Any](), 0
    for number, cut in enumerate([*cuts, len(text)]):
        if number in pings:
            parts.append(PING)
        parts.append(TextChunk(text[at : at + cut]))
        at += cut
    left = asyncio.run(streamed(redacting(window), parts))
    texts = [event.text for event in left if isinstance(event, TextChunk)]
    assert "".join(texts) == SECRET.sub("[key]", text)
    assert left.count(PING) == parts.count(PING)


@given(
    before=st.integers(0, 30),
    after=st.integers(0, 30),
    size=st.integers(1, 5),
    window=st.integers(1, 12),
)
def test_an_event_leaves_between_the_texts_that_it_came_between(
    before: int, after: int, size: int, window: int
) -> None:
    def chunks(letter: str, count: int) -> list[Any]:
        text = letter * count
        return [TextChunk(text[at : at + size]) for at in range(0, count, size)]

    left = asyncio.run(
        streamed(redacting(window), [*chunks("a", before), PING, *chunks("b", after)])
    )
    ahead = left[: left.index(PING)]
    assert sum(event.text.count("a") for event in ahead) == before
