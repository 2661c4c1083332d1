"""``hookctl schema``: what a package ships of its settings, so that nobody has to import it."""

from __future__ import annotations

from typing import Any

import pytest

from hookctl.schemas import SCHEMA_FILE

CODE = """
print("a plugin prints")
from pydantic import BaseModel, SecretStr

class Plugin:
    class Settings(BaseModel):
        address: SecretStr
        words: list[str] = []

    def __init__(self, settings): ...
"""
NO_JSON = """
from collections.abc import Callable
from pydantic import BaseModel

class Plugin:
    class Settings(BaseModel):
        call: Callable[[], int]
"""


@pytest.fixture
def packaged(shell: Any) -> Any:
    """The shell with a plugin in a package, which ships no schema yet."""
    shell.install("kind", CODE)
    package = shell.site / "code_of_acme_kind"
    package.mkdir()
    (shell.site / "code_of_acme_kind.py").rename(package / "__init__.py")
    return shell


def test_the_schema_of_a_plugin_is_printed(packaged: Any) -> None:
    result = packaged("schema", "kind")
    assert result.code == 0
    assert result.json["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(result.json["properties"]) == {"address", "words"}
    assert result.json["properties"]["address"]["writeOnly"] is True


def test_what_the_plugin_prints_is_kept_out_of_it(packaged: Any) -> None:
    assert "a plugin prints" in packaged("schema", "kind").err


def test_it_is_written_where_the_other_commands_find_it(packaged: Any) -> None:
    assert packaged("schema", "kind", "--write").code == 0
    file = packaged.site / "code_of_acme_kind" / SCHEMA_FILE
    assert file.read_text() == packaged("schema", "kind").out
    packaged.config.write_text('[plugins.kind.settings]\naddress = "https://a.example/S3CR3T"\n')
    assert "S3CR3T" not in packaged("info", "kind").out


def test_a_distributions_name_will_do(packaged: Any) -> None:
    assert packaged("schema", "acme-kind").json == packaged("schema", "kind").json


def test_a_schema_has_no_place_beside_a_single_module(shell: Any) -> None:
    shell.install("kind", CODE)
    result = shell("schema", "kind", "--write")
    assert result.code == 2
    assert "make it a folder" in result.err
    assert not list(shell.site.glob("*.json"))


@pytest.mark.parametrize(
    ("code", "exit_code", "words"),
    [
        ("class Plugin: ...", 2, "has no settings"),
        ("raise RuntimeError('boom')", 3, "RuntimeError: boom"),
        ("import sys; sys.exit(9)", 3, "SystemExit: 9"),
        (NO_JSON, 3, "tells no schema"),
    ],
)
def test_why_there_is_no_schema_is_told(shell: Any, code: str, exit_code: int, words: str) -> None:
    shell.install("odd", code)
    result = shell("schema", "odd")
    assert (result.code, result.out) == (exit_code, "")
    assert words in result.err


def test_an_unknown_plugin_is_told(packaged: Any) -> None:
    result = packaged("schema", "kund")
    assert result.code == 2
    assert 'did you mean "kind"' in result.err


def test_a_plugin_that_is_configured_and_not_installed_has_none(shell: Any) -> None:
    shell.config.write_text("[plugins.gone]\nenabled = true\n")
    result = shell("schema", "gone")
    assert result.code == 2
    assert "not installed" in result.err


def test_code_that_nobody_vouched_for_is_not_imported_under_enforce(bombs: Any) -> None:
    bombs.config.write_text('[hooks]\nverify = "enforce"\n')
    result = bombs("schema", "writes")
    assert result.code == 3
    assert "is not imported" in result.err
    assert not (bombs.home / "imported").exists()
