"""The table of names is OpenTelemetry's, where it has a name."""

from __future__ import annotations

from typing import Any

from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.semconv._incubating.metrics import gen_ai_metrics
from opentelemetry.semconv.attributes import error_attributes

from hookcore_otel.names import METRICS, Attr, Instrument, Operation

GUARDRAIL = {
    f"gen_ai.guardrail.{name}"
    for name in (
        "component.name",
        "verdict.type",
        "action.type",
        "target.type",
        "target.subtype",
        "target.id",
    )
}
"""Of the proposal for guardrails (semantic-conventions-genai, pull request 427)."""
PROPOSED = {"gen_ai.execute_tool.duration", "gen_ai.invoke_agent.duration"}
"""In the repository of the conventions for generative AI, and not in the package yet."""
MOVED = {"gen_ai.request.stream", "gen_ai.usage.cache_read.input_tokens"}
"""Newer than the oldest package that this is tested with."""


def strings(module: Any) -> set[str]:
    return {value for value in vars(module).values() if isinstance(value, str)}


def names(table: type) -> set[str]:
    return {value for key, value in vars(table).items() if key.isupper()}


def test_every_attribute_is_a_convention_a_proposal_or_our_own() -> None:
    known = strings(gen_ai_attributes) | strings(error_attributes) | GUARDRAIL | MOVED
    assert {name for name in names(Attr) if not name.startswith("hookcore.")} <= known


def test_every_attribute_of_our_own_says_so() -> None:
    own = {name for name in names(Attr) if name.startswith("hookcore.")}
    assert own == {
        "hookcore.hook.point",
        "hookcore.hook.name",
        "hookcore.outcome",
        "hookcore.effect",
        "hookcore.call.status",
        "hookcore.call.entered",
        "hookcore.run.id",
    }


def test_every_metric_is_a_convention_a_proposal_or_our_own() -> None:
    made = {value.name for value in vars(METRICS).values() if isinstance(value, Instrument)}
    ours = {name for name in made if name.startswith("hookcore.")}
    assert made - ours <= strings(gen_ai_metrics) | PROPOSED
    assert ours == {"hookcore.dispatch.duration", "hookcore.decisions", "hookcore.hook.errors"}


def test_the_operations_are_those_of_the_conventions() -> None:
    known = {each.value for each in gen_ai_attributes.GenAiOperationNameValues}
    assert names(Operation) - {"run_guardrail"} <= known


def test_no_name_is_in_the_table_twice() -> None:
    told = [value for key, value in vars(Attr).items() if key.isupper()]
    assert len(told) == len(set(told))
