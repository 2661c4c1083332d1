"""The providers that are told: those of the program, or those that this plugin makes."""

from __future__ import annotations

import importlib.util
import os
import weakref
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, NamedTuple

from opentelemetry import _logs, metrics, trace

from ._instruments import Instruments
from .settings import OtelSettings

if TYPE_CHECKING:
    from opentelemetry._logs import Logger, LoggerProvider
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Tracer, TracerProvider

    from ._pipeline import Pipeline

__all__ = ["Source", "Telemetry"]

_SCOPE: Final = "hookcore"
_REMEDY: Final = "pip install 'hookcore-otel[otlp]', or [grpc] for OTLP over gRPC"


class Telemetry(NamedTuple):
    """The tracer, instruments and logger; None for what the settings leave out."""

    tracer: Tracer | None
    metrics: Instruments | None
    logger: Logger | None


class Source:
    """Has the telemetry of a process; a forked child gets its own with the first thing to tell.

    Args:
        settings: who is told, and what.

    Raises:
        ValueError: what is needed to send is not installed, or the environment asks for a protocol
            that is not known.
    """

    def __init__(self, settings: OtelSettings) -> None:
        self._settings = settings
        self.pipeline: Pipeline | None = None
        if settings.setup == "otlp":
            if importlib.util.find_spec("opentelemetry.sdk") is None:
                raise ValueError(f'settings.setup: "otlp" needs the OpenTelemetry SDK: {_REMEDY}')
            from ._pipeline import Pipeline

            self.pipeline = Pipeline(settings.shutdown_ms / 1e3)
        # Now, since it takes longer than a call should wait for.
        self._made: Telemetry | None = self._make()
        _renew_after_fork(self)

    def telemetry(self) -> Telemetry:
        """Return what is told to."""
        made = self._made
        if made is None:
            made = self._made = self._make()
        return made

    def close(self) -> None:
        """Send what waits, in bounded time; the next thing to tell begins anew."""
        if self.pipeline is not None:
            self._made = None
            self.pipeline.close()

    def renew(self) -> None:
        """Begin anew in a forked child."""
        if self.pipeline is not None:
            self._made = None
            self.pipeline.forget()

    def _make(self) -> Telemetry:
        tracers, meters, loggers = _of_the_host() if self.pipeline is None else self.pipeline.open()
        settings, own = self._settings, version("hookcore-otel")
        return Telemetry(
            tracers.get_tracer(_SCOPE, own) if settings.traces else None,
            Instruments(meters.get_meter(_SCOPE, own)) if settings.metrics else None,
            loggers.get_logger(_SCOPE, own) if settings.decisions == "log" else None,
        )


def _of_the_host() -> tuple[TracerProvider, MeterProvider, LoggerProvider]:
    # What the host sets up later is found by these, too.
    return trace.get_tracer_provider(), metrics.get_meter_provider(), _logs.get_logger_provider()


def _renew_after_fork(source: Source) -> None:
    if not hasattr(os, "register_at_fork"):
        return
    known = weakref.ref(source)

    def renew() -> None:
        found = known()
        if found is not None:
            found.renew()

    os.register_at_fork(after_in_child=renew)
