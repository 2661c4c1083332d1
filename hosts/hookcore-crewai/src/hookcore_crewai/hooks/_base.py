"""The base of the contexts of CrewAI's hooks; they are hookcore's contexts as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookcore.hosting import fields_of
from hookcore_specs import HookContext

__all__ = ["CrewContext", "is_ours"]


class CrewContext(HookContext):
    """A context that CrewAI's hooks and hookcore's policies both understand.

    CrewAI builds its contexts by the thousand, so what of hookcore's common fields a dispatch
    seldom reads stands here as a class attribute, and costs nothing until somebody sets it.
    """

    dry_run: bool = False
    _own_state: dict[str, Any] | None = None
    _attributes: dict[str, Any] | None = None

    #: Whether failures of hooks are kept off the terminal in the current dispatch.
    quiet = False
    task: Any = None
    crew: Any = None
    flow: Any = None

    @property
    def attributes(self) -> dict[str, Any]:
        """The crew, task, flow and agent, and what else the host knows, by name."""
        found = self._attributes
        if found is None:
            known = {name: getattr(self, name) for name in ("crew", "task", "flow", "agent")}
            found = {name: value for name, value in known.items() if value is not None}
            self._attributes = found
        return found

    @attributes.setter
    def attributes(self, value: dict[str, Any]) -> None:
        self._attributes = value

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Called for what is not there: a subclass need not call the constructor, in CrewAI.
            if name in fields_of(type(self)):
                return False if name in {"_settled", "quiet"} else None
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        # By name as they are kept: what a subclass made a property of is derived from these.
        state = dict(vars(self))
        for name in fields_of(type(self)):
            try:
                state[name] = object.__getattribute__(self, name)
            except AttributeError:
                continue  # a slot that was never set
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def arrive(self, point: str) -> None:
        """Take note of the point that the context is about to be dispatched at."""

    def request_human_input(
        self,
        prompt: str,
        default_message: str = "Press Enter to continue, or provide feedback:",
    ) -> str:
        """Ask a person and return the answer, stripped; live output is held back meanwhile.

        Args:
            prompt: what is asked.
            default_message: the line below it that says how to answer.

        Raises:
            HookAborted: nobody can answer; the operation must not go on unapproved.
        """
        from ._human import ask

        return ask(self, prompt, default_message)

    async def arequest_human_input(
        self,
        prompt: str,
        default_message: str = "Press Enter to continue, or provide feedback:",
    ) -> str:
        """Ask like :meth:`request_human_input` without blocking the event loop."""
        from ._human import aask

        return await aask(self, prompt, default_message)


def is_ours(ctx: Any, kind: type[CrewContext] = CrewContext) -> bool:
    """Tell whether an object really is a context of a class; a mock of it only says so."""
    return issubclass(type(ctx), kind)
