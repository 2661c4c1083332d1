"""The instruments, made once from the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import METRICS, Instrument

if TYPE_CHECKING:
    from opentelemetry.metrics import Counter, Histogram, Meter

__all__ = ["Instruments"]


class Instruments:
    """The instruments of one meter.

    Args:
        meter: makes them.
    """

    def __init__(self, meter: Meter) -> None:
        self.dispatch = _histogram(meter, METRICS.DISPATCH)
        self.tool = _histogram(meter, METRICS.TOOL)
        self.model = _histogram(meter, METRICS.MODEL)
        self.run = _histogram(meter, METRICS.RUN)
        self.tokens = _histogram(meter, METRICS.TOKENS)
        self.decisions = _counter(meter, METRICS.DECISIONS)
        self.hook_errors = _counter(meter, METRICS.HOOK_ERRORS)


def _histogram(meter: Meter, made: Instrument) -> Histogram:
    return meter.create_histogram(
        made.name,
        made.unit,
        made.description,
        explicit_bucket_boundaries_advisory=list(made.bounds),
    )


def _counter(meter: Meter, made: Instrument) -> Counter:
    return meter.create_counter(made.name, made.unit, made.description)
