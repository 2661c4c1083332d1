"""Streams of hosts that do not await: the same as those of hosts that do."""

from __future__ import annotations

import types
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    RegistrationError,
    TextChunk,
    ToolCallChunk,
)
from hookcore.dispatch.current import current_run

Add = Callable[..., str]
Events = list[HookDispatchedEvent]
POST = "post_model_call"


class Model:
    """A model that streams, and notes when it is opened and closed."""

    def __init__(self, *items: Any) -> None:
        self.items = items or ("a", "b", "c")
        self.steps: list[str] = []

    def __call__(self, messages: Any) -> Iterator[Any]:
        self.steps.append(f"opened {messages}")
        try:
            for item in self.items:
                if isinstance(item, BaseException):
                    raise item
                self.steps.append(f"gave {item}")
                yield item
        finally:
            self.steps.append("closed")


def test_it_is_a_generator(manager: HookManager, add: Add) -> None:
    for _ in range(2):
        stream = manager.stream_model([], Model())
        assert isinstance(stream, types.GeneratorType)
        assert list(stream) == ["a", "b", "c"]
        add("pre_model_call", lambda ctx: None)


def test_nothing_is_called_before_the_first_event_is_asked_for(manager: HookManager) -> None:
    model = Model()
    stream = manager.stream_model([], model)
    assert model.steps == []
    stream.close()
    assert model.steps == []


def test_nothing_leaves_before_it_was_judged(manager: HookManager, add: Add) -> None:
    model = Model()
    add(POST, lambda ctx: model.steps.append(f"judged {ctx.response}"), gate=True)
    for event in manager.stream_model([], model):
        model.steps.append(f"left {event}")
    assert model.steps == [
        "opened []",
        "gave a",
        "gave b",
        "gave c",
        "closed",
        "judged abc",
        "left a",
        "left b",
        "left c",
    ]


def test_without_a_judge_each_event_leaves_when_it_comes(manager: HookManager, add: Add) -> None:
    model = Model("a", "b")
    add(POST, lambda ctx: model.steps.append(f"told {ctx.response}"), stream="observe")
    for event in manager.stream_model([], model):
        model.steps.append(f"left {event}")
    assert model.steps == [
        "opened []",
        "gave a",
        "left a",
        "gave b",
        "left b",
        "closed",
        "told ab",
    ]


def test_a_denied_response_never_leaves(manager: HookManager, add: Add, finished: Any) -> None:
    def deny(ctx: Any) -> None:
        raise HookAborted("no")

    ends = finished("model_finished")
    add(POST, deny, gate=True)
    with pytest.raises(HookAborted):
        next(manager.stream_model([], Model()))
    assert ends == [("denied", True)]


def test_a_denied_call_is_not_made(manager: HookManager, add: Add, finished: Any) -> None:
    ends = finished("model_finished")
    add("pre_model_call", lambda ctx: False)
    model = Model()
    with pytest.raises(HookAborted):
        list(manager.stream_model([], model))
    assert (model.steps, ends) == ([], [("denied", False)])


def test_a_window_sees_the_text_pass(manager: HookManager, add: Add) -> None:
    add(POST, lambda ctx: ctx.response.replace("sk-ab", "[key]"), stream="window", window=5)
    model = Model("use s", "k-", "ab", " for all of it", " now")
    assert "".join(manager.stream_model([], model)) == "use [key] for all of it now"


def test_an_async_hook_judges_too(manager: HookManager, add: Add) -> None:
    async def judge(ctx: Any) -> str:
        return str(ctx.response).upper()

    async def window(ctx: Any) -> str:
        return str(ctx.response).upper()

    add(POST, window, stream="window", window=1, name="window")
    assert "".join(manager.stream_model([], Model())) == "ABC"
    add(POST, judge, name="judge")
    assert list(manager.stream_model([], Model())) == ["ABC"]


def test_pieces_of_a_tool_call_are_held(manager: HookManager) -> None:
    model = Model(ToolCallChunk(0, "1", "ls", '{"a"'), "text", ToolCallChunk(0, arguments=":1}"))
    assert list(manager.stream_model([], model)) == ["text", ToolCallChunk(0, "1", "ls", '{"a":1}')]


def test_an_error_of_the_model_reaches_the_host(
    manager: HookManager, add: Add, finished: Any
) -> None:
    ends = finished("model_finished")
    stream = manager.stream_model([], Model("a", ConnectionError("down")))
    assert next(stream) == "a"
    with pytest.raises(ConnectionError, match="down"):
        next(stream)
    assert ends == [("error", True)]


@pytest.mark.parametrize("options", [None, {"stream": "observe"}, {"stream": "window"}])
def test_leaving_early_closes_the_model_and_tells_the_end_once(
    manager: HookManager, add: Add, finished: Any, options: Any
) -> None:
    ends = finished("model_finished")
    if options is not None:
        add(POST, lambda ctx: None, **options)
    model = Model(*(TextChunk("text " * 40) for _ in range(9)))
    stream = manager.stream_model([], model)
    next(stream)
    stream.close()
    stream.close()
    assert model.steps[-1] == "closed"
    assert ends == [("cancelled", True)]


def test_a_stream_that_nobody_holds_any_more_is_ended(manager: HookManager, finished: Any) -> None:
    ends = finished("model_finished")
    stream = manager.stream_model([], Model())
    next(stream)
    del stream
    assert ends == [("cancelled", True)]


def test_what_is_no_iterator_is_refused(manager: HookManager, add: Add, finished: Any) -> None:
    ends = finished("model_finished")

    async def agen(messages: Any) -> Any:
        yield "a"

    async def coroutine(messages: Any) -> Any:
        return iter("a")

    for call, words in (
        (agen, "async twin"),
        (coroutine, "async twin"),
        (lambda messages: "text", "str"),
        (lambda messages: {"a": 1}, "dict"),
        (lambda messages: 7, "int"),
    ):
        with pytest.raises(TypeError, match=words):
            list(manager.stream_model([], call))
    assert ends == [("error", True)] * 5


# Wraps


def test_a_generator_with_one_yield_stands_around_the_stream(
    manager: HookManager, add: Add
) -> None:
    model = Model("a", "b")

    def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
        model.steps.append("in")
        yield ["other"]
        model.steps.append("out")

    add("wrap_model_call", wrap)
    for event in manager.stream_model([], model):
        model.steps.append(f"left {event}")
    assert model.steps == [
        "in",
        "opened ['other']",
        "gave a",
        "left a",
        "gave b",
        "left b",
        "closed",
        "out",
    ]


def test_gates_judge_again_what_a_wrap_passes_on(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
        yield ["evil"]

    def gate(ctx: Any) -> None:
        if "evil" in ctx.messages:
            raise HookAborted("no")

    add("wrap_model_call", wrap)
    add("pre_model_call", gate, gate=True)
    model = Model()
    with pytest.raises(HookAborted):
        list(manager.stream_model(["good"], model))
    assert model.steps == []


def test_a_wrap_may_answer_in_the_place_of_the_model(manager: HookManager, add: Add) -> None:
    def cached(ctx: Any, call_next: Any) -> Generator[Any, None, Any]:
        if ctx.messages:
            return ["cached"]
        yield

    add("wrap_model_call", cached)
    model = Model()
    assert list(manager.stream_model(["hi"], model)) == ["cached"]
    assert model.steps == []
    assert list(manager.stream_model([], model)) == ["a", "b", "c"]


@pytest.mark.parametrize("form", ["await", "stream"])
def test_an_async_wrap_is_refused(manager: HookManager, add: Add, finished: Any, form: str) -> None:
    async def wrap(ctx: Any, call_next: Any) -> Any:
        return await call_next()

    async def around(ctx: Any, call_next: Any) -> Any:
        async for event in call_next():
            yield event

    ends = finished("model_finished")
    add("wrap_model_call", wrap if form == "await" else around)
    model = Model()
    with pytest.raises(RegistrationError, match="async"):
        list(manager.stream_model([], model))
    assert (model.steps, ends) == ([], [("error", False)])


@pytest.mark.parametrize("part", ["before", "after", "second yield", "value", "no yield"])
@pytest.mark.parametrize("on_error", ["allow", "deny"])
def test_a_wrap_that_fails_fails_as_around_a_stream_that_is_awaited(
    manager: HookManager, add: Add, *, part: str, on_error: str, events: Events
) -> None:
    def wrap(ctx: Any, call_next: Any) -> Generator[Any, None, Any]:
        if part == "before":
            raise ZeroDivisionError
        if part == "no yield":
            return None
        yield
        if part == "second yield":
            yield
        if part == "after":
            raise ZeroDivisionError
        return "value" if part == "value" else None

    add("wrap_model_call", wrap, on_error=on_error, name="guard")
    left: list[Any] = []
    if on_error == "deny":
        with pytest.raises(HookAborted) as caught:
            left.extend(manager.stream_model([], Model()))
        assert caught.value.source == "guard"
    else:
        assert list(manager.stream_model([], Model())) == ["a", "b", "c"]
    [event] = events
    assert (event.interception_point, event.error_count) == ("wrap_model_call", 1)


def test_a_wrap_sees_the_models_error_and_cannot_swallow_it(manager: HookManager, add: Add) -> None:
    seen: list[str] = []

    def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
        try:
            yield
        except ConnectionError as error:
            seen.append(str(error))
            raise

    add("wrap_model_call", wrap)
    with pytest.raises(ConnectionError):
        list(manager.stream_model([], Model("a", ConnectionError("down"))))
    assert seen == ["down"]


def test_a_signal_goes_on_whatever_a_wrap_makes_of_it(
    manager: HookManager, add: Add, finished: Any
) -> None:
    class Pause(Exception):  # noqa: N818 - a host's own signal
        pass

    def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
        try:
            yield
        except Exception:  # noqa: BLE001 - the point of the test
            return

    manager.add_control_flow(Pause)
    ends = finished("model_finished")
    add("wrap_model_call", wrap)
    with pytest.raises(Pause):
        list(manager.stream_model([], Model("a", Pause())))
    assert ends == [("cancelled", True)]


def test_a_monitored_wrap_changes_nothing(manager: HookManager, add: Add) -> None:
    def wrap(ctx: Any, call_next: Any) -> Iterator[Any]:
        yield ["other"]
        raise HookAborted("no")

    def short(ctx: Any, call_next: Any) -> Any:
        return iter(["other"])
        yield

    add("wrap_model_call", wrap, monitor=True, name="one")
    add("wrap_model_call", short, monitor=True, name="two")
    model = Model()
    assert list(manager.stream_model(["given"], model)) == ["a", "b", "c"]
    assert model.steps[0] == "opened ['given']"


# Where it runs


def test_the_model_runs_in_the_run_that_the_stream_was_started_in(
    manager: HookManager, add: Add
) -> None:
    runs: list[Any] = []

    def model(messages: Any) -> Iterator[Any]:
        for text in "abc":
            runs.append(current_run().run_id)
            yield text

    for hook in (None, "pre_model_call"):
        if hook is not None:
            add(hook, lambda ctx: None)
        with manager.run({}, run_id="one"):
            stream = manager.stream_model([], model)
        with manager.run({}, run_id="two"):
            next(stream)
            assert current_run().run_id == "two"
            next(stream)
        assert current_run().run_id is None
        list(stream)
        assert runs == ["one"] * 3
        runs.clear()


def test_a_run_that_the_model_opens_does_not_reach_the_reader(manager: HookManager) -> None:
    inside: list[Any] = []

    def model(messages: Any) -> Iterator[Any]:
        with manager.run({}, run_id="inner"):
            yield "a"
            inside.append(current_run().run_id)
            yield "b"
        inside.append(current_run().run_id)
        yield "c"

    outside = []
    for _ in manager.stream_model([], model):
        outside.append(current_run().run_id)  # noqa: PERF401 - asked while it runs
    assert (inside, outside) == (["inner", None], [None] * 3)


def test_hooks_that_come_before_the_first_event_see_the_stream(
    manager: HookManager, add: Add
) -> None:
    stream = manager.stream_model([], Model())
    add(POST, lambda ctx: ctx.response.upper())
    assert list(stream) == ["ABC"]
