from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def dev(checkout: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("dev", checkout / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def house(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with one plugin, in which nothing is really made or installed."""
    for folder in (".", "plugins/b", "plugins/a"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "pyproject.toml").write_text(f"# {folder}", encoding="utf-8")
    (tmp_path / "plugins" / "no-project").mkdir()
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(dev, "STAMP", tmp_path / ".venv" / "stamp")
    monkeypatch.setattr(dev, "PYTHON", str(tmp_path / ".venv" / "python"))
    monkeypatch.setattr(dev, "has_pip", lambda python: Path(python).exists())
    return tmp_path


@pytest.fixture
def log(dev: ModuleType, house: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps of setting up, one word each: the venvs made and the arguments given to pip."""
    done: list[str] = []

    def make_venv() -> None:
        done.append("venv")
        (house / ".venv").mkdir(exist_ok=True)
        (house / ".venv" / "python").touch()

    def pip(_: str, *arguments: str) -> int:
        done.append(" ".join(arguments))
        return 0

    monkeypatch.setattr(dev, "make_venv", make_venv)
    monkeypatch.setattr(dev, "pip", pip)
    return done


def test_python_3_8_can_parse_it(checkout: Path) -> None:
    source = (checkout / "dev.py").read_text(encoding="utf-8")
    assert ast.parse(source, feature_version=(3, 8)).body


def test_it_needs_only_the_standard_library(checkout: Path) -> None:
    tree = ast.parse((checkout / "dev.py").read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        name
        for node in nodes
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
    }
    assert names <= set(sys.stdlib_module_names)


def test_an_older_python_is_told_which_one_is_needed(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18, "final", 0))
    with pytest.raises(SystemExit, match=r"needs 3\.10\+, and this is Python 3\.9"):
        dev.main(["test"])


@pytest.mark.parametrize("arguments", [[], ["tset"]])
def test_an_unknown_command_shows_the_known_ones(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert dev.main(arguments) == 2
    assert "python3 dev.py demo" in capsys.readouterr().out


def test_the_root_and_every_plugin_are_installed_by_one_pip_command(
    dev: ModuleType, log: list[str]
) -> None:
    dev.set_up(dev.projects(), "test")
    assert log == [
        "venv",
        "--editable .[test] --editable ./plugins/a --editable ./plugins/b",
    ]


def test_only_what_is_needed_is_installed(dev: ModuleType, log: list[str]) -> None:
    dev.set_up([".", "plugins/b"])
    assert log == ["venv", "--editable . --editable ./plugins/b"]


def test_what_was_installed_before_stays_installed(dev: ModuleType, log: list[str]) -> None:
    dev.set_up([".", "plugins/b"])
    dev.set_up([".", "plugins/a"], "test")
    assert log[-1] == "--editable .[test] --editable ./plugins/a --editable ./plugins/b"
    log.clear()
    dev.set_up([".", "plugins/b"])
    assert log == []


def test_the_environment_of_an_older_dev_py_is_completed(dev: ModuleType, log: list[str]) -> None:
    dev.set_up(dev.projects(), "test")
    place, content, *_ = dev.STAMP.read_text("utf-8").split()
    dev.STAMP.write_text(f"{place}\n{content}\ntest", "utf-8")
    log.clear()
    dev.set_up(dev.projects(), "test")
    assert log == ["--editable .[test] --editable ./plugins/a --editable ./plugins/b"]


def test_a_plugin_that_is_gone_is_not_installed_again(
    dev: ModuleType, log: list[str], house: Path
) -> None:
    dev.set_up(dev.projects(), "test")
    (house / "plugins" / "a" / "pyproject.toml").unlink()
    dev.set_up(dev.projects(), "test")
    assert log[-1] == "--editable .[test] --editable ./plugins/b"


def test_the_tests_run_on_all_cores(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "set_up", lambda *_: None)
    monkeypatch.setattr(dev, "run", lambda command: command)
    assert dev.main(["test", "-x"]) == [dev.PYTHON, "-m", "pytest", "-n", "auto", "-x"]


@pytest.mark.parametrize(
    ("files", "typed"),
    [
        ([], [[], ["plugins/a/src", "plugins/a/tests"], ["plugins/b/src", "plugins/b/tests"]]),
        (["dev.py", "hookcore/x.py"], [[]]),
        (["plugins/b/src/x.py"], [["plugins/b/src", "plugins/b/tests"]]),
        (["plugins/b/src/x.py", "dev.py"], [[], ["plugins/b/src", "plugins/b/tests"]]),
    ],
)
def test_what_is_checked_goes_by_the_files(
    dev: ModuleType,
    house: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: list[str],
    typed: list[list[str]],
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str]) -> int:
        commands.append([Path(command[0]).name, *command[1:]])
        return 0

    monkeypatch.setattr(dev, "set_up", lambda *_: None)
    monkeypatch.setattr(dev, "run", run)
    monkeypatch.setenv("MYPYPATH", "")
    monkeypatch.chdir(house)
    assert dev.main(["lint", *files]) == 0
    assert commands[:2] == [["ruff", "check", *files], ["ruff", "format", "--check", *files]]
    assert [rest for name, *rest in commands if name == "mypy"] == typed
    assert commands[-1] == ["lint-imports"]


def test_one_failed_check_fails_all_and_the_others_run(
    dev: ModuleType, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [1, 0, 0, 0, 0, 0]
    monkeypatch.setattr(dev, "set_up", lambda *_: None)
    monkeypatch.setattr(dev, "run", lambda _: codes.pop(0))
    monkeypatch.setenv("MYPYPATH", "")
    assert dev.main(["lint"]) == 1
    assert codes == []


REPORT = {
    "summary": {"runs": 1, "events": 9, "aborted": 4, "modified": 2, "errors": 0},
    "findings": [
        {"plugin": plugin, "verdict": verdict, "tool": tool, "point": "pre_tool_call",
         "run": f"r{number}", "reason": reason, "diff": diff}
        for number, (plugin, verdict, tool, reason, diff) in enumerate([
            ("redact", "modify", None, None, "- a\n+ …"),
            ("tool-policy", "deny", "cancel", "a person does it", None),
            ("tool-policy", "deny", "cancel", "a person does it", None),
            ("tool-policy", "deny", "book", "too dear", None),
            ("tool-policy", "deny", "book", "too dear", None),
            ("tool-policy", "deny", "book", "too dear", None),
            ("redact", "modify", None, None, "- b\n+ …"),
            ("budget", "deny", "book", "once only", None),
        ])
    ],
}  # fmt: skip


def test_the_demo_ends_with_totals_three_findings_and_what_to_type_next(
    dev: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    dev.summarize(REPORT)
    totals, findings, commands = capsys.readouterr().out.strip().split("\n\n")
    assert totals == "1 runs, 9 events: 4 calls stopped, 2 texts changed, 0 failures of a policy"
    told = [line.strip() for line in findings.splitlines() if line.startswith("  ")]
    assert told == [
        "tool-policy says deny at book, 3 times; first in r3",
        "too dear",
        "tool-policy says deny at cancel, 2 times; first in r1",
        "a person does it",
        "budget says deny at book, 1 times; first in r7",
        "once only",
    ]
    assert commands.startswith("Next:\n  python3 dev.py demo")


def test_a_second_call_does_nothing(dev: ModuleType, log: list[str]) -> None:
    dev.set_up(dev.projects(), "test")
    log.clear()
    dev.set_up(dev.projects(), "test")
    assert log == []


def test_a_changed_project_is_installed_again(dev: ModuleType, log: list[str], house: Path) -> None:
    dev.set_up(dev.projects(), "test")
    log.clear()
    (house / "plugins" / "a" / "pyproject.toml").write_text("# changed", encoding="utf-8")
    dev.set_up(dev.projects(), "test")
    assert [entry.partition(" ")[0] for entry in log] == ["--editable"]


def test_a_new_plugin_is_installed(dev: ModuleType, log: list[str], house: Path) -> None:
    dev.set_up(dev.projects(), "test")
    log.clear()
    (house / "plugins" / "no-project" / "pyproject.toml").touch()
    dev.set_up(dev.projects(), "test")
    assert log[-1].endswith("--editable ./plugins/no-project")


def test_more_extras_are_added_to_those_that_are_there(dev: ModuleType, log: list[str]) -> None:
    dev.set_up(dev.projects(), "test")
    log.clear()
    dev.set_up(dev.projects(), "lint")
    dev.set_up(dev.projects(), "test")
    assert [entry.split()[1] for entry in log] == [".[lint,test]"]


def test_a_failed_installation_is_tried_again(
    dev: ModuleType, log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(dev, "pip", lambda *_: 1)
        with pytest.raises(SystemExit, match="installation failed"):
            dev.set_up(dev.projects(), "test")
    log.clear()
    dev.set_up(dev.projects(), "test")
    assert [entry.partition(" ")[0] for entry in log] == ["--editable"]


def test_a_half_made_venv_is_made_anew(dev: ModuleType, log: list[str], house: Path) -> None:
    (house / ".venv").mkdir()
    dev.set_up(dev.projects(), "test")
    assert log[0] == "venv"


def test_a_moved_checkout_gets_a_new_venv(
    dev: ModuleType, log: list[str], house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dev.set_up(dev.projects(), "test")
    log.clear()
    stamp = dev.STAMP.read_text("utf-8").split()
    dev.STAMP.write_text("\n".join(["elsewhere", *stamp[1:]]), "utf-8")
    dev.set_up(dev.projects(), "test")
    assert log[0] == "venv"


def test_a_python_with_neither_ensurepip_nor_pip_is_told_what_to_install(
    checkout: Path, tmp_path: Path
) -> None:
    (tmp_path / "dev.py").write_bytes((checkout / "dev.py").read_bytes())
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nsys.modules['ensurepip'] = sys.modules['pip'] = None\n", encoding="utf-8"
    )
    result = subprocess.run(
        [sys.executable, "dev.py", "test"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        "dev.py: this Python has neither ensurepip nor pip: "
        'install one, e.g. "apt install python3-venv"'
    )
