"""``@manager.tool``: every call of a function is a tool call."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from hookcore import Denied, HookAborted, HookManager

Add = Callable[..., str]


@pytest.fixture
def inputs(add: Add) -> list[Any]:
    """Return the list of the tool inputs that a hook sees."""
    seen: list[Any] = []
    add("pre_tool_call", lambda ctx: seen.append((ctx.tool_name, dict(ctx.payload))))
    return seen


def test_a_function_keeps_its_name_signature_and_result(
    manager: HookManager, inputs: list[Any]
) -> None:
    @manager.tool
    def add_up(a: int, b: int = 2) -> int:
        """Add up."""
        return a + b

    assert add_up(1) == 3
    assert (add_up.__name__, add_up.__doc__) == ("add_up", "Add up.")
    assert list(inspect.signature(add_up).parameters) == ["a", "b"]


def test_arguments_go_by_the_parameters_names_and_defaults_are_among_them(
    manager: HookManager, inputs: list[Any]
) -> None:
    @manager.tool
    def search(query: str, limit: int = 10) -> None: ...

    search("x")
    search("x", 3)
    search(limit=3, query="x")

    assert inputs == [
        ("search", {"query": "x", "limit": 10}),
        ("search", {"query": "x", "limit": 3}),
        ("search", {"query": "x", "limit": 3}),
    ]


def test_the_function_gets_what_the_hooks_made_of_its_arguments(
    manager: HookManager, add: Add
) -> None:
    @manager.tool
    def search(query: str, limit: int = 10) -> tuple[str, int]:
        return query, limit

    add("pre_tool_call", lambda ctx: {**ctx.payload, "limit": 1})

    assert search("x") == ("x", 1)


def test_a_hook_may_remove_an_argument_that_has_a_default(manager: HookManager, add: Add) -> None:
    @manager.tool
    def search(query: str, limit: int = 10) -> tuple[str, int]:
        return query, limit

    add("pre_tool_call", lambda ctx: {"query": "y"})

    assert search("x", 3) == ("y", 10)


def test_an_argument_that_the_function_does_not_have_is_its_own_error(
    manager: HookManager, add: Add
) -> None:
    @manager.tool
    def search(query: str) -> None: ...

    add("pre_tool_call", lambda ctx: {"query": "x", "limit": 1})

    with pytest.raises(TypeError, match="limit"):
        search("x")


def test_a_wrong_call_is_a_type_error_and_no_tool_call(
    manager: HookManager, inputs: list[Any]
) -> None:
    @manager.tool
    def search(query: str) -> None: ...

    with pytest.raises(TypeError):
        search()  # type: ignore[call-arg]
    assert inputs == []


def test_positional_only_parameters_are_passed_by_position(
    manager: HookManager, inputs: list[Any]
) -> None:
    @manager.tool
    def divide(a: int, b: int = 1, /, *, digits: int = 2) -> float:
        return round(a / b, digits)

    assert divide(1, 3, digits=1) == 0.3
    assert inputs == [("divide", {"a": 1, "b": 3, "digits": 1})]


def test_a_removed_positional_argument_does_not_shift_the_others(
    manager: HookManager, add: Add
) -> None:
    @manager.tool
    def copy(source: str = "nowhere", target: str = "nowhere", /) -> tuple[str, str]:
        return source, target

    add("pre_tool_call", lambda ctx: {"target": ctx.payload["target"]})

    assert copy("a", "b") == ("nowhere", "b")


def test_extra_positions_are_a_list_in_the_tool_input(
    manager: HookManager, inputs: list[Any]
) -> None:
    @manager.tool
    def remove(first: str, *others: str, force: bool = False) -> Any:
        return first, others, force

    assert remove("a", "b", "c", force=True) == ("a", ("b", "c"), True)
    assert inputs == [("remove", {"first": "a", "others": ["b", "c"], "force": True})]


def test_a_removed_argument_before_extra_positions_gets_its_default(
    manager: HookManager, add: Add
) -> None:
    @manager.tool
    def remove(root: str = "/tmp", *names: str) -> Any:
        return root, names

    add("pre_tool_call", lambda ctx: {"names": ctx.payload["names"]})

    assert remove("/etc", "a", "b") == ("/tmp", ("a", "b"))


def test_extra_keywords_stand_beside_the_others_in_the_tool_input(
    manager: HookManager, inputs: list[Any]
) -> None:
    @manager.tool
    def create(kind: str, **fields: Any) -> Any:
        return kind, fields

    assert create("user", name="x") == ("user", {"name": "x"})
    assert inputs == [("create", {"kind": "user", "name": "x"})]


def test_a_keyword_that_would_hide_another_argument_is_an_error(
    manager: HookManager, inputs: list[Any]
) -> None:
    @manager.tool
    def create(kind: str, /, **fields: Any) -> Any:
        return kind, fields

    with pytest.raises(TypeError, match="kind"):
        create("user", kind="admin")
    assert inputs == []


def test_an_async_function_is_awaited_through_the_boundary(
    manager: HookManager, inputs: list[Any], add: Add
) -> None:
    @manager.tool
    async def fetch(url: str) -> str:
        await asyncio.sleep(0)
        return url

    add("post_tool_call", lambda ctx: f"<{ctx.payload}>")

    assert inspect.iscoroutinefunction(fetch)
    assert asyncio.run(fetch("x")) == "<x>"
    assert inputs == [("fetch", {"url": "x"})]


@pytest.mark.usefixtures("no_leaks")
def test_a_plain_function_that_returns_a_coroutine_passes_no_policy_by(
    manager: HookManager, inputs: list[Any]
) -> None:
    async def fetch(url: str) -> str:
        return url

    @manager.tool
    @functools.wraps(fetch)
    def logged(url: str) -> Any:
        return fetch(url)

    with pytest.raises(TypeError, match="async twin"):
        logged("x")


def test_a_method_keeps_self_outside_of_the_tool_input(
    manager: HookManager, inputs: list[Any]
) -> None:
    class Shell:
        def __init__(self) -> None:
            self.ran: list[str] = []

        @manager.tool
        def run(self, command: str) -> None:
            self.ran.append(command)

    shell = Shell()
    shell.run("ls")

    assert (shell.ran, inputs) == (["ls"], [("run", {"command": "ls"})])


def test_class_and_static_methods_are_tools_too(manager: HookManager, inputs: list[Any]) -> None:
    class Shell:
        @classmethod
        @manager.tool
        def make(cls, name: str) -> Any:
            return cls, name

        @staticmethod
        @manager.tool
        def quote(text: str) -> str:
            return f"'{text}'"

    assert Shell.make("x") == (Shell, "x")
    assert Shell.quote("x") == "'x'"
    assert inputs == [("make", {"name": "x"}), ("quote", {"text": "x"})]


def test_a_bound_method_is_a_tool(manager: HookManager, inputs: list[Any]) -> None:
    class Shell:
        def run(self, command: str) -> str:
            return command.upper()

    assert manager.tool(Shell().run)("ls") == "LS"
    assert inputs == [("run", {"command": "ls"})]


def test_a_tool_may_have_another_name(manager: HookManager, inputs: list[Any]) -> None:
    @manager.tool(name="web_search")
    def search(query: str) -> None: ...

    search("x")

    assert inputs == [("web_search", {"query": "x"})]


def test_a_denied_call_never_reaches_the_function(manager: HookManager, add: Add) -> None:
    ran: list[str] = []

    @manager.tool
    def delete(path: str) -> None:
        ran.append(path)

    add("pre_tool_call", lambda ctx: False, tools=["delete"])

    with pytest.raises(HookAborted):
        delete("x")
    assert ran == []


def test_on_request_a_denial_is_returned(manager: HookManager, add: Add) -> None:
    @manager.tool(on_denied="return")
    def delete(path: str) -> Any: ...

    add("pre_tool_call", lambda ctx: False)

    assert isinstance(delete("x"), Denied)


def test_hooks_see_the_function_as_the_tool(manager: HookManager, add: Add) -> None:
    seen: list[Any] = []

    def search(query: str) -> None: ...

    add("pre_tool_call", lambda ctx: seen.append(ctx.tool))
    manager.tool(search)("x")

    assert seen == [search]


def test_a_tool_that_calls_itself_is_judged_each_time(
    manager: HookManager, inputs: list[Any]
) -> None:
    @manager.tool
    def count(n: int) -> int:
        return 0 if n == 0 else 1 + int(count(n - 1))

    assert count(2) == 2
    assert [given["n"] for _, given in inputs] == [2, 1, 0]


@pytest.mark.parametrize("kind", [staticmethod, classmethod])
def test_a_decorated_static_or_class_method_stays_one(
    manager: HookManager, inputs: list[Any], kind: Any
) -> None:
    def read_it(path: str = "a") -> str:
        return path

    def read_of(cls: type, path: str = "a") -> str:
        return path

    class Files:
        read = manager.tool(kind(read_it if kind is staticmethod else read_of))

    assert (Files.read(), Files().read("b")) == ("a", "b")
    assert [given["path"] for _, given in inputs] == ["a", "b"]
