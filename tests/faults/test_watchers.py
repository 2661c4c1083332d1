"""Those who only watch change nothing that the host holds, through any field (C1)."""

from __future__ import annotations

import array
import asyncio
import collections
import copy
import dataclasses
import enum
import inspect
import os
import pickle
import threading
import uuid
import weakref
from collections.abc import Callable, Iterable, Mapping, Sized
from contextlib import suppress
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pydantic
import pytest

from hookcore import HookManager, ModelCallContext, ToolCallContext

from .kit import plugin_of

Add = Callable[..., str]


class Agent:
    """An agent of a host's: machinery that cannot be copied."""

    def __init__(self) -> None:
        self.role = "researcher"
        self.tools = ["search"]
        self.settings = {"temperature": 0}
        self.lock = threading.Lock()

    @property
    def broken(self) -> str:
        raise ValueError("broken")

    def run(self, task: str) -> tuple[str, str]:
        return self.role, task

    async def arun(self) -> str:
        return self.role

    def __call__(self) -> str:
        return "called"


@dataclasses.dataclass
class User:
    """Data in attributes."""

    role: str
    rights: list[str]


class Model(pydantic.BaseModel):
    """A model of a host's."""

    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)

    name: str
    agent: Any = None


class Host:
    """All that a host hands to its calls, and what all of it is."""

    def __init__(self) -> None:
        self.agent = Agent()
        self.llm = Model(name="model", agent=Agent())
        self.executor = SimpleNamespace(steps=[1], agent=Agent())
        self.tool = Agent()
        self.tools: list[Any] = [{"name": "search"}, Agent()]
        self.attributes: dict[str, Any] = {
            "user": {"role": "guest"},
            "person": User("guest", ["read"]),
            "space": SimpleNamespace(role="guest"),
            "crew": Model(name="crew", agent=Agent()),
            "agents": [Agent()],
            "ordered": collections.OrderedDict(a=[1]),
            "shared": Agent(),
        }
        self.messages = [{"role": "user", "content": "hello"}]
        self.usage = {"tokens": 1}
        self.error = ValueError("failed", ["detail"])
        self.arguments = {"path": ["a"]}

    def describe(self) -> Any:
        def told(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: told(item) for key, item in value.items()}
            if isinstance(value, (list, tuple)):
                return [told(item) for item in value]
            if isinstance(value, BaseException):
                return [repr(value), told(vars(value))]
            if hasattr(value, "__dict__"):
                return [type(value).__name__, told(vars(value))]
            return repr(value) if not isinstance(value, type(threading.Lock())) else "lock"

        return told(vars(self))

    def call(self, manager: HookManager) -> None:
        """Make a call of each kind, one of which fails."""
        common: dict[str, Any] = {"agent": self.agent, "attributes": self.attributes}

        def fail(given: Any) -> None:
            raise self.error

        manager.call_model(
            ModelCallContext(
                messages=self.messages,
                tools=self.tools,
                llm=self.llm,
                executor=self.executor,
                usage=self.usage,
                **common,
            ),
            lambda messages: {"content": ["hello"]},
        )
        manager.call_tool("tool", self.arguments, lambda used: used, tool=self.tool, **common)
        with suppress(ValueError):
            manager.call_tool("tool", self.arguments, fail, tool=self.tool, **common)


def vandalise(value: Any, depth: int = 4) -> None:
    """Change all that can be changed of a value, and of what can be reached through it."""
    if depth == 0 or isinstance(value, (str, bytes, int, float, type(None), type)):
        return
    inner: list[Any] = []
    with suppress(Exception):
        inner += value.values()
    with suppress(Exception):
        inner += value
    for name in ("role", "tools", "settings", "rights", "name", "agent", "steps", "args"):
        with suppress(Exception):
            inner.append(getattr(value, name))
    with suppress(Exception):
        inner.append(vars(value))
    for item in inner:
        vandalise(item, depth - 1)
    for change in (
        lambda: setattr(value, "role", "admin"),
        lambda: setattr(value, "name", "admin"),
        lambda: setattr(value, "args", ("changed",)),
        lambda: delattr(value, "role"),
        lambda: value.update(role="admin"),
        lambda: value.append("added"),
        lambda: value.__setitem__(0, "changed"),
        lambda: value.__setitem__("role", "admin"),
        lambda: value.__dict__.update(role="admin"),
        lambda: value.__iadd__(["added"]),
        lambda: [value.pop()],
        lambda: value.add_note("note"),
    ):
        with suppress(Exception):
            change()


FIELDS = (
    *("agent", "attributes", "tools", "llm", "executor", "usage", "messages", "tool"),
    *("tool_input", "payload", "error"),
)


def vandal(ctx: Any) -> None:
    for name in FIELDS:
        with suppress(Exception):
            vandalise(getattr(ctx, name))
    for name in ("attributes", "tools", "agent", "tool_name", "model", "error"):
        with suppress(Exception):
            setattr(ctx, name, "changed")


WATCHERS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "observer": (("model_input", "model_output", "model_finished", "tool_finished"), {}),
    "gate": (
        ("pre_model_call", "post_model_call", "pre_tool_call", "post_tool_call"),
        {"gate": True, "on_error": "allow"},
    ),
    "monitor": (
        ("pre_model_call", "post_model_call", "pre_tool_call", "post_tool_call"),
        {"monitor": True},
    ),
    "monitored gate": (
        ("pre_model_call", "post_model_call", "pre_tool_call", "post_tool_call"),
        {"monitor": True, "gate": True},
    ),
}


async def slow_vandal(ctx: Any) -> None:
    vandal(ctx)


@pytest.mark.parametrize("kind", WATCHERS)
@pytest.mark.parametrize("hook", [vandal, slow_vandal])
def test_a_watcher_changes_nothing_of_the_hosts(
    manager: HookManager, add: Add, kind: str, hook: Any
) -> None:
    points, options = WATCHERS[kind]
    for point in points:
        add(point, hook, **options)
    host = Host()
    before = host.describe()

    host.call(manager)

    assert host.describe() == before


def test_a_monitored_wrap_changes_nothing_of_the_hosts(manager: HookManager, add: Add) -> None:
    def around(ctx: Any, call_next: Any) -> Any:
        vandal(ctx)
        vandalise((yield))

    for point in ("wrap_model_call", "wrap_tool_call"):
        add(point, around, monitor=True)
    host = Host()
    before = host.describe()

    host.call(manager)

    assert host.describe() == before


@pytest.mark.parametrize("watched", ["nobody", "subscriber", "tracked"])
@pytest.mark.parametrize("slow", [True, False])
def test_a_gate_changes_nothing_for_the_next_or_for_the_tool(watched: str, *, slow: bool) -> None:
    manager = HookManager(track_mutations=watched == "tracked")
    if watched == "subscriber":
        manager.subscribe(lambda event: None)
    seen: list[Any] = []

    def edit(ctx: Any) -> None:
        seen.append((ctx.tool_name, copy.deepcopy(ctx.tool_input), dict(ctx.attributes)))
        ctx.tool_name = "other"
        ctx.tool_input["path"].append("edited")
        ctx.attributes["tenant"] = "edited"

    async def slowly(ctx: Any) -> None:
        edit(ctx)

    for _ in range(2):
        manager.register(plugin_of("pre_tool_call", slowly if slow else edit, gate=True))
    used = manager.call_tool(
        "tool", {"path": ["a"]}, lambda given: given, attributes={"tenant": "a"}
    )
    manager.close()

    assert seen == [("tool", {"path": ["a"]}, {"tenant": "a"})] * 2
    assert used == {"path": ["a"]}


def test_objects_of_the_hosts_stay_in_its_context_after_judging(
    manager: HookManager, add: Add
) -> None:
    add("pre_tool_call", lambda ctx: None, gate=True)
    host, user = Model(name="agent"), User("guest", [])
    ctx = ToolCallContext(
        tool_name="x", payload={"a": 1}, agent=host, tool=user, attributes={"user": user}
    )

    manager.dispatch("pre_tool_call", ctx)

    assert ctx.agent is host
    assert ctx.tool is user
    assert ctx.attributes["user"] is user


def view_of(manager: HookManager, agent: Any) -> Any:
    """Return what an observer sees of an agent."""
    seen: list[Any] = []
    manager.register(plugin_of("tool_finished", lambda ctx: seen.append(ctx.agent)))
    manager.call_tool("tool", {}, lambda arguments: 1, agent=agent)
    return seen[0]


def test_a_view_is_read_and_called_like_the_object(manager: HookManager) -> None:
    agent = Agent()
    view = view_of(manager, agent)

    assert isinstance(view, Agent)
    assert view.__class__ is Agent
    assert view.run("task") == ("researcher", "task")
    assert asyncio.run(view.arun()) == "researcher"
    assert view() == "called"
    assert str(inspect.signature(view.run)) == "(task: 'str') -> 'tuple[str, str]'"
    assert (str(view), repr(view), f"{view}") == (str(agent), repr(agent), f"{agent}")
    assert (view == agent, agent == view, view != agent) == (True, True, False)
    assert len({view, agent}) == 1
    assert dir(view) == dir(agent)
    assert vars(view).keys() == vars(agent).keys()
    assert weakref.ref(view)() is view


def test_a_view_refuses_to_be_changed(manager: HookManager) -> None:
    view = view_of(manager, Agent())

    with pytest.raises(AttributeError, match="only watches"):
        view.role = "admin"
    with pytest.raises(AttributeError, match="only watches"):
        del view.role


def test_a_view_raises_what_the_object_raises(manager: HookManager) -> None:
    view = view_of(manager, Agent())

    with pytest.raises(ValueError, match="broken"):
        _ = view.broken
    with pytest.raises(AttributeError, match="nothing"):
        _ = view.nothing
    assert not hasattr(view, "nothing")
    with pytest.raises(TypeError):
        len(view)


class Empty:
    """Has nothing."""

    __slots__ = ()


class Ambiguous:
    """Compares like an array."""

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    def __eq__(self, other: object) -> Any:
        return Ambiguous()

    __hash__ = None  # type: ignore[assignment]


def test_a_view_can_what_its_object_can_and_no_more(manager: HookManager) -> None:
    empty, agent = view_of(manager, Empty()), view_of(manager, Agent())

    assert not callable(empty)
    assert not isinstance(empty, Iterable)
    assert not isinstance(empty, Sized)
    assert callable(agent)
    assert pickle.loads(pickle.dumps(empty)).__class__ is Empty
    assert type(copy.deepcopy(empty)) is Empty


def test_a_view_of_what_compares_like_an_array_does_so_too(manager: HookManager) -> None:
    view = view_of(manager, Ambiguous())

    with pytest.raises(ValueError, match="ambiguous"):
        bool(view)
    assert isinstance(view == 1, Ambiguous)
    with pytest.raises(TypeError, match="unhashable"):
        hash(view)


class Operators:
    """Has operators and items."""

    def __lt__(self, other: object) -> bool:
        return True

    def __add__(self, other: object) -> str:
        return "sum"

    def __iadd__(self, other: object) -> Any:
        raise AssertionError("changed in place")

    def __getitem__(self, key: object) -> list[object]:
        return [key]

    def __setitem__(self, key: object, value: object) -> None:
        raise AssertionError("changed in place")

    def __iter__(self) -> Any:
        return iter([[1], [2]])

    def __enter__(self) -> str:
        return "entered"

    def __exit__(self, *error: object) -> None: ...

    def __index__(self) -> int:
        return 1


def test_operators_of_a_view_are_those_of_its_object(manager: HookManager) -> None:
    view = view_of(manager, Operators())

    assert (view < 1, view + 1, view[3], list(view)) == (True, "sum", [3], [[1], [2]])
    assert [0, 7][view] == 7
    with view as entered:
        assert entered == "entered"
    with pytest.raises(TypeError, match="only watches"):
        view[0] = 1
    total = view
    total += 1
    assert total == "sum"


def test_a_view_takes_no_items_out_of_an_iterator(manager: HookManager) -> None:
    items = iter([1, 2])
    generator = (item for item in [1, 2])

    for view in (view_of(manager, items), view_of(manager, generator)):
        with pytest.raises(TypeError, match="only watches"):
            next(view)
        with pytest.raises(TypeError, match="only watches"):
            list(view)

    assert (list(items), list(generator)) == ([1, 2], [1, 2])


class Colour(enum.Enum):
    RED = ["r"]  # noqa: RUF012 - a member's value, not a class's


class Text(str):
    __slots__ = ("more",)


@pytest.mark.parametrize(
    "value",
    [
        *(Colour.RED, uuid.UUID(int=1), Decimal(1), PurePosixPath("a"), range(3), slice(1)),
        *(Text("a"), Agent, len, ..., os),
    ],
)
def test_what_cannot_be_changed_is_seen_as_it_is(manager: HookManager, value: Any) -> None:
    assert view_of(manager, value) is value


class Copied:
    """Says how it is copied."""

    def __init__(self) -> None:
        self.copies = 0

    def __deepcopy__(self, memo: Any) -> Copied:
        self.copies += 1
        return Copied()


def test_an_object_that_says_how_it_is_copied_is(manager: HookManager) -> None:
    agent = Copied()
    view = view_of(manager, agent)

    assert type(view) is Copied
    assert view is not agent


def test_a_big_object_is_not_copied_for_those_who_watch(manager: HookManager) -> None:
    crew = Model(name="crew", agent=[Model(name=str(number)) for number in range(1_000)])
    view = view_of(manager, crew)

    assert isinstance(view, Model)
    assert view.agent[7].name == "7"
    with pytest.raises(AttributeError):
        view.name = "other"


def test_a_dataclass_that_holds_machinery_is_still_one(manager: HookManager) -> None:
    held = dataclasses.make_dataclass("Held", ["lock", "name"])(Empty(), "n")
    as_dict: Any = dataclasses.asdict

    assert as_dict(view_of(manager, held))["name"] == "n"


class Odd(Exception):  # noqa: N818 - any error of a host's
    """Takes other arguments than it keeps."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} {two}")
        self.detail = [one]


ERRORS: list[BaseException] = [
    *(ValueError("a"), KeyError("k"), OSError(2, "no", "file"), Odd("a", "b")),
    UnicodeDecodeError("utf-8", b"a", 0, 1, "reason"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_that_watchers_see_is_like_the_hosts(
    manager: HookManager, add: Add, error: BaseException
) -> None:
    seen: list[Any] = []

    def look(ctx: Any) -> None:
        seen.append((type(ctx.error), str(ctx.error), copy.deepcopy(vars(ctx.error))))
        ctx.error.args = ("changed",)
        vandalise(vars(ctx.error))

    def fail(arguments: Any) -> None:
        raise error

    before = (type(error), str(error), copy.deepcopy(vars(error)))
    add("post_tool_call", look, gate=True)
    with pytest.raises(type(error)) as caught:
        manager.call_tool("tool", {}, fail)

    assert caught.value is error
    assert seen == [before]
    assert (type(error), str(error), vars(error)) == before


HOLDERS: dict[str, Callable[[], Any]] = {
    "deque": lambda: collections.deque([[1], {"a": 1}]),
    "user dict": lambda: collections.UserDict(a=[1]),
    "user list": lambda: collections.UserList([[1]]),
    "chain map": lambda: collections.ChainMap({"a": [1]}, {"b": [2]}),
    "view of a dict": lambda: MappingProxyType({"a": [1]}),
    "byte array": lambda: bytearray(b"abc"),
    "memory view": lambda: memoryview(bytearray(b"abc")),
    "beside a lock": lambda: collections.deque([[1], threading.Lock()]),
    "array": lambda: array.array("i", [1]),
}


def edit(value: Any, depth: int = 3) -> None:
    """Try every way to change a container, and what is in it."""
    inner: Any = ()
    with suppress(Exception):
        inner = list(value.values() if isinstance(value, Mapping) else value)
    for item in inner if depth else ():
        edit(item, depth - 1)
    maps = getattr(value, "maps", ())
    for item in maps:
        edit(item, depth - 1)
    ways: list[Callable[[], Any]] = [
        lambda: value.append("edited"),
        lambda: value.update(edited=1),
        lambda: value.__setitem__(0, 90),
        lambda: value.__setitem__("a", "edited"),
        lambda: value.extend(b"xx"),
        lambda: [value.pop()],
    ]
    for way in ways:
        with suppress(Exception):
            way()


@pytest.mark.parametrize("kind", HOLDERS)
@pytest.mark.parametrize(
    ("point", "options"),
    [
        ("tool_finished", {}),
        ("pre_tool_call", {"gate": True}),
        ("post_tool_call", {"monitor": True}),
    ],
)
def test_further_containers_are_copied_for_those_who_watch(
    manager: HookManager, add: Add, kind: str, point: str, options: dict[str, Any]
) -> None:
    value = HOLDERS[kind]()
    before = repr(value), repr(getattr(value, "obj", None))

    add(point, lambda ctx: edit(ctx.attributes["value"]), **options)
    manager.call_tool("tool", {}, lambda arguments: 1, attributes={"value": value})

    assert (repr(value), repr(getattr(value, "obj", None))) == before


def test_a_gate_leaves_the_hosts_containers_in_place_where_nobody_edits(
    manager: HookManager, add: Add
) -> None:
    values = {
        kind: make() for kind, make in HOLDERS.items() if kind not in ("array", "memory view")
    }
    ctx = ToolCallContext(tool_name="tool", payload={}, attributes=dict(values))
    add("pre_tool_call", lambda ctx: None, gate=True)
    manager.call_tool(ctx, lambda arguments: 1)
    assert all(ctx.attributes[kind] is value for kind, value in values.items())


class NoCopies:
    """A value whose copying fails."""

    def __init__(self) -> None:
        self.held = [1]

    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("no copies")


def test_a_result_that_cannot_be_copied_is_seen_and_not_changed(
    manager: HookManager, add: Add
) -> None:
    seen: list[Any] = []

    def watch(ctx: Any) -> None:
        seen.append((isinstance(ctx.tool_result, NoCopies), ctx.tool_result.held))
        ctx.tool_result.held.append(2)
        ctx.tool_result.held = []

    add("tool_finished", watch)
    value = NoCopies()
    assert manager.call_tool("tool", {}, lambda arguments: value) is value
    assert value.held == [1]
    assert seen[0][0]
