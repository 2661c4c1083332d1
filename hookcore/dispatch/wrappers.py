"""pluggy's ``wrapper=True`` hooks: generators around the rest of the chain."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookAborted, Verdict
from hookcore_specs._runtime import HOOK

from ..hooks.hook import Hook
from .answers import settle
from .copying import adopt
from .watch import Watch

if TYPE_CHECKING:
    from .engine import Dispatch

__all__ = ["Wrapper"]


class Wrapper:
    """One such hook in progress."""

    __slots__ = ("_changed", "_dispatch", "_elapsed", "_generator", "_hook", "_watch")

    def __init__(self, dispatch: Dispatch, hook: Hook) -> None:
        self._dispatch = dispatch
        self._hook = hook
        self._changed = False
        self._elapsed = 0.0

    def enter(self) -> bool:
        """Run the part before the ``yield``; return whether there is a part to come."""
        started = perf_counter()
        dispatch, hook = self._dispatch, self._hook
        watch = dispatch.watch(hook, dispatch.ctx, started)
        if watch is None:
            return False
        self._watch = watch
        before = watch.view.payload
        dispatch.begin(hook)
        try:
            self._generator = hook.call(self._watch.view)
            next(self._generator)
            self._changed = settle(hook, watch.view, None, before) or watch.changed()
        except BaseException as error:  # noqa: BLE001 - sorted by kind in _sorted
            watch.view.payload = before
            silent = RuntimeError(f"{hook.label} ended without a yield")
            self._sorted(silent if isinstance(error, StopIteration) else error, watch, started)
            return False
        finally:
            dispatch.frame[HOOK] = None
        if self._changed and not hook.monitor:
            dispatch.account.modified = True
        self._elapsed = perf_counter() - started
        return True

    def leave(self, problem: BaseException | None) -> BaseException | None:
        """Run the part after the ``yield``; return what the chain raises after it, if anything."""
        started = perf_counter() - self._elapsed
        dispatch, hook = self._dispatch, self._hook
        watch = dispatch.watch(hook, dispatch.ctx, started)
        if watch is None:
            self._close()
            return problem
        if hook.monitor:  # the generator holds on to the copy that it got first
            adopt(self._watch.view, watch.view)
            watch.view = self._watch.view
        before = watch.view.payload
        dispatch.begin(hook)
        try:
            try:
                if problem is None:
                    self._generator.send(before)
                else:
                    self._generator.throw(problem)
            except StopIteration as stop:
                replaced = settle(hook, watch.view, stop.value, before)
            else:
                raise RuntimeError(f"{hook.label} has a second yield")
        except BaseException as error:  # noqa: BLE001 - sorted by kind in _judged
            return self._judged(error, problem, watch, before, started)
        finally:
            dispatch.frame[HOOK] = None
        changed = self._changed or replaced or watch.changed()
        verdict: Verdict = "modify" if changed else "allow"
        record = dispatch.account.note(hook, verdict, started)
        if changed:
            watch.trace(record)
        return problem if hook.monitor else None

    def _judged(
        self,
        error: BaseException,
        problem: BaseException | None,
        watch: Watch,
        before: Any,
        started: float,
    ) -> BaseException | None:
        dispatch, hook = self._dispatch, self._hook
        # A StopIteration cannot leave a generator: Python turns it into a RuntimeError.
        turned = isinstance(problem, StopIteration) and isinstance(error, RuntimeError)
        watch.view.payload = before
        if error is problem or (turned and error.__cause__ is problem):
            changed = self._changed or watch.changed()
            dispatch.account.note(hook, "modify" if changed else "allow", started)
            return problem
        try:
            self._sorted(error, watch, started)
        except BaseException as outcome:  # noqa: BLE001 - handed to the next wrapper
            return outcome
        return problem

    def _sorted(self, error: BaseException, watch: Watch, started: float) -> None:
        """Record what the hook raised, and raise what comes of it."""
        dispatch, hook = self._dispatch, self._hook
        self._close()
        if isinstance(error, HookAborted):
            dispatch.denied(hook, watch, error, started)
        elif not isinstance(error, Exception) or dispatch.passes(error):
            dispatch.passed(hook, error, started)
            raise error
        else:
            dispatch.failed(hook, watch, error, started)

    def _close(self) -> None:
        # The hook has failed already: what it raises on its way out adds nothing.
        with suppress(Exception):
            self._generator.close()
