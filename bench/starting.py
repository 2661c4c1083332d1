"""The cost of starting: imports, loading plugins, and `hookctl list` beside many distributions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .clocks import children
from .race import Burst, Claim, ratio

__all__ = [
    "claims",
    "contestants",
    "heavy_imports",
    "install_distributions",
    "install_plugins",
]

HEAVY = ("click", "importlib_metadata", "pydantic", "rich", "tomlkit")
"""Modules that hosts do not wait for; it is imported where it is used."""


IMPORT = "from hookcore import HookManager"
PLUGIN = """
from hookcore import hookimpl
class Policy:
    @hookimpl(tools=["delete_*"])
    def pre_tool_call(self, ctx):
        pass
    @hookimpl
    def post_tool_call(self, ctx):
        pass
"""
LOAD = f"""
{IMPORT}
HookManager.load()
"""


def install_plugins(folder: Path, count: int) -> None:
    """Fabricate distributions with a plugin each, and enable them all.

    Args:
        folder: an existing folder, to be put on the path and worked in.
        count: how many.
    """
    enabled = []
    for number in range(count):
        info = folder / f"plugin_{number}-1.dist-info"
        info.mkdir()
        _write(info / "METADATA", f"Metadata-Version: 2.1\nName: plugin-{number}\nVersion: 1\n")
        _write(info / "RECORD", f"plugin_{number}.py,,\n{info.name}/METADATA,,\n")
        entry = f"[hookcore.plugins]\nplugin-{number} = plugin_{number}:Policy\n"
        _write(info / "entry_points.txt", entry)
        _write(folder / f"plugin_{number}.py", PLUGIN)
        enabled.append(f"[plugins.plugin-{number}]\nenabled = true\n")
    _write(folder / "hookcore.toml", "".join(enabled))


def install_distributions(folder: Path, count: int) -> None:
    """Fabricate installed distributions; every fiftieth offers a plugin.

    Args:
        folder: an existing folder, to be put on the path.
        count: how many distributions.
    """
    for number in range(count):
        name = f"fabricated-{number}"
        info = folder / f"fabricated_{number}-1.{number}.dist-info"
        info.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: 1.{number}"]
        lines += [f"Requires-Dist: fabricated-{other}" for other in range(number % 7)]
        _write(info / "METADATA", "\n".join([*lines, "", "A long description. " * 100]))
        _write(info / "RECORD", f"fabricated_{number}.py,,\n{info.name}/METADATA,,\n")
        if number % 50 == 0:
            _write(info / "entry_points.txt", f"[hookcore.plugins]\npolicy-{number} = nowhere:P\n")
        elif number % 5 == 0:
            _write(info / "entry_points.txt", f"[console_scripts]\nrun-{number} = nowhere:main\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def contestants(folder: Path, plugins: Path) -> dict[str, Burst]:
    """Return the bursts by name; one operation is one process.

    Args:
        folder: the folder of the fabricated distributions; also the working folder and home.
        plugins: the folder of the fabricated plugins, which are all enabled there.
    """
    return {
        "python": _process(folder, "-c", "pass"),
        "import click": _process(folder, "-c", "import click"),
        "import pluggy": _process(folder, "-c", "import pluggy"),
        "import hookcore": _process(folder, "-c", "import hookcore"),
        "import HookManager": _process(folder, "-c", IMPORT),
        "load, nothing enabled": _process(folder, "-c", LOAD),
        "load, all plugins": _process(plugins, "-c", LOAD),
        "hookctl list": _process(folder, "-m", "hookctl", "list"),
        "hookctl list --json": _process(folder, "-m", "hookctl", "list", "--json"),
    }


def claims(count: int, plugins: int) -> list[Claim]:
    """Return what is claimed of starting beside so many distributions, and with so many plugins."""
    return [
        ratio("import HookManager", "import pluggy", 2.5),
        ratio("load, nothing enabled", "import HookManager", 1.3),
        Claim(
            f"load of {plugins} plugins, without the import",
            lambda times: (times["load, all plugins"] - times["import HookManager"]) / 1e9,
            "<=",
            0.5,
            by_best=True,
            unit="s",
        ),
        Claim(
            f"hookctl list, {count} distributions / import click",
            lambda times: times["hookctl list"] / times["import click"],
            "<=",
            3.0,
        ),
        Claim(
            "hookctl list --json / import click",
            lambda times: times["hookctl list --json"] / times["import click"],
        ),
        Claim(
            "import HookManager / import click, both less python",
            lambda times: (
                (times["import HookManager"] - times["python"])
                / max(times["import click"] - times["python"], 1.0)
            ),
        ),
    ]


def heavy_imports(folder: Path) -> list[str]:
    """Return those modules that importing hookcore's names imports and should not."""
    code = (
        "import sys; from hookcore import HookManager, hookimpl, on, get_manager; "
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=_environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def _process(folder: Path, *arguments: str) -> Burst:
    command = [sys.executable, *arguments]
    environment = _environment(folder)

    def burst(count: int) -> float:
        started = children()
        for _ in range(count):
            subprocess.run(
                command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, check=True
            )
        return children() - started

    return burst


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HOOKCORE_")}
    path = [str(folder), *filter(None, [kept.get("PYTHONPATH")])]
    home = {name: str(folder) for name in ("HOME", "XDG_CONFIG_HOME", "APPDATA")}
    # Compiled modules are kept, as they are where something is installed.
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    cache = {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    return {**kept, **home, **cache, "PYTHONPATH": os.pathsep.join(path)}
