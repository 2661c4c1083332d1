"""The commands of docs/bundles.md, in their order, on a publisher's folder and on a machine."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookcore import HookManager
from hookcore.config import files

pytest.importorskip("hookcore_bundle")

from hookcore_bundle import BundleSettings
from hookcore_bundle.command import command

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "bundles.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def etc(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the system's file, as the page has it but for the server."""
    folder = bare_machine / "etc"
    folder.mkdir()
    (toml,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    url = f"file://{bare_machine}/policies/dist"
    (folder / "hookcore.toml").write_text(toml.replace("https://policies.example", url))
    monkeypatch.setattr(files, "SYSTEM_FILE", folder / "hookcore.toml")
    monkeypatch.setattr(files, "BUNDLE_FOLDER", bare_machine / "bundles")
    return folder


def run(line: str, etc: Path) -> str:
    """Run a line; those of ``hookctl bundle`` in this process, on the machine of the test."""
    words = shlex.split(line)
    if words[:2] == ["hookctl", "bundle"]:
        return CliRunner().invoke(command, words[2:]).output
    if words[0] == "pip":
        return ""
    done = subprocess.run(
        line.replace("/etc/hookcore", str(etc)), shell=True, check=True, capture_output=True
    )
    return done.stdout.decode()


def test_the_commands_print_what_the_page_says(etc: Path, bare_machine: Path) -> None:
    differences = []
    for block in CONSOLE:
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, expected = piece.partition("\n")
            printed = run(line, etc)
            pattern = re.escape(expected).replace(r"\.\.\.", ".*")
            if not re.fullmatch(pattern, printed, re.DOTALL):
                differences.append((line, expected, printed))
    assert differences == []
    manager = HookManager.load(bare_machine)
    assert [info.name for info in manager.plugins()] == ["bundle", "tool-policy"]
    manager.close()


def test_the_page_knows_every_key_and_its_default() -> None:
    table = PAGE.partition("| key of `[bundle]` |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines()[2:]]
    told = {
        name: default.strip().strip("`").strip('"')
        for names, defaults in rows
        for name, default in zip(
            re.findall(r"`(\w+)`", names),
            defaults.split(",") if defaults.strip() else [""] * 9,
            strict=False,
        )
    }
    assert set(told) == set(BundleSettings.model_fields)
    for name, default in told.items():
        if default:
            field = BundleSettings.model_fields[name].default
            assert default == (f"{field:g}" if isinstance(field, float) else str(field)), name
