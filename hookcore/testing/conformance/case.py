"""One check on one runtime, started in one way: what a check is given to work with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hookcore_specs import ToolCall, hookimpl

from ...hosting import Mode
from ...hosting.checks import MESSAGE, REASON, Office, PolicyBrokenError, Recorder, checked
from ...manager import HookManager
from .driver import Driver, Job, Left, Provider, Request

__all__ = ["Case", "Result", "break_down", "call", "expect", "hook_at", "is_broken", "same"]

_TOOLS = ("add", "danger", "lookup", "secret", "fails", "broken")


def call(name: str, call_id: str = "c0", /, **arguments: Any) -> ToolCall:
    """Return a call as the model makes it.

    Args:
        name: the tool's name.
        call_id: the model's id of the call.
        arguments: the arguments.
    """
    return ToolCall(name, arguments, call_id)


def expect(is_so: object, what: str) -> None:
    """Fail when something is not so.

    Args:
        is_so: the fact.
        what: the sentence that does not hold then.

    Raises:
        AssertionError: it is not so.
    """
    if not is_so:
        raise AssertionError(what)


def same(found: object, wanted: object, what: str) -> None:
    """Fail when one thing is not equal to another.

    Args:
        found: what there is.
        wanted: what there should be.
        what: what it is.

    Raises:
        AssertionError: they differ.
    """
    if found != wanted:
        raise AssertionError(f"{what}: {found!r}, and not {wanted!r}")


def hook_at(point: str, function: Callable[[Any], Any], **options: Any) -> Any:
    """Return a plugin with one hook.

    Args:
        point: where.
        function: what it does.
        options: those of ``hookimpl``.
    """

    def hook(ctx: Any) -> Any:
        return function(ctx)

    marked = hookimpl(specname=point, **options)(hook)
    return type("Hook", (), {"hook": staticmethod(marked)})()


def break_down(ctx: Any) -> None:  # noqa: ARG001 - a hook's signature
    """Fail, as a policy that is broken does.

    Args:
        ctx: the context.

    Raises:
        PolicyBrokenError: always.
    """
    raise PolicyBrokenError("the policy is broken")


def is_broken(error: BaseException | None) -> bool:
    """Return whether an error is the broken policy's own, or has it for its cause.

    Args:
        error: the error.
    """
    while error is not None:
        if isinstance(error, PolicyBrokenError):
            return True
        error = error.__cause__
    return False


@dataclass(frozen=True)
class Result:
    """The end of a conversation."""

    job: Job
    answer: Any = None
    error: Exception | None = None
    has_left: bool = False

    @property
    def requests(self) -> list[Request]:
        """The requests that reached the provider."""
        return self.job.provider.requests

    @property
    def sent(self) -> str:
        """All that reached the provider, as one text."""
        return "\n".join(request.text for request in self.requests)

    @property
    def outside(self) -> str:
        """All that the program got: what was shown, the answer, and the text of the error."""
        return "\n".join([*self.job.shown, repr(self.answer), str(self.error)])

    def result(self, call_id: str = "c0") -> str:
        """Return what the model read of a tool's call in the last request."""
        return self.requests[-1].results.get(call_id, "")

    def answered(self, text: str) -> None:
        """Fail unless the program got an answer."""
        if self.error is not None:
            raise AssertionError(f"{type(self.error).__name__}: {self.error}") from self.error
        expect(text in str(self.answer), f"the answer is {self.answer!r}, and not {text!r}")

    def denied(self) -> None:
        """Fail unless the program was told of a denial, with its message and not its reason."""
        expect(self.error is not None, f"nothing was raised; the answer is {self.answer!r}")
        expect(MESSAGE in str(self.error), f"what is raised says {self.error!s}")
        expect(REASON not in self.outside, f"the program reads the reason: {self.outside}")


class Case:
    """One check on one runtime, started in one way.

    Args:
        kind: the driver's class.
        way: the way.
    """

    def __init__(self, kind: type[Driver], way: str) -> None:
        self.kind, self.way = kind, way
        self.mode: Mode = kind.ways[way]
        self.office = Office()
        self.manager: HookManager
        self.recorder: Recorder
        self.manager, self.recorder = checked()
        self._drivers: list[Driver] = []

    def fires(self, *points: str) -> bool:
        """Return whether the host declares all of these points."""
        return all(point in self.kind.host.points for point in points)

    def steps(self) -> list[Any]:
        """Return the answers of an ordinary conversation: with a tool, where the host has any."""
        return [[call("add", a=1, b=2)], "done"] if self.fires("pre_tool_call") else ["done"]

    def add(self, *plugins: object) -> None:
        """Register policies of the check's own."""
        for plugin in plugins:
            self.manager.register(plugin)

    def at(self, point: str, function: Callable[[Any], Any], **options: Any) -> None:
        """Register one hook."""
        self.add(hook_at(point, function, **options))

    def job(self, *steps: Any, **options: Any) -> Job:
        """Return a job with the office's tools.

        Args:
            steps: what the provider answers.
            options: the fields of :class:`Job`.
        """
        tools = {name: getattr(self.office, name) for name in _TOOLS}
        if self.mode != "sync":
            tools["slow"] = self.office.slow
        return Job(Provider(*steps), **{"tools": tools, **options})

    def driver(self, manager: HookManager | None) -> Driver:
        """Return a driver of a manager's, which is closed with the check."""
        made = self.kind(manager)
        self._drivers.append(made)
        return made

    async def run(self, *steps: Any, **options: Any) -> Result:
        """Lead a conversation under the check's policies."""
        return await self.lead(self.driver(self.manager), self.job(*steps, **options))

    async def lead(self, driver: Driver, job: Job) -> Result:
        """Lead a conversation with a driver, and return how it ended."""
        try:
            answer = await driver.run(self.way, job)
        except Exception as error:  # noqa: BLE001 - whatever the runtime raises is the result
            left = isinstance(error, Left) or isinstance(error.__cause__, Left)
            return Result(job, error=None if left else error, has_left=left)
        return Result(job, answer)

    def close(self) -> None:
        """Undo what the drivers did."""
        while self._drivers:
            with suppress(Exception):
                self._drivers.pop().close()
        self.manager.close()

    def statuses(self, point: str) -> list[str | None]:
        """Return the ends of one kind of boundary."""
        return self.recorder.statuses(point)
