"""``hookctl config schema``: one schema for editors, with the settings of all plugins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hookctl.schemas import SCHEMA_FILE
from hookctl.settings.checking import problems

ONE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "deny": {"type": "array", "items": {"type": "string"}},
        "rule": {"$ref": "#/$defs/Rule"},
    },
    "$defs": {
        "Rule": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"a": {"type": "integer"}},
        }
    },
}
TWO = {
    "type": "object",
    "properties": {"rule": {"$ref": "#/$defs/Rule"}},
    "$defs": {"Rule": {"type": "string"}},
}


@pytest.fixture
def two(shell: Any) -> Any:
    """The shell with two plugins whose schemas use the same names inside."""
    for name, schema in (("one", ONE), ("two", TWO), ("bare", None)):
        shell.install(name, "")
        package = shell.site / f"code_of_acme_{name}"
        package.mkdir()
        (shell.site / f"code_of_acme_{name}.py").rename(package / "__init__.py")
        if schema is not None:
            (package / SCHEMA_FILE).write_text(json.dumps(schema))
    return shell


def wrong(schema: dict[str, Any], plugins: dict[str, Any]) -> list[str]:
    return [str(problem) for problem in problems({"plugins": plugins}, schema, schema)]


def test_each_plugins_settings_have_their_own_schema(two: Any) -> None:
    schema = two("config", "schema").json
    assert wrong(schema, {"one": {"settings": {"deny": ["a"], "rule": {"a": 1}}}}) == []
    assert wrong(schema, {"two": {"settings": {"rule": "x"}, "enabled": True}}) == []
    assert wrong(schema, {"one": {"settings": {"deny": "a"}}}) == [
        'plugins.one.settings.deny must be a list of text, not "a"'
    ]
    assert wrong(schema, {"two": {"settings": {"rule": {"a": 1}}}})


def test_what_holds_for_every_plugin_still_holds(two: Any) -> None:
    schema = two("config", "schema").json
    assert wrong(schema, {"one": {"mode": "montor"}})
    assert wrong(schema, {"other": {"enabld": True}})
    assert wrong(schema, {"bare": {"settings": {"anything": 1}}, "other": {"enabled": True}}) == []


def test_every_reference_leads_somewhere(two: Any) -> None:
    schema = two("config", "schema").json

    def references(node: Any) -> list[str]:
        if isinstance(node, dict):
            own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
            return own + [one for value in node.values() for one in references(value)]
        return [one for item in node for one in references(item)] if isinstance(node, list) else []

    found = references(schema)
    assert found
    for reference in found:
        assert reference.removeprefix("#/$defs/") in schema["$defs"]


def test_on_request_it_is_written_and_named_in_the_first_line(two: Any) -> None:
    two.config.write_text("# ours\n[plugins.one]\nenabled = true\n")
    result = two("config", "schema", "--write")
    assert result.code == 0
    assert two.config.read_text().splitlines()[:2] == ["#:schema ./hookcore.schema.json", "# ours"]
    assert (
        json.loads((two.folder / "hookcore.schema.json").read_text())
        == two("config", "schema").json
    )
    assert two.row("one")["state"] == "enabled"


def test_written_twice_the_line_is_there_once(two: Any) -> None:
    two.config.write_bytes(
        b"\xef\xbb\xbf#:schema https://old.example/x.json\r\n[hooks]\r\nenabled = true\r\n"
    )
    two("config", "schema", "--write")
    two("config", "schema", "--write")
    assert two.config.read_bytes() == (
        b"\xef\xbb\xbf#:schema ./hookcore.schema.json\r\n[hooks]\r\nenabled = true\r\n"
    )


def test_a_file_that_is_no_toml_stays_as_it_is(two: Any) -> None:
    two.config.write_text("[plugins\n")
    assert two("config", "schema", "--write").code == 3
    assert two.config.read_text() == "[plugins\n"
    assert not (two.folder / "hookcore.schema.json").exists()


def test_a_pyproject_names_no_schema_of_ours(two: Any) -> None:
    (two.folder / "pyproject.toml").write_text("[tool.hookcore]\n")
    result = two("config", "schema", "--write")
    assert result.code == 2
    assert "move [tool.hookcore] to a hookcore.toml" in result.err


def test_the_schema_of_a_link_lies_beside_the_link(two: Any) -> None:
    real = Path(two.home) / "real.toml"
    real.write_text("[hooks]\nenabled = true\n")
    two.config.symlink_to(real)
    assert two("config", "schema", "--write").code == 0
    assert two.config.is_symlink()
    assert real.read_text().startswith("#:schema ./hookcore.schema.json\n")
