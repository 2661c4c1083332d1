"""A name in any spelling meets the filters of authors and operators, at every point (A9's kind)."""

# ruff: noqa: RUF001 - letters that are drawn alike are what is tested

from __future__ import annotations

import asyncio
import enum
from types import SimpleNamespace
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


class LyingName(str):
    """A name that says of itself that it is another."""

    __slots__ = ()

    def __str__(self) -> str:
        return "safe"

    def lower(self) -> str:
        return "safe"


class Tool(str, enum.Enum):
    """Names of tools, as many hosts keep them."""

    DELETE = "delete_file"


@pytest.mark.parametrize("name", [LyingName("delete_file"), Tool.DELETE])
@pytest.mark.parametrize("glob", ["delete_file", "delete_*"])
@pytest.mark.parametrize("gate", [True, False])
def test_a_name_of_another_class_is_known_by_what_it_holds(
    name: str, glob: str, *, gate: bool
) -> None:
    manager = HookManager()
    manager.register(plugin_of("pre_tool_call", deny, tools=[glob], gate=gate))
    for call in (manager.call_tool, manager.acall_tool):
        assert outcome(lambda call=call: call(name, {}, lambda arguments: 1)) == "denied"  # type: ignore[misc]


@pytest.mark.parametrize("role", [LyingName("writer"), enum.Enum("R", {"A": "writer"}, type=str).A])  # type: ignore[attr-defined]
def test_an_agents_name_of_another_class_is_known_by_what_it_holds(role: Any) -> None:
    manager = HookManager()
    manager.register(plugin_of("pre_model_call", deny, agents=["writer"]))
    for agent in (role, SimpleNamespace(role=role), SimpleNamespace(name=role)):
        asked = outcome(lambda agent=agent: manager.call_model([], lambda m: 1, agent=agent))  # type: ignore[misc]
        assert asked == "denied"


@pytest.mark.parametrize("name", [b"delete_file", 7, None])
def test_a_name_that_is_no_text_is_compared_with_nothing_and_the_hooks_run(name: Any) -> None:
    manager = HookManager()
    manager.register(plugin_of("pre_tool_call", deny, tools=["delete_*"]))
    assert outcome(lambda: manager.call_tool(name, {}, lambda arguments: 1)) == "denied"


LOOKALIKES = {
    "a": "аɑα",
    "c": "сᴄ",
    "d": "ԁᴅ",
    "e": "еᴇε",
    "g": "ɡ",
    "h": "һհ",
    "i": "іιı",
    "l": "ⅼʟ",
    "o": "оοօ",
    "p": "рρ",
    "s": "ѕꜱ",
    "t": "тτᴛ",
    "x": "хχ",
    "y": "у",
}


@given(
    word=st.sampled_from(["delete_file", "shell_exec", "post_data", "copy_path", "log_in"]),
    data=st.data(),
)
def test_letters_that_are_drawn_alike_do_not_hide_a_tool(word: str, data: Any) -> None:
    places = [at for at, char in enumerate(word) if char in LOOKALIKES]
    swapped = data.draw(st.sets(st.sampled_from(places), min_size=1), label="places")
    name = "".join(
        data.draw(st.sampled_from(LOOKALIKES[char])) if at in swapped else char
        for at, char in enumerate(word)
    )
    name = data.draw(st.sampled_from([name, name.upper(), name.replace("_", "\u200b_")]))
    glob = data.draw(st.sampled_from([word, word[:4] + "*", "*" + word[-4:]]))
    assert NamePatterns([glob]).matches(name)
    assert not NamePatterns([word]).matches(name, as_written=True)


@pytest.mark.parametrize("name", ["москва_печать", "МОСКВА-ПЕЧАТЬ", "москваПечать"])
def test_names_of_other_scripts_are_matched_as_before(name: str) -> None:
    assert NamePatterns(["москва_*"]).matches(name)
    assert not NamePatterns(["берлин_*"]).matches(name)
