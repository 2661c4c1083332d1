"""Every public name and submodule of ``crewai.hooks`` 1.15.30 is there."""

from __future__ import annotations

import importlib
import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest

from hookcore_crewai import hooks
from hookcore_crewai.hooks import HookAborted, InterceptionPoint

NAMES = [
    "EXECUTION_BOUNDARY_POINTS",
    "HookAborted",
    "InterceptionPoint",
    "LLMCallHookContext",
    "ToolCallHookContext",
    "after_llm_call",
    "after_tool_call",
    "before_llm_call",
    "before_tool_call",
    "clear_after_llm_call_hooks",
    "clear_after_tool_call_hooks",
    "clear_all_global_hooks",
    "clear_all_hooks",
    "clear_all_llm_call_hooks",
    "clear_all_tool_call_hooks",
    "clear_before_llm_call_hooks",
    "clear_before_tool_call_hooks",
    "clear_hooks",
    "dispatch",
    "get_after_llm_call_hooks",
    "get_after_tool_call_hooks",
    "get_before_llm_call_hooks",
    "get_before_tool_call_hooks",
    "get_hooks",
    "on",
    "register_after_llm_call_hook",
    "register_after_tool_call_hook",
    "register_before_llm_call_hook",
    "register_before_tool_call_hook",
    "register_hook",
    "unregister_after_llm_call_hook",
    "unregister_after_tool_call_hook",
    "unregister_before_llm_call_hook",
    "unregister_before_tool_call_hook",
    "unregister_hook",
]

SUBMODULES = {
    "contexts": "InterceptionContext ExecutionStartContext InputContext OutputContext "
    "ExecutionEndContext StepContext",
    "decorators": "before_llm_call after_llm_call before_tool_call after_tool_call",
    "dispatch": "EXECUTION_BOUNDARY_POINTS HookAborted HookFn InterceptionPoint Reducer clear "
    "clear_all dispatch get_global_hook_list get_hooks get_scoped_hooks on register "
    "register_scoped run_hooks scoped_hooks source_name unregister _wrap_with_filters "
    "_resolve_hooks",
    "llm_hooks": "LLMCallHookContext LegacyHookBlocked after_llm_call_reducer "
    "before_llm_call_reducer model_call_hooks_already_dispatched model_call_hooks_dispatched "
    "_before_llm_call_hooks _after_llm_call_hooks event_listener",
    "tool_hooks": "ToolCallHookContext after_tool_call_reducer before_tool_call_reducer "
    "run_after_tool_call_hooks run_before_tool_call_hooks _before_tool_call_hooks "
    "_after_tool_call_hooks event_listener",
    "types": "Hook ContextT ReturnT BeforeLLMCallHook AfterLLMCallHook BeforeToolCallHook "
    "AfterToolCallHook BeforeLLMCallHookType AfterLLMCallHookType BeforeToolCallHookType "
    "AfterToolCallHookType BeforeLLMCallHookCallable AfterLLMCallHookCallable "
    "BeforeToolCallHookCallable AfterToolCallHookCallable",
    "wrappers": "BeforeLLMCallHookMethod AfterLLMCallHookMethod BeforeToolCallHookMethod "
    "AfterToolCallHookMethod",
}


def test_the_package_has_the_35_names_of_crewai() -> None:
    assert sorted(hooks.__all__) == sorted(NAMES)
    assert all(hasattr(hooks, name) for name in NAMES)


@pytest.mark.parametrize("module", SUBMODULES)
def test_each_submodule_has_its_names(module: str) -> None:
    loaded = importlib.import_module(f"{hooks.__name__}.{module}")
    assert [name for name in SUBMODULES[module].split() if not hasattr(loaded, name)] == []


def test_there_are_exactly_ten_points() -> None:
    assert [point.value for point in InterceptionPoint] == [
        "execution_start",
        "input",
        "output",
        "execution_end",
        "pre_model_call",
        "post_model_call",
        "pre_tool_call",
        "post_tool_call",
        "pre_step",
        "post_step",
    ]


def test_the_first_four_points_are_the_boundary() -> None:
    assert frozenset(list(InterceptionPoint)[:4]) == hooks.EXECUTION_BOUNDARY_POINTS


def test_hook_aborted_reads_as_its_reason_and_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(HookAborted("too risky", "policy")))
    assert (str(error), error.reason, error.source) == ("too risky", "too risky", "policy")


def test_the_dispatchers_functions_have_the_parameters_of_crewai() -> None:
    module: Any = importlib.import_module(f"{hooks.__name__}.dispatch")
    found = {
        name: list(inspect.signature(getattr(module, name)).parameters)
        for name in ("dispatch", "run_hooks", "on", "register", "scoped_hooks")
    }
    assert found == {
        "dispatch": ["point", "ctx", "reducer", "verbose"],
        "run_hooks": ["point", "ctx", "hooks", "reducer", "verbose"],
        "on": ["point", "agents", "tools"],
        "register": ["point", "hook"],
        "scoped_hooks": ["hooks"],
    }


@pytest.mark.parametrize(
    ("source", "name"),
    [(None, None), ("policy", "policy"), (pickle.loads, "loads"), (object(), "object")],
)
def test_a_source_has_a_readable_name(source: Any, name: str | None) -> None:
    module: Any = importlib.import_module(f"{hooks.__name__}.dispatch")
    assert module.source_name(source) == name


def test_any_function_is_a_hook_in_the_sense_of_the_protocol() -> None:
    types: Any = importlib.import_module(f"{hooks.__name__}.types")
    assert isinstance(lambda ctx: None, types.Hook)


def test_a_method_wrapper_binds_the_instance_it_is_read_from() -> None:
    wrappers: Any = importlib.import_module(f"{hooks.__name__}.wrappers")

    class Crew:
        hook = wrappers.BeforeToolCallHookMethod(lambda self, ctx: (self, ctx), tools=["a"])

    crew: Any = Crew()
    assert crew.hook("ctx") == (crew, "ctx")
    assert (Crew.hook.is_before_tool_call_hook, Crew.hook.tools) == (True, ["a"])


def test_importing_the_drop_in_imports_no_crewai_and_no_pydantic() -> None:
    code = (
        "import sys, hookcore_crewai.hooks; "
        "print([name for name in ('crewai', 'pydantic', 'click') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
