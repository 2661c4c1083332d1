from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore import ConfigError, HookManager
from hookcore.config import Config, ConfigFile, LogConfig, Origin, PluginConfig, read_config
from hookcore.trust.lockfile import LockEntry

TEXTS = st.text(max_size=8)
NAMES = st.text("abc-_.é", min_size=1, max_size=6)
ORIGINS = st.builds(
    Origin,
    st.sampled_from(["default", "system", "user", "project", "environment", "arguments"]),
    st.one_of(st.none(), st.builds(Path, st.text("ab/", min_size=1, max_size=8))),
    st.one_of(st.none(), TEXTS),
)
SCALARS = st.one_of(
    TEXTS,
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.datetimes(timezones=st.one_of(st.none(), st.just(dt.timezone.utc))),
    st.dates(),
    st.times(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(TEXTS, st.just("$date")), inner, max_size=3),
    ),
    max_leaves=6,
)
PATTERNS = st.one_of(st.none(), st.lists(NAMES, min_size=1, max_size=3).map(tuple))
PLUGINS = st.builds(
    PluginConfig,
    enabled=st.booleans(),
    required=st.booleans(),
    mode=st.sampled_from(["enforce", "monitor"]),
    on_error=st.sampled_from([None, "allow", "deny", "raise"]),
    priority=st.one_of(st.none(), st.integers(-100, 100)),
    timeout=st.one_of(st.none(), st.floats(0.001, 100)),
    points=PATTERNS,
    tools=PATTERNS,
    agents=PATTERNS,
    settings=st.dictionaries(TEXTS, VALUES, max_size=3),
)
CONFIGS = st.builds(
    Config,
    enabled=st.booleans(),
    verify=st.sampled_from(["off", "warn", "enforce"]),
    plugins=st.dictionaries(NAMES, PLUGINS, max_size=3),
    telemetry_track_mutations=st.booleans(),
    trust_project=st.sampled_from(["always", "trusted", "never"]),
    log=st.builds(LogConfig, st.booleans(), st.integers(1, 1000), st.integers(1, 1000)),
    files=st.lists(
        st.builds(
            ConfigFile,
            st.sampled_from(["system", "user", "project"]),
            st.builds(Path, NAMES),
            st.booleans(),
            st.one_of(st.none(), TEXTS),
        ),
        max_size=2,
    ).map(tuple),
    origins=st.dictionaries(
        st.lists(NAMES, min_size=1, max_size=3).map(tuple), ORIGINS, max_size=3
    ),
    enablers=st.dictionaries(NAMES, ORIGINS, max_size=2),
    lock=st.one_of(
        st.none(),
        st.dictionaries(
            NAMES,
            st.builds(LockEntry, TEXTS, TEXTS, st.dictionaries(TEXTS, TEXTS, max_size=2)),
            max_size=2,
        ),
    ),
)


@given(CONFIGS)
def test_a_configuration_comes_back_from_json_as_it_was(config: Config) -> None:
    text = config.to_json()
    assert Config.from_json(text) == config
    assert Config.from_json(text).to_json() == text


def test_what_was_read_from_files_travels_with_its_origins(
    tmp_path: Path, bare_machine: Path
) -> None:
    (tmp_path / "hookcore.toml").write_text(
        "[plugins.a]\nenabled = true\n[plugins.a.settings]\nfrom = 2020-01-02\n", "utf-8"
    )
    config = read_config(tmp_path, {"hooks": {"verify": "enforce"}})
    there = Config.from_json(config.to_json())
    assert there == config
    assert there.origin("plugins.a.enabled").file == tmp_path / "hookcore.toml"
    assert there.plugins["a"].settings == {"from": dt.date(2020, 1, 2)}


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", '{"version": 1}', '{"version": 2}', "secret"],
)
def test_what_is_no_configuration_is_refused_and_not_quoted(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_json(text)
    assert "secret" not in str(caught.value)


def test_values_that_no_configuration_has_are_refused() -> None:
    data = json.loads(Config().to_json())
    data["table"]["hooks"]["verify"] = "perhaps"
    with pytest.raises(ConfigError, match=r"hooks\.verify must be one of"):
        Config.from_json(json.dumps(data))


@pytest.mark.parametrize("value", [object(), {1: 2}, b"bytes"])
def test_a_setting_that_toml_could_not_say_does_not_travel(value: Any) -> None:
    plugins = MappingProxyType({"a": PluginConfig(settings={"x": value})})
    with pytest.raises(ConfigError, match="a configuration that travels"):
        Config(plugins=plugins).to_json()


def test_a_manager_loads_what_travelled() -> None:
    manager = HookManager.load(config=Config.from_json(Config().to_json()))
    assert not manager.plugins()
    manager.close()
