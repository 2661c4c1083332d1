"""pluggy's ``wrapper=True`` hooks: generators around the rest of the chain."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter
from typing import Any

from hookcore_specs import HookContext

from ..hooks.hook import Hook
from .attempt import Attempt
from .contexts import adopt
from .records import Records
from .services import Services

__all__ = ["Wrapper"]


class Wrapper:
    """One such hook in progress."""

    __slots__ = ("_changed", "_elapsed", "_generator", "_records", "_services", "_view", "hook")

    def __init__(self, services: Services, records: Records, hook: Hook) -> None:
        self._services = services
        self._records = records
        self.hook = hook
        self._changed = False
        self._elapsed = 0.0

    def enter(self, ctx: HookContext) -> bool:
        """Run the part before the ``yield``; return whether there is a part to come."""
        attempt = Attempt.begun(self._services, self._records, self.hook, ctx)
        if attempt is None:
            return False
        self._view = attempt.view
        try:
            self._generator = self.hook.call(attempt.view)
            next(self._generator)
            self._changed = attempt.settle(None) or attempt.changed()
        except StopIteration:
            attempt.ended(RuntimeError(f"{self.hook.label} ended without a yield"))
            return False
        except BaseException as error:  # noqa: BLE001 - the attempt raises what ends the dispatch
            self._close()
            attempt.ended(error)
            return False
        if self._changed and not self.hook.monitor:
            self._records.modified = True
        self._elapsed = perf_counter() - attempt.started
        return True

    def leave(self, ctx: HookContext, problem: BaseException | None) -> BaseException | None:
        """Run the part after the ``yield``; return what the chain raises after it, if anything."""
        hook = self.hook
        attempt = Attempt.begun(self._services, self._records, hook, ctx)
        if attempt is None:
            self._close()
            return problem
        attempt.started -= self._elapsed
        if hook.monitor:  # the generator holds on to the copy that it got first
            adopt(self._view, attempt.view)
            attempt.view = self._view
        try:
            value = self._resumed(attempt.before, problem)
            replaced = attempt.settle(value)
        except BaseException as error:  # noqa: BLE001 - sorted by _judged
            return self._judged(attempt, error, problem)
        attempt.passed(replaced=self._changed or replaced)
        return problem if hook.monitor else None

    def _resumed(self, payload: Any, problem: BaseException | None) -> Any:
        try:
            if problem is None:
                self._generator.send(payload)
            else:
                self._generator.throw(problem)
        except StopIteration as stop:
            return stop.value
        raise RuntimeError(f"{self.hook.label} has a second yield")

    def _judged(
        self, attempt: Attempt, error: BaseException, problem: BaseException | None
    ) -> BaseException | None:
        # A StopIteration cannot leave a generator: Python turns it into a RuntimeError.
        turned = isinstance(problem, StopIteration) and isinstance(error, RuntimeError)
        if error is problem or (turned and error.__cause__ is problem):
            attempt.view.payload = attempt.before
            attempt.passed(replaced=self._changed)
            return problem
        self._close()
        try:
            attempt.ended(error)
        except BaseException as outcome:  # noqa: BLE001 - handed to the next wrapper
            return outcome
        return problem

    def _close(self) -> None:
        # The hook has failed already: what it raises on its way out adds nothing.
        with suppress(Exception):
            self._generator.close()
