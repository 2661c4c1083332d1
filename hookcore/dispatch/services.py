"""The services that the parts of one manager share while they dispatch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from hookcore_specs import HookAborted, HookContext, HookDispatchedEvent, HookRecord, Kind
from hookcore_specs._runtime import ACTIVE, HOOK, STATES, Frame, hook_of

from ..errors import BackgroundLoopError
from ..hooks.hook import Hook
from ..later import logger
from ..prompting import Prompter
from ..waiting.asking import HumanInput
from ..waiting.loop import BackgroundLoop
from ..waiting.requests import Steps, drive
from ..waiting.workers import Workers
from .states import Asked, RunStates, States

__all__ = ["Emit", "Keeper", "Services", "Tracer", "observed_denials"]

Tracer = Callable[[str, HookRecord, "BaseException | None", Any, Any], None]
Emit = Callable[[Callable[[], HookDispatchedEvent]], "Steps | None"]


class Keeper(Protocol):
    """Somebody who knows what payloads were, so that a trace need not copy them around each hook.

    What it returns is told as it is, and no hook is given any of it.
    """

    def before(self, ctx: HookContext) -> Any:
        """Return what the payload of a context is that no hook has seen yet."""
        ...

    def after(self, payload: Any, before: Any) -> Any:
        """Return what a payload is now: the object ``before`` itself where it is still that."""
        ...


class Services:
    """The loop in the background, worker threads, states of runs, signals, and who is told.

    It is also what contexts ask: for the state of the running plugin, and for a person's answer.

    Args:
        control_flow: exception classes of the host's own that mean no failure and always pass.
        prompter: whom ``ctx.request_human_input`` asks; the terminal when None.
        track_mutations: whether edits of a payload in place are noticed.
    """

    def __init__(
        self,
        *,
        control_flow: tuple[type[BaseException], ...] = (),
        prompter: Prompter | None = None,
        track_mutations: bool = False,
    ) -> None:
        #: Exceptions that pass every hook and every ``on_error`` unswallowed.
        self.control_flow: tuple[type[BaseException], ...] = (BackgroundLoopError, *control_flow)
        self.tracks_mutations = track_mutations
        self.tracer: Tracer | None = None
        #: Who knows what payloads were; None where a trace copies them.
        self.keeper: Keeper | None = None
        self.workers = Workers()
        self.loop = BackgroundLoop()
        self.states = RunStates()
        self.human_input = HumanInput(prompter, self.workers, lambda: self.control_flow)
        #: Tells the listeners of a dispatch; None when nobody listens.
        self.emit: Emit = lambda _make: None
        #: What a person was asked about in the dispatches of contexts.
        self.asked: WeakKeyDictionary[HookContext, list[Asked]] = WeakKeyDictionary()
        self._warned: set[Any] = set()

    def passes(self, error: BaseException | None) -> bool:
        """Return whether an exception is one that no hook and no ``on_error`` may swallow."""
        unswallowed = error is not None and not isinstance(error, Exception)
        return unswallowed or isinstance(error, self.control_flow)

    def graver(self, first: BaseException | None, second: BaseException) -> BaseException:
        """Return the exception that a host is told: the first, unless only the second passes."""
        if first is None or (self.passes(second) and not self.passes(first)):
            return second
        return first

    def drive(self, steps: Steps) -> Any:
        """Run steps on the calling thread."""
        return drive(steps, self.loop)

    def close(self) -> None:
        """Stop the background loop and the idle worker threads; both start again when needed."""
        self.loop.close()
        self.workers.close()

    # What contexts ask for

    def plugin_state(self, frame: Frame, run_id: str | None) -> dict[str, Any]:
        """Return the running plugin's own dict."""
        # A listener has no plugin: those that ask share a dict.
        owner = getattr(hook_of(frame), "owner", None)
        return self._states(frame, run_id).of(owner)

    def shared_state(self, frame: Frame, run_id: str | None) -> dict[str, Any]:
        """Return the dict that all plugins share."""
        return self._states(frame, run_id).shared

    def _states(self, frame: Frame, run_id: str | None) -> States:
        return self._own_states(frame) if run_id is None else self.states.get(run_id)

    @staticmethod
    def _own_states(frame: Frame) -> States:
        states: States | None = frame[STATES]
        if states is None:
            states = frame[STATES] = States()
        return states

    def enforces(self, frame: Frame, denial: HookAborted) -> bool:
        """Return whether the hook of a frame is to raise a denial; note one that is monitored."""
        hook = hook_of(frame)
        if not isinstance(hook, Hook) or hook.rules is None or denial.rule is None:
            return True
        if denial.rule in hook.monitored_rules:
            self._own_states(frame).observed.append((hook.original, denial))
            return False
        return denial.rule not in hook.expired_rules

    def ask_human(self, frame: Frame, ctx: HookContext, prompt: str, default_message: str) -> str:
        """Ask a person for the hook that runs in a frame.

        Raises:
            HookAborted: nobody can answer.
        """
        self._note_question(frame, ctx)
        return self.human_input.ask(ctx, prompt, default_message)

    async def aask_human(
        self, frame: Frame, ctx: HookContext, prompt: str, default_message: str
    ) -> str:
        """Ask like :meth:`ask_human`, without blocking the event loop."""
        self._note_question(frame, ctx)
        return await self.human_input.aask(ctx, prompt, default_message)

    def _note_question(self, frame: Frame, ctx: HookContext) -> None:
        """Remember what was shown: the answer holds for that, and for nothing a later hook makes.

        A gate judges the final value, so only another hook has to be remembered and warned of.
        """
        hook = frame[HOOK]
        spec = getattr(hook, "spec", None)
        if spec is None or hook.gate or spec.kind is not Kind.INTERCEPT:
            return
        asked = self._own_states(frame).asked
        asked.append(Asked(hook.label))
        self.asked[ctx] = asked  # for the wraps, which may pass on something else
        if not spec.options.after_body and hook.original not in self._warned:
            self._warned.add(hook.original)
            logger.warning(
                "%s: hook %s at %s asks a person and is no gate, so later hooks may change what "
                "was asked about: mark it with gate=True",
                hook.origin(),
                hook.name,
                spec.name,
            )


def observed_denials(hook: Hook) -> dict[str, HookAborted]:
    """Return what the rules of the hook that has just run would have stopped, by rule."""
    frame = ACTIVE.get()
    states: States | None = None if frame is None else frame[STATES]
    return {} if states is None else states.observed_by(hook)
