"""Installed code compared with ``hookcore.lock``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookcore import HookManager, PluginLoadError
from hookcore.discovery import discover
from hookcore.errors import ConfigError
from hookcore.trust.installed import installed_files
from hookcore.trust.lockfile import LockEntry, change_lock, lock_text, read_lock

ON = "[plugins.guard]\nenabled = true\n"
ENFORCE = "[hooks]\nverify = 'enforce'\n"


def lock_of(machine: Any) -> Path:
    path: Path = machine.project.with_name("hookcore.lock")
    return path


def refused(machine: Any) -> str:
    with pytest.raises(PluginLoadError) as caught:
        machine.load()
    return str(caught.value)


@pytest.fixture
def locked(machine: Any) -> Any:
    """A machine whose project enables a plugin, has locked it, and insists on that."""
    machine.package = machine.install("guard")
    machine.project.write_text(ENFORCE)
    assert machine.hookctl("enable", "guard").code == 0
    return machine


def test_enabling_locks_distribution_version_and_files(locked: Any) -> None:
    entry = read_lock(lock_of(locked))["guard"]
    assert (entry.distribution, entry.version) == ("acme-guard", "1.0")
    assert set(entry.files) == {
        "acme_guard-1.0.dist-info/METADATA",
        "acme_guard-1.0.dist-info/entry_points.txt",
        "plugin_guard/__init__.py",
        "plugin_guard/rules.txt",
    }
    assert [info.name for info in locked.load().plugins()] == ["guard"]


def test_changed_code_is_not_imported(locked: Any) -> None:
    (locked.package / "__init__.py").write_text("raise SystemExit('it was imported')")
    told = refused(locked)
    assert "plugin_guard/__init__.py: changed since it was locked" in told
    assert "'hookctl lock guard' accepts it" in told


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda p: (p / "rules.txt").unlink(), "rules.txt: missing, and locked"),
        (lambda p: (p / "rules.txt").write_text("x"), "rules.txt: changed since it was locked"),
        (lambda p: (p / "rules.py").write_text("x"), "plugin_guard/rules.py: not in the lock file"),
        (lambda p: (p / "rules.abi3.so").write_text("x"), "rules.abi3.so: not in the lock file"),
        (
            lambda p: ((p / "inner").mkdir(), (p / "inner" / "__init__.py").write_text("")),
            "plugin_guard/inner/__init__.py: not in the lock file",
        ),
    ],
)
def test_each_difference_is_told(locked: Any, harm: Any, words: str) -> None:
    harm(locked.package)
    assert words in refused(locked)
    result = locked.hookctl("lock", "--check")
    assert result.code == 1
    assert words in result.out


def test_compiled_caches_and_scripts_do_not_count(locked: Any) -> None:
    cache = locked.package / "__pycache__"
    cache.mkdir(exist_ok=True)
    (cache / "anything.pyc").write_bytes(b"x")
    assert locked.hookctl("lock", "--check").code == 0


def test_another_version_is_told_as_such(locked: Any) -> None:
    (old,) = locked.site.glob("*.dist-info")
    (old / "METADATA").write_text("Name: acme-guard\nVersion: 2.0\n")
    assert "acme-guard 2.0 is installed, and acme-guard 1.0 is locked" in refused(locked)


def test_locking_again_accepts_the_change(locked: Any) -> None:
    (locked.package / "rules.txt").write_text("new\n")
    result = locked.hookctl("lock", "guard")
    assert "Locked guard: acme-guard 1.0, 4 files" in result.out
    assert "rules.txt changed since it was installed" in result.err
    assert locked.load().plugins()
    assert "Unchanged: guard" in locked.hookctl("lock").out


def test_enabling_again_does_not_accept_changed_code(locked: Any) -> None:
    (locked.package / "rules.txt").write_text("new\n")
    result = locked.hookctl("enable", "guard", "--monitor")
    assert "is not what is locked" in result.err
    assert "changed since it was locked" in refused(locked)


def test_warn_loads_and_tells(locked: Any, caplog: pytest.LogCaptureFixture) -> None:
    locked.project.write_text(ON)
    (locked.package / "rules.txt").write_text("new\n")
    assert locked.load().plugins()
    assert "plugin guard (acme-guard 1.0) is not what is locked" in caplog.text
    assert "rules.txt: changed since it was locked" in caplog.text


def test_warn_says_nothing_of_what_nobody_locked(
    machine: Any, caplog: pytest.LogCaptureFixture
) -> None:
    machine.install("guard")
    machine.project.write_text(ON)
    assert machine.load().plugins()
    assert caplog.text == ""


def test_off_does_not_look(locked: Any, caplog: pytest.LogCaptureFixture) -> None:
    locked.project.write_text("[hooks]\nverify = 'off'\n" + ON)
    lock_of(locked).write_text("nonsense")
    (locked.package / "rules.txt").write_text("new\n")
    assert locked.load().plugins()
    assert caplog.text == ""


def test_a_required_policy_that_was_changed_is_refused_under_warn_too(locked: Any) -> None:
    locked.project.write_text("[plugins.guard]\nrequired = true\n")
    assert locked.load().plugins()
    (locked.package / "rules.txt").write_text("new\n")
    assert "rules.txt: changed since it was locked" in refused(locked)


def test_the_lock_lies_beside_the_layer_that_enables(machine: Any) -> None:
    machine.install("guard")
    machine.hookctl("enable", "guard", "--user")
    assert machine.user.with_name("hookcore.lock").exists()
    assert not lock_of(machine).exists()


def test_a_project_that_repeats_what_the_user_enabled_does_not_vouch_for_it(machine: Any) -> None:
    package = machine.install("guard")
    machine.user.write_text(ENFORCE)
    machine.hookctl("enable", "guard", "--user")
    (package / "rules.txt").write_text("new\n")
    machine.project.write_text(ON)
    change_lock(
        lock_of(machine),
        lambda entries: {
            "guard": LockEntry("acme-guard", "1.0", installed_files(discover()["guard"]).files)
        },
    )
    machine.hookctl("trust")
    assert "rules.txt: changed since it was locked" in refused(machine)


def test_a_cloned_lock_counts_for_nothing_until_it_is_trusted(machine: Any) -> None:
    machine.install("guard")
    machine.user.write_text(ENFORCE)
    machine.project.write_text(ON)
    entry = LockEntry("acme-guard", "1.0", installed_files(discover()["guard"]).files)
    change_lock(lock_of(machine), lambda entries: {"guard": entry})
    assert "does not count until you have trusted it" in refused(machine)
    assert machine.hookctl("trust").code == 0
    assert machine.load().plugins()


def test_a_trusted_lock_that_changes_counts_for_nothing_again(machine: Any) -> None:
    package = machine.install("guard")
    machine.user.write_text(ENFORCE + "[trust]\nproject = 'trusted'\n")
    machine.hookctl("enable", "guard")
    assert machine.load().plugins()
    (package / "rules.txt").write_text("new\n")
    entry = LockEntry("acme-guard", "1.0", installed_files(discover()["guard"]).files)
    change_lock(lock_of(machine), lambda entries: {"guard": entry})
    assert "does not count until you have trusted it" in refused(machine)
    result = machine.hookctl("lock")
    assert "run 'hookctl trust'" in result.err
    assert "does not count until you have trusted it" in refused(machine)


def test_locking_keeps_a_trusted_project_trusted(machine: Any) -> None:
    package = machine.install("guard")
    machine.user.write_text(ENFORCE + "[trust]\nproject = 'trusted'\n")
    machine.hookctl("enable", "guard")
    (package / "rules.txt").write_text("new\n")
    assert machine.hookctl("lock").code == 0
    assert machine.load().plugins()


def test_an_editable_install_is_locked_by_its_source_files(
    machine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "checkout" / "src"
    package = source / "plugin_guard"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("class Plugin: ...\n")
    (package / "rules.json").write_text("{}")
    metadata = machine.site / "acme_guard-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: acme-guard\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[hookcore.plugins]\nguard = plugin_guard:Plugin\n")
    (metadata / "RECORD").write_text("_acme.pth,,\n")
    url = {"url": source.parent.as_uri(), "dir_info": {"editable": True}}
    (metadata / "direct_url.json").write_text(json.dumps(url))
    monkeypatch.syspath_prepend(str(source))
    files = installed_files(discover(refresh=True)["guard"]).files
    assert set(files) == {
        "plugin_guard/__init__.py",
        "plugin_guard/rules.json",
        "acme_guard-1.0.dist-info/entry_points.txt",
    }


def test_the_files_of_a_namespace_package_are_found(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = machine.site / "plugin_space" / "guard"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    metadata = machine.site / "acme_guard-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("[hookcore.plugins]\ng = plugin_space.guard.a:B\n")
    files = installed_files(discover(refresh=True)["g"]).files
    assert "plugin_space/guard/__init__.py" in files


def test_a_link_back_to_itself_ends_no_search(locked: Any) -> None:
    (locked.package / "again").symlink_to(locked.package)
    assert locked.hookctl("lock", "--check").code == 0


def test_a_file_whose_name_is_no_text_can_be_locked(locked: Any) -> None:
    odd = os.fsencode(locked.package) + b"/\xff.py"
    try:
        Path(os.fsdecode(odd)).touch()
    except OSError:
        pytest.skip("this file system takes no such name")
    assert locked.hookctl("lock").code == 0
    assert locked.hookctl("lock", "--check").code == 0


def test_only_enabled_and_installed_plugins_are_locked(locked: Any) -> None:
    locked.install("other")
    assert locked.hookctl("lock", "other").code == 2
    assert locked.hookctl("lock", "nobody").code == 2
    rows = locked.hookctl("lock", "--json").json
    assert [(row["name"], row["changed"]) for row in rows] == [("guard", False)]


def test_locking_everything_forgets_what_is_no_longer_enabled(locked: Any) -> None:
    locked.install("other")
    locked.hookctl("enable", "other")
    locked.hookctl("disable", "guard")
    locked.hookctl("lock")
    assert set(read_lock(lock_of(locked))) == {"other"}


def test_a_difference_is_told_as_json(locked: Any) -> None:
    (locked.package / "rules.txt").unlink()
    (told,) = locked.hookctl("lock", "--check", "--json").json
    assert (told["name"], told["kind"]) == ("guard", "missing")


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "version = 2\n",
        "version = 1\n[plugins.guard]\n",
        "version = 1\nplugins = 3\n",
        "version = 1\n[plugins.guard]\ndistribution='a'\nversion='1'\ndigest='x'\nfiles={}\n",
        "version = 1\n[plugins.guard]\ndistribution=1\nversion='1'\ndigest='x'\nfiles={}\n",
        "\x00",
        "[" * 10_000,
    ],
)
def test_a_lock_that_is_broken_vouches_for_nothing(locked: Any, text: str) -> None:
    lock_of(locked).write_text(text)
    with pytest.raises(ConfigError, match=r"hookcore\.lock is not what hookctl writes"):
        read_lock(lock_of(locked))
    assert "is not what hookctl writes" in refused(locked)


NAMES = st.text(min_size=1, max_size=12)
ENTRIES = st.dictionaries(
    NAMES, st.builds(LockEntry, NAMES, NAMES, st.dictionaries(NAMES, NAMES, max_size=3)), max_size=3
)


@settings(max_examples=settings().max_examples // 2)
@given(ENTRIES)
def test_what_is_written_is_what_is_read(tmp_path_factory: Any, entries: dict[str, Any]) -> None:
    file = tmp_path_factory.mktemp("lock") / "hookcore.lock"
    file.write_bytes(lock_text(entries).encode())
    assert read_lock(file) == entries
    assert lock_text(dict(reversed(list(entries.items())))) == lock_text(entries)


def test_the_plugins_of_the_process_are_found_by_the_real_discovery(locked: Any) -> None:
    assert HookManager.load(locked.project.parent).plugins()[0].distribution == "acme-guard"
