"""``fire --set`` and ``replay --set``: settings that hold for one dry run."""

from __future__ import annotations

import json
from typing import Any

import pytest

RUN = {
    "messages": [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "function": {"name": "delete_x", "arguments": '{"a": "ugly"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "gone"},
    ]
}


@pytest.fixture
def on(guarded: Any) -> Any:
    guarded.config.write_text("[plugins.guard]\nenabled = true\nsettings = {words = ['bad']}\n")
    (guarded.folder / "run.json").write_text(json.dumps(RUN))
    return guarded


def fired(shell: Any, *arguments: str) -> Any:
    payload = ["--tool", "delete_x", "--payload", '{"a": "ugly"}', "--json"]
    return shell("fire", "pre_tool_call", *payload, *arguments)


def test_fire_takes_a_setting_for_one_run(on: Any) -> None:
    assert fired(on).json["outcome"] == "proceeded"
    assert fired(on, "--set", "guard.words+=ugly").json["outcome"] == "aborted"
    assert fired(on).json["outcome"] == "proceeded"


def test_fire_takes_several_one_on_top_of_the_other(on: Any) -> None:
    given = (
        "--set",
        "guard.words+=ugly",
        "--set",
        "guard.words-=bad",
        "--set",
        "guard.words-=ugly",
    )
    assert fired(on, *given).json["outcome"] == "proceeded"


def test_fire_switches_a_plugin_on_for_one_run(guarded: Any) -> None:
    result = fired(guarded, "--plugin", "acme-guard", "--set", "guard.words=['ugly']")
    assert result.json["outcome"] == "aborted"
    assert not guarded.config.exists()


def test_a_distributions_name_stands_for_its_plugin(on: Any) -> None:
    assert fired(on, "--set", "acme-guard.words+=ugly").json["outcome"] == "aborted"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_replay_takes_a_setting_for_one_run(on: Any, jobs: str) -> None:
    report = on("replay", "run.json", "--json", "--jobs", jobs).json
    assert report["summary"]["aborted"] == 0
    given = ("--set", "guard.words+=ugly", "--jobs", jobs)
    assert on("replay", "run.json", "--json", *given).json["summary"]["aborted"] == 1


def test_replay_in_monitor_mode_heeds_it(on: Any) -> None:
    given = ("--monitor", "--set", "guard.words+=ugly")
    (finding,) = on("replay", "run.json", "--json", *given).json["findings"]
    assert (finding["verdict"], finding["effect"]) == ("deny", "observed")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("gurd.words+=x", 'did you mean "guard"?'),
        ("guard", "guard names no setting: write NAME.KEY=VALUE"),
        ("guard.words", "does not say what to change"),
        ("guard.words-=x", "guard: words does not hold that"),
    ],
)
def test_a_wrong_one_is_refused_with_the_right_words(on: Any, given: str, words: str) -> None:
    for command in (("fire", "output", "--payload", "1"), ("replay", "run.json")):
        result = on(*command, "--set", given)
        assert result.code == 2
        assert words in result.err


def test_a_plugin_that_is_off_is_told(guarded: Any) -> None:
    result = fired(guarded, "--set", "guard.words=['x']")
    assert result.code == 2
    assert "guard is not enabled: add --plugin guard" in result.err


def test_what_a_required_plugin_locks_stays_locked(on: Any) -> None:
    on.user_config.parent.mkdir()
    on.user_config.write_text("[plugins.guard]\nrequired = true\nsettings = {words = ['bad']}\n")
    on.config.unlink()
    result = fired(on, "--set", "guard.words=[]")
    assert result.code == 3
    assert "cannot be changed there" in result.err
