"""``hookctl hosts``."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest

HOST = """
from hookcore.hosting import Host, heeds
print("an adapter prints")
HOST = Host(
    name="acme",
    runtime="acme-agents",
    tested=("2.1", "3"),
    points={**heeds(["pre_tool_call"], ["sync", "stream"]), **heeds(["tool_finished"], ["sync"])},
    without=("pre_step",),
)
"""


@pytest.fixture
def offer(shell: Any) -> Callable[..., None]:
    """Return a maker of distributions: an adapter's with its host, or a runtime's."""

    def install(distribution: str, version: str, code: str | None = None) -> None:
        module = f"code_of_{distribution.replace('-', '_')}"
        metadata = shell.site / f"{distribution.replace('-', '_')}-{version}.dist-info"
        metadata.mkdir()
        header = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        (metadata / "METADATA").write_text(header)
        if code is None:
            # Importing the runtime itself would show.
            (shell.site / f"{distribution.replace('-', '_')}.py").write_text("raise SystemExit(9)")
            return
        (shell.site / f"{module}.py").write_text(textwrap.dedent(code))
        (metadata / "entry_points.txt").write_text(f"[hookcore.hosts]\nacme = {module}:HOST\n")

    return install


def row(shell: Any) -> Any:
    result = shell("hosts", "--json")
    assert result.code == 0
    return next(row for row in result.json if row["name"] == "acme")


def test_a_host_tells_what_it_adapts_and_heeds(shell: Any, offer: Callable[..., None]) -> None:
    offer("acme-hookcore", "1.5", HOST)
    offer("acme-agents", "2.4.1")
    assert row(shell) == {
        "name": "acme",
        "state": "ready",
        "distribution": "acme-hookcore",
        "version": "1.5",
        "runtime": "acme-agents",
        "tested": ["2.1", "3"],
        "installed": "2.4.1",
        "problem": None,
        "points": {
            "pre_tool_call": {
                "sync": ["change", "replace", "abort"],
                "stream": ["change", "replace", "abort"],
            },
            "tool_finished": {"sync": []},
        },
        "without": ["pre_step"],
    }


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("2.1", "ready"),
        ("2.99.3rc1", "ready"),
        ("2.0.9", "untested"),
        ("3", "untested"),
        ("10.2", "untested"),
        (None, "missing"),
    ],
)
def test_the_installed_runtime_is_held_against_what_was_tested(
    shell: Any, offer: Callable[..., None], version: str | None, state: str
) -> None:
    offer("acme-hookcore", "1.5", HOST)
    if version is not None:
        offer("acme-agents", version)
    found = row(shell)
    assert (found["state"], found["installed"]) == (state, version)


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("raise RuntimeError('boom')", "RuntimeError: boom"),
        ("import sys\nsys.exit(9)", "SystemExit: 9"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("HOST = {'name': 'acme'}", "is dict, and no hookcore.hosting.Host"),
        ("", "has no attribute 'HOST'"),
    ],
)
def test_a_broken_entry_point_is_told_and_not_fatal(
    shell: Any, offer: Callable[..., None], code: str, problem: str
) -> None:
    offer("acme-hookcore", "1.5", code)
    found = row(shell)
    assert (found["state"], found["points"]) == ("broken", {})
    assert problem in found["problem"]
    assert "pip install --upgrade acme-hookcore" in found["problem"]
    assert "acme is broken" in shell("hosts").err


def test_a_table_is_for_people(shell: Any, offer: Callable[..., None]) -> None:
    offer("acme-hookcore", "1.5", HOST)
    offer("acme-agents", "4")
    result = shell("hosts")
    [line] = [line for line in result.out.splitlines() if line.startswith("acme ")]
    assert line.split() == [
        "acme", "untested", "acme-agents", ">=2.1,<3", "4", "acme-hookcore", "1.5",
    ]  # fmt: skip
    assert "4 is installed: run your own tests" in result.err


def test_one_host_shows_its_points(shell: Any, offer: Callable[..., None]) -> None:
    offer("acme-hookcore", "1.5", HOST)
    result = shell("hosts", "acme")
    lines = [line.split("  ") for line in result.out.splitlines()]
    words = [[word.strip() for word in line if word.strip()] for line in lines]
    assert ["POINT", "SYNC", "STREAM"] in words
    assert ["pre_tool_call", "change replace abort", "change replace abort"] in words
    assert ["tool_finished", "told", "-"] in words
    assert "governs acme-agents, which is not installed" in result.err


def test_one_host_is_one_object(shell: Any, offer: Callable[..., None]) -> None:
    offer("acme-hookcore", "1.5", HOST)
    assert shell("hosts", "acme", "--json").json == row(shell)


def test_a_misspelt_host_is_told(shell: Any, offer: Callable[..., None]) -> None:
    offer("acme-hookcore", "1.5", HOST)
    result = shell("hosts", "acne")
    assert result.code == 2
    assert 'did you mean "acme"?' in result.err


def test_two_distributions_with_one_host_are_both_told(
    shell: Any, offer: Callable[..., None]
) -> None:
    offer("acme-hookcore", "1.5", HOST)
    offer("other-hookcore", "1.6", HOST)
    assert "other-hookcore 1.6 offers a host named acme, too" in shell("hosts", "acme").err


@pytest.mark.parametrize("name", ["agent", "crewai", "gateway"])
def test_our_own_hosts_are_there(shell: Any, name: str) -> None:
    found = shell("hosts", name, "--json").json
    assert found["state"] in {"ready", "missing"}
    assert found["points"]["pre_tool_call"]["async"] == ["change", "replace", "abort"]
