"""A bundle's configuration is a layer: above the system's file, which it never loosens."""

from __future__ import annotations

from typing import Any

import pytest

from hookcore.config import Config, layer_files
from hookcore.errors import ConfigError

ASKS = "[bundle]\nurl = 'https://policies.example/prod.tar'\n"
SAID = """
[hooks]
enabled = true
verify = "warn"
[telemetry]
track_mutations = true
[trust]
project = "trusted"
[log]
enabled = true
[plugins.acme]
enabled = true
mode = "enforce"
on_error = "deny"
tools = ["send_*"]
[plugins.acme.settings]
deny = ["delete_*"]
[plugins.bare]
enabled = true
[plugins.locked]
required = true
[plugins.locked.settings]
deny = ["x"]
"""
WEAKER = [
    "[hooks]\nenabled = false",
    "[hooks]\nverify = 'off'",
    "[telemetry]\ntrack_mutations = false",
    "[trust]\nproject = 'always'",
    "[log]\nenabled = false",
    "[plugins.acme]\nenabled = false",
    "[plugins.acme]\nmode = 'monitor'",
    "[plugins.acme]\non_error = 'allow'",
    "[plugins.acme]\ntools = ['send_mail']",
    "[plugins.acme.settings]\ndeny = []",
    "[plugins.acme.settings.deny]",
    "[plugins.acme.settings.deny]\nx = 1",
    "[plugins.bare]\nmode = 'monitor'",
    "[plugins.bare]\non_error = 'allow'",
    "[plugins.bare]\nrollout = 0",
    "[plugins.bare.rules.x]\nmode = 'monitor'",
    "[plugins.bare.rules.x]\nrollout = 0",
    "[plugins.bare.rules.x]\nexpires = 2020-01-01",
    "[plugins.bare]\nexpires = 2020-01-01",
    "[plugins.bare]\ntools = ['nothing']",
    "[plugins.bare]\npoints = ['session_start']",
    "[plugins.bare]\ntimeout = 0.001",
    "[plugins.locked]\nrequired = false",
    "[plugins.locked]\nenabled = false",
    "[plugins.locked]\npriority = 1",
    "[plugins.locked.settings]\nallow = ['*']",
    "[plugins.bundle]\nenabled = false",
    "[plugins.bundle.settings]\nurl = 'https://attacker.example/prod.tar'",
    "[bundle]\nurl = 'https://attacker.example/prod.tar'",
    "[record]\nenabled = true\nfile = '/tmp/all'",
]
STRICTER = [
    "[hooks]\nenabled = true\nverify = 'enforce'",
    "[trust]\nproject = 'never'",
    "[plugins.acme]\nrequired = true",
    "[plugins.acme]\non_error = 'raise'\npriority = 5",
    "[plugins.acme.settings]\ndeny = ['delete_*']\nask = ['pay_*']",
    "[plugins.acme.settings]",
    "[plugins.bare]\nrequired = true\nmode = 'enforce'\non_error = 'deny'\npriority = 3",
    "[plugins.bare.settings]\ndeny = ['x']",
    "[plugins.other]\nenabled = true\nmode = 'monitor'\ntimeout = 1.0",
]


@pytest.mark.parametrize("text", WEAKER)
def test_a_bundle_cannot_loosen_what_the_systems_file_says(layers: Any, text: str) -> None:
    layers.system.write_text(ASKS + SAID)
    layers.bundle.write_text(text)
    with pytest.raises(ConfigError) as caught:
        layers.read()
    assert str(layers.bundle) in str(caught.value)


@pytest.mark.parametrize("text", STRICTER)
def test_a_bundle_may_say_more_and_what_is_stricter(layers: Any, text: str) -> None:
    layers.system.write_text(ASKS + SAID)
    layers.bundle.write_text(text)
    config = layers.read()
    assert config.plugins["acme"].enabled
    assert config.plugins["acme"].settings["deny"] == ["delete_*"]


def test_later_layers_cannot_change_what_a_bundle_requires(layers: Any) -> None:
    layers.system.write_text(ASKS)
    layers.bundle.write_text("[plugins.acme]\nrequired = true\n")
    layers.user.write_text("[plugins.acme]\nenabled = false\n")
    with pytest.raises(ConfigError, match=r"requires plugins\.acme and locks it") as caught:
        layers.read()
    assert str(layers.bundle) in str(caught.value)


@pytest.mark.parametrize("layer", ["user", "project"])
def test_what_a_bundle_says_of_trust_binds_later_layers(layers: Any, layer: str) -> None:
    layers.system.write_text(ASKS)
    layers.bundle.write_text("[hooks]\nverify = 'enforce'\n")
    getattr(layers, layer).write_text("[hooks]\nverify = 'off'\n")
    with pytest.raises(ConfigError, match=r"cannot be changed there, because .*rev-1"):
        layers.read()


def test_later_layers_change_what_a_bundle_only_suggests(layers: Any) -> None:
    layers.system.write_text(ASKS)
    layers.bundle.write_text("[plugins.acme]\nenabled = true\npriority = 1\n")
    layers.user.write_text("[plugins.acme]\npriority = 7\n")
    acme = layers.read().plugins["acme"]
    assert (acme.enabled, acme.priority) == (True, 7)


def test_the_table_of_the_systems_file_requires_the_plugin_that_heeds_it(layers: Any) -> None:
    layers.system.write_text(ASKS)
    plugin = layers.read().plugins["bundle"]
    assert plugin.required
    assert plugin.settings == {"url": "https://policies.example/prod.tar"}


@pytest.mark.parametrize("layer", ["user", "project"])
@pytest.mark.parametrize("text", ["[hooks]\nenabled = false\n", "[plugins.bundle]\nenabled=false"])
def test_nobody_later_can_switch_it_off(layers: Any, layer: str, text: str) -> None:
    layers.system.write_text(ASKS)
    getattr(layers, layer).write_text(text)
    with pytest.raises(ConfigError, match=r"requires plugins\.bundle and locks it"):
        layers.read()


def test_the_systems_file_may_narrow_the_plugin(layers: Any) -> None:
    layers.system.write_text(ASKS + "[plugins.bundle]\npoints = ['pre_tool_call']\n")
    assert layers.read().plugins["bundle"].points == ("pre_tool_call",)


@pytest.mark.parametrize("text", ["required = false", "settings = {url = 'x'}"])
def test_the_systems_file_says_the_plugins_settings_once(layers: Any, text: str) -> None:
    layers.system.write_text(f"{ASKS}[plugins.bundle]\n{text}\n")
    with pytest.raises(ConfigError, match=r"cannot be set beside the table \[bundle\]"):
        layers.read()


@pytest.mark.parametrize("layer", ["user", "project"])
def test_only_the_systems_file_asks_for_a_bundle(layers: Any, layer: str) -> None:
    getattr(layers, layer).write_text(ASKS)
    with pytest.raises(ConfigError, match="counts only in the system's file"):
        layers.read()


def test_a_bundle_nobody_asks_for_does_not_count(layers: Any) -> None:
    layers.bundle.write_text("[plugins.acme]\nenabled = true\n")
    assert dict(layers.read().plugins) == {}
    assert [file.layer for file in layer_files()] == ["system", "user", "project"]


def test_a_bundle_that_is_not_there_yet_is_an_empty_layer(layers: Any) -> None:
    layers.system.write_text(ASKS)
    layers.bundle.parent.with_name("current").unlink()
    config: Config = layers.read()
    assert set(config.plugins) == {"bundle"}
    (file,) = (file for file in config.files if file.layer == "bundle")
    assert not file.exists


def test_values_are_told_to_be_the_bundles_of_that_revision(layers: Any) -> None:
    layers.system.write_text(ASKS)
    layers.bundle.write_text("[plugins.acme]\nenabled = true\n")
    origin = layers.read().origin("plugins.acme.enabled")
    assert (origin.layer, origin.file) == ("bundle", layers.bundle)


def test_a_bundle_names_no_file_of_the_machine(layers: Any) -> None:
    from hookcore.config.references import resolved_settings

    layers.system.write_text(ASKS)
    layers.bundle.write_text("[plugins.acme]\nenabled = true\nsettings.key = 'file:/etc/passwd'\n")
    with pytest.raises(ConfigError, match="a bundle may name files below its own folder only"):
        resolved_settings(layers.read(), "acme")


def test_a_configuration_with_a_bundle_travels(layers: Any) -> None:
    layers.system.write_text(ASKS)
    layers.bundle.write_text("[plugins.acme]\nenabled = true\n")
    config: Config = layers.read()
    assert Config.from_json(config.to_json()) == config


@pytest.mark.parametrize("text", ["bundle = 1", "[hooks]\nenabled = 'yes'"])
def test_a_bundle_of_the_wrong_shape_is_refused(layers: Any, text: str) -> None:
    layers.system.write_text(ASKS)
    layers.bundle.write_text(text)
    with pytest.raises(ConfigError, match="must be"):
        layers.read()
