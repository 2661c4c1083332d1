"""The cases that the policies of this repository ship."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from hookcore.discovery import discover
from hookctl.author.cases import read_cases
from hookctl.author.subjects import installed
from hookctl.main import cli

POLICIES = (
    "approval",
    "limits",
    "loop-guard",
    "path-guard",
    "redact",
    "shell-guard",
    "tool-policy",
)


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_ships_cases_and_they_pass(name: str) -> None:
    done = CliRunner().invoke(cli, ["test", name, "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["cases"] >= 2, told["failed"]) == (True, 0)
    file = installed(discover()[name]).cases()
    assert file is not None
    assert file.parent.name == f"hookcore_{name.replace('-', '_')}"  # in the wheel, too
    assert len({case.name for case in read_cases(file)}) == told["cases"]
