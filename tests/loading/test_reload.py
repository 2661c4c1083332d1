"""A changed configuration comes into force as a whole, under running dispatches, or not at all."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import hookcore.discovery
from hookcore import ConfigError, HookManager, PluginLoadError, ToolCallContext, hookimpl
from hookcore.config import days
from hookcore.discovery import discover
from hookcore.loading import configuring

from ..waiting import until
from .conftest import World

PLUGIN = """
from pydantic import BaseModel
from hookcore import hookimpl

class Plugin:
    class Settings(BaseModel):
        word: str = "word"

    def __init__(self, settings):
        if settings.word == "broken":
            raise ValueError("broken")
        self.word = settings.word

    @hookimpl
    def pre_tool_call(self, ctx):
        ctx.state["count"] = ctx.state.get("count", 0) + 1
        return {"said": [*ctx.payload.get("said", []), f"{self.word}{ctx.state['count']}"]}
"""
OBJECT = PLUGIN.replace("def __init__", "def configure") + "\nplugin = Plugin()\n"


class Project:
    """A project folder whose plugins are those of a world."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "hookcore.toml"

    def write(self, **plugins: str) -> None:
        """Write the configuration: a line of TOML for the table of each plugin."""
        self.file.write_text(
            "".join(f"[plugins.{name}]\n{text}\n" for name, text in plugins.items())
        )

    def load(self, **options: Any) -> HookManager:
        """Load a manager."""
        return HookManager.load(self.file.parent, **options)


@pytest.fixture
def project(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in "abc":
        world.install(name, PLUGIN)
    world.install("object", OBJECT, target="plugin")
    catalog = discover(path=[str(world.site)])
    monkeypatch.setattr(hookcore.discovery, "discover", lambda: catalog)
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder)


@pytest.fixture
def manager(project: Project) -> Iterator[HookManager]:
    project.write(a="enabled = true", c="enabled = true")
    manager = project.load()
    yield manager
    manager.close()


def said(manager: HookManager, **fields: Any) -> list[str]:
    ctx = ToolCallContext(tool_name="read", payload={}, **fields)
    words: list[str] = manager.dispatch("pre_tool_call", ctx).payload.get("said", [])
    return words


SETTINGS = "enabled = true\nsettings.word = '{}'"


def test_a_plugin_that_is_enabled_stands_where_its_name_belongs(
    manager: HookManager, project: Project
) -> None:
    project.write(a=SETTINGS.format("a"), b=SETTINGS.format("b"), c=SETTINGS.format("c"))
    done = manager.reload()
    assert (done.added, done.changed, done.removed) == (("b",), ("a", "c"), ())
    assert said(manager) == ["a1", "b1", "c1"]


def test_first_and_last_plugins_of_configuration_stand_around_the_others(
    manager: HookManager, project: Project
) -> None:
    class Own:
        @hookimpl
        def pre_tool_call(self, ctx: Any) -> dict[str, list[str]]:
            return {"said": [*ctx.payload["said"], "own"]}

    manager.register(Own())
    project.write(b=SETTINGS.format("b"))
    manager.reload()
    project.write(a=SETTINGS.format("a"), b=SETTINGS.format("b"), c=SETTINGS.format("c"))
    manager.reload()
    assert said(manager) == ["a1", "b1", "c1", "own"]


def test_a_plugin_whose_table_is_as_it_was_keeps_its_object_and_its_state(
    manager: HookManager, project: Project
) -> None:
    before = {info.name: info.plugin for info in manager.plugins()}
    with manager.run(run_id="r"):
        assert said(manager, run_id="r") == ["word1", "word1"]
        project.write(a="enabled = true", c=SETTINGS.format("c"))
        assert manager.reload().changed == ("c",)
        assert said(manager, run_id="r") == ["word2", "c1"]
    assert {info.name: info.plugin for info in manager.plugins()}["a"] is before["a"]


def test_options_change_without_a_new_object(manager: HookManager, project: Project) -> None:
    before = {info.name: info.plugin for info in manager.plugins()}
    project.write(a="enabled = true\npriority = 200", c="enabled = true\nmode = 'monitor'")
    assert str(manager.reload()) == "changed a, c"
    infos = {info.name: info for info in manager.plugins()}
    assert {name: info.plugin for name, info in infos.items()} == before
    assert infos["c"].mode == "monitor"
    assert [hook.priority for hook in manager.hooks("pre_tool_call")] == [100, 200]


def test_what_is_taken_out_of_the_file_is_taken_out(manager: HookManager, project: Project) -> None:
    project.write(c="enabled = true")
    assert manager.reload().removed == ("a",)
    assert [info.name for info in manager.plugins()] == ["c"]


def test_the_master_switch_takes_all_of_them_out(manager: HookManager, project: Project) -> None:
    project.file.write_text(f"[hooks]\nenabled = false\n{project.file.read_text()}")
    assert manager.reload().removed == ("a", "c")
    assert not manager.has_hooks("pre_tool_call")


def test_nothing_changes_when_nothing_was_changed(manager: HookManager) -> None:
    assert not manager.reload()


@pytest.mark.parametrize(
    ("table", "error"),
    [
        (SETTINGS.format("broken"), PluginLoadError),
        ("enabled = true\nsettings.nothing = 1", PluginLoadError),
        ("enabled = 3", ConfigError),
        ("enabled = [", ConfigError),
    ],
)
def test_what_cannot_be_brought_into_force_changes_nothing(
    manager: HookManager, project: Project, table: str, error: type[Exception]
) -> None:
    before, config = manager.plugins(), manager.config
    project.write(a=SETTINGS.format("new"), b=table)
    with pytest.raises(error):
        manager.reload()
    assert manager.plugins() == before
    assert manager.config is config
    assert said(manager) == ["word1", "word1"]


def test_a_plugin_that_its_host_cannot_serve_changes_nothing(
    manager: HookManager, project: Project
) -> None:
    manager.declare(["pre_model_call"])
    before = manager.plugins()
    project.write(a="enabled = true", b="enabled = true\nrequired = true", c=SETTINGS.format("c"))
    with pytest.raises(PluginLoadError, match=r"b .* is required, and it hooks pre_tool_call"):
        manager.reload()
    assert manager.plugins() == before
    assert said(manager) == ["word1", "word1"]


@pytest.mark.parametrize(
    "table",
    ["", "enabled = true", "required = true\nmode = 'monitor'", "required = true\ntimeout = 1"],
)
def test_a_required_plugin_stays_as_it_is(
    manager: HookManager, project: Project, table: str
) -> None:
    project.write(a="required = true")
    manager.reload()
    project.write(**({"a": table} if table else {"c": "enabled = true"}))
    with pytest.raises(ConfigError, match=r"plugin a is required by .* locked"):
        manager.reload()
    assert [info.name for info in manager.plugins()] == ["a"]


def test_a_required_plugin_ends_on_the_day_that_its_table_says(
    manager: HookManager, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(a="required = true\nexpires = 2999-01-31")
    manager.reload()
    monkeypatch.setattr(days, "today", lambda: date(2999, 2, 1))
    assert manager.reload().removed == ("a",)


def test_a_plugin_that_is_one_object_takes_no_new_settings(
    manager: HookManager, project: Project
) -> None:
    project.write(object="enabled = true")
    manager.reload()
    project.write(object="enabled = true\npriority = 5")
    assert manager.reload().changed == ("object",)
    project.write(object=SETTINGS.format("new"))
    with pytest.raises(ConfigError, match=r"plugin object .* start the program again"):
        manager.reload()
    assert said(manager) == ["word1"]


def test_other_arguments_take_the_place_of_those_from_before(
    manager: HookManager, project: Project
) -> None:
    project.write()
    table = {"plugins": {"b": {"enabled": True, "settings": {"word": "given"}}}}
    assert manager.reload(table).added == ("b",)
    assert not manager.reload()
    assert said(manager) == ["given1"]


def test_a_dispatch_that_runs_ends_with_the_plugins_from_before(
    manager: HookManager, project: Project
) -> None:
    project.write(a=SETTINGS.format("new"))

    class Midway:
        @hookimpl(tryfirst=True)
        def pre_tool_call(self, ctx: Any) -> None:
            manager.reload()

    manager.register(Midway())
    assert said(manager) == ["word1", "word1"]
    assert said(manager) == ["new1"]


def test_no_dispatch_ever_misses_a_plugin_that_stays(
    manager: HookManager, project: Project
) -> None:
    found: list[int] = []
    stop = threading.Event()

    def dispatch() -> None:
        while not stop.is_set():
            found.append(len(said(manager)))

    thread = threading.Thread(target=dispatch)
    thread.start()
    for round_ in range(30):
        project.write(a=SETTINGS.format(f"a{round_}"), c=SETTINGS.format(f"c{round_}"))
        assert manager.reload()
    stop.set()
    thread.join()
    assert set(found) == {2}


class TestWatching:
    """``load(watch=True)``."""

    @pytest.fixture(autouse=True)
    def soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(configuring, "WATCH_SECONDS", 0.01)

    @pytest.fixture
    def watched(self, project: Project) -> Iterator[HookManager]:
        project.write(a=SETTINGS.format("old"))
        manager = project.load(watch=True)
        yield manager
        manager.close()

    def test_a_changed_file_comes_into_force(self, watched: HookManager, project: Project) -> None:
        project.write(a=SETTINGS.format("newer"))
        until(lambda: said(watched) == ["newer1"])

    def test_a_wrong_file_is_logged_and_the_next_right_one_comes_into_force(
        self, watched: HookManager, project: Project, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.ERROR, "hookcore"):
            project.write(a="enabled = 'perhaps'")
            until(lambda: "stays as it was in force" in caplog.text)
        assert said(watched) == ["old1"]
        project.write(a=SETTINGS.format("right again"))
        until(lambda: said(watched) == ["right again1"])

    def test_a_manager_that_is_closed_watches_no_more(
        self, watched: HookManager, project: Project
    ) -> None:
        thread = next(item for item in threading.enumerate() if "configuration" in item.name)
        watched.close()
        thread.join()
        project.write(a=SETTINGS.format("new"))
        assert said(watched) == ["old1"]

    def test_a_manager_that_nobody_has_any_more_is_not_kept(
        self, project: Project, collected: Callable[[], object]
    ) -> None:
        project.write()
        project.load(watch=True)
        thread = next(item for item in threading.enumerate() if "configuration" in item.name)
        collected()
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def collected() -> Callable[[], object]:
    """Return what collects garbage."""
    import gc

    return gc.collect
