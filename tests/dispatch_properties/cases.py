"""Random dispatches: which hooks stand at a point, and what each of them does when it is called."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from hypothesis import strategies as st

from hookcore import Abort, HookAborted, Replace

Style = Literal["plain", "async", "soon", "late", "offload"]
OnError = Literal["allow", "deny", "raise"]
Role = Literal["hook", "gate", "wrapper"]
Point = Literal["pre_tool_call", "post_tool_call", "pre_model_call", "tool_finished"]
Watcher = Literal["nobody", "subscriber", "hook", "async hook"]

TYPES: dict[str, type] = {"pre_tool_call": dict, "pre_model_call": list}
FALSE_ABORTS = ("pre_tool_call", "pre_model_call")


class Stop(BaseException):
    """Like KeyboardInterrupt: nothing may swallow it."""


class Signal(Exception):  # noqa: N818 - a host's control flow, not an error
    """Control flow that the host has named."""


class Act(Enum):
    """One behaviour of a hook."""

    PASS = "pass"
    EDIT = "edit in place"
    EDIT_RETURN = "edit in place and return the payload"
    BIND = "assign ctx.payload"
    RETURN = "return a replacement"
    REPLACE = "return Replace(a replacement)"
    NONE = "return Replace(None)"
    BIND_AND_RETURN = "assign one payload, return another"
    RAISE_ABORT = "raise HookAborted"
    BIND_ABORT = "assign a wrong payload, then raise HookAborted"
    EDIT_ABORT = "edit in place, then raise HookAborted"
    ABORT = "return Abort"
    FALSE = "return False"
    ERROR = "raise ValueError"
    ERROR_FROM = "raise ValueError from what came before"
    ABORT_FROM = "raise HookAborted from what came before"
    EDIT_ERROR = "edit in place, then raise ValueError"
    BIND_ERROR = "assign ctx.payload, then raise ValueError"
    WRONG = "return a text"
    BIND_WRONG = "assign a text"
    RENAME = "change the tool"
    STOP = "raise a BaseException"
    SIGNAL = "raise the host's control flow"
    NO_YIELD = "end before the yield"
    SECOND_YIELD = "yield twice"
    RERAISE = "let it pass"
    EDIT_RERAISE = "edit in place, then let it pass"
    BIND_RERAISE = "assign a wrong payload, then let it pass"


@dataclass(frozen=True)
class Operator:
    """The configuration of a plugin."""

    monitor: bool = False
    priority: int | None = None
    on_error: OnError | None = None
    tools: tuple[str, ...] | None = None
    agents: tuple[str, ...] | None = None


@dataclass(frozen=True)
class HookCase:
    """One plugin with one hook; ``index`` is the place in the order of registration."""

    index: int
    role: Role
    style: Style
    act: Act
    after: Act
    rescue: Act
    rank: str | None
    priority: int | None
    on_error: OnError | None
    plugin_wide: bool
    depth: int
    tools: tuple[str, ...] | None
    agents: tuple[str, ...] | None
    operator: Operator

    @property
    def tag(self) -> str:
        """The plugin's name."""
        return f"p{self.index}"


@dataclass(frozen=True)
class Agent:
    """An agent as hosts have them."""

    role: str
    name: str


@dataclass(frozen=True)
class Case:
    """One dispatch and those who watch it."""

    point: Point
    hooks: tuple[HookCase, ...]
    tool: str | None
    agent: Agent | str | None
    watcher: Watcher
    tracked: bool


def first_payload(point: Point) -> Any:
    """Return what the host dispatches."""
    return [] if point == "pre_model_call" else {"log": []}


def edit(payload: Any, tag: str) -> None:
    """Edit a payload in place, as deep in it as it goes."""
    if isinstance(payload, dict):
        payload.setdefault("log", []).append(tag)
    elif isinstance(payload, list):
        payload.append(tag)


def fresh(payload: Any, tag: str) -> Any:
    """Return another payload of the same type that tells of the old one."""
    if isinstance(payload, list):
        return [*payload, f"new {tag}"]
    old = payload.get("log", []) if isinstance(payload, dict) else [payload]
    return {"log": [*old, f"new {tag}"]}


def perform(act: Act, ctx: Any, tag: str, problem: BaseException | None = None) -> Any:
    """Do to a context what a hook with this behaviour does; return or raise what it does."""
    _touch(act, ctx, tag)
    if act in (Act.RAISE_ABORT, Act.BIND_ABORT, Act.EDIT_ABORT):
        raise HookAborted(f"because {tag}")
    if act in (Act.ERROR, Act.EDIT_ERROR, Act.BIND_ERROR):
        raise ValueError(tag)
    if act in (Act.RERAISE, Act.EDIT_RERAISE, Act.BIND_RERAISE) and problem is not None:
        raise problem
    if act is Act.ERROR_FROM:
        raise ValueError(tag) from problem
    if act is Act.ABORT_FROM:
        raise HookAborted(f"because {tag}", source="outer") from problem
    if act is Act.STOP:
        raise Stop(tag)
    if act is Act.SIGNAL:
        raise Signal(tag)
    return _answer(act, ctx, tag)


def _touch(act: Act, ctx: Any, tag: str) -> None:
    if act in (Act.EDIT, Act.EDIT_RETURN, Act.EDIT_ERROR, Act.EDIT_ABORT, Act.EDIT_RERAISE):
        edit(ctx.payload, tag)
    elif act in (Act.BIND, Act.BIND_ERROR):
        ctx.payload = fresh(ctx.payload, tag)
    elif act in (Act.BIND_WRONG, Act.BIND_ABORT, Act.BIND_RERAISE, Act.BIND_AND_RETURN):
        ctx.payload = "assigned"
    elif act is Act.RENAME and getattr(ctx, "tool_name", None) is not None:
        ctx.tool_name = "move"


def _answer(act: Act, ctx: Any, tag: str) -> Any:
    if act is Act.EDIT_RETURN:
        return ctx.payload
    if act in (Act.RETURN, Act.BIND_AND_RETURN):
        return fresh(ctx.payload, tag)
    answers: dict[Act, Any] = {
        Act.REPLACE: Replace(fresh(ctx.payload, tag)),
        Act.NONE: Replace(None),
        Act.ABORT: Abort(f"because {tag}", source="custom"),
        Act.FALSE: False,
        Act.WRONG: "deny",
    }
    return answers.get(act)


_WRAPPERS_ONLY = (
    *(Act.ERROR_FROM, Act.ABORT_FROM, Act.NO_YIELD, Act.SECOND_YIELD),
    *(Act.RERAISE, Act.EDIT_RERAISE, Act.BIND_RERAISE),
)
_ACTS = tuple(act for act in Act if act not in _WRAPPERS_ONLY)
_FIRST_ACTS = (
    *(Act.PASS, Act.PASS, Act.PASS, Act.EDIT, Act.BIND, Act.BIND_WRONG, Act.BIND_ERROR),
    *(Act.ERROR, Act.EDIT_ERROR, Act.RAISE_ABORT, Act.BIND_ABORT, Act.STOP, Act.SIGNAL),
    *(Act.NO_YIELD, Act.RENAME),
)
_LAST_ACTS = (*_ACTS, Act.SECOND_YIELD)
_RESCUES = (
    *(Act.RERAISE, Act.RERAISE, Act.EDIT_RERAISE, Act.BIND_RERAISE, Act.ERROR_FROM),
    *(Act.ABORT_FROM, Act.SECOND_YIELD, *_ACTS),
)
_TOOLS = ("read_file", "delete_file", "Delete File", "move")
_TOOL_FILTERS = (("read_*",), ("delete_file",), ("move", "read_file"), ("*",), ("nothing",))
_AGENT_FILTERS = (("analyst",), ("rev*", "nobody"), ("bob",), ("*",))
_AGENTS = (None, "analyst", Agent("reviewer", "bob"), Agent("", "alice"))


def _seldom(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), st.none(), st.none(), strategy)


@st.composite
def hook_cases(
    draw: st.DrawFn, index: int, point: Point, roles: tuple[Role, ...], acts: tuple[Act, ...]
) -> HookCase:
    """Draw one hook for a point."""
    role = draw(st.sampled_from(roles if point != "tool_finished" else ("hook",)))
    chosen = _FIRST_ACTS if role == "wrapper" else acts
    has_tool = point != "pre_model_call"
    tools = _seldom(st.sampled_from(_TOOL_FILTERS)) if has_tool else st.none()
    on_errors: st.SearchStrategy[OnError | None] = st.sampled_from(
        [None, None, "allow", "deny", "raise"]
    )
    priorities = _seldom(st.sampled_from([50, 100, 150]))
    depth = draw(st.sampled_from([0, 0, 0, 1, 2]))
    operator = Operator()
    if depth == 0 and draw(st.booleans()):
        operator = Operator(
            monitor=draw(st.booleans()),
            priority=draw(priorities),
            on_error=draw(_seldom(on_errors)),
            tools=draw(_seldom(tools)),
            agents=draw(_seldom(st.sampled_from(_AGENT_FILTERS))),
        )
    return HookCase(
        index=index,
        role=role,
        style=draw(
            st.sampled_from(["plain", "plain", "plain", "async", "soon", "late", "offload"])
        ),
        act=draw(st.sampled_from(chosen)),
        after=draw(st.sampled_from(_LAST_ACTS)),
        rescue=draw(st.sampled_from(_RESCUES)),
        rank=draw(st.sampled_from([None, None, "tryfirst", "trylast"])),
        priority=draw(priorities),
        on_error=draw(on_errors),
        plugin_wide=draw(st.booleans()),
        depth=depth,
        tools=draw(tools),
        agents=draw(_seldom(st.sampled_from(_AGENT_FILTERS))),
        operator=operator,
    )


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    points: tuple[Point, ...] = ("pre_tool_call", "post_tool_call", "pre_model_call"),
    roles: tuple[Role, ...] = ("hook", "hook", "hook", "gate", "wrapper"),
    acts: tuple[Act, ...] = (*_ACTS, *(Act.PASS, Act.EDIT, Act.BIND, Act.RETURN) * 3),
    watchers: tuple[Watcher, ...] = ("nobody", "subscriber", "hook", "async hook"),
) -> Case:
    """Draw a dispatch.

    Args:
        draw: Hypothesis's.
        points: the points to choose from.
        roles: what hooks may be there, as often as they should be.
        acts: what they may do, as often as they should do it.
        watchers: who may watch.
    """
    point = draw(st.sampled_from(points))
    count = draw(st.integers(0, 7))
    return Case(
        point=point,
        hooks=tuple(draw(hook_cases(index, point, roles, acts)) for index in range(count)),
        tool=None if point == "pre_model_call" else draw(st.sampled_from(_TOOLS)),
        agent=draw(st.sampled_from(_AGENTS)),
        watcher=draw(st.sampled_from(watchers)),
        tracked=draw(st.booleans()),
    )
