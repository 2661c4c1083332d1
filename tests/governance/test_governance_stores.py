"""``hookctl doctor`` on policies that count in one process each, where others share a store."""

from __future__ import annotations

import json

import pytest

from .conftest import DENY, Machine

SCHEMA = {
    "type": "object",
    "x-hookcore-points": ["pre_tool_call"],
    "properties": {
        "store": {"enum": ["memory", "sqlite", "redis"], "default": "memory"},
        "url_env": {"type": "string", "default": "HOOKCORE_REDIS_URL"},
    },
}
ON = "[plugins.counting]\nenabled = true\n"
SHARED = "[plugins.asking]\nenabled = true\nsettings.store = 'redis'\n"


@pytest.fixture
def counting(machine: Machine) -> Machine:
    """A machine with two plugins that keep state, in memory unless they are told otherwise."""
    for name in ("counting", "asking"):
        package = machine.install(name, DENY)
        (package / "settings.schema.json").write_text(json.dumps(SCHEMA))
    return machine


def told(machine: Machine, text: str, **environ: str) -> list[tuple[str, str, str]]:
    machine.user.write_text(text)
    found = machine.hookctl("doctor", "--no-load", "--json", **environ).json["findings"]
    return [(f["subject"], f["message"], f["fix"]) for f in found if f["code"] == "memory-store"]


def test_one_in_memory_beside_one_in_redis_is_told(counting: Machine) -> None:
    ((subject, message, fix),) = told(counting, ON + SHARED)
    assert subject == "counting"
    assert "although asking keeps its state in Redis" in message
    assert fix.startswith("hookctl set counting store=redis")


def test_one_in_memory_where_the_environment_names_a_redis_is_told(counting: Machine) -> None:
    ((_, message, _),) = told(counting, ON, HOOKCORE_REDIS_URL="redis://user:secret@r/0")
    assert "although HOOKCORE_REDIS_URL names a Redis" in message
    assert "secret" not in message


@pytest.mark.parametrize(
    "text",
    [
        ON,
        ON + "settings.store = 'sqlite'\n" + SHARED,
        ON + "settings.store = 'redis'\n" + SHARED,
        ON.replace("true", "false") + SHARED,
        ON + SHARED.replace("true", "false"),
        "[plugins.absent]\nenabled = true\n",
    ],
)
def test_stores_that_go_together_are_not_told(counting: Machine, text: str) -> None:
    assert told(counting, text) == []


def test_an_address_of_another_name_is_none_of_it(counting: Machine) -> None:
    text = ON + "settings.url_env = 'HOOKCORE_OTHER_URL'\n"
    assert told(counting, text, HOOKCORE_REDIS_URL="redis://r/0") == []
