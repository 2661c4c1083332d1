"""The plugin: it tells OpenTelemetry of runs, calls and decisions, and decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from hookcore import (
    EventContext,
    ModelCallContext,
    RunContext,
    ToolCallContext,
    hookimpl,
    is_recording,
)

from ._calls import Calls, leave
from ._decisions import Decisions
from ._sources import Source, Telemetry
from ._stats import Counter, Stats
from .settings import OtelSettings

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Otel"]

_Result = TypeVar("_Result")


class Otel:
    """Tells of what an agent does and of what its policies decide, never of any content.

    Args:
        settings: what is told, and to whom.

    Raises:
        ValueError: what is needed to send is not installed.
    """

    Settings: ClassVar[type[OtelSettings]] = OtelSettings
    # What cannot be told changes nothing.
    on_error: ClassVar[Literal["allow"]] = "allow"

    def __new__(cls, settings: OtelSettings | None = None) -> Self:
        """Make the kind that stands around calls, where there are spans."""
        spans = (settings or OtelSettings()).traces
        kind: Any = _Tracing if cls is Otel and spans else cls
        made: Self = super().__new__(kind)
        return made

    def __init__(self, settings: OtelSettings | None = None) -> None:
        settings = settings or OtelSettings()
        self._counter = Counter()
        self._calls = Calls(settings)
        self._decisions = Decisions(settings, self._calls)
        self._source = Source(settings) if is_recording() else None

    def stats(self) -> Stats:
        """Return how the telemetry itself fares."""
        pipeline = None if self._source is None else self._source.pipeline
        failed, opened = self._counter.failed, len(self._calls.open)
        if pipeline is None:
            return Stats(failed, opened)
        counted = pipeline.deliveries
        return Stats(failed, opened, counted.told, counted.delivered, counted.refused)

    def flush(self, seconds: float = 5.0) -> bool:
        """Send what waits, with ``setup = "otlp"``.

        Args:
            seconds: how long that may take.

        Returns:
            Whether it was done in that time.
        """
        pipeline = None if self._source is None else self._source.pipeline
        return pipeline is None or pipeline.flush(seconds)

    def close(self) -> None:
        """Send what waits and let go of the collector, in bounded time, with ``setup = "otlp"``."""
        if self._source is not None:
            self._source.close()

    # First of all, so that the span is there before anybody decides.

    @hookimpl(tryfirst=True)
    def execution_start(self, ctx: RunContext) -> None:
        """Begin a run.

        Args:
            ctx: the run.
        """
        self._safely(ctx, lambda told: self._calls.begin(told, "execution_start", ctx))

    @hookimpl(tryfirst=True)
    def pre_model_call(self, ctx: ModelCallContext) -> None:
        """Begin a model call.

        Args:
            ctx: the call.
        """
        self._safely(ctx, lambda told: self._calls.begin(told, "pre_model_call", ctx))

    @hookimpl(tryfirst=True)
    def pre_tool_call(self, ctx: ToolCallContext) -> None:
        """Begin a tool call.

        Args:
            ctx: the call.
        """
        self._safely(ctx, lambda told: self._calls.begin(told, "pre_tool_call", ctx))

    @hookimpl(trylast=True)
    def run_finished(self, ctx: RunContext) -> None:
        """End a run.

        Args:
            ctx: the run.
        """
        self._safely(ctx, lambda told: self._calls.end_run(told, ctx))

    @hookimpl(trylast=True)
    def model_finished(self, ctx: ModelCallContext) -> None:
        """End a model call.

        Args:
            ctx: the call.
        """
        self._safely(ctx, lambda told: self._calls.end_model(told, ctx))

    @hookimpl(trylast=True)
    def tool_finished(self, ctx: ToolCallContext) -> None:
        """End a tool call, also a denied one.

        Args:
            ctx: the call.
        """
        self._safely(ctx, lambda told: self._calls.end_tool(told, ctx))

    @hookimpl
    def hook_dispatched(self, ctx: EventContext) -> None:
        """Tell of what hooks decided.

        Args:
            ctx: the event of a dispatch.
        """
        self._safely(ctx, lambda told: self._decisions.tell(told, ctx.payload))

    def _safely(self, ctx: Any, tell: Callable[[Telemetry], _Result]) -> _Result | None:
        """Tell something; what goes wrong is counted and changes nothing."""
        if self._source is None or ctx.dry_run:
            return None
        try:
            return tell(self._source.telemetry())
        except Exception as error:  # noqa: BLE001 - nobody knows what an exporter raises
            self._counter.failure(error)
            return None


class _Tracing(Otel):
    """The plugin, around calls as well: what happens in them belongs to their spans."""

    @hookimpl(tryfirst=True)
    def wrap_model_call(
        self,
        ctx: ModelCallContext,
        call_next: Callable[..., Any],  # noqa: ARG002 - the point gives it
    ) -> Generator[None, Any, None]:
        """Make the call's span the current one, but for a stream, which nobody is inside of."""
        if ctx.streamed:
            yield
            return
        inside = self._safely(ctx, lambda _: self._calls.enter("wrap_model_call", ctx))
        try:
            yield
        finally:
            self._safely(ctx, lambda _: leave(inside))

    @hookimpl(tryfirst=True)
    def wrap_tool_call(
        self,
        ctx: ToolCallContext,
        call_next: Callable[..., Any],  # noqa: ARG002 - the point gives it
    ) -> Generator[None, Any, None]:
        """Make the call's span the current one."""
        inside = self._safely(ctx, lambda _: self._calls.enter("wrap_tool_call", ctx))
        try:
            yield
        finally:
            self._safely(ctx, lambda _: leave(inside))
