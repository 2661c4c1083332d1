"""``hookctl completion``: what a shell offers, without importing a plugin."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hookctl.schemas import SCHEMA_FILE

SCHEMA = {
    "properties": {
        "deny": {"type": "array", "items": {"type": "string"}},
        "level": {"enum": ["low", "high"]},
        "on": {"type": "boolean"},
        "rules": {"type": "array", "items": {"type": "object", "properties": {"a": {}}}},
    }
}


@pytest.fixture
def kind(shell: Any) -> Any:
    """The shell with an enabled plugin that ships a schema and cannot be imported."""
    shell.install("kind", "")
    package = shell.site / "code_of_acme_kind"
    package.mkdir()
    (shell.site / "code_of_acme_kind.py").unlink()
    (package / "__init__.py").write_text("raise RuntimeError")
    (package / SCHEMA_FILE).write_text(json.dumps(SCHEMA))
    shell.config.write_text(
        "[plugins.kind]\nenabled = true\n[plugins.kind.settings]\nlevel = 'low'\n"
    )
    return shell


def offered(shell: Any, *words: str) -> list[str]:
    """Ask as fish does: the words before, and the one that is being written."""
    done = shell(
        _HOOKCTL_COMPLETE="fish_complete",
        COMP_WORDS=" ".join(["hookctl", *words]),
        COMP_CWORD=words[-1],
    )
    assert done.err == ""
    lines = filter(None, done.out.splitlines())
    return [line.partition(",")[2].partition("\t")[0] for line in lines]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["unse"], ["unset"]),
        (["enable", "k"], ["kind"]),
        (["disable", "k"], ["kind"]),
        (["info", "k"], ["kind"]),
        (["schema", "k"], ["kind"]),
        (["points", "pre_t"], ["pre_tool_call", "pre_turn"]),
        (["fire", "pre_tool"], ["pre_tool_call"]),
        (["set", "kind", "d"], ["deny+="]),
        (["set", "kind", "level="], ["level=low", "level=high"]),
        (["set", "kind", "on=t"], ["on=true"]),
        (["set", "kind", "ru"], ["rules+="]),
        (["set", "nobody", "d"], []),
        (["unset", "kind", "l"], ["level"]),
        (["fire", "pre_tool_call", "--set", "kind.le"], ["kind.level="]),
        (["replay", "--set", "kind.level=h"], ["kind.level=high"]),
        (["replay", "--plugin", "k"], ["kind"]),
        (["doctor", "--fail-on", "w"], ["warning"]),
        (["completion", "f"], ["fish"]),
        (["fire", "--pay"], ["--payload"]),
    ],
)
def test_what_fits_is_offered(kind: Any, words: list[str], expected: list[str]) -> None:
    assert sorted(offered(kind, *words)) == sorted(expected)


def test_a_broken_configuration_offers_nothing_and_says_nothing(kind: Any) -> None:
    kind.config.write_text("[plugins\n")
    assert offered(kind, "disable", "k") == []


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_what_is_printed_names_the_command(kind: Any, shell_name: str) -> None:
    result = kind("completion", shell_name)
    assert result.code == 0
    assert "_HOOKCTL_COMPLETE" in result.out


def test_another_shell_is_refused_with_those_that_are_known(kind: Any) -> None:
    result = kind("completion", "tcsh")
    assert result.code == 2
    assert "bash" in result.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_real_bash_completes_a_plugins_name(kind: Any, tmp_path: Path) -> None:
    command = tmp_path / "bin" / "hookctl"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m hookctl "$@"\n')
    command.chmod(0o755)
    script = (
        'eval "$(hookctl completion bash)"; COMP_WORDS=(hookctl enable ki); COMP_CWORD=2; '
        '_hookctl_completion hookctl ki enable; echo "${COMPREPLY[@]}"'
    )
    environ = kind.environment()
    environ["PATH"] = f"{command.parent}{os.pathsep}{environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=kind.folder,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["kind"]
