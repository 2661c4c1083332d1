"""The labelled list: what is found of it may not become less."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from hookcore_redact import Redact

FOLDER = Path(__file__).parent / "quality"


def loaded(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"redact_quality_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SCORING = loaded("score")


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = SCORING.read_lines()
    return found


@pytest.fixture(scope="module")
def result(lines: list[dict[str, Any]]) -> Any:
    return SCORING.score(lines, Redact())


@pytest.mark.parametrize(("group", "least"), [("secret", 0.99), ("pii", 0.98), ("encoded", 0.97)])
def test_of_each_group_almost_all_is_found(result: Any, group: str, least: float) -> None:
    assert result.share(group) >= least, result.wrong


def test_of_harmless_lines_one_in_two_hundred_is_changed_at_most(result: Any) -> None:
    assert result.share("harmless") <= 1 / 200, result.wrong


def test_of_each_kind_at_least_half_is_found(result: Any) -> None:
    kinds = [key for key in result.lines if key[0] != "harmless"]
    assert not [key for key in kinds if result.found[key] * 2 < result.lines[key]]


def test_there_are_enough_lines_of_each_group(lines: list[dict[str, Any]]) -> None:
    groups = [line["group"] for line in lines]
    assert len(groups) >= 500
    assert all(groups.count(group) >= 20 for group in ("secret", "pii", "encoded", "harmless"))


def test_what_is_not_redacted_stays_to_the_byte(lines: list[dict[str, Any]]) -> None:
    plugin = Redact()
    for line in lines:
        after = plugin.redact(line["text"], "post_tool_call")
        for value in sorted(line["secret"], key=len, reverse=True):
            before, found, behind = line["text"].partition(value)
            if found and line["group"] == "secret" and line["text"].count(value) == 1:
                assert after.startswith(before[: len(before) // 2])
                assert after.endswith(behind[len(behind) // 2 :])


def test_the_list_can_be_made_anew(
    lines: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    loaded("make_lines").main()
    loaded("make_more_lines").main()
    assert len(capsys.readouterr().out.splitlines()) == len(lines)


def test_a_line_of_which_two_fifths_are_left_is_not_found() -> None:
    line = {"text": "key=abcdefghij0123456789", "secret": ["abcdefghij0123456789"]}
    assert SCORING.is_left(line, "key=abcdefgh[X]")
    assert not SCORING.is_left(line, "key=[X]")
