"""Secrets in plugins' settings are not shown, whatever asks and whatever goes wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hookctl.masking import MASK, masked

SCHEMA = {
    "$defs": {"Target": {"properties": {"where": {"format": "password", "type": "string"}}}},
    "properties": {
        "address": {"type": "string", "writeOnly": True},
        "site_url": {"type": "string"},
        "many": {"items": {"anyOf": [{"type": "string", "writeOnly": True}, {"type": "null"}]}},
        "targets": {"items": {"$ref": "#/$defs/Target"}},
        "by_name": {"additionalProperties": {"$ref": "#/$defs/Target"}},
    },
}
SECRETS = """
[plugins.leaky]
enabled = true
settings.address = "https://a.example/S3CR3T"
settings.many = ["S3CR3T"]
settings.words = ["plain"]
"""
CODE = """
from hookcore import hookimpl
from pydantic import BaseModel, SecretStr

class Plugin:
    class Settings(BaseModel):
        address: SecretStr = SecretStr("")
        many: list[SecretStr] = []
        words: list[str] = []

    def __init__(self, settings): ...

    @hookimpl
    def input(self, ctx): ...
"""


@pytest.fixture
def leaky(shell: Any) -> Any:
    """The shell with a plugin whose package ships no schema, and a configuration of it."""
    shell.install("leaky", CODE)
    shell.config.write_text(SECRETS)
    return shell


@pytest.fixture
def shipping(leaky: Any) -> Any:
    """The same, with a package that ships the schema, and cannot be imported."""
    (leaky.site / "code_of_acme_leaky.py").unlink()
    package = leaky.site / "code_of_acme_leaky"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('it was imported')")
    (package / "settings.schema.json").write_text(json.dumps(SCHEMA))
    return leaky


COMMANDS = [("info", "leaky"), ("info", "leaky", "--json"), ("config", "show"),
            ("config", "show", "--json")]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_the_shipped_schema_calls_secret_is_masked_without_an_import(
    shipping: Any, command: tuple[str, ...]
) -> None:
    result = shipping(*command)
    assert "S3CR3T" not in result.out + result.err
    assert result.out.count(MASK) == 2
    assert "plain" in result.out
    assert str(shipping.config) in result.out


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_secret_from_the_environment_is_masked_too(
    shipping: Any, command: tuple[str, ...]
) -> None:
    variable = "HOOKCORE_PLUGINS__LEAKY__SETTINGS__ADDRESS"
    result = shipping(*command, **{variable: "https://a.example/3NV"})
    assert "3NV" not in result.out
    assert variable in result.out


def test_what_the_loaded_model_calls_secret_is_masked(leaky: Any) -> None:
    assert "S3CR3T" not in leaky("info", "leaky", "--load", "--json").out
    assert "plain" in leaky("info", "leaky", "--load").out


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({"address": "https://a.example/x"}, {"address": MASK}),
        ({"many": ["a", None]}, {"many": [MASK, None]}),
        ({"targets": [{"where": "x", "n": 1}]}, {"targets": [{"where": MASK, "n": 1}]}),
        ({"by_name": {"a": {"where": "x"}}}, {"by_name": {"a": {"where": MASK}}}),
        ({"site_url": "https://a.example/x"}, {"site_url": "https://a.example/x"}),
        ({"site_url": "https://u:p@a.example/x"}, {"site_url": f"https://{MASK}@a.example/x"}),
        ({"hook_url": "https://a.example/x?y"}, {"hook_url": f"https://a.example/{MASK}"}),
        ({"hook_url": "https://a.example/"}, {"hook_url": "https://a.example/"}),
        ({"path": "https://a.example/x?y"}, {"path": "https://a.example/x?y"}),
        ({"hook_url": "https://[a/x"}, {"hook_url": MASK}),
        ({"words": ["a", "see whsec_QUJD"]}, {"words": ["a", f"see {MASK}"]}),
        ({"db_password": "x", "apiKeys": ["y"]}, {"db_password": MASK, "apiKeys": [MASK]}),
        ({"auth": {"user": "x", "retries": 3}}, {"auth": {"user": MASK, "retries": 3}}),
        ({"max_tokens": 5, "use_token": True}, {"max_tokens": 5, "use_token": True}),
        ({"key": "a", "sort_key": "b", "author": "c"}, {"key": "a", "sort_key": "b", "author": "c"}),
    ],
)  # fmt: skip
def test_what_is_shown_of_settings(settings: dict[str, Any], shown: dict[str, Any]) -> None:
    told = {key: masked(("settings", key), value, SCHEMA) for key, value in settings.items()}
    assert told == shown
    # Also where each leaf is shown by itself.
    for key, value in settings.items():
        if isinstance(value, dict):
            leaves = {name: masked(("settings", key, name), v, SCHEMA) for name, v in value.items()}
            assert leaves == shown[key]


def test_who_trusts_a_file_sees_the_host_and_not_the_secret(leaky: Any) -> None:
    url = "https://a.example/S3CR3T"
    leaky.config.write_text(
        f"[plugins.leaky.settings]\nurl = '{url}'\npassword = 'S3CR3T'\n"
        f"[audits.unknown.here]\nurl = '{url}'\n"
    )
    out = leaky("trust").out
    assert out.count(f"url = 'https://a.example/{MASK}'") == 2
    assert "S3CR3T" not in out


def test_options_that_are_no_settings_are_shown() -> None:
    assert masked(("tools",), ["token_*"], SCHEMA) == ["token_*"]


@pytest.mark.parametrize("schema", [{"properties": []}, {"$ref": "#"}, {"anyOf": [{"anyOf": 1}]},
                                    {"$defs": {"A": {"$ref": "#/$defs/A"}},
                                     "properties": {"a": {"$ref": "#/$defs/A"}}}])  # fmt: skip
def test_a_schema_that_makes_no_sense_stops_nothing(schema: dict[str, Any]) -> None:
    assert masked(("settings", "a"), "x", schema) == "x"


@pytest.mark.parametrize("text", ["not json", "[1]", "\udcff", "[" * 100_000])
def test_a_shipped_schema_that_cannot_be_read_stops_nothing(shipping: Any, text: str) -> None:
    file = shipping.site / "code_of_acme_leaky" / "settings.schema.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert shipping("info", "leaky").code == 0


@pytest.mark.parametrize("value", ["'S3CR3T'", "['S3CR3T']"])
@pytest.mark.parametrize("command", [("doctor",), ("config", "show"), ("list", "--load")])
def test_settings_that_are_no_table_are_refused_without_their_value(
    leaky: Any, value: str, command: tuple[str, ...]
) -> None:
    leaky.config.write_text(f"[plugins.leaky]\nenabled = true\nsettings = {value}\n")
    result = leaky(*command)
    assert result.code != 0
    assert "plugins.leaky.settings must be a table, not" in result.out + result.err
    assert "S3CR3T" not in result.out + result.err


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("password", 12345678),
        ("pin", [1]),
        ("env", ["DB_PASSWORD=S3CR3T"]),
        ("dsn", "host=h password=S3CR3T"),
        ("command", "curl -H 'Authorization: Bearer S3CR3T'"),
        ("note", "sk-proj-S3CR3TS3CR3TS3CR3T"),
    ],
)
def test_secrets_are_hidden_where_no_schema_tells_of_them(key: str, value: Any) -> None:
    shown = json.dumps(masked(("settings", key), value, None))
    assert MASK in shown
    assert "S3CR3T" not in shown
    assert not any(digit in shown for digit in "12345678" if isinstance(value, int))


@pytest.mark.parametrize(
    "key",
    ["access_key", "passcode", "totp", "dbpassword", "DB_PASSWORD", "clientSecret", "dbpass",
     "recovery_codes", "sharedAccountKey", "accountkey", "connectionString", "seed_phrase", "mfa",
     "\uff50assword", "pass\u00adcode", "GITHUB_PAT", "authkey", "sessionToken", "user_pwd"],
)  # fmt: skip
def test_a_key_that_tells_of_a_secret_hides_it(key: str) -> None:
    assert masked(("settings", key), "S3CR3T", None) == MASK
    assert masked(("settings", "more", key), "S3CR3T", SCHEMA) == MASK


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "Authorization", "value": "S3CR3T"}],
        [{"header": "X-Api-Key", "values": ["S3CR3T"]}],
        [["Authorization", "S3CR3T"]],
        ["run", "--password", "S3CR3T"],
        ["--api-key=S3CR3T"],
        ["X-Api-Key: S3CR3T"],
        ["Authorization: Basic S3CR3T"],
        "https://a.example/x?api_key=S3CR3T&n=1",
        "https://hooks.slack.com/services/S3CR3T",
        "https://discord.com/api/webhooks/S3CR3T/S3CR3T",
        "access_key: 'S3CR3T'",
        '{"totp": "S3CR3T"}',
        {"deep": [{"passcode": "S3CR3T"}]},
    ],
    ids=str,
)
def test_a_name_hides_its_value_in_pairs_options_and_texts(value: Any) -> None:
    shown = json.dumps(masked(("settings", "plain"), value, SCHEMA))
    assert MASK in shown
    assert "S3CR3T" not in shown


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_value_is_hidden_for_the_name_beside_it(leaky: Any, command: tuple[str, ...]) -> None:
    leaky.config.write_text(
        "[plugins.leaky.settings.header]\nname = 'Authorization'\nvalue = 'S3CR3T'\n"
    )
    result = leaky(*command)
    assert "Authorization" in result.out
    assert "S3CR3T" not in result.out + result.err
    assert "S3CR3T" not in leaky("trust").out


@pytest.mark.parametrize(
    "value",
    ["ratio: 3, max_tokens=512", ["--verbose", "yes"], [["Accept", "json"]], "http://a.example:80/x",
     [{"name": "Accept", "value": "json"}], {"key": "column", "value": 3}, ["secrets", "pii"], "C:\\x", "10:30"],
    ids=str,
)  # fmt: skip
def test_what_tells_of_no_secret_is_shown(value: Any) -> None:
    assert masked(("settings", "plain"), value, SCHEMA) == value


def test_counts_are_shown() -> None:
    assert masked(("settings", "max_tokens"), 512, None) == 512
