"""Events in JSON, aborts used twice, ids, registrations and idle calls (C3 to C14)."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hookcore import Abort, HookAborted, HookManager, ToolCallContext, get_manager, on
from hookcore.events import event_from_json, event_to_json

from .kit import either, let_pass, message, outcome, plugin_of, tool_call

Add = Callable[..., str]

TEXTS = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud800\udfff\x00\u2028"))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
@example("a\ud800b", "agent", "run", "reason")
@example("tool", "\udfff", "\ud800", "no\udc00")
def test_an_event_is_valid_json_whatever_names_hold(
    tool: str, agent: str, run_id: str, reason: str
) -> None:
    manager, events = HookManager(), list[Any]()
    manager.subscribe(events.append)

    def deny(ctx: Any) -> None:
        raise HookAborted(reason, source=agent)

    manager.register(plugin_of("pre_tool_call", deny), name="p")
    outcome(lambda: manager.call_tool(tool, {}, let_pass, agent=agent, run_id=run_id))

    text = event_to_json(events[0])
    text.encode()
    json.loads(text)
    event_from_json(text)


@pytest.mark.parametrize("value", [5, b"bytes", None, ("a",), 1.5])
def test_an_event_is_valid_json_where_a_host_gives_no_text(
    manager: HookManager, add: Add, value: Any
) -> None:
    events: list[Any] = []
    manager.subscribe(events.append)

    def deny(ctx: Any) -> None:
        error = HookAborted("no", source=value)
        error.reason = value
        raise error

    add("pre_tool_call", deny)
    outcome(lambda: manager.call_tool(value, {}, let_pass, run_id=value, call_id=value))

    event_from_json(event_to_json(events[0]))


@pytest.mark.parametrize("reason", [123, None, ["a"], b"no", ValueError("no")])
@pytest.mark.parametrize("kind", [HookAborted, Abort])
def test_a_reason_that_is_no_text_is_refused_when_it_is_made(kind: Any, reason: Any) -> None:
    with pytest.raises(TypeError, match="reason"):
        kind(reason)
    if reason is not None:
        with pytest.raises(TypeError, match="message"):
            kind("no", message=reason)


def test_an_abort_that_several_plugins_raise_names_each_as_its_source() -> None:
    manager, shared = HookManager(), HookAborted("shared")

    def raises(tool: str) -> Callable[[Any], None]:
        def hook(ctx: Any) -> None:
            if ctx.tool_name == tool:
                raise shared

        return hook

    async def around(ctx: Any, call_next: Any) -> Any:
        raises("wrap")(ctx)
        return await call_next()

    manager.register(plugin_of("pre_tool_call", raises("one")), "one")
    manager.register(plugin_of("pre_tool_call", raises("two"), gate=True), "two")
    manager.register(plugin_of("wrap_tool_call", around), "wrap")
    manager.register(plugin_of("post_tool_call", raises("four")), "four")

    sources, caught_ones = [], []
    for tool in ("one", "two", "wrap", "four", "one", "two"):
        with pytest.raises(HookAborted) as caught:
            asyncio.run(manager.acall_tool(tool, {}, let_pass))
        sources.append(caught.value.source.partition(".")[0])
        caught_ones.append(caught.value)

    assert sources == ["one", "two", "wrap", "four", "one", "two"]
    # What was caught before is not renamed by who raises the same later.
    assert [error.source.partition(".")[0] for error in caught_ones] == sources


def test_an_abort_that_says_its_source_keeps_it(manager: HookManager, add: Add) -> None:
    shared = HookAborted("shared", source="mine")

    def deny(ctx: Any) -> None:
        raise shared

    add("pre_tool_call", deny)
    with pytest.raises(HookAborted) as caught:
        manager.call_tool("tool", {}, let_pass)

    assert caught.value is shared
    assert caught.value.source == "mine"


@pytest.mark.parametrize("in_run", [True, False])
def test_every_call_has_an_id(
    manager: HookManager, watch: Callable[..., Any], *, in_run: bool
) -> None:
    points = ("pre_tool_call", "tool_finished", "pre_model_call", "model_finished")
    seen = [watch(point) for point in points]

    def calls() -> None:
        for _ in range(2):
            manager.call_tool("tool", {}, let_pass)
            manager.call_model([], let_pass)
            manager.call_tool(ToolCallContext(tool_name="tool", payload={}), let_pass)

    if in_run:
        with manager.run({}):
            calls()
    else:
        calls()
    ids = [[ctx.call_id for ctx in recorder.contexts] for recorder in seen]

    assert ids[0] == ids[1]
    assert ids[2] == ids[3]
    assert len({*ids[0], *ids[2]}) == 6
    assert None not in {*ids[0], *ids[2]}


def test_the_hosts_own_id_is_kept(manager: HookManager, watch: Callable[..., Any]) -> None:
    seen = watch("pre_tool_call")

    manager.call_tool("tool", {}, let_pass, call_id="the model's")

    assert seen.contexts[0].call_id == "the model's"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a module whose functions @on registers, and take them back afterwards."""
    text = (
        "from hookcore import on\n"
        "calls = []\n"
        "@on('pre_tool_call')\n"
        "def one(ctx): calls.append('one')\n"
        "@on('pre_tool_call')\n"
        "@on('post_tool_call')\n"
        "def two(ctx): calls.append('two')\n"
    )
    (tmp_path / "module_of_hooks.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = {plugin.name for plugin in get_manager().plugins()}
    yield importlib.import_module("module_of_hooks")
    for plugin in get_manager().plugins():
        if plugin.name not in before:
            get_manager().unregister(plugin.name)
    sys.modules.pop("module_of_hooks", None)


def test_the_functions_of_a_reloaded_module_run_once(module: Any) -> None:
    for _ in range(3):
        importlib.reload(module)

    get_manager().call_tool("tool", {}, let_pass)

    assert module.calls == ["one", "two", "two"]


def test_the_functions_of_a_module_that_is_imported_anew_run_once(module: Any) -> None:
    del sys.modules["module_of_hooks"]
    again = importlib.import_module("module_of_hooks")

    get_manager().call_tool("tool", {}, let_pass)

    assert (module.calls, again.calls) == ([], ["one", "two", "two"])


def test_a_function_that_a_reloaded_module_no_longer_has_is_gone(
    module: Any, tmp_path: Path
) -> None:
    path = tmp_path / "module_of_hooks.py"
    path.write_text(path.read_text().replace("def one(ctx)", "def other_name(ctx)"))
    importlib.invalidate_caches()
    sys.modules.pop("module_of_hooks")
    importlib.import_module("module_of_hooks")

    names = {plugin.name for plugin in get_manager().plugins()}

    assert "other_name" in names
    assert "one" not in names


class Methods:
    """Methods that @on marks."""

    def __init__(self, tool: str = "tool") -> None:
        self.tool = tool

    @on("pre_tool_call")
    def check(self, ctx: Any) -> None:
        raise HookAborted("no")

    @classmethod
    @on("pre_tool_call")
    def of_class(cls, ctx: Any) -> None:
        raise HookAborted("no")

    @staticmethod
    @on("pre_tool_call")
    def static(ctx: Any) -> None:
        raise HookAborted("no")


@pytest.mark.parametrize("name", ["check", "of_class", "static"])
def test_a_method_is_unregistered_as_it_was_registered(manager: HookManager, name: str) -> None:
    plugin = Methods()
    manager.register(getattr(plugin, name))
    assert tool_call(manager) == "denied"

    manager.unregister(getattr(plugin, name))

    assert tool_call(manager) == {"path": "a"}
    assert manager.plugins() == ()


def test_a_method_of_one_object_is_not_taken_for_that_of_another(manager: HookManager) -> None:
    one, other = Methods(), Methods()
    manager.register(one.check)
    manager.register(other.check)

    manager.unregister(other.check)

    (left,) = manager.plugins()
    assert left.plugin.__self__ is one


def test_an_unregistered_method_is_named_in_the_error(manager: HookManager) -> None:
    with pytest.raises(Exception, match="no plugin"):
        manager.unregister(Methods().check)


async def acall(arguments: Any) -> int:
    return 1


class Later:
    """Something to await that is no coroutine."""

    def __await__(self) -> Any:
        return acall(None).__await__()


LATER = Later()
IDLE: dict[str, Callable[[HookManager], Any]] = {
    "unknown field": lambda m: m.call_tool("a", {}, let_pass, agnt="x"),
    "payload twice": lambda m: m.call_tool("a", {}, let_pass, payload={}),
    "name twice": lambda m: m.call_tool("a", {}, let_pass, tool_name="b"),
    "on_denied": lambda m: m.call_tool("a", {}, let_pass, on_denied="retrun"),  # type: ignore[arg-type]
    "async function": lambda m: m.call_tool("a", {}, acall),
    "awaitable": lambda m: m.call_tool("a", {}, lambda arguments: LATER),
    "no function": lambda m: m.call_tool("a", {}),
    "nothing to call": lambda m: m.call_tool("a", {}, 5),  # type: ignore[arg-type]
    "async twin, field": lambda m: m.acall_tool("a", {}, let_pass, agnt="x"),
    "async twin, on_denied": lambda m: m.acall_tool("a", {}, let_pass, on_denied="no"),  # type: ignore[arg-type]
    "model, field": lambda m: m.call_model([], let_pass, agnt="x"),
    "model, on_denied": lambda m: m.call_model([], let_pass, on_denied="no"),  # type: ignore[arg-type]
    "model, async function": lambda m: m.call_model([], acall),
    "model, iterator": lambda m: m.call_model([], lambda messages: iter([1])),
    "message, field": lambda m: m.send_message(message(), let_pass, agnt="x"),
    "message, on_denied": lambda m: m.send_message(message(), let_pass, on_denied="no"),  # type: ignore[arg-type]
    "message, async function": lambda m: m.send_message(message(), acall),
    "settle, field": lambda m: m.settle("setup_tools", [], agnt="x"),
    "settle, point": lambda m: m.settle("setup_tolls", []),
    "run, field": lambda m: m.run({}, agnt="x"),
}


def error_of(call: Callable[[HookManager], Any], manager: HookManager) -> tuple[type, str]:
    try:
        result = call(manager)
        if asyncio.iscoroutine(result):
            asyncio.run(result)
    except Exception as error:  # noqa: BLE001 - what is compared
        return type(error), str(error)
    raise AssertionError("nothing was refused")


@pytest.mark.parametrize("mistake", IDLE)
def test_a_mistake_is_told_without_hooks_as_with_them(manager: HookManager, mistake: str) -> None:
    idle = error_of(IDLE[mistake], HookManager())
    for point in ("pre_tool_call", "pre_model_call", "message_sending", "setup_tools", "input"):
        manager.register(plugin_of(point, let_pass))

    assert idle == error_of(IDLE[mistake], manager)


def test_a_decorated_function_tells_of_a_coroutine_without_hooks(manager: HookManager) -> None:
    def tool() -> Any:
        return acall(None)

    governed = manager.tool(tool)

    with pytest.raises(TypeError, match=r"coroutine|awaitable"):
        governed()


class Coded(HookAborted):
    """Takes other arguments than its base, and has attributes of its own."""

    def __init__(self, code: int, **more: Any) -> None:
        super().__init__(f"code {code}", message="for users")
        self.code = code
        self.more = more


class Named(HookAborted):
    """Takes keywords only."""

    def __init__(self, *, rule: str) -> None:
        super().__init__(rule, source=rule)
        self.rule = rule


class Slotted(HookAborted):
    """Keeps an attribute in a slot."""

    __slots__ = ("extra",)

    def __init__(self, extra: int) -> None:
        super().__init__("no")
        self.extra = extra


class New(HookAborted):
    """Is made in a way of its own."""

    def __new__(cls, one: str, two: str) -> New:  # noqa: PYI034 - as old code has it
        return super().__new__(cls, one)

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)
        self.two = two


ABORTS = [
    *(HookAborted("no", "source", "message"), Coded(7, a=[1]), Named(rule="r")),
    *(Slotted(5), New("one", "two")),
]


@pytest.mark.parametrize("error", ABORTS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", [*range(pickle.HIGHEST_PROTOCOL + 1), "copy", "deepcopy"])
def test_an_abort_is_kept_whole(error: HookAborted, protocol: Any) -> None:
    if protocol == "copy":
        twin = copy.copy(error)
    elif protocol == "deepcopy":
        twin = copy.deepcopy(error)
    else:
        twin = pickle.loads(pickle.dumps(error, protocol))

    assert type(twin) is type(error)
    assert (str(twin), twin.args, vars(twin)) == (str(error), error.args, vars(error))
    assert getattr(twin, "extra", None) == getattr(error, "extra", None)


def test_the_number_of_steps_to_register_is_linear_in_the_plugins() -> None:
    def steps(count: int) -> int:
        manager, calls = HookManager(), 0
        plugins = [plugin_of("pre_tool_call", lambda ctx: None) for _ in range(count)]

        def trace(frame: Any, event: str, arg: Any) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(trace)
        try:
            for plugin in plugins:
                manager.register(plugin)
        finally:
            sys.setprofile(None)
        return calls

    assert steps(200) < 2.5 * steps(100)


def test_an_early_answer_of_a_sync_host_is_the_same_for_all(manager: HookManager) -> None:
    assert either(manager, lambda arguments: "ran", sync=True) == "ran"
