"""Whatever hooks and bodies do: each boundary that was begun has one end, and it tells the truth."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, Replace, hookimpl
from hookcore.testing import kept_runs

BEGINS = {
    "run": "execution_start",
    "turn": "pre_turn",
    "step": "pre_step",
    "model": "pre_model_call",
    "stream": "pre_model_call",
    "tool": "pre_tool_call",
}
ENDS = ("run_finished", "turn_finished", "step_finished", "model_finished", "tool_finished")
POINTS = (
    *("execution_start", "input", "pre_run", "post_run", "output", "execution_end"),
    *("pre_turn", "post_turn", "pre_step", "post_step"),
    *("pre_model_call", "model_input", "post_model_call", "model_output"),
    *("pre_tool_call", "post_tool_call"),
)
WRAPS = ("wrap_model_call", "wrap_tool_call")


class Interrupt(BaseException):
    """Stands for a KeyboardInterrupt, which test runners take personally."""


@dataclass
class Node:
    """One boundary: what its body does, and what is inside it."""

    kind: str
    body: str
    awaits: bool
    children: list[Node] = field(default_factory=list)
    number: int = 0


@dataclass(frozen=True)
class Hook:
    """A hook that does something at one point of one node."""

    point: str
    node: int
    does: str
    on_error: str
    gate: bool = False


@dataclass(frozen=True)
class Wrap:
    """A wrap that does something around one node."""

    point: str
    node: int
    does: str
    on_error: str
    form: str


def numbered(node: Node) -> Node:
    waiting, number = [node], 0
    while waiting:
        current = waiting.pop(0)
        current.number, number = number, number + 1
        waiting += current.children
    return node


bodies = st.sampled_from(["ok", "ok", "ok", "error", "abort", "interrupt", "close"])
leaves = st.builds(Node, st.sampled_from(list(BEGINS)), bodies, st.booleans())
nodes = st.recursive(
    leaves,
    lambda inner: st.builds(
        Node, st.sampled_from(list(BEGINS)), bodies, st.booleans(), st.lists(inner, max_size=2)
    ),
    max_leaves=4,
)
numbers = st.integers(0, 3)
errors = st.sampled_from(["allow", "deny", "raise"])
doings = st.sampled_from(["continue", "replace", "abort", "fail", "interrupt"])
hooks = st.builds(Hook, st.sampled_from(POINTS), numbers, doings, errors)
gates = st.builds(
    Hook,
    st.sampled_from(["pre_tool_call", "post_tool_call", "pre_model_call", "post_model_call"]),
    numbers,
    st.sampled_from(["continue", "abort", "fail"]),
    errors,
    st.just(True),
)
wraps = st.builds(
    Wrap,
    st.sampled_from(WRAPS),
    numbers,
    st.sampled_from(["pass", "abort", "fail early", "fail late", "short", "swallow", "again"]),
    errors,
    st.sampled_from(["around", "awaited", "streamed"]),
)


class World:
    """Runs a tree of boundaries and keeps what was begun, entered and ended."""

    def __init__(self, root: Node, hooks: list[Hook], wraps: list[Wrap]) -> None:
        self.manager = HookManager()
        self.root = root
        self.begun: Counter[int] = Counter()
        self.looked: set[int] = set()
        self.ended: list[tuple[int, str, bool]] = []
        self.executions: Counter[int] = Counter()
        self.bodies: set[int] = set()
        self.outcomes: dict[int, BaseException | None] = {}
        for point in set(BEGINS.values()):
            self._add(point, lambda ctx: self.begun.update([_number(ctx)]), tryfirst=True)
        for point in ENDS:
            self._add(point, lambda ctx: self.ended.append((_number(ctx), ctx.status, ctx.entered)))
        self._add(
            "execution_end", lambda ctx: self.executions.update([_number(ctx)]), tryfirst=True
        )
        for hook in hooks:
            self._add(hook.point, _hook(hook), on_error=hook.on_error, gate=hook.gate)
        for wrap in wraps:
            self._add(wrap.point, _wrap(wrap), on_error=wrap.on_error)

    def _add(self, point: str, function: Callable[..., Any], **options: Any) -> None:
        marked = hookimpl(specname=point, **options)(function)
        self.manager.register(type("Plugin", (), {"hook": staticmethod(marked)})())

    async def go(self, node: Node) -> Any:
        """Run a node and note how it ended for its caller."""
        try:
            result = await self._boundary(node)
        except BaseException as error:
            self.outcomes[node.number] = error
            raise
        self.outcomes[node.number] = None
        return result

    async def _boundary(self, node: Node) -> Any:
        fields: Any = {"attributes": {"node": node.number, "kind": node.kind}}

        async def body(_given: Any) -> Any:
            return await self._body(node)

        if node.kind == "tool":
            return await self.manager.acall_tool("x", {}, body, **fields)
        if node.kind == "model":
            return await self.manager.acall_model(["hi"], body, **fields)
        if node.kind == "stream":
            return await self._stream(node, fields)
        block: Any = getattr(self.manager, node.kind)(**fields)
        if node.awaits:
            async with block:
                await body(None)
        else:
            with block:
                await body(None)
        return None

    async def _stream(self, node: Node, fields: Any) -> list[Any]:
        async def model(_messages: Any) -> AsyncIterator[str]:
            self.bodies.add(node.number)
            yield "a"
            yield str(await self._body(node))

        events = self.manager.astream_model(["hi"], model, **fields)
        left: list[Any] = []
        async for event in events:
            left.append(event)
            if node.body == "close":
                await events.aclose()
                raise Interrupt
        return left

    async def _body(self, node: Node) -> str:
        self.bodies.add(node.number)
        for child in node.children:
            with suppress(Exception):
                await self.go(child)
        await asyncio.sleep(0)
        if node.body == "error":
            raise LookupError
        if node.body == "abort":
            raise HookAborted("from inside")
        if node.body == "interrupt":
            raise Interrupt
        return "result"


def _number(ctx: Any) -> int:
    number: int = ctx.attributes["node"]
    return number


def _hook(case: Hook) -> Callable[[Any], Any]:
    def act(ctx: Any) -> Any:
        if _number(ctx) != case.node:
            return None
        if case.does == "abort":
            raise HookAborted("no")
        if case.does == "fail":
            raise ZeroDivisionError
        if case.does == "interrupt":
            raise Interrupt
        replaces = case.does == "replace" and not case.point.startswith("model_")
        return Replace(ctx.payload) if replaces else None

    return act


def _wrap(case: Wrap) -> Callable[..., Any]:  # noqa: C901 - three forms of one behaviour
    def early(ctx: Any) -> None:
        if case.does == "abort":
            raise HookAborted("no")
        if case.does == "fail early":
            raise ZeroDivisionError

    def around(ctx: Any, call_next: Any) -> Iterator[Any]:
        if _number(ctx) == case.node:
            early(ctx)
            try:
                yield
            except LookupError:
                if case.does != "swallow":
                    raise
            if case.does == "fail late":
                raise ZeroDivisionError
        else:
            yield

    async def awaited(ctx: Any, call_next: Any) -> Any:
        if _number(ctx) != case.node:
            return await call_next()
        early(ctx)
        if case.does == "short":
            return _once("short") if ctx.attributes["kind"] == "stream" else "short"
        try:
            result = await call_next()
        except LookupError:
            if case.does == "again":
                return await call_next()
            if case.does != "swallow":
                raise
            result = "swallowed"
        if case.does == "fail late":
            raise ZeroDivisionError
        return result

    async def streamed(ctx: Any, call_next: Any) -> AsyncIterator[Any]:
        if _number(ctx) == case.node:
            early(ctx)
            if case.does == "short":
                yield "short"
                return
        try:
            async for event in call_next():
                yield event
                if _number(ctx) == case.node and case.does == "fail late":
                    raise ZeroDivisionError
        except LookupError:
            if _number(ctx) != case.node or case.does not in ("swallow", "again"):
                raise
            if case.does == "again":
                async for event in call_next():
                    yield event

    return {"around": around, "awaited": awaited, "streamed": streamed}[case.form]


async def _once(item: Any) -> AsyncIterator[Any]:
    yield item


async def _live(world: World) -> None:
    with suppress(Interrupt, Exception):
        await world.go(world.root)
    # Streams that were dropped are closed by tasks of the loop's own.
    for _ in range(5):
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


def _check_status(world: World, number: int, status: str) -> None:
    outcome = world.outcomes.get(number)
    if outcome is None:
        assert status == "ok"
    elif isinstance(outcome, HookAborted):
        assert status in ("denied", "error")
    elif isinstance(outcome, Exception):
        assert status == "error"
    else:
        assert status == "cancelled"


@settings(max_examples=2 * settings().max_examples)
@given(
    root=nodes.map(numbered),
    hooks=st.lists(st.one_of(hooks, hooks, gates), max_size=5),
    wraps=st.lists(wraps, max_size=3),
)
def test_each_boundary_that_was_begun_has_exactly_one_end(
    root: Node, hooks: list[Hook], wraps: list[Wrap]
) -> None:
    world = World(root, hooks, wraps)
    asyncio.run(_live(world))
    assert Counter(number for number, _, _ in world.ended) == world.begun
    assert max(world.begun.values(), default=1) >= 1
    for number, status, entered in world.ended:
        assert entered == (number in world.bodies)
        if world.begun[number] == 1:
            _check_status(world, number, status)
    assert max(world.executions.values(), default=0) <= max(world.begun.values(), default=0)
    assert kept_runs(world.manager) == 0
    world.manager.close()
