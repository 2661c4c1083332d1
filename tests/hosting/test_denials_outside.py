from __future__ import annotations

import asyncio
import inspect
import pickle
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from hookcore import HookAborted, HookManager
from hookcore.hosting import PolicyDenied, denials_outside, outside

SECRET = "rule 7 of the fraud team"


def test_a_denial_for_the_outside_tells_the_message_and_never_the_reason() -> None:
    denied = outside(HookAborted(SECRET, source="policy", message="Not today."))
    assert (str(denied), denied.message, denied.reason) == ("Not today.",) * 3
    told = [str(denied), repr(denied), repr(denied.args), repr(vars(denied))]
    assert [text for text in told if SECRET in text] == []


def test_operators_find_the_denial_in_the_cause() -> None:
    error = HookAborted(SECRET)
    denied = outside(error)
    assert denied.__cause__ is error
    assert SECRET in "".join(traceback.format_exception(denied))


def test_it_is_a_denial_like_any_other() -> None:
    assert isinstance(outside(HookAborted(SECRET)), HookAborted)


def test_one_that_is_for_the_outside_stays_as_it_is() -> None:
    denied = outside(HookAborted(SECRET))
    assert outside(denied) is denied
    with pytest.raises(PolicyDenied) as raised, denials_outside():
        raise denied
    assert raised.value is denied


def test_it_survives_another_process() -> None:
    denied = pickle.loads(pickle.dumps(outside(HookAborted(SECRET, message="no"))))
    assert (type(denied), str(denied)) == (PolicyDenied, "no")


def test_denials_leave_a_block_without_their_reason(
    manager: HookManager, add: Callable[..., str]
) -> None:
    def deny(ctx: object) -> None:
        raise HookAborted(SECRET, message="Not today.")

    add("pre_tool_call", deny, gate=True)
    with pytest.raises(PolicyDenied, match=r"Not today\."), denials_outside():
        manager.call_tool("rm", {}, lambda given: None)


def test_other_errors_pass_a_block_as_they_are() -> None:
    with pytest.raises(LookupError), denials_outside():
        raise LookupError


def plain() -> Any:
    raise HookAborted(SECRET)


def generator() -> Iterator[int]:
    yield 1
    raise HookAborted(SECRET)


async def coroutine() -> Any:
    raise HookAborted(SECRET)


async def stream() -> AsyncIterator[int]:
    yield 1
    raise HookAborted(SECRET)


async def drain(items: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in items]


@pytest.mark.parametrize(
    "call",
    [
        denials_outside()(plain),
        lambda: list(denials_outside()(generator)()),
        lambda: asyncio.run(denials_outside()(coroutine)()),
        lambda: asyncio.run(drain(denials_outside()(stream)())),
    ],
    ids=["plain", "generator", "coroutine", "stream"],
)
def test_functions_of_every_sort_can_be_decorated(call: Callable[[], Any]) -> None:
    for _ in range(2):
        with pytest.raises(PolicyDenied, match="not allowed by policy"):
            call()


def test_a_decorated_function_is_still_of_its_sort() -> None:
    decorate = denials_outside()
    assert inspect.isgeneratorfunction(decorate(generator))
    assert inspect.iscoroutinefunction(decorate(coroutine))
    assert inspect.isasyncgenfunction(decorate(stream))
    assert decorate(plain).__name__ == "plain"
