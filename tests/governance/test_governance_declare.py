"""A host's word on what it dispatches."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore import HookManager, PluginLoadError, UnknownPointError, hookimpl

REQUIRED = "[plugins.guard]\nrequired = true\n"


class Watcher:
    @hookimpl
    def session_start(self, ctx: Any) -> None: ...


class Gate:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx: Any) -> None: ...


@pytest.fixture
def required(machine: Any) -> HookManager:
    machine.install("guard")
    machine.system.write_text(REQUIRED)
    manager: HookManager = machine.load()
    return manager


def test_a_required_policy_at_a_point_that_is_never_dispatched_is_an_error(
    required: HookManager,
) -> None:
    with pytest.raises(PluginLoadError, match=r"guard .*is required, and it hooks pre_tool_call"):
        required.declare(points=["pre_model_call", "post_model_call"])


def test_a_required_policy_whose_points_are_dispatched_is_fine(required: HookManager) -> None:
    required.declare(points=["pre_tool_call"])
    assert required.has_hooks("pre_tool_call")


def test_a_required_gate_where_the_host_cannot_be_stopped_is_an_error(
    required: HookManager,
) -> None:
    with pytest.raises(PluginLoadError, match="where this host cannot be stopped"):
        required.declare(points=["pre_tool_call"], supports=["modify"])
    with pytest.raises(PluginLoadError, match="where this host cannot be stopped"):
        required.declare(points=["pre_tool_call"], supports={"pre_tool_call": []})


def test_a_required_gate_that_only_watches_stops_nothing_anyway(machine: Any) -> None:
    machine.install("guard")
    machine.system.write_text(REQUIRED + 'mode = "monitor"\n')
    manager = machine.load()
    manager.declare(points=["pre_tool_call"], supports=["modify"])
    assert manager.declaration is not None


class Both:
    @hookimpl
    def pre_step(self, ctx: Any) -> None: ...

    @hookimpl
    def pre_tool_call(self, ctx: Any) -> None: ...


class StepsOnly:
    @hookimpl
    def pre_step(self, ctx: Any) -> None: ...


def test_a_policy_misses_nothing_at_operations_that_a_host_does_not_have(
    caplog: pytest.LogCaptureFixture,
) -> None:
    manager = HookManager()
    manager.register(Both(), name="both")
    manager.declare(points=["pre_tool_call"], without=["pre_step"])
    assert caplog.text == ""


def test_a_policy_of_operations_that_a_host_does_not_have_waits_in_vain(
    caplog: pytest.LogCaptureFixture,
) -> None:
    manager = HookManager()
    manager.register(StepsOnly(), name="steps")
    manager.declare(points=["pre_tool_call"], without=["pre_step"])
    assert "plugin steps: it hooks pre_step, which this host never dispatches" in caplog.text


def test_support_is_full_where_nothing_is_said_of_a_point(required: HookManager) -> None:
    required.declare(points=["pre_tool_call", "output"], supports={"output": ["modify"]})
    assert required.has_hooks("pre_tool_call")


@pytest.mark.parametrize(
    ("plugin", "supports", "words"),
    [
        (
            Watcher(),
            ["modify", "abort"],
            "it hooks session_start, which this host never dispatches",
        ),
        (Gate(), ["modify"], "it gates pre_tool_call, where this host cannot be stopped"),
    ],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_any_other_plugin_is_a_line_in_the_log(
    plugin: Any, supports: list[str], words: str, when: str, caplog: pytest.LogCaptureFixture
) -> None:
    manager = HookManager()
    if when == "before":
        manager.register(plugin, name="p")
    manager.declare(points=["pre_tool_call"], supports=supports)
    if when == "after":
        manager.register(plugin, name="p")
    assert f"plugin p: {words}" in caplog.text


def test_a_plugin_that_listens_to_events_needs_no_host(caplog: pytest.LogCaptureFixture) -> None:
    class Listener:
        @hookimpl
        def hook_dispatched(self, ctx: Any) -> None: ...

    manager = HookManager()
    manager.register(Listener())
    manager.declare(points=[])
    assert caplog.text == ""


def test_unknown_points_and_words_are_errors() -> None:
    manager = HookManager()
    with pytest.raises(UnknownPointError, match="pre_tool_call"):
        manager.declare(points=["pre_tool_cal"])
    with pytest.raises(ValueError, match="supports knows modify, abort, not stop"):
        manager.declare(points=["output"], supports=["stop"])
    with pytest.raises(ValueError, match="which points does not declare"):
        manager.declare(points=["output"], supports={"input": ["modify"]})
    with pytest.raises(ValueError, match="takes a list of words"):
        manager.declare(points=["output"], supports="abort")


def test_what_a_host_declares_is_kept_beside_its_decisions(machine: Any) -> None:
    from hookcore.log.reading import open_log
    from hookcore.log.writer import writer_of

    machine.user.write_text("[log]\nenabled = true\n")
    manager = machine.load()
    manager.declare(points=["output", "input"], host="a host")
    writer = writer_of(manager)
    assert writer is not None
    assert writer.flush(10)
    with open_log() as log:
        assert log is not None
        assert (log.hosts(), log.points()) == ({"a host"}, {"input", "output"})


def test_one_point_in_place_of_a_list_is_told_apart(required: HookManager) -> None:
    with pytest.raises(ValueError, match=r'takes a list of points: \["pre_tool_call"\]'):
        required.declare(points="pre_tool_call")


MODEL = ["pre_model_call", "post_model_call"]


def test_a_part_refuses_no_policy_that_waits_at_other_points(required: HookManager) -> None:
    required.declare(points=MODEL, part=True)
    required.declare(points=["pre_tool_call"])
    assert required.declaration is not None
    assert set(required.declaration.points) == {*MODEL, "pre_tool_call"}


def test_a_part_before_or_after_a_host_adds_its_points(required: HookManager) -> None:
    required.declare(points=["pre_tool_call"], without=["pre_step", "pre_model_call"])
    required.declare(points=["pre_model_call"], part=True)
    required.declare(points=["post_model_call"], part=True)
    assert required.declaration is not None
    assert set(required.declaration.points) == {*MODEL, "pre_tool_call"}
    assert required.declaration.without == {"pre_step"}
    assert not required.declaration.is_part


def test_a_host_on_a_part_still_refuses_what_it_cannot_keep(required: HookManager) -> None:
    required.declare(points=["pre_model_call"], part=True)
    with pytest.raises(PluginLoadError, match=r"guard .*is required, and it hooks pre_tool_call"):
        required.declare(points=["pre_run"])


def test_a_part_still_refuses_a_gate_that_it_does_not_heed(required: HookManager) -> None:
    with pytest.raises(PluginLoadError, match="where this host cannot be stopped"):
        required.declare(points=["pre_tool_call"], supports=["modify"], part=True)


def test_policies_that_wait_where_only_parts_dispatch_are_told_of_when_asked(
    required: HookManager, caplog: pytest.LogCaptureFixture
) -> None:
    required.tell_of_unreached()
    required.declare(points=MODEL, part=True)
    assert caplog.messages == []
    required.tell_of_unreached()
    (told,) = caplog.messages
    assert "guard" in told
    assert "it hooks pre_tool_call, which this host never dispatches" in told
    required.declare(points=["pre_tool_call"])
    required.tell_of_unreached()
    assert len(caplog.messages) == 1


def test_a_host_beside_another_takes_nothing_from_its_word(required: HookManager) -> None:
    required.declare(points=["pre_run", "pre_tool_call"], host="agents")
    required.declare(points=["pre_tool_call"], without=["pre_run"], host="tools")
    required.register(Runs(), name="runs")
    assert required.declaration is not None
    assert set(required.declaration.points) == {"pre_run", "pre_tool_call"}
    assert required.declaration.without == frozenset()


class Runs:
    @hookimpl
    def pre_run(self, ctx: Any) -> None: ...


def test_a_policy_of_runs_is_reached_by_the_host_that_has_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    manager = HookManager()
    manager.declare(points=["pre_run"], host="agents")
    manager.declare(points=["pre_tool_call"], without=["pre_run"], host="tools")
    manager.register(Runs(), name="runs")
    assert caplog.messages == []


def test_what_one_host_does_is_no_excuse_for_another(required: HookManager) -> None:
    required.declare(points=["pre_tool_call"], host="agents")
    with pytest.raises(PluginLoadError, match="it hooks pre_tool_call, which crews never"):
        required.declare(points=["pre_run"], host="crews")
    with pytest.raises(PluginLoadError, match="it gates pre_tool_call, where crews cannot"):
        required.declare(points=["pre_tool_call"], supports=[], host="crews")
    assert required.declaration is not None
    assert required.declaration.points["pre_tool_call"] == {"modify", "abort"}
