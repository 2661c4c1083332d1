"""``hookctl run``: each test starts real Pythons, since the start of a Python is what it is about."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HOST = """
from hookcore.hosting import Host, heeds
HOST = Host(
    name="acme",
    runtime="acme-agents",
    tested=("2.1", "3"),
    points=heeds(["pre_tool_call"], ["sync"]),
    modules=("acme_agents",),
    installer="acme_adapter:install",
)
"""
ADAPTER = """
from hookcore import get_manager
from hookcore.hosting import require_runtime
import acme_agents
from acme_host import HOST
def install(manager, *, accept_untested=False):
    require_runtime(HOST, accept_untested=accept_untested, accept_newer=False)
    HOST.declare(manager)
    raw = acme_agents.delete_file
    acme_agents.delete_file = lambda path: manager.call_tool(
        "delete_file", {"path": path}, lambda given: raw(**given), on_denied="return"
    )
    return manager
"""
RUNTIME = """
def delete_file(path):
    return f"deleted {path}"
"""
PROGRAM = """
from acme_agents import delete_file
print(delete_file("x"))
"""
GUARD = """
from hookcore import Abort, hookimpl
class Plugin:
    @hookimpl(tools=["delete_*"], gate=True)
    def pre_tool_call(self, ctx):
        return Abort("rule 7", message="no deletes")
"""
DENIED = "denied by guard.pre_tool_call: no deletes"
IN_FORCE = (
    "hookcore: acme is in force (acme-agents {}, acme-hookcore 1.5) with the policies guard\n"
)

Run = Callable[..., subprocess.CompletedProcess[str]]


def offer(site: Path, name: str, version: str, entry_points: str = "", files: str = "") -> None:
    metadata = site / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir()
    header = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (metadata / "METADATA").write_text(header)
    (metadata / "entry_points.txt").write_text(entry_points)
    (metadata / "RECORD").write_text(files)


def variables(shell: Any) -> dict[str, str]:
    """Return an environment without coverage, which imports in a Python's start as it likes."""
    return {k: v for k, v in shell.environment().items() if not k.startswith("COVERAGE_")}


@pytest.fixture
def acme(shell: Any) -> Any:
    """The shell with a runtime, its adapter, an enabled policy and a program."""
    site: Path = shell.site
    for name, code in (("acme_host", HOST), ("acme_adapter", ADAPTER), ("acme_agents", RUNTIME)):
        (site / f"{name}.py").write_text(code)
    offer(site, "acme-hookcore", "1.5", "[hookcore.hosts]\nacme = acme_host:HOST\n")
    offer(site, "acme-agents", "2.4", files="acme_agents.py,,\n")
    shell.install("guard", GUARD)
    shell.config.write_text("[plugins.guard]\nenabled = true\n")
    (shell.folder / "app.py").write_text(PROGRAM)
    return shell


@pytest.fixture
def run(acme: Any) -> Run:
    """Return what runs Python in the project, with ``hookctl run`` before its arguments."""

    def call(
        *arguments: str, command: tuple[str, ...] = ("-m", "hookctl", "run"), **more: Any
    ) -> Any:
        return subprocess.run(
            [sys.executable, *command, *arguments],
            cwd=acme.folder,
            env={**variables(acme), **more.pop("env", {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            **more,
        )

    return call


def test_a_program_is_governed_without_a_changed_line(run: Run) -> None:
    done = run("app.py")
    assert (done.returncode, done.stdout) == (0, f"{DENIED}\n")
    assert done.stderr == IN_FORCE.format("2.4")


def test_a_module_is_run_and_quiet_says_nothing(run: Run) -> None:
    done = run("-qm", "app")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{DENIED}\n", "")


TELL = """
import os, sys
main = sys.modules["__main__"]
print(sorted(vars(main)), __name__, __file__, __spec__ and __spec__.name)
print(sys.argv, sys.path, sys.flags.dev_mode, sys.dont_write_bytecode, sys.stdin.read())
print(sorted(name for name in os.environ if "HOOKCORE" in name))
"""


@pytest.mark.parametrize("form", [("tell.py", "-q", "--help"), ("-m", "tell", "-m", "x"), ("-",)])
def test_a_program_finds_what_it_finds_without(run: Run, acme: Any, form: tuple[str, ...]) -> None:
    (acme.folder / "tell.py").write_text(TELL)
    given = TELL if form == ("-",) else "typed"
    plain = run(*form, command=("-X", "dev", "-B"), input=given)
    governed = run(*form, command=("-X", "dev", "-Bm", "hookctl", "run", "-q"), input=given)
    assert governed.stdout.replace("['HOOKCORE_AUTO']", "[]") == plain.stdout
    assert (governed.returncode, governed.stderr) == (plain.returncode, plain.stderr)
    assert plain.stdout


@pytest.mark.parametrize(
    "program",
    [
        "def f():\n    1 / 0\nf()\n",
        "x = = 1\n",
        "raise KeyboardInterrupt\n",
        "raise SystemExit(7)\n",
    ],
    ids=["error", "syntax", "interrupt", "exit"],
)
def test_a_programs_failures_show_as_without(run: Run, acme: Any, program: str) -> None:
    (acme.folder / "failing.py").write_text(program)
    plain, governed = run("failing.py", command=()), run("-q", "failing.py")
    assert (governed.returncode, governed.stderr) == (plain.returncode, plain.stderr)
    assert plain.returncode != 0


def test_signals_reach_the_program(acme: Any) -> None:
    (acme.folder / "waiting.py").write_text(
        "import signal\nprint('ready', flush=True)\nsignal.pause()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "hookctl", "run", "-q", "waiting.py"],
        cwd=acme.folder,
        env=variables(acme),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
    assert process.returncode == -signal.SIGTERM


def test_children_are_governed_and_only_the_program_says_so(run: Run, acme: Any) -> None:
    (acme.folder / "parent.py").write_text(
        "import subprocess, sys\nimport acme_agents\n"
        "subprocess.run([sys.executable, 'app.py'], check=True)\n"
    )
    done = run("parent.py")
    assert (done.stdout, done.stderr) == (f"{DENIED}\n", IN_FORCE.format("2.4"))


def test_the_printed_variables_govern_any_python(run: Run, acme: Any) -> None:
    printed = run("--env").stdout
    given = dict(line.removeprefix("export ").split("=", 1) for line in printed.splitlines())
    assert given["HOOKCORE_AUTO"] == "1"
    done = run("app.py", command=(), env=given)
    assert (done.stdout, done.stderr) == (f"{DENIED}\n", IN_FORCE.format("2.4"))
    done = run("app.py", command=(), env={**given, "HOOKCORE_AUTO": "0"})
    assert (done.stdout, done.stderr) == ("deleted x\n", "")
    done = run("app.py", command=(), env={**given, "HOOKCORE_AUTO": "yes"})
    assert (done.returncode, done.stdout) == (2, "")
    assert "HOOKCORE_AUTO is 1, with ',quiet' or ',untested' after it, not 'yes'" in done.stderr


def test_a_child_that_imports_no_more_than_the_standard_library_pays_nothing(
    run: Run, acme: Any
) -> None:
    printed = run("--env").stdout
    given = dict(line.removeprefix("export ").split("=", 1) for line in printed.splitlines())
    (acme.folder / "plain.py").write_text(
        "import json, sys\nprint(any('hookcore' in name for name in sys.modules))\n"
        "sys.path.insert(0, '.')\nimport own\nprint('hookcore' in sys.modules)\n"
    )
    (acme.folder / "own.py").write_text("")
    assert run("plain.py", command=(), env=given).stdout == "False\nTrue\n"


def test_what_is_required_and_does_not_come_into_force_fails(run: Run, acme: Any) -> None:
    assert run("--require", "acme", "app.py").returncode == 0
    (acme.folder / "other.py").write_text(
        "print('done')\nkept = open('kept.txt', 'w')\nkept.write('kept')\n"
    )
    done = run("--require=acme", "other.py")
    assert (done.returncode, done.stdout) == (1, "done\n")
    assert (acme.folder / "kept.txt").read_text() == "kept"
    assert "acme did not come into force, which --require asks for" in done.stderr
    done = run("--require", "acne", "app.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'did you mean "acme"?' in done.stderr


def test_nothing_in_force_is_said(run: Run, acme: Any) -> None:
    (acme.folder / "other.py").write_text("print('done')\n")
    done = run("other.py")
    assert done.returncode == 0
    assert "no adapter came into force" in done.stderr
    assert "acme_agents" in done.stderr


def test_a_broken_policy_keeps_the_program_from_starting(run: Run, acme: Any) -> None:
    next(acme.site.glob("code_of_acme_guard.py")).write_text("raise RuntimeError('boom')")
    done = run("app.py")
    assert (done.returncode, done.stdout) == (3, "")
    assert "nothing is started" in done.stderr
    assert "boom" in done.stderr


def test_an_untested_runtime_cannot_be_imported_unless_that_is_accepted(
    run: Run, acme: Any
) -> None:
    next(acme.site.glob("acme_agents-*")).rename(acme.site / "acme_agents-3.1.dist-info")
    metadata = acme.site / "acme_agents-3.1.dist-info" / "METADATA"
    metadata.write_text("Metadata-Version: 2.1\nName: acme-agents\nVersion: 3.1\n")
    (acme.folder / "careless.py").write_text(
        "try:\n    import acme_agents\nexcept ImportError:\n    print('without')\n"
    )
    done = run("careless.py")
    assert done.stdout == "without\n"
    assert "acme_agents cannot be imported, since it would not be governed" in done.stderr
    done = run("--accept-untested", "app.py")
    assert (done.stdout, done.stderr) == (f"{DENIED}\n", IN_FORCE.format("3.1"))


def test_a_module_of_the_same_name_is_no_runtime_and_is_named(run: Run, acme: Any) -> None:
    (acme.folder / "acme_agents.py").write_text("def delete_file(path):\n    return 'my own'\n")
    done = run("app.py")
    assert done.stdout == "my own\n"
    assert "which is not acme-agents, so that the adapter acme does not govern it" in done.stderr


def test_the_sites_own_customization_runs_and_what_it_imports_is_caught(
    run: Run, acme: Any
) -> None:
    (acme.site / "sitecustomize.py").write_text("import acme_agents\nprint('customized')\n")
    assert run("-q", "app.py").stdout.endswith(f"customized\n{DENIED}\n")


def test_a_broken_adapter_is_named(run: Run, acme: Any) -> None:
    (acme.site / "acme_host.py").write_text("raise RuntimeError('boom')")
    done = run("-q", "app.py")
    assert "what the adapter acme is for is not governed" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "name a program, or a module with -m"),
        (("nowhere.py",), "nowhere.py: no such file; a module is run with -m"),
        (("--env", "app.py"), "--env prints variables and runs no program"),
    ],
)
def test_a_wrong_command_line_is_told(shell: Any, arguments: tuple[str, ...], problem: str) -> None:
    result = shell("run", *arguments)
    assert result.code == 2
    assert problem in result.err


def test_an_isolated_python_cannot_be_governed(run: Run) -> None:
    code = (
        "import sys; sys.path += sys.argv.pop().split(':'); "
        "from hookctl.main import main; sys.argv = ['hookctl', 'run', 'app.py']; main()"
    )
    path = os.environ.get("PYTHONPATH", "")
    done = run(":".join([*sys.path, path]), command=("-E", "-c", code))
    assert done.returncode == 2
    assert "with -E, -I or -S Python reads no environment" in done.stderr


def test_a_runtime_is_not_loaded_once_more_beside_the_governed_one(acme: Any, run: Run) -> None:
    code = "import acme_agents, sys\nfirst = sys.modules.pop('acme_agents')\nimport acme_agents\n"
    (acme.folder / "app.py").write_text(code)
    done = run("app.py")
    assert done.returncode == 1
    assert "hookcore: acme_agents cannot be imported once more" in done.stderr
    assert "ImportError" in done.stderr


def test_a_runtime_whose_module_is_put_back_is_governed_as_before(acme: Any, run: Run) -> None:
    code = "import acme_agents, sys\nfirst = sys.modules.pop('acme_agents')\n"
    (acme.folder / "app.py").write_text(f"{code}sys.modules['acme_agents'] = first\n{PROGRAM}")
    done = run("app.py")
    assert (done.returncode, done.stdout) == (0, f"{DENIED}\n")
