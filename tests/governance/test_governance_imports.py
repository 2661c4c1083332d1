"""Modules imported for a policy are those that were locked, and come from where it was installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
import threading
import types
from pathlib import Path
from typing import Any

import pytest

from hookcore import PluginLoadError
from hookcore.config import Config
from hookcore.discovery import discover
from hookcore.trust.locating import locate, locate_in
from hookcore.trust.needed import needed_distributions, outermost_modules
from hookcore.trust.verify import differences, load_verified

REQUIRED = "[plugins.guard]\nenabled = true\nrequired = true\n"
ENFORCE = "[hooks]\nverify = 'enforce'\n[plugins.guard]\nenabled = true\n"
NEEDS = """
from hookcore import HookAborted, hookimpl
import engine_x

class Plugin:
    @hookimpl(gate=True)
    def pre_tool_call(self, ctx):
        if engine_x.refuses(ctx.tool_name):
            raise HookAborted(reason="no")
"""
STRANGE = "def refuses(name): return False\n"


def install_needed(site: Path, name: str, *files: str, requires: str = "") -> None:
    """Install a distribution without plugins."""
    for file in files:
        path = site / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def refuses(name): return True\n")
    folder = site / f"{name.replace('-', '_')}-2.0.dist-info"
    folder.mkdir()
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    (folder / "METADATA").write_text(f"Name: {name}\nVersion: 2.0\n{needs}")
    (folder / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def require(machine: Any, *lines: str) -> None:
    metadata = machine.site / "acme_guard-1.0.dist-info" / "METADATA"
    needs = "".join(f"Requires-Dist: {line}\n" for line in lines)
    metadata.write_text(f"Name: acme-guard\nVersion: 1.0\n{needs}")
    record = metadata.with_name("RECORD")
    kept = [row for row in record.read_text().splitlines() if "METADATA" not in row]
    record.write_text("".join(f"{row}\n" for row in [*kept, f"{metadata.parent.name}/METADATA,,"]))


@pytest.fixture
def needing(machine: Any) -> Any:
    """A machine with a policy whose engine is a distribution of its own, locked."""
    machine.install("guard", NEEDS)
    install_needed(machine.site, "engine-x", "engine_x.py")
    require(machine, "engine-x >= 1 ; python_version >= '3'")
    return machine


@pytest.fixture(params=[REQUIRED, ENFORCE], ids=["required", "enforce"])
def strict(needing: Any, request: pytest.FixtureRequest) -> Any:
    needing.project.write_text(request.param)
    assert needing.hookctl("lock").code == 0
    return needing


HOST = """
from hookcore import HookManager
manager = HookManager.load()
print(manager.call_tool("delete_x", {}, lambda given: "ran", on_denied="return"))
"""


def run_host(machine: Any, *before: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Start a host with ``python -m host`` in the project's folder."""
    (machine.project.parent / "host.py").write_text("\n".join([*before, HOST]))
    return subprocess.run(
        [sys.executable, "-m", "host"],
        cwd=machine.project.parent,
        env=machine.environment(**environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_what_comes_from_where_it_was_installed_starts(strict: Any) -> None:
    done = run_host(strict)
    assert "denied by guard" in done.stdout, done.stderr
    told = strict.process("doctor", "--json").json
    # A busy machine imports slowly, which is nothing about where from.
    assert {finding["code"] for finding in told["findings"]} <= {"slow-import"}


@pytest.mark.parametrize(
    "file",
    ["engine_x.py", "engine_x/__init__.py", "wsgiref/__init__.py"],
)
def test_a_module_in_the_working_folder_that_stands_in_for_a_needed_one_stops_the_start(
    strict: Any, file: str
) -> None:
    path = strict.project.parent / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(STRANGE)
    done = run_host(strict)
    assert (done.returncode, done.stdout) == (1, "")
    told = strict.hookctl("doctor")
    assert told.code == 3
    assert str(path) in told.out


def test_the_error_says_where_the_module_would_come_from_and_what_to_do(strict: Any) -> None:
    path = strict.project.parent / "engine_x.py"
    path.write_text(STRANGE)
    told = run_host(strict).stderr
    assert f"the module engine_x, which guard needs, would be imported from {path}" in told
    assert "no file of engine-x 2.0" in told
    assert "remove it, or start in another folder" in told
    assert "accepts it" not in told


def test_a_module_on_pythonpath_is_found_too(strict: Any) -> None:
    folder = strict.root / "elsewhere"
    folder.mkdir()
    (folder / "engine_x.py").write_text(STRANGE)
    path = os.pathsep.join([str(folder), strict.environment()["PYTHONPATH"]])
    done = run_host(strict, PYTHONPATH=path)
    assert done.returncode == 1
    assert str(folder / "engine_x.py") in done.stderr


@pytest.mark.parametrize(
    "before",
    [
        "import sys, types; sys.modules['engine_x'] = types.ModuleType('engine_x')",
        "import sys, types; sys.modules['sqlite3'] = types.ModuleType('sqlite3')",
        "import sys; sys.path.insert(0, 'other'); import engine_x; sys.path.pop(0)",
    ],
)
def test_a_module_that_was_imported_from_elsewhere_is_found_too(strict: Any, before: str) -> None:
    other = strict.project.parent / "other"
    other.mkdir()
    (other / "engine_x.py").write_text(STRANGE)
    done = run_host(strict, before)
    assert done.returncode == 1
    assert "was imported from" in done.stderr


def test_a_copy_of_the_whole_distribution_in_the_working_folder_vouches_for_nothing(
    strict: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hookcore.trust import needed

    monkeypatch.setattr(needed, "installations", lambda: frozenset([str(strict.site)]))
    install_needed(strict.project.parent, "engine-x", "engine_x.py")
    monkeypatch.syspath_prepend(str(strict.project.parent))
    with pytest.raises(PluginLoadError, match="no file of engine-x"):
        strict.load()


def test_what_a_requirement_requires_is_looked_at(needing: Any) -> None:
    install_needed(needing.site, "inner", "inner_x/__init__.py", "inner_x/part.py")
    metadata = needing.site / "engine_x-2.0.dist-info" / "METADATA"
    metadata.write_text("Name: engine-x\nVersion: 2.0\nRequires-Dist: inner\n")
    needing.project.write_text(REQUIRED)
    (needing.project.parent / "inner_x.py").write_text(STRANGE)
    assert "the module inner_x, which guard needs" in run_host(needing).stderr


def test_extras_are_needed_where_they_are_asked_for(needing: Any) -> None:
    for name in ("fast", "lint"):
        install_needed(needing.site, name, f"{name}_x.py")
    metadata = needing.site / "engine_x-2.0.dist-info" / "METADATA"
    extras = "".join(f"Requires-Dist: {n} ; extra == '{n}'\n" for n in ("fast", "lint"))
    metadata.write_text(f"Name: engine-x\nVersion: 2.0\n{extras}")
    require(needing, "engine_x[fast]")
    source = discover(refresh=True)["guard"]
    names = {needed.name for needed in needed_distributions(source.location)}
    assert names == {"acme-guard", "engine-x", "fast"}


def test_a_folder_without_code_stands_in_for_nothing(strict: Any) -> None:
    for name in ("engine_x", "json"):
        (strict.project.parent / name).mkdir()
    assert "denied by guard" in run_host(strict).stdout
    assert strict.process("doctor").code == 0


def test_a_part_of_a_namespace_is_looked_at_where_it_begins_to_have_code(needing: Any) -> None:
    install_needed(needing.site, "spaced", "space_x/inner/__init__.py", "space_x/inner/deep.py")
    require(needing, "engine-x", "spaced")
    needing.project.write_text(REQUIRED)
    path = needing.project.parent / "space_x" / "inner.py"
    path.parent.mkdir()
    path.write_text(STRANGE)
    assert f"the module space_x.inner, which guard needs, would be imported from {path}" in (
        run_host(needing).stderr
    )


def test_what_nobody_insists_on_starts_and_the_doctor_warns(needing: Any) -> None:
    needing.project.write_text("[plugins.guard]\nenabled = true\n")
    needing.hookctl("lock")
    (needing.project.parent / "engine_x.py").write_text(STRANGE)
    assert run_host(needing).stdout == "ran\n"
    told = needing.process("doctor")
    assert told.code == 0
    assert "warning: guard: the module engine_x" in told.out


def test_a_module_inside_of_a_needed_package_may_not_come_from_elsewhere(
    needing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_needed(needing.site, "pack", "pack_x/__init__.py", "pack_x/part.py")
    require(needing, "engine-x", "pack")
    needing.project.write_text(REQUIRED)
    stranger = types.ModuleType("pack_x.part")
    stranger.__file__ = str(needing.root / "part.py")
    monkeypatch.setitem(sys.modules, "pack_x.part", stranger)
    with pytest.raises(PluginLoadError, match=r"the module pack_x\.part was imported from"):
        needing.load()


@pytest.mark.parametrize(
    ("paths", "modules"),
    [
        (["a.py", "b/__init__.py", "b/c.py", "b/c/__init__.py"], {"a", "b"}),
        (["ns/p/__init__.py", "ns/p/m.py", "ns/q.py"], {"ns.p", "ns.q"}),
        (["_x.abi3.so", "../bin/run.py", "/abs.py", "a-b.py", "d/__pycache__/m.py"], {"_x"}),
    ],
)
def test_modules_are_named_by_where_their_code_begins(paths: list[str], modules: set[str]) -> None:
    if os.name == "nt":
        paths = [path for path in paths if not path.endswith(".so")]
        modules -= {"_x"}
    assert set(outermost_modules(paths)) == modules


def test_a_program_starts_with_some_modules_that_nothing_can_stand_in_for(tmp_path: Path) -> None:
    for name in ("os", "sys", "code"):
        (tmp_path / f"{name}.py").write_text("")
    found = {name: locate_in(str(tmp_path), name) for name in ("os", "sys", "code")}
    assert [name for name, at in found.items() if at is not None] == ["code"]


# What was compared with the lock is what runs.


def program(verdict: str) -> str:
    """A plugin that says which of two codes runs; both have as many bytes."""
    hook = "    @hookimpl\n    def output(self, ctx): ..."
    return f"from hookcore import hookimpl\nclass Plugin:\n    said = {verdict!r}\n{hook}\n"


@pytest.fixture
def flipping(machine: Any) -> Any:
    machine.package = machine.install("guard", program("good"))
    machine.project.write_text(ENFORCE)
    assert machine.hookctl("lock").code == 0
    return machine


def load_anew(machine: Any) -> Any:
    for name in [name for name in sys.modules if name.startswith("plugin_guard")]:
        del sys.modules[name]
    config: Config = machine.config()
    source = discover(refresh=True)["guard"]
    assert differences(config, source) == []
    return lambda: load_verified(config, source)


def test_code_that_changes_after_it_was_compared_does_not_run(flipping: Any) -> None:
    load = load_anew(flipping)
    (flipping.package / "__init__.py").write_text(program("evil"))
    with pytest.raises(Exception, match=r"is not what hookcore\.lock says"):
        load()
    assert "plugin_guard" not in sys.modules


def test_code_that_flips_while_it_is_loaded_never_runs_unlocked(flipping: Any) -> None:
    file, over = flipping.package / "__init__.py", threading.Event()
    new = file.with_name("new")

    def flip() -> None:
        while not over.is_set():
            for verdict in ("evil", "good"):
                new.write_text(program(verdict))
                new.replace(file)

    thread = threading.Thread(target=flip)
    thread.start()
    said = set()
    try:
        for _ in range(60):
            sys.modules.pop("plugin_guard", None)
            try:
                (info,) = flipping.load().plugins()
            except PluginLoadError:
                continue
            said.add(info.plugin.said)
    finally:
        over.set()
        thread.join()
    assert said <= {"good"}


def test_a_compiled_cache_of_other_code_is_not_read(flipping: Any) -> None:
    file = flipping.package / "__init__.py"
    status = file.stat()
    file.write_text(program("evil"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(file)], check=True)
    file.write_text(program("good"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Path(importlib.util.cache_from_source(str(file))).exists()
    (info,) = flipping.load().plugins()
    assert info.plugin.said == "good"


def test_what_is_imported_later_is_compared_too(flipping: Any) -> None:
    (flipping.package / "later.py").write_text("x = 1\n")
    flipping.hookctl("lock")
    load_anew(flipping)()
    (flipping.package / "later.py").write_text("x = 2\n")
    with pytest.raises(Exception, match=r"plugin_guard\.later is not imported"):
        importlib.import_module("plugin_guard.later")


def test_what_was_added_after_the_comparison_is_not_imported(flipping: Any) -> None:
    load_anew(flipping)()
    (flipping.package / "added.py").write_text("x = 1\n")
    with pytest.raises(Exception, match=r"is not in hookcore\.lock"):
        importlib.import_module("plugin_guard.added")


def test_data_that_changes_while_the_code_is_imported_is_found(flipping: Any) -> None:
    text = """
    from pathlib import Path
    Path(__file__).with_name("rules.txt").write_text("others")
    class Plugin: ...
    """
    (flipping.package / "__init__.py").write_text(textwrap.dedent(text))
    flipping.hookctl("lock")
    with pytest.raises(PluginLoadError, match=r"rules\.txt: changed since it was locked"):
        flipping.load()


def test_where_nothing_is_enforced_any_more_nothing_is_guarded(flipping: Any) -> None:
    flipping.load()
    flipping.project.write_text("[hooks]\nverify = 'off'\n[plugins.guard]\nenabled = true\n")
    (flipping.package / "__init__.py").write_text(program("evil"))
    sys.modules.pop("plugin_guard")
    (info,) = flipping.load().plugins()
    assert info.plugin.said == "evil"


def test_other_peoples_loaders_are_compared_before_and_after(
    flipping: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Traced(importlib.machinery.SourceFileLoader):
        """As tracers put them around modules."""

    class Finder:
        @staticmethod
        def find_spec(name: str, path: Any, target: Any = None) -> Any:
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            if name == "plugin_guard" and spec is not None:
                spec.loader = Traced(name, str(spec.origin))
            return spec

    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    (info,) = flipping.load().plugins()
    assert info.plugin.said == "good"
    load = load_anew(flipping)
    (flipping.package / "__init__.py").write_text(program("evil"))
    with pytest.raises(Exception, match=r"is not what hookcore\.lock says"):
        load()


def test_setuptools_is_not_imported_to_find_where_distutils_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    class Finder:
        __module__ = "_distutils_hack"

        def find_spec(self, name: str, path: Any, target: Any) -> None:
            asked.append(name)

    class Other(Finder):
        __module__ = "another"

    monkeypatch.setattr(sys, "meta_path", [Finder(), Other(), *sys.meta_path])
    locate("nothing_such")
    assert asked == ["nothing_such"]
