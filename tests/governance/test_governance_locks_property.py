"""Whatever later layers say, a required plugin's table is as it was, or nothing starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookcore.config.layer import Layer
from hookcore.config.merge import merge
from hookcore.config.model import LayerName
from hookcore.errors import ConfigError

NAMES = st.lists(st.sampled_from(["pre_tool_call", "ls", "*"]), min_size=1, max_size=2)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "enabled": st.booleans(),
    "required": st.booleans(),
    "mode": st.sampled_from(["enforce", "monitor"]),
    "on_error": st.sampled_from(["allow", "deny", "raise"]),
    "priority": st.integers(0, 2),
    "timeout": st.sampled_from([0.001, 1.0, 2.0]),
    "points": NAMES,
    "tools": NAMES,
    "agents": NAMES,
    "settings": st.dictionaries(st.sampled_from(["deny", "allow"]), NAMES, max_size=2),
}
TABLES = st.fixed_dictionaries({}, optional=VALUES)
REQUIRED = TABLES.map(
    lambda table: (
        {key: value for key, value in table.items() if key not in {"enabled", "on_error"}}
        | {"required": True}
    )
)
LATER: tuple[LayerName, ...] = ("user", "project", "environment", "arguments")


@given(REQUIRED, st.lists(TABLES, min_size=1, max_size=4), st.sampled_from([True, False, None]))
def test_a_required_table_is_never_another_one(
    required: dict[str, Any], later: list[dict[str, Any]], switch: object
) -> None:
    first = Layer("system", {"plugins": {"guard": required}}, Path("/etc/hookcore.toml"))
    alone = merge([first]).plugins()["guard"]
    layers = [first]
    for name, table in zip(LATER, later, strict=False):
        hooks = {} if switch is None else {"enabled": switch}
        layers.append(Layer(name, {"plugins": {"guard": table}, "hooks": hooks}))
    try:
        merged = merge(layers)
    except ConfigError as refused:
        told = str(refused)
    else:
        told = ""
    if told:
        assert "cannot be changed there" in told
        return
    effective = merged.plugins()["guard"]
    said_again = {"enabled": True, "required": True, "mode": "enforce", "settings": {}}
    assert {**said_again, **effective} == {**said_again, **alone}
    assert merged.table.get("hooks", {}).get("enabled", True)
    assert merged.enablers["guard"].file == Path("/etc/hookcore.toml")
