"""The context that all others extend: payload, ids, plugin state, asking a human."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .. import _runtime
from ..results import HookAborted

if TYPE_CHECKING:
    from ..texts import Texts

__all__ = ["HookContext"]

_DEFAULT_PROMPT = "Press Enter to continue, or provide feedback:"


class HookContext:
    """The object that a hook receives: the payload, and where in the agent's life it stands.

    Args:
        payload: the value that the point is about; assigning ``ctx.payload`` replaces it.
        point: the point's name; every dispatch sets it.
        agent: the agent, an object with ``role`` or ``name``, or a name.
        run_id: the run's id.
        parent_run_id: the id of the run that started this one.
        session_id: the session's id.
        call_id: the id of the model or tool call.
        attributes: what else the host knows (crew, task, flow, tenant).
        dry_run: true in replay and fire: do nothing outside the process.
    """

    settled_points: ClassVar[set[str]] = set()
    """The points after a body, whose payload is what came out of it; their hookspecs say so."""

    __slots__ = (
        "__weakref__",
        "_own_state",
        "agent",
        "attributes",
        "call_id",
        "dry_run",
        "parent_run_id",
        "payload",
        "point",
        "run_id",
        "session_id",
    )

    def __init__(
        self,
        *,
        payload: Any = None,
        point: str | None = None,
        agent: Any = None,
        run_id: str | None = None,
        parent_run_id: str | None = None,
        session_id: str | None = None,
        call_id: str | None = None,
        attributes: dict[str, Any] | None = None,
        dry_run: bool = False,
    ) -> None:
        self.payload: Any = payload
        self.point = point
        self.agent: Any = agent
        self.run_id = run_id
        self.parent_run_id = parent_run_id
        self.session_id = session_id
        self.call_id = call_id
        self.attributes: dict[str, Any] = {} if attributes is None else attributes
        self.dry_run = dry_run
        self._own_state: dict[str, Any] | None = None

    @property
    def state(self) -> dict[str, Any]:
        """The running plugin's own dict, kept for the run; without a run, for the dispatch.

        Outside any dispatch (a hook called by hand in a unit test) it belongs to this context.
        """
        frame = _runtime.own_frame()
        if frame is None:
            return self._detached("state")
        host: _runtime.ContextHost = frame[_runtime.HOST]
        return host.plugin_state(frame, self.run_id)

    @property
    def shared(self) -> dict[str, Any]:
        """The dict that all plugins of the run share; without a run, those of the dispatch."""
        frame = _runtime.own_frame()
        if frame is None:
            return self._detached("shared")
        host: _runtime.ContextHost = frame[_runtime.HOST]
        return host.shared_state(frame, self.run_id)

    def _detached(self, kind: str) -> dict[str, Any]:
        if self._own_state is None:
            self._own_state = {"state": {}, "shared": {}}
        state: dict[str, Any] = self._own_state[kind]
        return state

    def enforces(self, denial: HookAborted) -> bool:
        """Return whether a denial is to be raised; ask before each that names a rule.

        It is not where the operator lets that rule be monitored, which is recorded, or where the
        rule has expired: then go on, and judge by the next rule. A plugin that asks tells the names
        of its rules as ``rule_names``.

        Args:
            denial: what would be raised; its ``rule`` decides.
        """
        frame = _runtime.own_frame()
        if frame is None or denial.rule is None:
            return True
        host: _runtime.ContextHost = frame[_runtime.HOST]
        return host.enforces(frame, denial)

    def request_human_input(self, prompt: str, default_message: str = _DEFAULT_PROMPT) -> str:
        """Ask a person through the manager's prompter and return the answer, stripped.

        Args:
            prompt: what is asked.
            default_message: the line below it that says how to answer.

        Raises:
            HookAborted: nobody can answer (no terminal, end of input, time-out, dry run).
        """
        frame = self._frame_to_ask()
        host: _runtime.ContextHost = frame[_runtime.HOST]
        return host.ask_human(frame, self, prompt, default_message)

    async def arequest_human_input(
        self, prompt: str, default_message: str = _DEFAULT_PROMPT
    ) -> str:
        """Ask like :meth:`request_human_input` without blocking the event loop."""
        frame = self._frame_to_ask()
        host: _runtime.ContextHost = frame[_runtime.HOST]
        return await host.aask_human(frame, self, prompt, default_message)

    def texts(self) -> Texts:
        """Return every text in the payload, whichever runtime's objects it is made of.

        ``for text in ctx.texts()`` gives objects whose ``text`` can be read and assigned, with
        their ``role``, ``kind`` and ``tool``; ``ctx.texts().replace(function)`` puts others in
        their places. Either makes a new payload and edits nothing of the host's.

        Raises:
            UnreadableError: while iterating: of some part nobody here can read the texts.
        """
        from ..texts import Texts  # most programs start without it

        return Texts(self.payload, changed=self._replace, **self._texts_stand_at())

    def _texts_stand_at(self) -> dict[str, Any]:
        """Return whose the payload's texts are, and of which kind, where it does not tell."""
        return {}

    def _replace(self, payload: Any) -> None:
        self.payload = payload

    def _detach(self) -> None:
        """Cut a copy off from the host; for contexts whose payload lives in a host's object."""

    def _frame_to_ask(self) -> _runtime.Frame:
        frame = _runtime.running_frame()
        if frame is None:
            raise HookAborted("nobody can be asked outside a dispatch", source="hookcore")
        return frame

    def __repr__(self) -> str:
        return f"<{type(self).__name__} point={self.point!r} agent={self.agent!r}>"
