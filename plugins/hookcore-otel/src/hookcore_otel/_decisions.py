"""Decisions of hooks, other than to let pass, told with the call that they are about."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from opentelemetry._logs import SeverityNumber
from opentelemetry.context import Context, get_current
from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span

from hookcore import HookDispatchedEvent, HookRecord

from ._calls import Calls
from ._open import KIND_OF_POINT, key_of
from ._sources import Telemetry
from ._text import name_of
from .names import DECISION, Attr, Operation
from .settings import OtelSettings

if TYPE_CHECKING:
    from opentelemetry.util.types import AttributeValue

__all__ = ["Decisions"]

_OURS: Final = "otel"
_FAILURES: Final = frozenset({"error", "timeout"})
_PASSED: Final = frozenset({"allow", "skipped"})
_ACTIONS: Final = {"observed": "audit", "ignored": "allow"}
_SUBTYPES: Final = {"tool": "tool_call", "model": "llm"}
_MESSAGES: Final = frozenset({"message_received", "message_sending", "message_sent"})
_OUTPUTS: Final = ("post_", "message_s", "output", "execution_end")
_MOST: Final = 64


class Decisions:
    """Tells of the events of dispatches.

    Args:
        settings: how.
        calls: the calls that they belong to.
    """

    def __init__(self, settings: OtelSettings, calls: Calls) -> None:
        self._how = settings.decisions
        self._calls = calls

    def tell(self, telemetry: Telemetry, event: HookDispatchedEvent) -> None:
        """Tell of one dispatch.

        Args:
            telemetry: who is told.
            event: its event.
        """
        records = event.records
        point, proceeded = event.interception_point, event.outcome == "proceeded"
        if proceeded and len(records) == 1 and records[0].plugin == _OURS:
            return
        if telemetry.metrics is not None:
            telemetry.metrics.dispatch.record(
                event.duration_ms / 1e3, {Attr.POINT: point, Attr.OUTCOME: event.outcome}
            )
        told = 0
        for record in records:
            if record.verdict not in _PASSED and told < _MOST:
                told += 1
                self._decided(telemetry, event, record)

    def _decided(
        self, telemetry: Telemetry, event: HookDispatchedEvent, record: HookRecord
    ) -> None:
        verdict, action = _judged(record)
        attributes: dict[str, AttributeValue] = {
            Attr.POINT: event.interception_point,
            Attr.GUARDRAIL: name_of(record.plugin),
            Attr.VERDICT: verdict,
            Attr.ACTION: action,
        }
        failure = _failure(record)
        metrics = telemetry.metrics
        if metrics is not None:
            metrics.decisions.add(1, attributes)
            if failure is not None:
                where = {name: attributes[name] for name in (Attr.POINT, Attr.GUARDRAIL)}
                metrics.hook_errors.add(1, {**where, Attr.ERROR_TYPE: failure})
        if self._how == "off":
            return
        if failure is not None:
            attributes[Attr.ERROR_TYPE] = failure
        attributes[Attr.HOOK] = name_of(record.hook)
        attributes[Attr.OUTCOME] = event.outcome
        attributes[Attr.EFFECT] = record.effect
        attributes.update(_target(event))
        attributes.update(self._calls.ids(event))
        opened = self._calls.open.get(key_of(event.interception_point, event))
        context = get_current() if opened is None else opened.context
        self._send(telemetry, context, record, attributes)

    def _send(
        self,
        telemetry: Telemetry,
        context: Context,
        record: HookRecord,
        attributes: dict[str, AttributeValue],
    ) -> None:
        failed = record.verdict in _FAILURES
        if self._how == "log":
            if telemetry.logger is not None:
                grave = failed or record.verdict == "deny"
                telemetry.logger.emit(
                    timestamp=time.time_ns(),
                    context=context,
                    severity_number=SeverityNumber.WARN if grave else SeverityNumber.INFO,
                    severity_text="WARN" if grave else "INFO",
                    event_name=DECISION,
                    attributes=attributes,
                )
        elif self._how == "event":
            get_current_span(context).add_event(DECISION, attributes)
        elif telemetry.tracer is not None:
            end = time.time_ns()
            span = telemetry.tracer.start_span(
                f"{Operation.GUARDRAIL} {name_of(record.plugin)}",
                context=context,
                kind=SpanKind.INTERNAL,
                attributes={Attr.OPERATION: Operation.GUARDRAIL, **attributes},
                start_time=end - int(record.duration_ms * 1e6),
            )
            if failed:
                span.set_status(Status(StatusCode.ERROR))
            span.end(end)


def _judged(record: HookRecord) -> tuple[str, str]:
    """Return a hook's verdict, and what was done, in the words of the proposal for guardrails."""
    verdict = record.verdict
    if verdict in _FAILURES:
        verdict = "deny" if record.effect == "applied" else "allow"
    done = {"deny": "block", "modify": "modify"}.get(verdict, "allow")
    return verdict, _ACTIONS.get(record.effect, done)


def _failure(record: HookRecord) -> str | None:
    if record.verdict == "timeout":
        return "timeout"
    if record.verdict != "error":
        return None
    return name_of((record.error or "").partition(" ")[0].rstrip(":"))


def _target(event: HookDispatchedEvent) -> dict[str, AttributeValue]:
    point = event.interception_point
    kind = KIND_OF_POINT.get(point)
    target: dict[str, AttributeValue] = {
        Attr.TARGET: "output" if point.startswith(_OUTPUTS) else "input"
    }
    subtype = "message" if point in _MESSAGES else _SUBTYPES.get(kind or "")
    if subtype is not None:
        target[Attr.TARGET_SUBTYPE] = subtype
    if event.call_id is not None:
        target[Attr.TARGET_ID] = name_of(event.call_id)
    if event.tool is not None:
        target[Attr.TOOL] = name_of(event.tool)
    return target
