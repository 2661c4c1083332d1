"""Several tool calls in one answer of a model: each that was begun has one end, with its id."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import HookAborted, hookimpl
from hookcore_agent import Agent, RunResult, ScriptedModel, ToolCall
from hookcore_gateway.zeroclaw import Cancel, Continue, HookHandler, HookResult, HookRunner

from .pairing import Ends, Pairing

pytestmark = pytest.mark.asyncio

DONE, GIVEN_UP = ["before", "after"], ["before", "abandoned"]
either = pytest.mark.parametrize("parallel", [True, False])


@pytest.fixture
def pairing(runner: HookRunner) -> Pairing:
    made = Pairing()
    runner.register(made)
    return made


@pytest.fixture
def ends(runner: HookRunner) -> Ends:
    return Ends(runner.manager)


class Files:
    """An agent whose model deletes files, all in one answer."""

    def __init__(self, runner: HookRunner, *paths: str, parallel: bool = True) -> None:
        self.deleted: list[str] = []
        calls = [ToolCall("delete", {"path": path}, f"c{n}") for n, path in enumerate(paths)]
        self.agent = Agent(
            "clerk",
            ScriptedModel([calls, "done"]),
            [self.delete],
            hooks=runner.manager,
            parallel_tools=parallel,
        )

    def delete(self, path: str) -> str:
        """Delete a file."""
        self.deleted.append(path)
        return f"deleted {path}"

    async def run(self) -> RunResult:
        return await self.agent.run("delete them", "s")


def told(result: RunResult) -> list[str]:
    return [message.content for message in result.messages if message["role"] == "tool"]


class Person:
    """Somebody who is asked, and answers what a script says; None is no answer at all."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.hesitates = asyncio.Event()

    def ask(self, prompt: str, default_message: str) -> str:
        raise AssertionError("asked on a thread")

    async def aask(self, prompt: str, default_message: str) -> str:
        answer = self.answers.pop(0)
        if answer is None:
            self.hesitates.set()
            await asyncio.Event().wait()
        return str(answer)


class Approval:
    """Asks a person before each call; what is neither yes nor no is for the model."""

    @hookimpl(gate=True)
    async def pre_tool_call(self, ctx: Any) -> None:
        answer = await ctx.arequest_human_input(f"{ctx.tool_name} {ctx.tool_input}?")
        if answer == "no":
            raise HookAborted("a person said no")
        if answer != "yes":
            raise HookAborted("a person wants something else", message=answer)


@pytest.fixture
def asked(runner: HookRunner) -> Callable[..., Person]:
    """Return a way to put an approval in force: (the person's answers) -> the person."""

    def put(*answers: str | None) -> Person:
        person = Person(*answers)
        runner.manager.prompter = person
        runner.manager.register(Approval(), name="approval")
        return person

    return put


# Denied


@either
async def test_a_call_that_a_handler_cancels_is_abandoned_and_its_siblings_are_executed(
    runner: HookRunner,
    make_handler: Callable[..., HookHandler],
    pairing: Pairing,
    ends: Ends,
    *,
    parallel: bool,
) -> None:
    async def guard(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Cancel("rule 7") if args["path"] == "b" else Continue((name, args))

    runner.register(make_handler("guard", before_tool_call=guard))
    files = Files(runner, "a", "b", "c", parallel=parallel)
    await files.run()
    assert pairing.calls == [DONE, GIVEN_UP, DONE]
    assert sorted(files.deleted) == ["a", "c"]
    assert dict(ends.statuses) == {"c0": "ok", "c1": "denied", "c2": "ok"}
    assert ends.came_once_each()


async def test_a_handler_behind_the_one_that_cancels_hears_of_the_end_only(
    runner: HookRunner, make_handler: Callable[..., HookHandler], pairing: Pairing
) -> None:
    async def guard(name: str, args: dict[str, Any]) -> HookResult[Any]:
        return Cancel("rule 7")

    runner.register(make_handler("guard", pairing.priority() + 1, before_tool_call=guard))
    await Files(runner, "a").run()
    assert pairing.calls == [["abandoned"]]


@either
async def test_a_call_that_a_person_denies_is_abandoned(
    runner: HookRunner,
    pairing: Pairing,
    ends: Ends,
    asked: Callable[..., Person],
    *,
    parallel: bool,
) -> None:
    asked("yes", "no", "yes")
    files = Files(runner, "a", "b", "c", parallel=parallel)
    result = await files.run()
    assert pairing.calls == [DONE, GIVEN_UP, DONE]
    assert sorted(files.deleted) == ["a", "c"]
    assert "said no" not in "".join(told(result))
    assert ends.came_once_each()


async def test_a_call_in_whose_place_a_person_wants_something_else_is_abandoned(
    runner: HookRunner, pairing: Pairing, ends: Ends, asked: Callable[..., Person]
) -> None:
    asked("Archive it instead.", "yes")
    files = Files(runner, "a", "b")
    result = await files.run()
    assert pairing.calls == [GIVEN_UP, DONE]
    assert files.deleted == ["b"]
    assert told(result)[0] == "denied by approval.pre_tool_call: Archive it instead."
    assert ends.came_once_each()


async def test_a_call_that_nobody_can_approve_is_abandoned(
    runner: HookRunner, pairing: Pairing, asked: Callable[..., Person]
) -> None:
    asked()
    files = Files(runner, "a")
    await files.run()
    assert (pairing.calls, files.deleted) == ([GIVEN_UP], [])


async def test_a_call_of_a_tool_that_is_not_there_is_not_begun(
    runner: HookRunner, pairing: Pairing, ends: Ends
) -> None:
    script = [[ToolCall("undo", {}), ToolCall("undo", {})], "done"]
    await Agent("clerk", ScriptedModel(script), hooks=runner.manager).run("undo it")
    assert (pairing.calls, ends.statuses) == ([], [])


# Given up


@either
async def test_a_request_that_is_cancelled_during_an_approval_gives_up_what_was_begun_only(
    runner: HookRunner,
    pairing: Pairing,
    ends: Ends,
    asked: Callable[..., Person],
    *,
    parallel: bool,
) -> None:
    person = asked("yes", None)
    files = Files(runner, "a", "b", "never visited", parallel=parallel)
    request = asyncio.ensure_future(files.run())
    await person.hesitates.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    # Together none starts before all have been judged; one by one the first is through.
    assert pairing.calls == [GIVEN_UP if parallel else DONE, GIVEN_UP]
    assert files.deleted == ([] if parallel else ["a"])
    assert [call for call, _ in ends.statuses] == ["c0", "c1"]
    assert ends.came_once_each()


async def test_a_hook_that_fails_the_request_gives_up_the_calls_that_wait_to_start(
    runner: HookRunner, pairing: Pairing, ends: Ends
) -> None:
    class Fuse:
        @hookimpl(on_error="raise")
        def pre_tool_call(self, ctx: Any) -> None:
            if ctx.tool_input["path"] == "c":
                raise OverflowError("enough")

    runner.manager.register(Fuse())
    files = Files(runner, "a", "b", "c", "never visited")
    with pytest.raises(OverflowError):
        await files.run()
    assert pairing.calls == [GIVEN_UP] * 3
    assert files.deleted == []
    assert dict(ends.statuses) == {"c0": "cancelled", "c1": "cancelled", "c2": "error"}
    assert ends.came_once_each()


async def test_a_request_that_is_dropped_while_its_tools_run_leaves_the_runner_usable(
    runner: HookRunner, pairing: Pairing, ends: Ends
) -> None:
    running = asyncio.Semaphore(0)

    async def hang(n: int) -> None:
        """Hang."""
        running.release()
        await asyncio.Event().wait()

    calls = [ToolCall("hang", {"n": n}, f"h{n}") for n in range(2)]
    agent = Agent("slow", ScriptedModel([calls]), [hang], hooks=runner.manager)
    request = asyncio.ensure_future(agent.run("hang"))
    for _ in calls:
        await running.acquire()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert pairing.calls == [GIVEN_UP, GIVEN_UP]
    await Files(runner, "a").run()
    assert pairing.calls == [GIVEN_UP, GIVEN_UP, DONE]
    assert ends.came_once_each()


async def test_calls_that_new_input_skips_are_not_begun(
    runner: HookRunner, pairing: Pairing
) -> None:
    files = Files(runner, "a", "b", parallel=False)

    class Steering:
        @hookimpl
        def tool_finished(self, ctx: Any) -> None:
            files.agent.steer("stop that", "s")

    runner.manager.register(Steering())
    await files.run()
    assert (pairing.calls, files.deleted) == ([DONE], ["a"])
