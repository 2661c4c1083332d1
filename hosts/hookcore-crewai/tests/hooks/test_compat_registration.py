"""Registries, live lists, decorators and filters."""

from __future__ import annotations

import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hookcore
from hookcore import HookManager, ToolCallContext, hookimpl
from hookcore_crewai import hooks
from hookcore_crewai.hooks import (
    InterceptionPoint,
    LLMCallHookContext,
    ToolCallHookContext,
    after_llm_call,
    after_tool_call,
    before_llm_call,
    before_tool_call,
    clear_all_global_hooks,
    clear_all_hooks,
    clear_hooks,
    dispatch,
    get_hooks,
    on,
    register_hook,
    unregister_hook,
)
from hookcore_crewai.hooks._binding import binding
from hookcore_crewai.hooks.contexts import OutputContext, StepContext
from hookcore_crewai.hooks.dispatch import get_global_hook_list
from hookcore_crewai.hooks.llm_hooks import _before_llm_call_hooks, before_llm_call_reducer
from hookcore_crewai.hooks.tool_hooks import run_before_tool_call_hooks

P = InterceptionPoint
FAMILIES = [
    ("before_llm_call", P.PRE_MODEL_CALL),
    ("after_llm_call", P.POST_MODEL_CALL),
    ("before_tool_call", P.PRE_TOOL_CALL),
    ("after_tool_call", P.POST_TOOL_CALL),
]


def call_tool(name: str, role: str | None = None) -> None:
    agent = None if role is None else SimpleNamespace(role=role)
    run_before_tool_call_hooks(ToolCallHookContext(name, {}, None, agent))


# Order


def test_legacy_and_new_registrations_form_one_chain_in_their_order() -> None:
    order: list[str] = []

    @on(P.PRE_TOOL_CALL)
    def first(ctx: Any) -> None:
        order.append("on")

    hooks.register_before_tool_call_hook(lambda ctx: order.append("legacy"))

    @before_tool_call
    def third(ctx: Any) -> None:
        order.append("decorated")

    call_tool("t")
    assert order == ["on", "legacy", "decorated"]


def test_a_hook_that_is_registered_twice_runs_twice() -> None:
    ran: list[int] = []

    def hook(ctx: Any) -> None:
        ran.append(1)

    register_hook(P.PRE_STEP, hook)
    register_hook(P.PRE_STEP, hook)
    dispatch(P.PRE_STEP, StepContext())
    assert ran == [1, 1]
    assert get_hooks(P.PRE_STEP) == [hook, hook]


def test_a_hook_that_is_registered_by_a_hook_runs_from_the_next_dispatch_on() -> None:
    ran: list[str] = []

    def register_another(ctx: Any) -> None:
        ran.append("first")
        register_hook(P.PRE_STEP, lambda ctx: ran.append("late"))

    register_hook(P.PRE_STEP, register_another)
    dispatch(P.PRE_STEP, StepContext())
    assert ran == ["first"]


def test_policies_and_crewai_hooks_are_one_chain(manager: HookManager) -> None:
    order: list[str] = []

    class Policy:
        @hookimpl(priority=1)
        def pre_tool_call(self, ctx: ToolCallContext) -> dict[str, Any]:
            order.append(f"policy {ctx.tool_name} {ctx.tool_input}")
            return {"b": 2}

    hooks.register_before_tool_call_hook(lambda ctx: order.append(f"hook {ctx.tool_input}"))
    manager.register(Policy())
    arguments = {"a": 1}
    run_before_tool_call_hooks(ToolCallHookContext("t", arguments, None))
    assert order == ["policy t {'a': 1}", "hook {'b': 2}"]
    assert arguments == {"b": 2}


def test_a_policy_is_not_listed_among_crewais_hooks(manager: HookManager) -> None:
    class Policy:
        @hookimpl
        def output(self, ctx: Any) -> None: ...

    manager.register(Policy())
    assert get_hooks(P.OUTPUT) == []


def test_a_gate_judges_what_crewais_hooks_made_of_the_arguments(manager: HookManager) -> None:
    judged: list[Any] = []

    class Policy:
        @hookimpl(gate=True)
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            judged.append(ctx.payload)

    def edit(ctx: Any) -> None:
        ctx.tool_input["path"] = "/etc"

    manager.register(Policy())
    hooks.register_before_tool_call_hook(edit)
    arguments = {"path": "x"}
    run_before_tool_call_hooks(ToolCallHookContext("t", arguments, None))
    assert judged == [{"path": "/etc"}]
    assert arguments == {"path": "/etc"}


# Registries


@pytest.mark.parametrize(("family", "point"), FAMILIES)
def test_each_family_registers_lists_and_unregisters(family: str, point: str) -> None:
    def hook(ctx: Any) -> None: ...

    register = getattr(hooks, f"register_{family}_hook")
    unregister = getattr(hooks, f"unregister_{family}_hook")
    get = getattr(hooks, f"get_{family}_hooks")
    assert register(hook) is None
    assert get() == [hook] == get_hooks(point)
    assert get() is not get()
    assert (unregister(hook), unregister(hook), get()) == (True, False, [])


@pytest.mark.parametrize(("family", "point"), FAMILIES)
def test_each_familys_clear_counts(family: str, point: str) -> None:
    register_hook(point, lambda ctx: None)
    register_hook(point, lambda ctx: None)
    clear = getattr(hooks, f"clear_{family}_hooks")
    assert (clear(), clear()) == (2, 0)


def test_clear_all_global_hooks_counts_and_leaves_the_other_points_alone() -> None:
    for point in (P.PRE_MODEL_CALL, P.PRE_TOOL_CALL, P.PRE_TOOL_CALL, P.POST_TOOL_CALL, P.OUTPUT):
        register_hook(point, lambda ctx: None)
    assert clear_all_global_hooks() == {
        "llm_hooks": (1, 0),
        "tool_hooks": (2, 1),
        "total": (3, 1),
    }
    assert len(get_hooks(P.OUTPUT)) == 1


def test_clear_counts_and_clear_all_clears_every_point() -> None:
    for point in P:
        register_hook(point, lambda ctx: None)
    assert clear_hooks(P.INPUT) == 1
    clear_all_hooks()
    assert [get_hooks(point) for point in P] == [[]] * 10


def test_clearing_leaves_policies_alone(manager: HookManager) -> None:
    ran: list[int] = []

    class Policy:
        @hookimpl
        def output(self, ctx: Any) -> None:
            ran.append(1)

    manager.register(Policy())
    clear_all_hooks()
    dispatch(P.OUTPUT, OutputContext())
    assert ran == [1]


def test_hooks_that_the_manager_cleared_are_listed_no_more(manager: HookManager) -> None:
    register_hook(P.OUTPUT, lambda ctx: None)
    manager.clear()
    assert get_hooks(P.OUTPUT) == []


def test_the_process_wide_manager_is_the_default() -> None:
    assert isinstance(hookcore.get_manager(), HookManager)


def test_the_hooks_move_when_another_manager_takes_over(manager: HookManager) -> None:
    ran: list[int] = []
    register_hook(P.OUTPUT, lambda ctx: ran.append(1))
    other = HookManager()
    binding.use(other)
    try:
        dispatch(P.OUTPUT, OutputContext())
        assert (ran, manager.hooks("output"), len(other.hooks("output"))) == ([1], (), 1)
    finally:
        binding.use(manager)


def test_what_becomes_of_the_managers_own_hooks_counts_at_the_next_dispatch(
    manager: HookManager,
) -> None:
    class Guard:
        @hookimpl
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            ran.append(ctx.tool_name)

    ran: list[Any] = []
    call_tool("unregistered")
    manager.register(Guard(), name="guard")
    call_tool("registered")
    manager.disable("guard")
    call_tool("disabled")
    manager.enable("guard")
    call_tool("enabled")
    with manager.scope(Guard()):
        call_tool("twice")
    assert ran == ["registered", "enabled", "twice", "twice"]


def test_a_manager_that_was_left_is_not_followed_any_more(manager: HookManager) -> None:
    class Watcher:
        @hookimpl
        def pre_tool_call(self, ctx: ToolCallContext) -> None:
            ran.append(ctx.tool_name)

    ran: list[Any] = []
    other = HookManager()
    binding.use(other)
    try:
        manager.register(Watcher())
        call_tool("elsewhere")
    finally:
        binding.use(manager)
    call_tool("here")
    assert ran == ["here"]


def test_hooks_that_are_registered_while_managers_change_are_all_where_they_are_listed(
    manager: HookManager,
) -> None:
    other, failures = HookManager(), []

    def register_many() -> None:
        try:
            for _ in range(60):
                register_hook(P.OUTPUT, lambda ctx: None)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is the finding
            failures.append(error)

    threads = [threading.Thread(target=register_many) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            binding.use(other)
            binding.use(manager)
    finally:
        for thread in threads:
            thread.join()
    assert failures == []
    assert len(get_hooks(P.OUTPUT)) == len(manager.hooks("output")) == 180
    assert other.hooks("output") == ()


@pytest.mark.parametrize(
    "edit",
    [
        lambda hooks: hooks.insert(0, lambda ctx: None),
        lambda hooks: hooks.reverse(),
        lambda hooks: hooks.__setitem__(slice(None), [lambda ctx: None, *hooks]),
        lambda _: (binding.use(HookManager()),),
    ],
    ids=["insert", "reverse", "replace", "another manager"],
)
def test_a_guard_is_in_force_at_every_moment_of_a_change(edit: Any, manager: HookManager) -> None:
    before_tool_call(lambda ctx: False)
    for _ in range(20):
        before_tool_call(lambda ctx: None)
    passed, changing, done = [], threading.Event(), threading.Event()

    def call() -> None:
        while not done.is_set():
            changing.set()
            if not run_before_tool_call_hooks(ToolCallHookContext("t", {}, None)):
                passed.append(1)

    thread = threading.Thread(target=call)
    thread.start()
    try:
        changing.wait()
        edit(get_global_hook_list(P.PRE_TOOL_CALL))
    finally:
        done.set()
        thread.join()
        binding.use(manager)
    assert passed == []


LOADING = """
import threading
from hookcore import HookManager, get_manager
from hookcore_crewai.hooks import InterceptionPoint, get_hooks, on, register_hook

loading, registering = threading.Event(), threading.Event()

def load(self, *_given):
    loading.set()
    registering.wait()
    threading.Event().wait(0.2)  # the other thread gets as far as it can
    on(InterceptionPoint.OUTPUT)(lambda ctx: None)

HookManager.load_configured = load
threading.Thread(target=get_manager).start()
loading.wait()
registering.set()
register_hook(InterceptionPoint.OUTPUT, lambda ctx: None)
print(len(get_hooks(InterceptionPoint.OUTPUT)))
"""


def test_a_first_hook_does_not_wait_for_a_plugin_that_waits_for_it() -> None:
    command = [sys.executable, "-c", LOADING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "2\n"


@pytest.mark.parametrize("mock", [Mock, MagicMock])
def test_a_mock_can_be_a_hook(mock: Any) -> None:
    hook = mock(return_value=None)
    register_hook(P.PRE_TOOL_CALL, hook)
    call_tool("t")
    assert hook.call_count == 1


# Live lists


def test_the_live_list_is_the_same_object_for_good() -> None:
    assert get_global_hook_list(P.PRE_MODEL_CALL) is _before_llm_call_hooks
    register_hook(P.PRE_MODEL_CALL, lambda ctx: None)
    assert get_global_hook_list("pre_model_call") is _before_llm_call_hooks
    assert len(_before_llm_call_hooks) == 1


EDITS = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 9)),
    st.tuples(st.just("insert"), st.integers(0, 9)),
    st.tuples(st.just("extend"), st.integers(0, 9)),
    st.tuples(st.just("pop"), st.integers(0, 9)),
    st.tuples(st.just("remove"), st.integers(0, 9)),
    st.tuples(st.just("reverse"), st.just(0)),
    st.tuples(st.just("del"), st.integers(0, 9)),
    st.tuples(st.just("set"), st.integers(0, 9)),
    st.tuples(st.just("slice"), st.integers(0, 9)),
    st.tuples(st.just("iadd"), st.integers(0, 9)),
    st.tuples(st.just("clear"), st.just(0)),
)


@given(st.lists(EDITS, max_size=12))
def test_however_a_live_list_is_edited_the_dispatch_runs_what_it_shows(
    edits: list[tuple[str, int]],
) -> None:
    ran: list[int] = []
    named = {number: _named(ran, number) for number in range(10)}
    numbers = {id(hook): number for number, hook in named.items()}
    live = get_global_hook_list(P.POST_STEP)
    live.clear()
    for edit, number in edits:
        _edit(live, edit, number, named)
    dispatch(P.POST_STEP, StepContext())
    assert ran == [numbers[id(hook)] for hook in live]
    live.clear()


def _named(ran: list[int], number: int) -> Any:
    def hook(ctx: Any) -> None:
        ran.append(number)

    return hook


def _edit(live: Any, edit: str, number: int, named: dict[int, Any]) -> None:
    hook = named[number]
    index = number % len(live) if live else 0
    edits: dict[str, Any] = {
        "append": lambda: live.append(hook),
        "insert": lambda: live.insert(index, hook),
        "extend": lambda: live.extend([hook, named[0]]),
        "iadd": lambda: live.__iadd__([hook]),
        "slice": lambda: live.__setitem__(slice(index, None), [hook]),
        "reverse": live.reverse,
        "clear": live.clear,
        "remove": lambda: live.remove(hook) if hook in live else None,
        "pop": lambda: live.pop(index) if live else None,
        "del": lambda: live.__delitem__(index) if live else None,
        "set": lambda: live.__setitem__(index, hook) if live else None,
    }
    edits[edit]()


# Decorators and filters


@pytest.mark.parametrize(
    ("decorator", "family", "point"),
    [
        (before_llm_call, "before_llm_call", P.PRE_MODEL_CALL),
        (after_llm_call, "after_llm_call", P.POST_MODEL_CALL),
        (before_tool_call, "before_tool_call", P.PRE_TOOL_CALL),
        (after_tool_call, "after_tool_call", P.POST_TOOL_CALL),
    ],
)
def test_the_decorators_work_bare_and_with_filters(decorator: Any, family: str, point: str) -> None:
    def bare(ctx: Any) -> None: ...

    def filtered(ctx: Any) -> None: ...

    assert decorator(bare) is bare
    assert decorator(agents=["Worker"])(filtered) is filtered
    assert [getattr(hook, f"is_{family}_hook") for hook in (bare, filtered)] == [True, True]
    listed = get_hooks(point)
    assert listed[0] is bare
    assert listed[1] is not filtered
    assert vars(filtered)["_filter_agents"] == ["Worker"]


def test_on_returns_the_same_function_and_stamps_it() -> None:
    def hook(ctx: Any) -> None: ...

    assert on(P.PRE_TOOL_CALL, tools=["Delete File"], agents=["Worker"])(hook) is hook
    stamps = vars(hook)
    assert stamps["_interception_point"] == P.PRE_TOOL_CALL
    assert stamps["_filter_tools"] == ["delete_file"]
    assert stamps["_filter_agents"] == ["Worker"]
    assert stamps["_registered_hook"] is get_hooks(P.PRE_TOOL_CALL)[0]


def test_an_unfiltered_function_is_listed_itself() -> None:
    def hook(ctx: Any) -> None: ...

    on(P.OUTPUT)(hook)
    assert get_hooks(P.OUTPUT)[0] is hook


@pytest.mark.parametrize("decorate", [before_tool_call, lambda **kw: on(P.PRE_TOOL_CALL, **kw)])
@pytest.mark.parametrize("written", ["delete_file", "Delete File", "deleteFile", "DELETE-FILE"])
def test_tool_filters_compare_sanitised_names(decorate: Any, written: str) -> None:
    ran: list[str] = []

    decorate(tools=[written])(lambda ctx: ran.append(ctx.tool_name))
    for name in ("delete_file", "Delete File", "read_file"):
        call_tool(name)
    assert ran == ["delete_file", "Delete File"]


def test_agent_filters_compare_roles_exactly() -> None:
    ran: list[str] = []

    @on(P.PRE_TOOL_CALL, agents=["Analyst [US]"])
    def hook(ctx: Any) -> None:
        ran.append(ctx.agent.role)

    for role in ("Analyst [US]", "Analyst U", "analyst [us]", "Analyst"):
        call_tool("t", role)
    assert ran == ["Analyst [US]"]


def test_agent_filters_compare_an_agents_name_too_where_it_has_one() -> None:
    ran: list[str] = []
    on(P.PRE_TOOL_CALL, agents=["ana"])(lambda ctx: ran.append(ctx.agent.role))
    for role, name in (("Analyst", "ana"), ("ana", "bob"), ("Analyst", "bob")):
        agent = SimpleNamespace(role=role, name=name)
        ctx = ToolCallHookContext("t", {}, None, agent)
        run_before_tool_call_hooks(ctx)
    assert ran == ["Analyst", "ana"]


def test_agent_filters_fall_back_to_the_role_that_the_context_names() -> None:
    ran: list[str] = []

    @on(P.PRE_STEP, agents=["Researcher"])
    def hook(ctx: Any) -> None:
        ran.append(ctx.agent_role)

    dispatch(P.PRE_STEP, StepContext(agent_role="Writer"))
    dispatch(P.PRE_STEP, StepContext(agent_role="Researcher"))
    assert ran == ["Researcher"]


def test_a_filter_with_nothing_to_compare_lets_the_hook_run() -> None:
    ran: list[str] = []
    on(P.PRE_TOOL_CALL, agents=["Researcher"])(lambda ctx: ran.append("no agent"))
    on(P.PRE_MODEL_CALL, tools=["delete_file"])(lambda ctx: ran.append("no tool"))
    call_tool("t")
    dispatch(P.PRE_MODEL_CALL, LLMCallHookContext(messages=[]), reducer=before_llm_call_reducer)
    assert ran == ["no agent", "no tool"]


def test_filters_compare_the_tool_that_is_called_whatever_a_hook_makes_of_its_name() -> None:
    ran: list[str] = []
    on(P.PRE_TOOL_CALL)(lambda ctx: setattr(ctx, "tool_name", "read_file"))
    on(P.PRE_TOOL_CALL, tools=["delete_file"])(lambda ctx: ran.append("guard"))
    call_tool("delete_file")
    assert ran == ["guard"]


def test_what_takes_the_context_only_is_a_hook_although_it_stands_in_a_class() -> None:
    ran: list[str] = []

    class Guards:
        @staticmethod
        @on(P.PRE_TOOL_CALL)
        def inner(ctx: Any) -> None:
            ran.append("inner")

        @before_tool_call
        @staticmethod
        def outer(ctx: Any) -> None:
            ran.append("outer")

        @before_tool_call
        def plain(ctx: Any) -> None:  # noqa: N805 - a class that is a namespace
            ran.append("plain")

        anonymous = before_tool_call(lambda ctx: ran.append("lambda"))

        @on(P.PRE_TOOL_CALL)
        def method(self, ctx: Any) -> None:
            ran.append("method")

        @before_tool_call
        @classmethod
        def of_the_class(cls, ctx: Any) -> None:
            ran.append("classmethod")

    call_tool("t")
    assert ran == ["inner", "outer", "plain", "lambda"]


def test_a_filtered_hook_filters_when_it_is_called_by_hand_too() -> None:
    ran: list[str] = []

    @before_tool_call(tools=["delete_file"], agents=["Worker"])
    def hook(ctx: Any) -> None:
        ran.append(ctx.tool_name)

    listed = get_hooks(P.PRE_TOOL_CALL)[0]
    for name, role in (("delete_file", "Worker"), ("read", "Worker"), ("delete_file", "Boss")):
        listed(ToolCallHookContext(name, {}, None, SimpleNamespace(role=role)))
    assert ran == ["delete_file"]


def test_a_name_where_a_list_belongs_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"tools=\['delete_file'\]"):
        on(P.PRE_TOOL_CALL, tools="delete_file")  # type: ignore[arg-type]


def test_a_filtered_out_hook_is_not_counted(events: list[Any]) -> None:
    on(P.PRE_TOOL_CALL, tools=["delete_file"])(lambda ctx: None)
    on(P.PRE_TOOL_CALL, tools=["t"])(lambda ctx: None)
    call_tool("t")
    call_tool("other")
    assert [event.hook_count for event in events] == [1]


def test_a_filtered_legacy_hook_can_be_unregistered() -> None:
    @before_tool_call(tools=["delete_file"])
    def hook(ctx: Any) -> None: ...

    assert hooks.unregister_before_tool_call_hook(hook) is True
    assert get_hooks(P.PRE_TOOL_CALL) == []


def test_a_function_that_is_filtered_at_two_points_can_be_unregistered_from_both() -> None:
    @on(P.PRE_TOOL_CALL, tools=["a"])
    @on(P.POST_TOOL_CALL, tools=["a"])
    def hook(ctx: Any) -> None: ...

    assert unregister_hook(P.PRE_TOOL_CALL, hook) is True
    assert unregister_hook(P.POST_TOOL_CALL, hook) is True
    assert unregister_hook(P.POST_TOOL_CALL, hook) is False


# Methods


def test_a_method_in_a_class_body_is_only_marked() -> None:
    class Crew:
        @on(P.PRE_STEP)
        def hook(self, ctx: Any) -> None: ...

        @before_tool_call
        def other(this, ctx: Any) -> None: ...  # noqa: N805 - whatever it is called

    assert get_hooks(P.PRE_STEP) == get_hooks(P.PRE_TOOL_CALL) == []
    assert Crew.hook._interception_point == P.PRE_STEP  # type: ignore[attr-defined]


def test_a_function_is_a_function_whatever_its_parameter_is_called() -> None:
    def hook(self: Any, other: Any = None) -> None: ...

    on(P.PRE_STEP)(hook)
    assert get_hooks(P.PRE_STEP) == [hook]


def test_a_bound_method_can_be_decorated() -> None:
    class Guard:
        def __init__(self) -> None:
            self.seen: list[Any] = []

        def check(self, ctx: Any) -> None:
            self.seen.append(ctx)

    guard = Guard()
    on(P.PRE_STEP)(guard.check)
    ctx = dispatch(P.PRE_STEP, StepContext())
    assert guard.seen == [ctx]
    assert unregister_hook(P.PRE_STEP, guard.check) is True
