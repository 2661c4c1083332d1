"""The one table of names: what is told, and by which of OpenTelemetry's words.

Those of generative AI are still being developed and move, so that they stand here as they are
written, and nowhere else. What OpenTelemetry has no word for begins with ``hookcore.``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["METRICS", "Attr", "Instrument", "Operation"]


class Attr:
    """The attributes of spans, metrics and log records."""

    OPERATION = "gen_ai.operation.name"
    PROVIDER = "gen_ai.provider.name"
    REQUEST_MODEL = "gen_ai.request.model"
    REQUEST_STREAM = "gen_ai.request.stream"
    AGENT = "gen_ai.agent.name"
    CONVERSATION = "gen_ai.conversation.id"
    TOOL = "gen_ai.tool.name"
    TOOL_CALL_ID = "gen_ai.tool.call.id"
    INPUT_TOKENS = "gen_ai.usage.input_tokens"
    OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
    CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
    TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105 - tokens of a model
    ERROR_TYPE = "error.type"

    # Of the proposal for guardrails, which is not merged.
    GUARDRAIL = "gen_ai.guardrail.component.name"
    VERDICT = "gen_ai.guardrail.verdict.type"
    ACTION = "gen_ai.guardrail.action.type"
    TARGET = "gen_ai.guardrail.target.type"
    TARGET_SUBTYPE = "gen_ai.guardrail.target.subtype"
    TARGET_ID = "gen_ai.guardrail.target.id"

    POINT = "hookcore.hook.point"
    HOOK = "hookcore.hook.name"
    OUTCOME = "hookcore.outcome"
    EFFECT = "hookcore.effect"
    STATUS = "hookcore.call.status"
    ENTERED = "hookcore.call.entered"
    RUN_ID = "hookcore.run.id"


class Operation:
    """The values of ``gen_ai.operation.name``, with which the names of spans begin."""

    RUN = "invoke_agent"
    MODEL = "chat"
    TOOL = "execute_tool"
    GUARDRAIL = "run_guardrail"


DECISION: Final = "hookcore.decision"
"""The name of a decision's log record, or of its event on a span."""
OTHER: Final = "_other"
"""The name of all that is not known, wherever a name may be anything."""
OTHER_ERROR: Final = "_OTHER"
"""OpenTelemetry's own word for an error of no known type."""


class Instrument(NamedTuple):
    """An instrument: a histogram where it has bounds, else a counter."""

    name: str
    unit: str
    description: str
    bounds: tuple[float, ...] = ()


_MICRO: Final = (1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 5e-3, 0.01, 0.05, 0.1, 1.0, 10.0)
_SECONDS: Final = tuple(0.01 * 2**power for power in range(14))
_TOKENS: Final = tuple(float(4**power) for power in range(14))


class METRICS:
    """The instruments."""

    DISPATCH = Instrument(
        "hookcore.dispatch.duration", "s", "The time that hooks took at a point.", _MICRO
    )
    DECISIONS = Instrument(
        "hookcore.decisions", "{decision}", "What hooks decided, other than to let pass."
    )
    HOOK_ERRORS = Instrument("hookcore.hook.errors", "{error}", "Hooks that failed or timed out.")
    TOOL = Instrument("gen_ai.execute_tool.duration", "s", "The time that a tool took.", _SECONDS)
    RUN = Instrument("gen_ai.invoke_agent.duration", "s", "The time that a run took.", _SECONDS)
    MODEL = Instrument(
        "gen_ai.client.operation.duration", "s", "The time that a model call took.", _SECONDS
    )
    TOKENS = Instrument(
        "gen_ai.client.token.usage", "{token}", "The tokens that a model call used.", _TOKENS
    )
