"""Every Python type at every point is judged, refused or recorded; nothing is lost or leaks."""

from __future__ import annotations

import array
import collections
import enum
import functools
import inspect
import io
import itertools
import re
import types
import uuid
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import pytest

from hookcore import (
    Abort,
    HookAborted,
    HookManager,
    ModelChoice,
    Replace,
)
from hookcore_specs import Kind

from .kit import message, outcome, plugin_of


async def coroutine() -> int:
    return 1


def generator() -> Any:
    yield 1


async def agenerator() -> Any:
    yield 1


class Named(enum.Enum):
    ONE = 1


VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "int": lambda: 7,
    "float": lambda: 0.5,
    "complex": lambda: 1j,
    "str": lambda: "deny",
    "bytes": lambda: b"bytes",
    "bytearray": lambda: bytearray(b"bytes"),
    "memoryview": lambda: memoryview(b"bytes"),
    "list": lambda: [1],
    "tuple": lambda: (1, 2),
    "dict": lambda: {"path": "other"},
    "verdict": lambda: {"decision": "block"},
    "set": lambda: {1},
    "frozenset": lambda: frozenset({1}),
    "range": lambda: range(3),
    "slice": lambda: slice(1),
    "ellipsis": lambda: ...,
    "not implemented": lambda: NotImplemented,
    "keys": {"a": 1}.keys,
    "proxy": lambda: types.MappingProxyType({"a": 1}),
    "ordered dict": lambda: collections.OrderedDict(a=1),
    "deque": lambda: collections.deque([1]),
    "counter": lambda: collections.Counter("a"),
    "user dict": lambda: collections.UserDict(a=1),
    "namespace": lambda: types.SimpleNamespace(a=1),
    "array": lambda: array.array("i", [1]),
    "decimal": lambda: Decimal(1),
    "fraction": lambda: Fraction(1, 2),
    "uuid": lambda: uuid.UUID(int=1),
    "path": lambda: PurePosixPath("a"),
    "datetime": lambda: datetime(2026, 1, 1, tzinfo=timezone.utc),
    "date": lambda: date(2026, 1, 1),
    "timedelta": lambda: timedelta(1),
    "pattern": lambda: re.compile("a"),
    "enum": lambda: Named.ONE,
    "class": lambda: dict,
    "function": lambda: generator,
    "builtin": lambda: len,
    "partial": lambda: functools.partial(len),
    "module": lambda: types,
    "object": object,
    "file": lambda: io.StringIO("text"),
    "error": lambda: ValueError("returned"),
    "generator": generator,
    "async generator": agenerator,
    "coroutine": coroutine,
    "map": lambda: map(str, [1]),
    "chain": lambda: itertools.chain([1]),
    "abort class": lambda: Abort,
    "aborted": lambda: HookAborted("no"),
    "aborted class": lambda: HookAborted,
    "abort": lambda: Abort("no"),
    "replace": lambda: Replace({"path": "other"}),
    "replace class": lambda: Replace,
    "choice": lambda: ModelChoice("a", "b"),
    "message": message,
}
NEVER = (Abort, HookAborted, Replace, types.GeneratorType, types.AsyncGeneratorType)

SPECS = {name: spec.options for name, spec in HookManager().points.items()}
CHAINS = {
    name: options
    for name, options in SPECS.items()
    if options.kind in (Kind.INTERCEPT, Kind.OBSERVE) and name != "hook_dispatched"
}


def first(options: Any) -> Any:
    """Return a payload of a point's type."""
    makers: dict[Any, Callable[[], Any]] = {
        dict: lambda: {"path": "a"},
        list: lambda: ["a"],
        str: lambda: "text",
        ModelChoice: lambda: ModelChoice("p", "m"),
        type(message()): message,
    }
    return makers.get(options.payload, lambda: {"path": "a"})()


@pytest.mark.parametrize("point", CHAINS)
@pytest.mark.parametrize("how", ["returned", "assigned", "awaited", "by a gate"])
@pytest.mark.parametrize("sync", [True, False])
def test_an_answer_of_any_type_is_judged_refused_or_recorded(
    point: str, how: str, *, sync: bool
) -> None:
    options = CHAINS[point]
    if how == "by a gate" and options.kind is Kind.OBSERVE:
        return
    manager, events, given = HookManager(), list[Any](), list[Callable[[], Any]]()
    manager.subscribe(events.append)

    def returned(ctx: Any) -> Any:
        return given[0]()

    def assigned(ctx: Any) -> None:
        ctx.payload = given[0]()

    async def awaited(ctx: Any) -> Any:
        return given[0]()

    hook = {"assigned": assigned, "awaited": awaited}.get(how, returned)
    manager.register(plugin_of(point, hook, gate=how == "by a gate"))
    for kind, make in VALUES.items():
        events.clear()
        given[:] = [make]
        payload = first(options)
        ctx = options.context(payload=payload)
        dispatch = manager.dispatch if sync else manager.adispatch

        result = outcome(functools.partial(dispatch, point, ctx))

        where = (point, how, kind, result)
        assert len(events) == 1, where
        (record,) = events[0].records
        if result == "denied":
            assert record.verdict in ("deny", "error"), where
            assert events[0].outcome == "aborted", where
            continue
        assert result is ctx, where
        if options.kind is Kind.OBSERVE:
            assert ctx.payload is payload, where
            expected = "allow" if kind == "None" and how != "assigned" else "error"
            assert record.verdict == expected or (how, kind) == ("awaited", "None"), where
        elif record.verdict == "modify":
            assert isinstance(ctx.payload, options.payload), where
            assert not isinstance(ctx.payload, NEVER), where
        else:
            # A plain answer of None, or the coroutine of one, is the only one that lets pass.
            assert record.verdict == "allow", where
            assert kind == "None", where
            assert ctx.payload == payload, where
    manager.close()


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("hooks", ["none", "gate", "observer", "wrap", "monitored"])
def test_a_result_of_any_type_reaches_the_host_or_is_refused(
    manager: HookManager, add: Callable[..., str], kind: str, hooks: str
) -> None:
    async def around(ctx: Any, call_next: Any) -> Any:
        return await call_next()

    if hooks == "gate":
        add("post_tool_call", lambda ctx: None, gate=True)
    elif hooks == "observer":
        add("tool_finished", lambda ctx: None)
    elif hooks == "wrap":
        add("wrap_tool_call", around)
    elif hooks == "monitored":
        add("post_tool_call", lambda ctx: None, monitor=True)
    value = VALUES[kind]()

    async def main() -> Any:
        return await manager.acall_tool("tool", {}, lambda arguments: value)

    result = outcome(main)

    assert result == "denied" or type(result) in (
        type(value),
        int,  # what the coroutine gives
        dict,  # what a Replace stands for
        types.GeneratorType,
        types.AsyncGeneratorType,
    ), (kind, hooks, result)
    if result == "denied":
        assert hooks in ("gate", "wrap"), (kind, hooks)
    elif inspect.iscoroutine(value):
        assert result == 1


@pytest.mark.parametrize("kind", VALUES)
def test_arguments_of_any_type_are_an_object_or_are_refused(
    manager: HookManager, add: Callable[..., str], kind: str
) -> None:
    add("pre_tool_call", lambda ctx: None, gate=True)
    value = VALUES[kind]()

    result = outcome(lambda: manager.call_tool("tool", value, lambda used: used))
    if inspect.iscoroutine(value):
        value.close()

    assert result == "denied" or type(result) is dict


@pytest.mark.parametrize("kind", VALUES)
def test_an_argument_of_any_type_is_handed_on_or_refused(
    manager: HookManager, add: Callable[..., str], kind: str
) -> None:
    add("pre_tool_call", lambda ctx: None, gate=True)
    value = VALUES[kind]()

    result = outcome(lambda: manager.call_tool("tool", {"value": value}, lambda used: used))
    if inspect.iscoroutine(value):
        value.close()

    assert result == "denied" or type(result["value"]) is type(value) or isinstance(value, dict)
