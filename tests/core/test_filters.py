"""Filters by tool and agent: what is filtered out costs nothing, and nothing is dodged (rule 3)."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore import (
    HookAborted,
    HookDispatchedEvent,
    HookManager,
    ModelCallContext,
    ToolCallContext,
    sanitize_tool_name,
)

Add = Callable[..., str]
Call = Callable[..., ToolCallContext]


class Agent:
    """An agent as hosts have them."""

    def __init__(self, role: Any = None, name: Any = None) -> None:
        self.role = role
        self.name = name


@pytest.fixture
def runs(manager: HookManager, add: Add, call: Call) -> Callable[..., bool]:
    """Return a function: does a hook with these filters run for this tool and agent?"""

    def ask(tool: Any = "read_file", agent: Any = None, **filters: Any) -> bool:
        ran: list[int] = []
        name = add("pre_tool_call", lambda ctx: ran.append(1), **filters)
        manager.dispatch("pre_tool_call", call(tool, agent=agent))
        manager.unregister(name)
        return bool(ran)

    return ask


@pytest.mark.parametrize(
    ("pattern", "tool", "expected"),
    [
        ("delete_file", "delete_file", True),
        ("delete_file", "read_file", False),
        ("delete_file", "Delete File", True),
        ("Delete File", "delete_file", True),
        ("deleteFile", "delete_file", True),
        ("delete_*", "delete_file", True),
        ("delete_*", "DeleteFile", True),
        ("delete_*", "undelete_file", False),
        ("delete_?", "delete_x", True),
        ("[dr]m", "rm", True),
        ("*", "anything", True),
        ("*", "", True),
        ("rm", "R M", False),
        ("delete_file", "DeLeTe_FiLe", True),
        ("mcp__github__*", "mcp-github-merge", True),
        ("Delete *", "delete_file", True),
        ("delete_file", "delete_f\u0131le\u200b ", True),
    ],
)
def test_a_tool_matches_in_every_spelling(
    runs: Callable[..., bool], pattern: str, tool: str, *, expected: bool
) -> None:
    assert runs(tool, tools=[pattern]) is expected


def test_one_matching_pattern_of_several_is_enough(runs: Callable[..., bool]) -> None:
    assert runs("b", tools=["a", "b"])


def test_a_dispatch_without_a_tool_name_reaches_filtered_hooks(runs: Callable[..., bool]) -> None:
    assert runs(None, tools=["delete_*"])


@pytest.mark.parametrize(
    ("pattern", "agent", "expected"),
    [
        ("ops", "ops", True),
        ("ops", "dev", False),
        ("Ops *", "Ops Team", True),
        ("Researcher", Agent(role="Researcher", name="r-1"), True),
        ("r-1", Agent(role="Researcher", name="r-1"), True),
        ("ops", Agent(role="Researcher", name="r-1"), False),
        ("senior_researcher", Agent(role="Senior Researcher"), True),
        ("Senior *", "SENIOR\u00a0RESEARCHER", True),
    ],
)
def test_an_agent_matches_by_role_or_name(
    runs: Callable[..., bool], pattern: str, agent: Any, *, expected: bool
) -> None:
    assert runs(agent=agent, agents=[pattern]) is expected


@pytest.mark.parametrize("agent", [None, "", object(), Agent(), Agent(role=7)])
def test_a_policy_is_not_dodged_by_leaving_the_agent_out(
    runs: Callable[..., bool], agent: Any
) -> None:
    assert runs(agent=agent, agents=["ops"])


def test_an_agent_whose_name_raises_has_none(runs: Callable[..., bool]) -> None:
    class Odd:
        @property
        def role(self) -> str:
            raise RuntimeError("not yet")

    assert runs(agent=Odd(), agents=["ops"])


def test_both_filters_have_to_match(runs: Callable[..., bool]) -> None:
    filters = {"tools": ["rm"], "agents": ["ops"]}

    assert runs("rm", "ops", **filters)
    assert not runs("rm", "dev", **filters)
    assert not runs("ls", "ops", **filters)


def test_the_operators_filter_narrows_the_authors(runs: Callable[..., bool]) -> None:
    operator = {"tools": ("delete_*",), "agents": ("ops",)}

    assert runs("delete_file", "ops", tools=["*_file"], operator=operator)
    assert not runs("read_file", "ops", tools=["*_file"], operator=operator)
    assert not runs("delete_all", "ops", tools=["*_file"], operator=operator)
    assert not runs("delete_file", "dev", tools=["*_file"], operator=operator)


def test_the_operators_tools_mean_nothing_where_there_is_no_tool(
    manager: HookManager, add: Add
) -> None:
    ran: list[int] = []
    add("pre_model_call", lambda ctx: ran.append(1), operator={"tools": ("x",)})

    manager.dispatch("pre_model_call", ModelCallContext(messages=[]))

    assert ran == [1]


def test_a_filtered_out_hook_is_not_counted(
    manager: HookManager, add: Add, call: Call, events: list[HookDispatchedEvent]
) -> None:
    add("pre_tool_call", lambda ctx: None, tools=["delete_*"])
    add("pre_tool_call", lambda ctx: None, tools=["read_*"], name="reader")

    manager.dispatch("pre_tool_call", call("read_file"))

    (event,) = events
    assert event.hook_count == 1
    assert [record.plugin for record in event.records] == ["reader"]


def test_a_dispatch_whose_hooks_are_all_filtered_out_yields_no_event(
    manager: HookManager, add: Add, call: Call, events: list[HookDispatchedEvent]
) -> None:
    add("pre_tool_call", lambda ctx: None, tools=["delete_*"])

    manager.dispatch("pre_tool_call", call("read_file"))

    assert events == []


def test_tool_filters_hold_at_every_tool_point(manager: HookManager, add: Add, call: Call) -> None:
    ran: list[str] = []
    for point in ("pre_tool_call", "post_tool_call", "tool_finished"):
        add(point, lambda ctx: ran.append(str(ctx.point)), tools=["rm"])

    for tool in ("rm", "ls"):
        manager.call_tool(tool, {}, lambda arguments: None)

    assert ran == ["pre_tool_call", "post_tool_call", "tool_finished"]


@pytest.fixture
def most_bytes() -> Iterator[Callable[[], int]]:
    """Return a way to tell how many bytes were held at most since it was last asked."""

    def ask() -> int:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        return most

    tracemalloc.start()
    yield ask
    tracemalloc.stop()


def test_the_cache_of_tool_names_is_bounded(
    manager: HookManager, add: Add, call: Call, most_bytes: Callable[[], int]
) -> None:
    add("pre_tool_call", lambda ctx: None, tools=["delete_*"])

    def judge(names: range) -> int:
        for number in names:
            manager.dispatch("pre_tool_call", call(f"{number:0200}"))
        return most_bytes()

    first = judge(range(5_000))
    assert judge(range(5_000, 15_000)) < 1.5 * first


def test_a_very_long_tool_name_is_judged_and_not_kept(
    manager: HookManager, add: Add, call: Call, most_bytes: Callable[[], int]
) -> None:
    def refuse(ctx: Any) -> bool:
        return False

    add("pre_tool_call", refuse, tools=["delete_*"])

    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call("delete_" + "x" * 1_000_000))

    gc.collect()
    most_bytes()
    assert most_bytes() < 500_000


def test_hooks_tell_their_filters(manager: HookManager, add: Add) -> None:
    add("pre_tool_call", lambda ctx: None, tools=["a", "b"], agents=["ops"])

    (hook,) = manager.hooks("pre_tool_call")

    assert (hook.tools, hook.agents) == (("a", "b"), ("ops",))


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Delete File", "delete_file"),
        ("deleteFile", "delete_file"),
        ("HTTPServer", "http_server"),
        ("café", "cafe"),
        ("  spaced  ", "spaced"),
        ("\uff46\uff55\uff4c\uff4c", "full"),
        ("a--b", "a_b"),
        ("…", ""),
    ],
)
def test_a_sanitised_name_is_plain(name: str, plain: str) -> None:
    assert sanitize_tool_name(name) == plain


def test_two_long_names_stay_two_names() -> None:
    one, two = (sanitize_tool_name("x" * 80 + end) for end in "ab")

    assert one != two
    assert len(one) == len(two) == 64


@pytest.mark.parametrize("known", [["Bash", "shell"], ("shell", "Bash"), "bash"])
def test_a_hook_runs_for_a_tool_by_any_name_that_its_host_knows_it_by(
    manager: HookManager, add: Add, call: Call, known: Any
) -> None:
    ran: list[str] = []
    add("pre_tool_call", lambda ctx: ran.append("bash"), tools=["Bash"])
    add("pre_tool_call", lambda ctx: ran.append("other"), tools=["delete_*"])
    manager.dispatch("pre_tool_call", call("run_shell_command", attributes={"tool_aliases": known}))
    manager.dispatch("pre_tool_call", call("run_shell_command"))
    manager.dispatch("pre_tool_call", call("run_shell_command", attributes={"cwd": "/"}))
    assert ran == ["bash"]


def test_a_gate_with_a_filter_by_agent_too_stands_at_a_tool_by_another_name(
    manager: HookManager, add: Add, call: Call
) -> None:
    def deny(ctx: ToolCallContext) -> None:
        raise HookAborted("no")

    add("pre_tool_call", deny, tools=["shell"], agents=["clerk"], gate=True)
    known = {"tool_aliases": ["shell"]}
    with pytest.raises(HookAborted):
        manager.dispatch("pre_tool_call", call("Bash", agent="clerk", attributes=known))
    assert manager.dispatch("pre_tool_call", call("Bash", agent="clerk")).tool_name == "Bash"


def test_other_names_that_are_no_names_are_an_error(
    manager: HookManager, add: Add, call: Call
) -> None:
    add("pre_tool_call", lambda ctx: None, tools=["shell"])
    with pytest.raises(TypeError, match="tool_aliases"):
        manager.dispatch("pre_tool_call", call("Bash", attributes={"tool_aliases": [1]}))
