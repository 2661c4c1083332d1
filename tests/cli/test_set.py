"""``hookctl set``, ``unset`` and ``enable``: settings by the schema that a package ships."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from hookctl.schemas import SCHEMA_FILE

CODE = """
raise RuntimeError("nobody imports a plugin to change its settings")
"""
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["address"],
    "properties": {
        "address": {
            "type": "string",
            "format": "password",
            "writeOnly": True,
            "description": "Where.",
        },
        "deny": {"type": "array", "items": {"type": "string"}, "default": ["rm"]},
        "hosts": {"type": "array", "items": {"type": "string"}, "examples": [["*.example"]]},
        "seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 30, "default": 5.0},
        "level": {"enum": ["low", "high"], "type": "string", "default": "low"},
        "name": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "on": {"type": "boolean", "default": False},
        "headers": {"type": "object", "additionalProperties": {"type": "string"}, "default": {}},
        "rules": {"type": "array", "items": {"$ref": "#/$defs/Rule"}, "default": []},
    },
    "$defs": {
        "Rule": {
            "type": "object",
            "additionalProperties": False,
            "required": ["tools"],
            "properties": {
                "tools": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                "effect": {"enum": ["allow", "deny"], "type": "string", "default": "deny"},
            },
        }
    },
    "x-hookcore": {"points": ["pre_tool_call"]},
}
COMMENTED = """\
# ours
[plugins.kind]  # the kind one
enabled = true

[plugins.kind.settings]
seconds = 3  # not more
deny = [
    "a",  # first
    "b",
]
address = "x"
"""


@pytest.fixture
def kind(shell: Any) -> Any:
    """The shell with a plugin whose package ships a schema, and cannot be imported."""
    shell.install("kind", CODE)
    package = shell.site / "code_of_acme_kind"
    package.mkdir()
    (shell.site / "code_of_acme_kind.py").rename(package / "__init__.py")
    (package / SCHEMA_FILE).write_text(json.dumps(SCHEMA))
    return shell


def settings(shell: Any) -> dict[str, Any]:
    shown = shell("info", "kind", "--json").json["config"]
    return {
        key.removeprefix("settings."): said["value"]
        for key, said in shown.items()
        if key.startswith("settings.")
    }


def test_a_setting_is_written_into_a_new_file(kind: Any) -> None:
    result = kind("set", "kind", "seconds=2")
    assert result.code == 0
    assert result.out == f"Set plugins.kind.settings.seconds = 2 in {kind.config}\n"
    assert kind.config.read_text() == "[plugins.kind.settings]\nseconds = 2\n"
    assert "kind is not enabled: 'hookctl enable kind'" in result.err


def test_comments_and_order_are_kept(kind: Any) -> None:
    kind.config.write_text(COMMENTED)
    kind("set", "kind", "deny+=c", "seconds=4", "deny-=a", "on=true")
    assert kind.config.read_text() == COMMENTED.replace(
        '    "a",  # first\n    "b",\n', '    "b",\n    "c",\n'
    ).replace("seconds = 3", "seconds = 4").replace('"x"\n', '"x"\non = true\n')


def test_a_value_is_toml_and_what_is_no_toml_is_text(kind: Any) -> None:
    kind("set", "kind", 'deny=["a", "b*"]', "name=some words", "level=high", "seconds=1e1")
    assert settings(kind) == {
        "deny": ["a", "b*"],
        "name": "some words",
        "level": "high",
        "seconds": 10.0,
    }


def test_where_only_text_is_right_it_is_taken_as_text(kind: Any) -> None:
    kind("set", "kind", "name=123", "deny+=true", "headers.X=5")
    assert settings(kind) == {"name": "123", "deny": ["rm", "true"], "headers.X": "5"}


def test_adding_to_a_list_that_is_not_configured_keeps_the_plugins_own(kind: Any) -> None:
    kind("set", "kind", "deny+=a", 'deny+=["b", "rm"]')
    assert settings(kind)["deny"] == ["rm", "a", "b"]


def test_adding_to_a_list_keeps_what_a_weaker_layer_says(kind: Any) -> None:
    kind("set", "kind", 'deny=["a"]', "--user")
    kind("set", "kind", "deny+=b")
    assert settings(kind)["deny"] == ["a", "b"]
    assert '["a"]' in kind.user_config.read_text()


def test_taking_out_the_last_item_leaves_an_empty_list(kind: Any) -> None:
    kind("set", "kind", "deny-=rm")
    assert settings(kind)["deny"] == []


def test_a_table_in_a_list_is_added(kind: Any) -> None:
    kind("set", "kind", 'rules+={tools = ["a"]}', 'rules+={tools = ["b"], effect = "allow"}')
    assert [rule["tools"] for rule in settings(kind)["rules"]] == [["a"], ["b"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("dny+=a", 'no setting dny; did you mean "deny"?'),
        ("deny=a", 'deny must be a list of text, not "a": write \'deny=["a", "b"]\', or deny+=a'),
        ("deny-=zz", 'deny does not hold that "zz"'),
        ("seconds=31", "seconds must be at most 30, not 31"),
        ("seconds=0", "seconds must be more than 0, not 0"),
        ("seconds=soon", 'seconds must be a number, not "soon"'),
        ("seconds=true", "seconds must be a number, not true"),
        ("seconds+=1", "seconds is no list"),
        ("level=hihg", 'must be one of "low", "high", not "hihg"; did you mean "high"?'),
        ("on=yes", 'on must be true or false, not "yes"'),
        ("rules+={tools=[]}", "rules[0].tools must have at least 1 item"),
        (
            "rules+={tols=['a']}",
            'rules[0].tols is no setting that the plugin knows; did you mean "tools"?',
        ),
        ('rules+={tools=["a"], effect="dney"}', 'rules[0].effect must be one of "allow", "deny"'),
        ("mode=montor", 'must be one of "enforce", "monitor", not "montor"; did you mean'),
        ("prioritty=1", 'no setting prioritty, nor an option; did you mean "priority"?'),
        ("rollout=101", "rollout must be at most 100, not 101"),
        ("expires=soon", "expires must be a day such as 2027-01-31, not 'soon'"),
        ('tools=["a["]', "plugins.kind.tools.0 must be a name or glob"),
        ("rules.tools=a", "there is no setting rules.tools"),
        ("=a", "does not say what to change"),
        ("deny*=a", "does not say what to change"),
    ],
)
def test_what_the_plugin_would_refuse_is_refused(kind: Any, change: str, words: str) -> None:
    kind.config.write_text(COMMENTED)
    result = kind("set", "kind", change)
    assert result.code == 2
    assert words in result.err
    assert kind.config.read_text() == COMMENTED


def test_one_wrong_change_of_several_leaves_all_undone(kind: Any) -> None:
    assert kind("set", "kind", "seconds=2", "level=middle").code == 2
    assert not kind.config.exists()


def test_a_secret_is_never_shown(kind: Any) -> None:
    result = kind("set", "kind", "address=hunter2")
    assert (result.code, "hunter2" in result.out + result.err) == (0, False)
    assert 'address = "hunter2"' in kind.config.read_text()
    assert "hunter2" not in kind("set", "kind", "address=hunter2", "--json").out


@pytest.mark.parametrize("change", ["address={a='hunter2'}", "address+=hunter2", "address"])
def test_a_refused_secret_is_never_shown(kind: Any, change: str) -> None:
    result = kind("set", "kind", change)
    assert result.code == 2
    assert "hunter2" not in result.err


def test_a_key_alone_reads_its_value_from_standard_input(kind: Any) -> None:
    assert kind("set", "kind", "address", stdin="hunter2\n").code == 0
    assert 'address = "hunter2"' in kind.config.read_text()
    assert kind("set", "kind", "deny", stdin="x\n").code == 0
    assert settings(kind)["deny"] == ["rm", "x"]


def test_the_change_is_told_as_json(kind: Any) -> None:
    assert kind("set", "kind", "seconds=2", "--json").json == [
        {"name": "kind", "file": str(kind.config), "changed": True, "set": {"seconds": 2}}
    ]


def test_setting_what_is_set_already_writes_nothing(kind: Any) -> None:
    kind("set", "kind", "seconds=2")
    before = kind.config.stat().st_mtime_ns
    assert "says so already" in kind("set", "kind", "seconds=2").out
    assert kind.config.stat().st_mtime_ns == before


def test_a_stronger_layer_that_wins_is_told(kind: Any) -> None:
    result = kind("set", "kind", "seconds=2", HOOKCORE_PLUGINS__KIND__SETTINGS__SECONDS="9")
    assert "This has no effect: environment variable HOOKCORE_PLUGINS__KIND" in result.err
    assert "seconds = 9, and wins" in result.err


def test_settings_of_a_required_plugin_are_not_changed_below(kind: Any) -> None:
    kind.user_config.parent.mkdir()
    kind.user_config.write_text("[plugins.kind]\nrequired = true\n")
    result = kind("set", "kind", "seconds=2")
    assert result.code == 2
    assert "kind stays as it is" in result.err
    assert not kind.config.exists()


def test_in_a_pyproject_the_table_of_the_tool_is_edited(kind: Any) -> None:
    pyproject = kind.folder / "pyproject.toml"
    pyproject.write_text(
        "[project]\nname = 'x'  # mine\n\n[tool.hookcore.plugins.kind]\nenabled = true\n"
    )
    assert kind("set", "kind", "seconds=2").code == 0
    text = pyproject.read_text()
    assert text.startswith("[project]\nname = 'x'  # mine\n")
    assert "[tool.hookcore.plugins.kind.settings]\nseconds = 2\n" in text


def test_without_a_schema_anything_is_written_and_that_is_told(shell: Any) -> None:
    shell.install("bare", CODE)
    result = shell("set", "bare", "some.key=[1]", "list=['a']", "list+=b")
    assert result.code == 0
    assert "ships no schema" in result.err
    assert shell.config.read_text() == (
        '[plugins.bare.settings]\nlist = ["a", "b"]\n\n[plugins.bare.settings.some]\nkey = [1]\n'
    )


def test_without_a_schema_nothing_is_added_to_a_list_that_nobody_saw(shell: Any) -> None:
    shell.install("bare", CODE)
    result = shell("set", "bare", "list+=a")
    assert result.code == 2
    assert "no schema tells what the plugin's own list holds: write list=[...]" in result.err


def test_changes_at_the_same_time_all_arrive(kind: Any) -> None:
    kind.config.write_text(COMMENTED)
    threads = [
        threading.Thread(target=kind.process, args=("set", "kind", f"deny+={letter}"))
        for letter in "cdef"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(settings(kind)["deny"]) == list("abcdef")


def test_unset_takes_a_setting_away(kind: Any) -> None:
    kind.config.write_text(COMMENTED)
    result = kind("unset", "kind", "seconds")
    assert result.out == f"Took plugins.kind.settings.seconds out of {kind.config}\n"
    assert kind.config.read_text() == COMMENTED.replace("seconds = 3  # not more\n", "")


def test_unset_tells_which_setting_is_now_missing(kind: Any) -> None:
    kind.config.write_text(COMMENTED)
    assert "hookctl set kind address" in kind("unset", "kind", "address").err


def test_unset_takes_a_key_away_that_the_schema_does_not_know(kind: Any) -> None:
    kind.config.write_text("[plugins.kind.settings]\nold = 1\nseconds = 1\n")
    assert kind("unset", "kind", "old").code == 0
    assert settings(kind) == {"seconds": 1}


@pytest.mark.parametrize(
    ("key", "words"), [("dney", 'did you mean "deny"?'), ("on", "does not set on of kind")]
)
def test_unset_of_what_is_not_there_is_refused(kind: Any, key: str, words: str) -> None:
    kind.config.write_text(COMMENTED)
    result = kind("unset", "kind", "deny", key)
    assert result.code == 2
    assert words in result.err
    assert kind.config.read_text() == COMMENTED


def test_unset_names_the_layer_that_sets_it(kind: Any) -> None:
    kind("set", "kind", "seconds=2", "--user")
    result = kind("unset", "kind", "seconds")
    assert result.code == 2
    assert f"{kind.user_config} does" in result.err


def test_unset_tells_what_still_sets_it(kind: Any) -> None:
    kind("set", "kind", "seconds=2", "--user")
    kind("set", "kind", "seconds=3")
    assert "seconds is still 2" in kind("unset", "kind", "seconds").err


def test_enable_tells_what_a_plugin_cannot_do_without(kind: Any) -> None:
    result = kind("enable", "kind")
    assert result.code == 0
    assert "kind needs a setting that is not there, and nothing starts without it" in result.err
    assert "address (text): Where." in result.err
    assert "hookctl set kind address" in result.err


def test_enable_tells_nothing_when_all_is_there(kind: Any) -> None:
    kind("set", "kind", "address=x")
    assert "needs" not in kind("enable", "kind").err


def test_enable_says_where_the_settings_of_a_plugin_are_shown(kind: Any) -> None:
    assert "'hookctl info kind' shows its settings" in kind("enable", "kind").err
    kind("set", "kind", "address=x")
    assert "shows its settings" not in kind("enable", "kind").err


def test_changes_are_told_to_be_in_force_at_the_next_start(kind: Any) -> None:
    assert "In force at the next start of a program" in kind("enable", "kind").err
    assert "In force at the next start of a program" in kind("set", "kind", "on=true").err
    assert "In force at the next start of a program" in kind("disable", "kind").err


def test_info_tells_points_and_settings_without_an_import(kind: Any) -> None:
    shown = kind("info", "kind", "--json").json
    assert shown["points"] == ["pre_tool_call"]
    by_key = {setting["key"]: setting for setting in shown["settings"]}
    assert list(by_key)[:3] == ["address", "deny", "hosts"]
    assert by_key["seconds"] == {
        "key": "seconds",
        "type": "number",
        "required": False,
        "default": 5.0,
        "description": None,
        "choices": [],
        "bounds": "more than 0, at most 30",
        "secret": False,
        "example": "seconds=5.0",
    }
    assert by_key["address"]["required"]
    assert by_key["rules[].effect"]["choices"] == ["allow", "deny"]
    assert by_key["name"]["type"] == "text"
    assert by_key["hosts"]["example"] == "hosts+=*.example"


def test_info_shows_each_setting_with_a_command_to_copy(kind: Any) -> None:
    shown = kind("info", "kind").out
    assert "points:       pre_tool_call" in shown
    assert "  address: text; required\n      Where.\n      hookctl set kind address\n" in shown
    assert '  deny: list of text; default ["rm"]\n      hookctl set kind deny+=VALUE\n' in shown


def test_every_example_of_info_works(kind: Any) -> None:
    examples = [one["example"] for one in kind("info", "kind", "--json").json["settings"]]
    for example in filter(None, examples):
        assert kind("set", "kind", example, stdin="x\n").code == 0, example


def test_info_says_where_no_schema_is_shipped(shell: Any) -> None:
    shell.install("bare", CODE)
    result = shell("info", "bare")
    assert "ships no schema of its settings" in result.err
    assert shell("info", "bare", "--json").json["settings"] is None


def test_what_is_no_setting_is_one_of_hookcores_options(kind: Any) -> None:
    kind.config.write_text(COMMENTED)
    result = kind("set", "kind", "mode=monitor", "rollout=10", "expires=2027-01-31", "tools+=a*")
    assert result.code == 0
    assert f'Set plugins.kind.mode = "monitor" in {kind.config}\n' in result.out
    options = 'mode = "monitor"\nrollout = 10\nexpires = 2027-01-31\ntools = ["a*"]\n'
    assert kind.config.read_text() == COMMENTED.replace(
        "enabled = true\n", f"enabled = true\n{options}"
    )
    assert kind("unset", "kind", "rollout", "expires").code == 0
    assert "rollout" not in kind.config.read_text()


def test_a_setting_that_is_called_like_an_option_comes_first_and_that_is_told(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = {**SCHEMA, "properties": {"tools": {"type": "array", "items": {"type": "string"}}}}
    (kind.site / "code_of_acme_kind" / SCHEMA_FILE).write_text(json.dumps(schema))
    result = kind("set", "kind", "tools+=a")
    assert result.out == f'Set plugins.kind.settings.tools = ["a"] in {kind.config}\n'
    assert (
        "own option of that name is another key: hookctl set plugins.kind.tools=..." in result.err
    )
    assert kind("set", 'plugins.kind.tools=["b"]').code == 0
    assert kind("set", "plugins.kind.settings.tools+=c").code == 0
    shown = kind("info", "kind", "--json").json["config"]
    assert shown["tools"]["value"] == ["b"]
    assert shown["settings.tools"]["value"] == ["a", "c"]


def test_without_a_schema_a_key_that_may_be_either_is_refused_with_both_ways(shell: Any) -> None:
    shell.install("bare", CODE)
    result = shell("set", "bare", "mode=monitor")
    assert result.code == 2
    assert "write plugins.bare.mode or plugins.bare.settings.mode" in result.err
    assert shell("set", "plugins.bare.mode=monitor").code == 0
    assert shell.config.read_text() == '[plugins.bare]\nmode = "monitor"\n'
    assert shell("unset", "bare", "mode").code == 0


def test_what_holds_for_one_rule_is_set_and_taken_out(kind: Any) -> None:
    result = kind("set", "kind", "--rule", "deny:a*", "mode=monitor", "expires=2027-01-31")
    assert result.code == 0
    assert 'Set plugins.kind.rules."deny:a*".mode = "monitor"' in result.out
    assert kind.config.read_text() == (
        '[plugins.kind.rules."deny:a*"]\nmode = "monitor"\nexpires = 2027-01-31\n'
    )
    assert "'hookctl doctor' tells if 'deny:a*' is none" in result.err
    wrong = kind("set", "kind", "--rule", "deny:a*", "mod=monitor")
    assert (wrong.code, 'no setting mod; did you mean "mode"?' in wrong.err) == (2, True)
    assert kind("unset", "kind", "--rule", "deny:a*", "expires").code == 0
    near = kind("unset", "kind", "--rule", "deny:a")
    assert (near.code, 'did you mean "deny:a*"?' in near.err) == (2, True)
    assert kind("unset", "kind", "--rule", "deny:a*").code == 0
    assert "deny" not in kind.config.read_text()


def test_hookcores_own_tables_are_set_by_their_whole_path(kind: Any) -> None:
    kind.config.write_text("# ours\n[hooks]\nenabled = true  # yes\n")
    assert kind("set", "hooks.verify=enforce", "telemetry.track_mutations=true").code == 0
    assert kind.config.read_text() == (
        '# ours\n[hooks]\nenabled = true  # yes\nverify = "enforce"\n\n'
        "[telemetry]\ntrack_mutations = true\n"
    )
    assert kind("set", "log.enabled=true", "--user").code == 0
    assert kind.user_config.read_text() == "[log]\nenabled = true\n"
    assert kind("unset", "hooks.verify", "telemetry.track_mutations").code == 0
    assert "verify" not in kind.config.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hooks.verfy=off",), 'no setting hooks.verfy; did you mean "verify"?'),
        (("hooks.verify=of",), 'must be one of "off", "warn", "enforce", not "of"'),
        (("record.enabled=true",), "user's own file: add --user"),
        (("log.max_days=7",), "counts only in the system's and the user's own file"),
        (("plugins.kind=1",), "plugins.kind is a table: name a key in it"),
        (("plugins.kidn.mode=monitor",), 'did you mean "kind"?'),
        (("plugins.kind.settings=1",), "plugins.kind.settings is a table"),
        (("hooks.verify=off", "--rule", "x"), "--rule is for the keys of a plugin"),
        (("kind",), "what is to be changed?"),
        (("deny+=a",), "deny of which plugin?"),
    ],
)
def test_a_key_that_means_nothing_is_refused(kind: Any, words: Any, said: str) -> None:
    result = kind("set", *words)
    assert (result.code, said in result.err) == (2, True), result.err
    assert not kind.config.exists()


def test_options_are_told_as_json(kind: Any) -> None:
    told = kind("set", "kind", "mode=monitor", "seconds=2", "expires=2027-01-31", "--json").json
    assert told == [
        {
            "name": "kind",
            "file": str(kind.config),
            "changed": True,
            "set": {"seconds": 2},
            "options": {"mode": "monitor", "expires": "2027-01-31"},
        }
    ]


def test_a_shell_offers_options_rules_keys_and_whole_paths(kind: Any) -> None:
    import click

    from hookctl.completing import keys_to_set, names_to_set

    def offered(find: Any, incomplete: str, **params: Any) -> list[str]:
        ctx = click.Context(click.Command("set"))
        ctx.params = params
        return list(find(ctx, None, incomplete))

    assert "mode=monitor" in offered(keys_to_set, "mode=", name="kind")
    assert offered(keys_to_set, "ro", name="kind") == ["rollout="]
    assert offered(keys_to_set, "", name="kind", rule="x") == ["expires=", "mode=", "rollout="]
    assert offered(names_to_set, "hooks.verify=e") == ["hooks.verify=enforce"]
