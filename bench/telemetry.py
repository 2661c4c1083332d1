"""Measure what telling OpenTelemetry costs a tool call, and what a collector that is away costs.

    python bench/telemetry.py [--quick]

It needs hookcore-otel with an exporter. A collector on loopback takes what is sent; then there is
none, one that answers with 503, and one that hangs. Exit status 1 says that a limit was missed, or
that a call was decided otherwise than without any of it.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, perf_counter, thread_time
from typing import Any, Final, NamedTuple

if __package__ in {None, ""}:
    # Run as a script: this folder's modules are found under the folder above it.
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from bench.race import Burst, Claim, judge, race, ratio
from hookcore import Denied, HookAborted, HookManager, hookimpl
from hookcore_otel import Otel, OtelSettings
from hookcore_otel.testing import Collector, unused_port

GIVEN: Final = {"path": "/tmp/file.txt", "content": "hello" * 20}
CALLS: Final = 4000
TRIES: Final = 5
CALL_MS: Final = 50.0
END_S: Final = 2.0
SLACK_S: Final = 0.2
"""For a busy machine to notice that the time is over."""


class Gate:
    """A gate that denies one tool."""

    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None:
        """Let everything else pass."""
        if ctx.tool_name == "rm":
            raise HookAborted("no removing")


class Idle:
    """A plugin with the hooks of the telemetry, which do nothing."""

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None:
        """Continue."""

    @hookimpl
    def wrap_tool_call(self, ctx: Any, call_next: Any) -> Any:
        """Continue."""
        yield

    @hookimpl
    def tool_finished(self, ctx: Any) -> None:
        """Continue."""

    @hookimpl
    def hook_dispatched(self, ctx: Any) -> None:
        """Continue."""


def _manager(*plugins: object) -> HookManager:
    manager = HookManager()
    manager.register(Gate())
    for plugin in plugins:
        manager.register(plugin, name="otel")
    return manager


def _calls(*plugins: object) -> Burst:
    """Call a tool so many times; count the time of the thread that calls, others send."""
    call = _manager(*plugins).call_tool

    def burst(count: int) -> float:
        started = thread_time()
        for _ in range(count):
            call("write_file", GIVEN, _body)
        return thread_time() - started

    return burst


def _body(given: Any) -> Any:
    return given


@contextmanager
def _sending(**settings: Any) -> Iterator[Otel]:
    """Have the plugin with providers of its own, under the variables that are set now."""
    plugin = Otel(OtelSettings(setup="otlp", **settings))
    try:
        yield plugin
    finally:
        plugin.close()


@contextmanager
def _contestants() -> Iterator[dict[str, Burst]]:
    with ExitStack() as stack:
        collector = Collector()
        stack.callback(collector.close)
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.url
        found = {
            "gate": _calls(),
            "idle hooks": _calls(Idle()),
            "otel, no SDK": _calls(Otel()),
            "otel, metrics": _calls(stack.enter_context(_sending(traces=False))),
            "otel, all spans, metrics": _calls(stack.enter_context(_sending())),
        }
        os.environ["OTEL_TRACES_SAMPLER"] = "parentbased_traceidratio"
        os.environ["OTEL_TRACES_SAMPLER_ARG"] = "0.01"
        found["otel, 1 % of spans, metrics"] = _calls(stack.enter_context(_sending()))
        del os.environ["OTEL_TRACES_SAMPLER"], os.environ["OTEL_TRACES_SAMPLER_ARG"]
        yield found


def claims() -> list[Claim]:
    """Return what is claimed of the costs; none is asked for in ratios to a gate."""
    return [
        ratio("idle hooks", "gate"),
        ratio("otel, no SDK", "gate"),
        ratio("otel, metrics", "gate"),
        ratio("otel, 1 % of spans, metrics", "gate"),
        ratio("otel, all spans, metrics", "gate"),
        ratio("otel, no SDK", "idle hooks", 2.0),
        ratio("otel, all spans, metrics", "idle hooks", 4.0),
    ]


class Flood(NamedTuple):
    """The figures of many calls while the collector is away."""

    denied: int
    slowest_ms: float
    end_s: float

    def missed(self, calls: int) -> list[str]:
        """Return the promises that were not kept."""
        found = []
        if self.denied != calls // 4:
            found.append("DECIDED OTHERWISE")
        if self.slowest_ms > CALL_MS:
            found.append(f"a call is slower than {CALL_MS:g} ms: MISSED")
        if self.end_s > END_S + SLACK_S:
            found.append(f"the end takes more than {END_S:g} s: MISSED")
        return found


def _flood(calls: int, endpoint: str) -> Flood:
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = endpoint
    plugin = Otel(OtelSettings(setup="otlp"))
    call = _manager(plugin).call_tool
    denied, slowest = 0, 0.0
    # A full collection takes as long as all that a program has imported is large: here, the
    # benchmark. Spans that wait make it due as any other objects do.
    gc.collect()
    gc.freeze()
    for number in range(calls):
        started = perf_counter()
        answer = call("rm" if number % 4 == 0 else "read", GIVEN, _body, on_denied="return")
        slowest = max(slowest, perf_counter() - started)
        denied += isinstance(answer, Denied)
    started = monotonic()
    plugin.close()
    return Flood(denied, slowest * 1e3, monotonic() - started)


Begin = Callable[[], tuple[str, Callable[[], None]]]
"""Gives an endpoint at which nothing is taken, and what ends that."""


def _away() -> dict[str, Begin]:
    """Return the ways for a collector to be away, by name."""

    def refusing() -> tuple[str, Callable[[], None]]:
        return f"http://127.0.0.1:{unused_port()}", lambda: None

    def answering(**options: Any) -> tuple[str, Callable[[], None]]:
        collector = Collector(**options)
        return collector.url, collector.close

    return {
        "collector refuses connections": refusing,
        "collector answers 503": lambda: answering(status=503),
        "collector hangs": lambda: answering(hangs=True),
    }


def _flooded(calls: int, begin: Begin) -> Flood:
    """Return the figures of a flood, at its best: another program may have had the processor."""
    for _ in range(TRIES):
        endpoint, end = begin()
        try:
            flood = _flood(calls, endpoint)
        finally:
            end()
        if flood.slowest_ms <= CALL_MS or flood.denied != calls // 4:
            break
    return flood


def main() -> int:
    """Print the figures; return 1 when a limit was missed."""
    logging.disable(logging.CRITICAL)
    quick = "--quick" in sys.argv[1:]
    with _contestants() as contestants:
        rounds = race(contestants, rounds=2 if quick else 15, burst_s=0.0005 if quick else 0.01)
    for name in rounds[0]:
        print(f"{name:<48}{min(times[name] for times in rounds) / 1e3:10.1f} us at its best")
    verdicts = judge(claims(), rounds)
    for verdict in verdicts:
        limit = "" if verdict.limit is None else f"  <= {verdict.limit:g}"
        missed = "  MISSED" if verdict.kept is False else ""
        print(f"{verdict.name:<48}{verdict.value:10.2f}{limit}{missed}")
    calls, failures = CALLS // 20 if quick else CALLS, 0
    for name, begin in _away().items():
        flood = _flooded(calls, begin)
        missed_too = flood.missed(calls)
        failures += len(missed_too)
        print(
            f"{name:<34}{flood.denied} of {calls // 4} denied, the slowest call "
            f"{flood.slowest_ms:.1f} ms, the end {flood.end_s:.2f} s",
            *missed_too,
            sep="  ",
        )
    return int(failures > 0 or any(verdict.kept is False for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
