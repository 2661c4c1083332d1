"""A tool that is a generator, read while it runs: its boundary ends when it does."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, suppress
from typing import Any

from ..dispatch.carrying import StartedIn
from ..dispatch.plans import Plans
from ..waiting.requests import Steps, adrive

__all__ = ["ToolStream"]


class ToolStream:
    """The items of a tool call whose body goes on while they are read.

    It has to be made where the call was; its items may be read anywhere.

    Args:
        plans: the plans in force.
        generator: what the tool returned.
        failed: notes the body's error.
        finished: gives the steps of the call's one end, for what it raises and its result.
    """

    def __init__(
        self,
        plans: Plans,
        generator: Any,
        failed: Callable[[BaseException], None],
        finished: Callable[[BaseException | None], Steps],
    ) -> None:
        self._services = plans.services
        self._generator = generator
        self._failed = failed
        self._finished = finished
        self._started_in = StartedIn(plans.scopes)

    def items(self) -> Generator[Any, None, None] | AsyncGenerator[Any, None]:
        """Return an iterator of the tool's kind; closing it ends the call."""
        # Both are begun at once, so that an end is told also where nobody ever reads.
        if not isinstance(self._generator, AsyncGenerator):
            items = self._each()
            next(items)
            return items
        aitems = self._aeach()
        with suppress(StopIteration):
            aitems.asend(None).send(None)
        return aitems

    def _each(self) -> Generator[Any, None, None]:
        problem: BaseException | None = None
        try:
            yield
            try:
                yield from self._generator
            finally:
                if isinstance(self._generator, Generator):
                    self._generator.close()
        except BaseException as error:
            problem = error
            self._failed(error)
            raise
        finally:
            steps = self._finished(problem)
            self._started_in.step_sync(lambda: self._services.drive(steps))

    async def _aeach(self) -> AsyncGenerator[Any, None]:
        problem: BaseException | None = None
        try:
            yield
            async with aclosing(self._generator) as items:
                async for item in items:
                    yield item
        except BaseException as error:
            problem = error
            self._failed(error)
            raise
        finally:
            steps = self._finished(problem)
            await self._started_in.step(lambda: adrive(steps))
