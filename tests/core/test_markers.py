"""The markers: pluggy's own, with hookcore's options checked beside them."""

from __future__ import annotations

from typing import Any

import pluggy
import pytest

from hookcore import HookContext, Kind, ToolCallContext, hookimpl, hookspec
from hookcore_specs import HookOptions, SpecOptions, hook_options, spec_options


def test_a_bare_hookimpl_has_default_options() -> None:
    @hookimpl
    def pre_tool_call(ctx: Any) -> None: ...

    assert hook_options(pre_tool_call) == HookOptions()


def test_hookimpl_returns_the_function_itself() -> None:
    def pre_tool_call(ctx: Any) -> None: ...

    assert hookimpl(gate=True)(pre_tool_call) is pre_tool_call


def test_hookimpl_keeps_all_options() -> None:
    @hookimpl(
        tools=["delete_*"],
        agents=("ops",),
        priority=7,
        on_error="raise",
        timeout=2,
        offload=True,
        gate=True,
        stream="window",
    )
    def pre_tool_call(ctx: Any) -> None: ...

    assert hook_options(pre_tool_call) == HookOptions(
        tools=("delete_*",),
        agents=("ops",),
        priority=7,
        on_error="raise",
        timeout=2.0,
        offload=True,
        gate=True,
        stream="window",
    )


def test_pluggy_reads_its_own_options_from_the_mark() -> None:
    class Plugin:
        @hookimpl(tryfirst=True, optionalhook=True, specname="pre_tool_call")
        def guard(self, ctx: Any) -> None: ...

    options = pluggy.PluginManager("hookcore").parse_hookimpl_opts(Plugin(), "guard")

    assert options is not None
    assert (options["tryfirst"], options["optionalhook"]) == (True, True)
    assert options["specname"] == "pre_tool_call"


def test_a_bare_string_of_tools_is_refused_with_the_right_spelling() -> None:
    with pytest.raises(TypeError, match=r"write tools=\['delete_file'\]"):
        hookimpl(tools="delete_file")


def test_an_empty_list_of_agents_is_refused() -> None:
    with pytest.raises(ValueError, match="would match nothing"):
        hookimpl(agents=[])


@pytest.mark.parametrize("pattern", ["", 3, None])
def test_a_pattern_that_is_no_text_is_refused(pattern: Any) -> None:
    with pytest.raises(TypeError, match="non-empty strings"):
        hookimpl(tools=[pattern])


@pytest.mark.parametrize("priority", ["1", 1.5, True])
def test_a_priority_that_is_no_whole_number_is_refused(priority: Any) -> None:
    with pytest.raises(TypeError, match="priority= takes a whole number"):
        hookimpl(priority=priority)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan")])
def test_a_timeout_that_is_no_length_of_time_is_refused(timeout: float) -> None:
    with pytest.raises(ValueError, match="positive number of seconds"):
        hookimpl(timeout=timeout)


@pytest.mark.parametrize("timeout", ["2", True])
def test_a_timeout_that_is_no_number_is_refused(timeout: Any) -> None:
    with pytest.raises(TypeError, match="number of seconds"):
        hookimpl(timeout=timeout)


def test_a_near_miss_of_on_error_is_refused_with_the_choices() -> None:
    with pytest.raises(ValueError, match="'allow', 'deny', 'raise', not 'denied'"):
        hookimpl(on_error="denied")  # type: ignore[call-overload]


@pytest.mark.parametrize("option", ["gate", "offload"])
def test_a_flag_takes_only_true_or_false(option: str) -> None:
    options: dict[str, Any] = {option: "yes"}
    with pytest.raises(TypeError, match=f"{option}= takes True or False"):
        hookimpl(**options)


def test_an_unknown_option_is_named() -> None:
    options: dict[str, Any] = {"tool": ["x"]}
    with pytest.raises(TypeError, match="no option 'tool': did you mean tools="):
        hookimpl(**options)


def test_tryfirst_and_trylast_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        hookimpl(tryfirst=True, trylast=True)


def test_a_bare_hookspec_is_an_intercept_point_of_any_payload() -> None:
    @hookspec
    def my_point(ctx: HookContext) -> None: ...

    assert spec_options(my_point) == SpecOptions(Kind.INTERCEPT, object, HookContext)


def test_hookspec_takes_kind_payload_and_context() -> None:
    @hookspec(kind="observe", payload=(dict, list), context=ToolCallContext)
    def my_point(ctx: ToolCallContext) -> None: ...

    assert spec_options(my_point) == SpecOptions(
        Kind.OBSERVE, (dict, list), ToolCallContext, tool_filter=True
    )


def test_an_unknown_kind_is_refused_with_the_choices() -> None:
    with pytest.raises(ValueError, match="'intercept', 'observe', 'wrap', 'collect'"):
        hookspec(kind="listen")


@pytest.mark.parametrize("payload", ["dict", (), (dict, "list")])
def test_a_payload_that_is_no_type_is_refused(payload: Any) -> None:
    with pytest.raises(TypeError, match="payload= takes a type"):
        hookspec(payload=payload)


def test_a_context_that_is_no_context_class_is_refused() -> None:
    with pytest.raises(TypeError, match="subclass of HookContext"):
        hookspec(context=dict)  # type: ignore[arg-type]


def test_a_function_marked_by_pluggys_own_marker_has_default_options() -> None:
    @pluggy.HookimplMarker("hookcore")
    def pre_tool_call(ctx: Any) -> None: ...

    assert hook_options(pre_tool_call) == HookOptions()
