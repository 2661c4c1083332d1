from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from hookcore import ConfigError
from hookcore.config import Config, Origin, PluginConfig
from hookcore.config.references import is_reference, resolved_settings


def config(settings: dict[str, Any], origin: Origin | None = None) -> Config:
    origins: dict[tuple[str, ...], Origin] = {}
    if origin is not None:
        origins = {("plugins", "a", "settings", key): origin for key in settings}
    plugins = {"a": PluginConfig(enabled=True, settings=settings)}
    return Config(plugins=MappingProxyType(plugins), origins=MappingProxyType(origins))


def resolved(settings: dict[str, Any], **environ: str) -> dict[str, Any]:
    return resolved_settings(config(settings), "a", environ=environ)


def test_a_variable_is_read_at_any_depth() -> None:
    settings = {"key": "env:KEY", "deep": [{"in": "env:KEY"}], "n": 1, "plain": "KEY"}
    assert resolved(settings, KEY="secret") == {
        "key": "secret",
        "deep": [{"in": "secret"}],
        "n": 1,
        "plain": "KEY",
    }
    assert settings["key"] == "env:KEY"


@pytest.mark.parametrize(
    "text", ["env:", "env:1A", "env:A-B", "see env:A", "file://host/x", "file:", "env:A\n"]
)
def test_what_only_looks_like_a_reference_stays(text: str) -> None:
    assert not is_reference(text)
    assert resolved({"key": text}) == {"key": text}


def test_a_variable_that_is_not_set_is_named_with_its_setting() -> None:
    with pytest.raises(ConfigError, match=r"settings\.deep\.key: env:KEY is not set") as caught:
        resolved({"deep": {"key": "env:KEY"}})
    assert caught.value.key == "settings.deep.key"


def test_a_file_is_read_beside_the_one_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("secret\n", encoding="utf-8")
    for said in (
        Origin("user", tmp_path / "hookcore.toml"),
        Origin("project", tmp_path / "hookcore.toml"),
    ):
        assert resolved_settings(config({"key": "file:key"}, said), "a") == {"key": "secret"}


@pytest.mark.parametrize("name", ["../key", "link"])
def test_a_project_reads_no_file_outside_of_its_folder(name: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "key").write_text("secret", encoding="utf-8")
    (project / "link").symlink_to(tmp_path / "key")
    said = Origin("project", project / "hookcore.toml")
    for path in (name, str(tmp_path / "key")):
        with pytest.raises(ConfigError, match="below its own folder only") as caught:
            resolved_settings(config({"key": f"file:{path}"}, said), "a")
        assert "secret" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_told_without_its_content(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"secret\xff")
    for name, why in (("none", "no file"), ("bytes", "not UTF-8"), (".", "no file")):
        with pytest.raises(ConfigError, match=why) as caught:
            resolved_settings(
                config({"key": f"file:{name}"}, Origin("user", tmp_path / "x.toml")), "a"
            )
        assert "secret" not in str(caught.value)
