"""The code that judges a partition is the code that was meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from hookcore import PluginLoadError, joint_key
from hookcore.config import Config, PluginConfig
from hookcore.joined import joint_key_set
from hookcore.testing import as_new_process
from hookctl.failure import UsageError
from hookctl.replay import Configuration, plan, replay_partition
from hookctl.replay.digests import OtherCodeError, code_in_force
from hookctl.replay.engines import engine_at, refuse_secrets

from ..killing import run

WriteLines = Callable[..., Path]


@pytest.fixture
def configuration(folder: Path) -> Iterator[Configuration]:
    with as_new_process(folder.parent / "site"):
        plugins = MappingProxyType({"demo": PluginConfig(enabled=True)})
        config = Config(plugins=plugins, verify="off")
        yield Configuration(config, code=code_in_force(config))


def test_the_same_code_judges(configuration: Configuration, write_lines: WriteLines) -> None:
    part, *_ = plan([str(write_lines(run("delete", "a")))])
    assert replay_partition(part, configuration).numbers["aborted"] == 1


def test_other_code_is_not_even_imported(
    configuration: Configuration, folder: Path, write_lines: WriteLines
) -> None:
    file = folder.parent / "site" / "killing_policy.py"
    file.write_text(f"open({str(folder / 'imported')!r}, 'w')\n", encoding="utf-8")
    part, *_ = plan([str(write_lines(run("delete", "a")))])
    with pytest.raises(OtherCodeError, match=r"plugin demo is killing-policy 1\.0"):
        replay_partition(part, configuration)
    assert not (folder / "imported").exists()


@pytest.mark.parametrize("name", ["hookcore", "Python", "plugin demo"])
def test_every_part_of_the_code_counts(
    name: str, configuration: Configuration, write_lines: WriteLines
) -> None:
    assert configuration.code is not None
    other = replace(configuration, code={**configuration.code, name: "9.9"})
    part, *_ = plan([str(write_lines(run("delete", "a")))])
    with pytest.raises(OtherCodeError, match=f"{name} is .* here and 9.9 where"):
        replay_partition(part, other)


def test_a_plugin_that_is_missing_is_told(
    configuration: Configuration, write_lines: WriteLines
) -> None:
    assert configuration.code is not None
    more = replace(configuration, code={**configuration.code, "plugin gone": "gone 1.0"})
    part, *_ = plan([str(write_lines(run("delete", "a")))])
    with pytest.raises(OtherCodeError, match="plugin gone is not installed here and gone"):
        replay_partition(part, more)


def test_a_lock_that_travels_vouches_instead_of_a_file(folder: Path) -> None:
    from hookcore import HookManager
    from hookcore.discovery import discover
    from hookcore.trust.lockfile import LockEntry, entry_of

    with as_new_process(folder.parent / "site"):
        entry = entry_of(discover()["demo"])
        plugins = MappingProxyType({"demo": PluginConfig(enabled=True)})
        config = Config(plugins=plugins, verify="enforce", lock={"demo": entry})
        HookManager.load(config=Config.from_json(config.to_json())).close()
        wrong = dict.fromkeys(entry.files, "sha256:0")
        lock = {"demo": LockEntry(entry.distribution, entry.version, wrong)}
        with pytest.raises(PluginLoadError, match="changed since it was locked"):
            HookManager.load(config=replace(config, lock=lock))
        with pytest.raises(PluginLoadError, match=r"no hookcore\.lock records"):
            HookManager.load(config=replace(config, lock={}))


def test_all_processes_of_a_replay_have_one_key() -> None:
    assert joint_key() != joint_key()
    with joint_key_set(b"k" * 32):
        assert joint_key() == joint_key() == b"k" * 32


class Engine:
    def __init__(self, *, is_private: bool) -> None:
        self.is_private = is_private

    def run(self, work: Any, tasks: Any) -> Any:
        raise AssertionError("nothing is to be run")


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"token": "abc"}, "settings.token"),
        ({"url": "https://user:abc@host/"}, "settings.url"),
        ({"headers": {"Authorization": "abc"}}, "settings.headers"),
    ],
)
def test_secrets_go_by_reference_or_over_tls(settings: dict[str, Any], path: str) -> None:
    config = Config(plugins={"a": PluginConfig(enabled=True, settings=settings)})
    with pytest.raises(UsageError, match=rf"plugins\.a\.{path} holds a secret") as caught:
        refuse_secrets(config, Engine(is_private=False))
    assert "abc" not in str(caught.value)
    refuse_secrets(config, Engine(is_private=True))


def test_references_and_plain_settings_go_anywhere() -> None:
    settings = {"token": "env:TOKEN", "key": "file:key", "deny": ["delete_*"], "max_tokens": 3}
    config = Config(plugins={"a": PluginConfig(enabled=True, settings=settings)})
    refuse_secrets(config, Engine(is_private=False))


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("dusk://host:1", 'names no engine; did you mean "dask"?'),
        ("host:1", "known are dask://HOST:PORT, ray://HOST:PORT"),
        ("dask://host", "is no scheduler: write dask://HOST:PORT"),
        ("dask://host:port", "is no scheduler"),
        ("dask://host:1/path", "is no scheduler"),
        ("ray://host", "is no Ray cluster: write ray://HOST:PORT"),
    ],
)
def test_a_url_that_names_no_engine_is_refused(url: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        engine_at(url, print)
    assert told in caught.value.format_message()


@pytest.mark.parametrize(
    ("url", "is_private"),
    [
        ("dask://127.0.0.1:8786", True),
        ("dask://localhost:8786", True),
        ("dask://[::1]:8786", True),
        ("dask+tls://lake.example:8786", True),
        ("dask://10.0.0.1:8786", False),
        ("dask://lake.example:8786", False),
        ("ray://127.0.0.1:10001", True),
        ("ray://lake.example:10001", False),
    ],
)
def test_an_engine_knows_whether_others_can_read_what_is_sent(
    url: str, *, is_private: bool
) -> None:
    assert engine_at(url, print).is_private is is_private
