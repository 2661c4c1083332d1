"""The parts that the tests of a tool call's end share: a plugin that notes it, and hooks that refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hookcore import HookAborted, hookimpl

both = pytest.mark.parametrize("sync", [True, False], ids=["sync", "async"])


class Ends:
    """Notes each end of a tool call, and the posts before it."""

    def __init__(self) -> None:
        self.ends: list[tuple[Any, ...]] = []
        self.posts = 0

    @hookimpl
    def post_tool_call(self, ctx: Any) -> None:
        self.posts += 1

    @hookimpl
    def tool_finished(self, ctx: Any) -> None:
        self.ends.append((ctx.status, ctx.entered, ctx.payload))


def refuse(ctx: Any) -> None:
    raise HookAborted("no", source="guard", message="Not this file.")


def refuse_around(ctx: Any, call_next: Any) -> Iterator[Any]:
    raise HookAborted("no", source="guard")
    yield
