"""pluggy's ``wrapper=True`` hooks: generators around the rest of the chain."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from hookcore_specs import HookAborted, Verdict
from hookcore_specs._runtime import HOOK

from ._hook import Hook
from ._settle import settle
from ._watch import Watch

if TYPE_CHECKING:
    from ._engine import Dispatch

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
        self._watch = Watch(dispatch, hook, dispatch.ctx)
        before = self._watch.view.payload
        dispatch.frame[HOOK] = hook
        try:
            self._generator = hook.call(self._watch.view)
            next(self._generator)
            self._changed = settle(hook, self._watch.view, None, before) or self._watch.changed()
        except HookAborted as error:
            dispatch.denied(hook, self._watch, error, started)
            return False
        except StopIteration:
            silent = RuntimeError(f"{hook.label} ended without a yield")
            dispatch.failed(hook, self._watch, silent, started)
            return False
        except dispatch.manager.control_flow:
            raise
        except Exception as error:  # noqa: BLE001 - rule 4: any failure of a hook is handled
            self._watch.view.payload = before
            dispatch.failed(hook, self._watch, error, started)
            return False
        finally:
            dispatch.frame[HOOK] = None
        self._elapsed = perf_counter() - started
        return True

    def leave(self, problem: BaseException | None) -> BaseException | None:
        """Run the part after the ``yield``; return what the chain raises after it, if anything."""
        started = perf_counter() - self._elapsed
        dispatch, hook = self._dispatch, self._hook
        watch = Watch(dispatch, hook, dispatch.ctx)
        before = watch.view.payload
        dispatch.frame[HOOK] = hook
        try:
            try:
                if problem is None:
                    self._generator.send(before)
                else:
                    self._generator.throw(problem)
            except StopIteration as stop:
                replaced = settle(hook, watch.view, stop.value, before)
            else:
                self._generator.close()
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
        if error is problem or (turned and error.__cause__ is problem):
            verdict: Verdict = "modify" if self._changed else "allow"
            dispatch.account.note(hook, verdict, started)
            return problem
        if not isinstance(error, Exception) or isinstance(error, dispatch.manager.control_flow):
            return error
        watch.view.payload = before
        try:
            if isinstance(error, HookAborted):
                dispatch.denied(hook, watch, error, started)
            else:
                dispatch.failed(hook, watch, error, started)
        except Exception as outcome:  # noqa: BLE001 - handed to the next wrapper
            return outcome
        return problem
