"""A function's defaults are part of the tool input (A13)."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

import pytest

from hookcore import HookAborted, HookManager

Add = Callable[..., str]

PATH = "/etc/passwd"


@pytest.fixture
def guarded(add: Add) -> None:
    """Deny what touches the file."""

    def guard(ctx: Any) -> None:
        if ctx.tool_input.get("path") == PATH:
            raise HookAborted("no")

    add("pre_tool_call", guard, gate=True)


def plain(path: str = PATH) -> str:
    return path


def by_keyword(*, path: str = PATH, **more: Any) -> str:
    return path


def by_position(path: str = PATH, /) -> str:
    return path


def after_more(first: int, *rest: int, path: str = PATH) -> str:
    return path


def part(mode: str, path: str = PATH) -> str:
    return path


def generator(path: str = PATH) -> Iterator[str]:
    yield path


async def coroutine(path: str = PATH) -> str:
    return path


async def agenerator(path: str = PATH) -> AsyncIterator[str]:
    yield path


class Tools:
    def method(self, path: str = PATH) -> str:
        return path

    @staticmethod
    def static(path: str = PATH) -> str:
        return path

    @classmethod
    def of_class(cls, path: str = PATH) -> str:
        return path


@pytest.mark.usefixtures("guarded")
@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.tool(plain)(),
        lambda m: m.tool(by_keyword)(),
        lambda m: m.tool(by_position)(),
        lambda m: m.tool(after_more)(1, 2, 3),
        lambda m: m.tool(functools.partial(part, "r"), name="part")(),
        lambda m: list(m.tool(generator)()),
        lambda m: asyncio.run(m.tool(coroutine)()),
        lambda m: asyncio.run(anext(m.tool(agenerator)())),
        lambda m: m.tool(Tools().method)(),
        lambda m: m.tool(Tools.method)(Tools()),
        lambda m: m.tool(Tools.static)(),
        lambda m: m.tool(Tools.of_class)(),
    ],
)
def test_a_rule_sees_the_default(manager: HookManager, call: Callable[[HookManager], Any]) -> None:
    with pytest.raises(HookAborted):
        call(manager)


def test_defaults_stand_in_the_order_of_the_parameters(
    manager: HookManager, watch: Callable[..., Any]
) -> None:
    seen = watch("pre_tool_call")

    manager.tool(lambda first, second=2, *, third=3: None)(first=1)

    assert list(seen.payloads[0].items()) == [("first", 1), ("second", 2), ("third", 3)]


@pytest.mark.parametrize(
    "default", [None, 0, [1, {"a": 2}], (), Decimal("1.5"), PurePosixPath(PATH), frozenset({1})]
)
def test_a_default_that_is_data_is_shown(
    manager: HookManager, watch: Callable[..., Any], default: object
) -> None:
    seen = watch("pre_tool_call", gate=True)

    def tool(value: object = default) -> object:
        return value

    assert manager.tool(tool)() is default
    assert seen.payloads == [{"value": default}]


@dataclasses.dataclass(eq=False)
class Mark:
    """Tells that an argument was left out."""


@pytest.mark.parametrize("default", [object(), Mark(), dataclasses.MISSING, threading.Lock()])
def test_a_default_that_is_no_data_is_the_functions_own(
    manager: HookManager, watch: Callable[..., Any], default: object
) -> None:
    seen = watch("pre_tool_call", gate=True)

    def tool(value: object = default) -> object:
        return value

    assert manager.tool(tool)() is default
    assert seen.payloads == [{}]


def test_a_default_that_a_function_keeps_something_in_is_its_own(
    manager: HookManager, watch: Callable[..., Any]
) -> None:
    watch("pre_tool_call", gate=True)

    def tool(name: str, known: list[str] = []) -> list[str]:  # noqa: B006 - what is tested
        known.append(name)
        return list(known)

    governed = manager.tool(tool)

    assert [governed("a"), governed("b")] == [["a"], ["a", "b"]]


def test_a_hook_that_edits_a_default_changes_this_call_only(manager: HookManager, add: Add) -> None:
    def edit(ctx: Any) -> None:
        ctx.tool_input["items"].append("edited")

    add("pre_tool_call", edit)

    def tool(items: list[str] = []) -> list[str]:  # noqa: B006 - what is tested
        return list(items)

    governed = manager.tool(tool)

    assert [governed(), governed()] == [["edited"], ["edited"]]


def test_two_arguments_of_one_name_are_refused_where_one_is_left_out(
    manager: HookManager, watch: Callable[..., Any]
) -> None:
    watch("pre_tool_call")

    def tool(name: str = "default", /, **more: str) -> str:
        return name

    with pytest.raises(TypeError, match="name"):
        manager.tool(tool)(**{"name": "other"})  # noqa: PIE804 - a keyword of a position's name
