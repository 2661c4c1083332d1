"""The contexts of CrewAI's execution and step points: dataclasses, every field with a default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ._base import CrewContext

__all__ = [
    "ExecutionEndContext",
    "ExecutionStartContext",
    "InputContext",
    "InterceptionContext",
    "OutputContext",
    "StepContext",
]


@dataclass
class InterceptionContext(CrewContext):
    """The context of all of these points: the payload, and who is at work on what."""

    payload: Any = None
    agent: Any = None
    agent_role: str | None = None
    task: Any = None
    crew: Any = None
    flow: Any = None

    # Without annotations, as these are no fields of CrewAI's dataclasses.
    point = run_id = parent_run_id = session_id = call_id = None


@dataclass
class ExecutionStartContext(InterceptionContext):
    """A crew, a flow or an agent is about to start; the payload is its inputs."""

    inputs: dict[str, Any] = field(default_factory=dict)


@dataclass
class InputContext(InterceptionContext):
    """The inputs are about to be used; the payload is the inputs."""

    inputs: dict[str, Any] = field(default_factory=dict)


@dataclass
class OutputContext(InterceptionContext):
    """The output is about to be handed out; the payload is the output."""

    output: Any = None


@dataclass
class ExecutionEndContext(InterceptionContext):
    """The execution has ended; the payload is the output, None when ``status`` is "failed"."""

    output: Any = None
    status: Literal["completed", "failed"] = "completed"
    error: BaseException | None = None


@dataclass
class StepContext(InterceptionContext):
    """A task of a crew or a method of a flow begins or ends; the payload is its input or output."""

    kind: Literal["task", "flow_method"] | None = None
    step_name: str | None = None
    output: Any = None
