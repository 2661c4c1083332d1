"""``hookctl doctor`` runs the checks of other distributions, and survives them."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest


def install(machine: Any, code: str, name: str = "acme") -> None:
    """Fabricate a distribution whose module is a check."""
    (machine.site / f"check_of_{name}.py").write_text(textwrap.dedent(code))
    folder = machine.site / f"dist_{name}-2.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Name: dist-{name}\nVersion: 2.0\n")
    entry = f"[hookctl.checks]\n{name} = check_of_{name}:check\n"
    (folder / "entry_points.txt").write_text(entry)


@pytest.fixture
def healthy(machine: Any) -> Any:
    machine.install("guard")
    assert machine.hookctl("enable", "guard").code == 0
    return machine


FINDS = """
from hookctl.doctor import error, note, warning

def check():
    yield warning("old", "acme", "its rules are old", "acme update")
    yield note("limit", "acme", "a wire is not judged", "acme wires")
"""


def test_findings_of_another_distribution_are_told_in_order(healthy: Any) -> None:
    install(healthy, FINDS)
    result = healthy.hookctl("doctor")
    assert result.code == 0
    assert result.out == (
        "warning: acme: its rules are old\n"
        "    mend it: acme update\n"
        "note: acme: a wire is not judged\n"
        "    about it: acme wires\n"
        "0 errors, 1 warning.\n"
    )


def test_a_note_fails_no_gate(healthy: Any) -> None:
    install(healthy, FINDS.replace("yield warning", "yield note"))
    result = healthy.hookctl("doctor", "--fail-on", "warning", "--json")
    assert (result.code, result.json["errors"], result.json["warnings"]) == (0, 0, 0)
    assert {finding["severity"] for finding in result.json["findings"]} == {"note"}


def test_an_error_of_another_distribution_is_an_error(healthy: Any) -> None:
    install(healthy, FINDS.replace("yield warning", "yield error"))
    assert healthy.hookctl("doctor").code == 3


def test_without_loading_no_check_is_imported(healthy: Any) -> None:
    install(healthy, f"open({str(healthy.root / 'imported')!r}, 'w').close()\n{FINDS}")
    assert healthy.hookctl("doctor", "--no-load").out == "Nothing is wrong.\n"
    assert not (healthy.root / "imported").exists()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise RuntimeError('boom')", "it fails: RuntimeError: boom"),
        ("def check():\n    yield 1 / 0", "it fails: ZeroDivisionError: division by zero"),
        ("def check():\n    return ['fine']", "it finds str, which is no Diagnosis"),
        ("check = 3", "it fails: TypeError: 'int' object is not callable"),
    ],
)
def test_a_check_that_fails_is_a_finding_and_the_others_run(
    healthy: Any, code: str, message: str
) -> None:
    install(healthy, code, "bad")
    install(healthy, FINDS, "good")
    result = healthy.hookctl("doctor")
    assert result.code == 3
    assert f"From dist-bad 2.0.) is broken: {message}" in result.out
    assert "mend it: pip install --upgrade --force-reinstall dist-bad" in result.out
    assert "warning: acme: its rules are old" in result.out
