"""``hookctl audit``."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hookcore_audit import verify
from hookcore_audit._chain import Chain
from hookcore_audit._record import Entry
from hookcore_audit._signing import SigningKey
from hookcore_audit.command import command

Entries = Callable[..., list[Entry]]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments])


def test_a_log_that_is_as_it_was_written(chain: Chain, folder: Path, entries: Entries) -> None:
    head = chain.append(entries(3))
    done = run("verify", folder)
    assert done.exit_code == 0
    assert done.stdout == (
        f"{folder}: 3 records in 1 files, nothing is wrong\nrecords 0 to 2; the last is {head}\n"
    )


def test_a_log_that_was_changed_exits_with_1_and_says_where(
    chain: Chain, folder: Path, entries: Entries
) -> None:
    chain.append(entries(3))
    file = folder / "audit-00000000.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"n":1', b'"n":9'))
    done = run("verify", folder)
    assert done.exit_code == 1
    assert done.stdout.startswith("edit: audit-00000000.jsonl, line 2: record 1 is not what was")
    assert "NOT as it was written" in done.stdout
    shown = json.loads(run("verify", folder, "--json").stdout)
    assert (shown["whole"], shown["counts"]) == (False, {"edit": 1})
    assert shown["findings"][0]["kind"] == "edit"


def test_an_anchor_may_stand_in_any_text(
    chain: Chain, folder: Path, entries: Entries, tmp_path: Path
) -> None:
    head = chain.append(entries(3))
    kept = tmp_path / "service.log"
    kept.write_text(f"12:00:01 INFO hookcore-audit anchor {head}\nother\n", "utf-8")
    assert run("verify", folder, "--anchors", kept).exit_code == 0
    file = folder / "audit-00000000.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))
    for given in (["--anchors", kept], ["--anchor", head]):
        done = run("verify", folder, *given)
        assert (done.exit_code, done.stdout.partition(":")[0]) == (1, "truncation")


def test_a_key_is_made_for_its_owner_and_verifies_what_it_signed(
    tmp_path: Path, folder: Path, entries: Entries
) -> None:
    file = tmp_path / "audit.key"
    made = run("keygen", file)
    assert made.exit_code == 0
    secret = file.read_text("utf-8").strip()
    assert secret not in made.output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    chain = Chain(folder, max_bytes=10_000, keep_files=9, key=SigningKey(secret), every=10)
    chain.append(entries(12))
    chain.close()
    public = file.with_name("audit.key.pub")
    done = run("verify", folder, "--public-key", public)
    assert done.exit_code == 0
    assert "signatures vouch for records up to 9" in done.stdout
    assert verify(folder, public_keys=[public.read_text("utf-8")]).whole
    assert run("keygen", file).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["verify", "{tmp}/none"], "there is no audit log in"),
        (["verify", "{tmp}"], "there is no audit log in"),
        (["verify", "{tmp}", "--anchor", "12"], "--anchor takes SEQ:HASH"),
        (["verify", "{tmp}", "--anchors", "{tmp}/none"], "cannot be read"),
        (["verify", "{tmp}", "--anchors", "{tmp}/empty"], "there is no anchor"),
        (["verify", "{tmp}", "--public-key", "{tmp}/empty"], "not 32 bytes in base64"),
        (["keygen", "."], "is a folder"),
        (["keygen", "{tmp}"], "is there already"),
    ],
)
def test_mistakes_are_told_and_exit_with_2(arguments: list[str], why: str, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    done = run(*(each.replace("{tmp}", str(tmp_path)) for each in arguments))
    assert (done.exit_code, why in done.stderr) == (2, True)


def test_what_hookctl_tries_out_is_not_recorded(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "hookcore.toml").write_text(
        f'[plugins.audit]\nenabled = true\n[plugins.audit.settings]\npath = "{folder}"\n', "utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "hookctl",
        "fire",
        "pre_tool_call",
        "--tool",
        "rm",
        "--payload",
        "{}",
    ]
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "audit" in done.stdout
    assert not folder.exists()


def test_hookctl_finds_the_log_that_the_configuration_names(
    chain: Chain, folder: Path, entries: Entries, tmp_path: Path
) -> None:
    chain.append(entries(3))
    file = tmp_path / "hookcore.toml"
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}

    def hookctl() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "hookctl", "audit", "verify", "--json"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    file.write_text(f'[plugins.audit.settings]\npath = "{folder}"\n', "utf-8")
    assert json.loads(hookctl().stdout)["records"] == 3
    file.write_text('[plugins.audit.settings]\nmax_mb = "much"\n', "utf-8")
    done = hookctl()
    assert done.returncode == 3
    assert "plugins.audit.settings.max_mb" in done.stderr
    assert str(file) in done.stderr
