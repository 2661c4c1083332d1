"""A name in any spelling meets the filters of authors and operators, at every point (A9's kind)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import HookAborted, HookManager, NamePatterns
from hookcore.hooks.options import OperatorOptions

from .kit import outcome, plugin_of

WORDS = st.lists(st.sampled_from(["delete", "github", "merge", "file"]), min_size=1, max_size=3)


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str]:
    """Return a glob for some words, and a way to write them."""
    words = draw(WORDS)
    joint = draw(st.sampled_from(["_", "-", " ", ".", "__", "/", ""]))
    case = draw(st.sampled_from(["lower", "upper", "capitalised", "camel"]))
    if joint == "" or case == "camel":
        name = words[0] + "".join(word.capitalize() for word in words[1:])
    else:
        recased = {"upper": str.upper, "capitalised": str.capitalize}.get(case, str.lower)
        name = joint.join(map(recased, words))
    glob = "_".join(words)
    how = draw(st.sampled_from(["exact", "prefix", "suffix"]))
    if how == "prefix":
        glob = words[0] + "*"
    elif how == "suffix":
        glob = "*" + words[-1]
    return glob, name


def deny(ctx: Any) -> None:
    raise HookAborted("no")


@given(case=spellings())
@pytest.mark.parametrize("by", ["author", "operator", "gate"])
@pytest.mark.parametrize("point", ["pre_tool_call", "post_tool_call"])
def test_a_filter_meets_every_spelling_of_a_tool(
    by: str, point: str, case: tuple[str, str]
) -> None:
    glob, name = case
    manager = HookManager()
    options: dict[str, Any] = {} if by == "operator" else {"tools": [glob]}
    operator = OperatorOptions(tools=(glob,)) if by == "operator" else None
    plugin = plugin_of(point, deny, gate=by == "gate", **options)
    manager.register_configured(plugin, operator=operator)

    for call in (manager.call_tool, manager.acall_tool):
        assert outcome(lambda call=call: call(name, {}, lambda arguments: 1)) == "denied"  # type: ignore[misc]
    assert manager.call_tool("other", {}, lambda arguments: 1) == 1


@given(case=spellings())
def test_a_filter_meets_every_spelling_of_an_agent(case: tuple[str, str]) -> None:
    glob, name = case
    manager = HookManager()
    manager.register(plugin_of("pre_model_call", deny, agents=[glob]))

    assert outcome(lambda: manager.call_model([], lambda messages: 1, agent=name)) == "denied"
    assert outcome(lambda: manager.call_model([], lambda messages: 1, agent="other")) == 1


@given(case=spellings())
def test_a_hook_that_renames_a_tool_brings_the_new_names_gates(case: tuple[str, str]) -> None:
    glob, name = case
    manager = HookManager()

    def rename(ctx: Any) -> None:
        ctx.tool_name = name

    manager.register(plugin_of("pre_tool_call", rename))
    manager.register(plugin_of("pre_tool_call", deny, gate=True, tools=[glob]))

    async def call() -> Any:
        return await manager.acall_tool("other", {}, lambda arguments: 1)

    assert asyncio.run(_outcome(call())) == "denied"


async def _outcome(call: Any) -> Any:
    try:
        return await call
    except HookAborted:
        return "denied"


@given(case=spellings())
def test_what_a_deny_glob_stops_an_allow_glob_of_the_same_words_lets_pass(
    case: tuple[str, str],
) -> None:
    glob, name = case

    assert NamePatterns([glob]).matches(name)
    assert not NamePatterns([glob + "x"]).matches(name)
