"""Finding plugins in the metadata of distributions."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookcore.discovery import Catalog, PluginSource, discover, editable_project
from hookcore.errors import PluginLoadError
from hookcore.naming.suggest import nearest
from hookcore.testing import as_new_process


def found(site: Path, *more: Path) -> Catalog:
    return discover(path=[str(site), *map(str, more)])


def test_a_plugin_is_found_with_its_distribution_version_and_location(
    site: Path, install: Any
) -> None:
    folder = install("acme-policy", "acme = acme.policy:Plugin", version="2.1")
    assert dict(found(site)) == {
        "acme": PluginSource("acme", "acme.policy:Plugin", "acme-policy", "2.1", str(folder))
    }


def test_plugins_are_sorted_by_name_whatever_the_order_of_the_folders(
    site: Path, install: Any
) -> None:
    install("aaa", "zebra = a:b")
    install("zzz", "ant = a:b\nmole = a:b")
    assert list(found(site)) == ["ant", "mole", "zebra"]


def test_other_entry_point_groups_are_of_no_interest(site: Path, install: Any) -> None:
    folder = install("acme", None)
    (folder / "entry_points.txt").write_text("[console_scripts]\nx = hookcore.plugins:y\n")
    assert not found(site)


def test_nothing_is_imported(site: Path, install: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "bomb.py").write_text("raise RuntimeError('imported')")
    install("bomb", "bomb = bomb:Plugin")
    monkeypatch.syspath_prepend(str(site))
    assert "bomb" in discover(path=[str(site)])
    assert "bomb" not in sys.modules


def test_loading_a_source_imports_what_it_names(
    site: Path, install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / "probe_for_load.py").write_text("class Outer:\n    class Plugin: ...\n")
    install("probe", "probe = probe_for_load:Outer.Plugin")
    monkeypatch.syspath_prepend(str(site))
    loaded: Any = discover(path=[str(site)])["probe"].load()
    assert loaded.__qualname__ == "Outer.Plugin"


def test_two_distributions_with_one_plugin_name_are_a_conflict(site: Path, install: Any) -> None:
    first, second = install("one", "acme = a:b"), install("two", "acme = c:d", version="3")
    conflict = found(site)["acme"].conflict
    assert conflict is not None
    for part in ("one 1.0", "two 3", str(first), str(second), "pip uninstall two"):
        assert part in conflict


def test_two_copies_of_one_distribution_are_a_conflict(
    site: Path, install: Any, tmp_path: Path
) -> None:
    install("acme-policy", "acme = a:b")
    install("acme-policy", "acme = a:b", version="2.0", site=tmp_path / "other")
    conflict = found(site, tmp_path / "other")["acme"].conflict
    assert conflict is not None
    for part in ("acme-policy", "1.0", "2.0", str(site), str(tmp_path / "other"), "uninstall"):
        assert part in conflict


def test_a_copy_without_plugins_is_a_conflict_too(site: Path, install: Any, tmp_path: Path) -> None:
    install("acme-policy", None, site=tmp_path / "shadow")
    install("acme-policy", "acme = a:b")
    assert found(tmp_path / "shadow", site)["acme"].conflict is not None


def test_a_plugin_that_one_distribution_declares_twice_is_a_conflict(
    site: Path, install: Any
) -> None:
    install("acme", "acme = a:b\nacme = c:d")
    conflict = found(site)["acme"].conflict
    assert conflict is not None
    assert "mend its metadata" in conflict


def test_a_conflict_is_never_loaded(site: Path, install: Any) -> None:
    install("one", "acme = a:b")
    install("two", "acme = a:b")
    with pytest.raises(PluginLoadError, match="pip uninstall two"):
        found(site)["acme"].load()


def test_one_folder_reached_by_two_paths_is_one_copy(
    site: Path, install: Any, tmp_path: Path
) -> None:
    install("acme", "acme = a:b")
    link = tmp_path / "link"
    link.symlink_to(site, target_is_directory=True)
    assert found(site, link, site)["acme"].conflict is None


def test_the_egg_info_in_the_source_folder_of_an_editable_install_is_no_copy(
    site: Path, install: Any, tmp_path: Path
) -> None:
    source = tmp_path / "project" / "src"
    install("acme", "acme = stale:b", site=source, suffix="egg-info")
    (tmp_path / "project" / "pyproject.toml").write_text("")
    installed = install("acme", "acme = a:b")
    url = {"url": (tmp_path / "project").as_uri(), "dir_info": {"editable": True}}
    (installed / "direct_url.json").write_text(json.dumps(url))
    source_of = found(site, source)["acme"]
    assert (source_of.value, source_of.conflict) == ("a:b", None)


def test_an_egg_info_elsewhere_is_a_copy(site: Path, install: Any, tmp_path: Path) -> None:
    install("acme", "acme = stale:b", site=tmp_path / "elsewhere", suffix="egg-info")
    installed = install("acme", "acme = a:b")
    url = {"url": (tmp_path / "project").as_uri(), "dir_info": {"editable": True}}
    (installed / "direct_url.json").write_text(json.dumps(url))
    assert found(site, tmp_path / "elsewhere")["acme"].conflict is not None


@pytest.mark.parametrize("place", ["plain", "venv/site-packages"])
def test_a_forged_editable_install_cannot_hide_an_installed_egg_info(
    site: Path, install: Any, tmp_path: Path, place: str
) -> None:
    install("acme", "acme = a:b", site=tmp_path / place, suffix="egg-info")
    if "venv" in place:
        (tmp_path / "pyproject.toml").write_text("")
    forged = install("acme", "acme = evil:b")
    url = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    (forged / "direct_url.json").write_text(json.dumps(url))
    assert found(site, tmp_path / place)["acme"].conflict is not None


def test_what_an_interrupted_pip_left_behind_is_ignored(site: Path, install: Any) -> None:
    install("acme", "acme = a:b")
    install("~cme", "acme = a:b")
    assert found(site)["acme"].conflict is None


def test_egg_folders_are_read(tmp_path: Path) -> None:
    egg = tmp_path / "acme-1.0-py3.egg"
    (egg / "EGG-INFO").mkdir(parents=True)
    (egg / "EGG-INFO" / "PKG-INFO").write_text("Name: acme\nVersion: 1.0\n")
    (egg / "EGG-INFO" / "entry_points.txt").write_text("[hookcore.plugins]\nacme = a:b\n")
    assert found(egg)["acme"].distribution == "acme"


def test_archives_are_read(tmp_path: Path) -> None:
    archive = tmp_path / "bundle.zip"
    with zipfile.ZipFile(archive, "w") as bundle:
        bundle.writestr("acme-1.5.dist-info/METADATA", "Name: acme\nVersion: 1.5\n")
        bundle.writestr("acme-1.5.dist-info/entry_points.txt", "[hookcore.plugins]\nacme = a:b\n")
    assert found(archive)["acme"].version == "1.5"


def test_distributions_of_somebody_elses_finder_are_found(
    site: Path, install: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib_metadata import PathDistribution

    folder = install("acme", "acme = a:b")

    class Finder:
        def find_spec(self, *arguments: object) -> None: ...

        def find_distributions(self, context: object) -> list[PathDistribution]:
            return [PathDistribution(folder)]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert "acme" in discover(path=[])


def test_path_entries_that_are_not_there_are_skipped(
    site: Path, install: Any, tmp_path: Path
) -> None:
    install("acme", "acme = a:b")
    assert list(found(tmp_path / "nowhere", site)) == ["acme"]


def test_unreadable_entry_points_are_a_problem_and_not_the_end(site: Path, install: Any) -> None:
    folder = install("broken", None)
    (folder / "entry_points.txt").write_bytes(b"[hookcore.plugins]\n\xff\xfe = a:b\n")
    install("acme", "acme = a:b")
    catalog = found(site)
    assert list(catalog) == ["acme"]
    assert "broken 1.0" in catalog.problems[0]


@pytest.mark.parametrize(
    "content",
    [
        b"[others]\n\xff = a:b\n",
        b"[others]\nno entry at all\n",
        "[others]\na = b\n".encode("utf-16"),
    ],
    ids=["no UTF-8", "no entry", "UTF-16"],
)
def test_entry_points_that_others_cannot_read_are_named(
    site: Path, install: Any, content: bytes
) -> None:
    folder = install("broken", None)
    (folder / "entry_points.txt").write_bytes(content)
    install("acme", "acme = a:b")
    catalog = found(site)
    assert list(catalog) == ["acme"]
    (problem,) = catalog.problems
    assert "broken 1.0" in problem
    assert str(folder) in problem


def test_a_folder_in_the_place_of_the_entry_points_is_named(site: Path, install: Any) -> None:
    (install("broken", None) / "entry_points.txt").mkdir()
    install("acme", "acme = a:b")
    catalog = found(site)
    assert list(catalog) == ["acme"]
    assert "broken 1.0" in catalog.problems[0]


@pytest.mark.parametrize(
    "text", ['{"dir_info": {"editable": true}, "url": 3}', "[1]", "null", "[" * 100_000]
)
def test_a_direct_url_that_makes_no_sense_is_no_editable_install(
    site: Path, install: Any, text: str
) -> None:
    folder = install("acme", "acme = a:b")
    (folder / "direct_url.json").write_text(text)
    assert editable_project(str(folder)) is None


def test_finders_and_archives_that_fail_are_named(
    site: Path, install: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def find_distributions(self, context: Any) -> Any:
            raise RuntimeError("no")

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Broken()])
    archive = tmp_path / "broken.zip"
    archive.write_bytes(b"no archive")
    install("acme", "acme = a:b")
    catalog = found(archive, site)
    assert list(catalog) == ["acme"]
    assert "RuntimeError: no" in " ".join(catalog.problems)


def test_metadata_without_a_name_falls_back_to_the_folder(site: Path, install: Any) -> None:
    folder = install("acme-policy", "acme = a:b")
    (folder / "METADATA").unlink()
    source = found(site)["acme"]
    assert (source.distribution, source.version) == ("acme-policy", "unknown")


def test_plugins_are_found_by_any_spelling_of_their_distribution(site: Path, install: Any) -> None:
    install("acme-policy", "one = a:b\ntwo = a:c")
    names = [source.name for source in found(site).of_distribution("Acme_Policy")]
    assert names == ["one", "two"]


def test_the_path_of_the_process_is_scanned_once(site: Path, install: Any) -> None:
    with as_new_process(site):
        first = discover()
        install("acme", "acme = a:b")
        assert discover() is first
        assert "acme" in discover(refresh=True)


def test_importing_discovery_does_not_import_importlib_metadata() -> None:
    code = (
        "import sys, hookcore.discovery as d; d.discover(path=[]); "
        "print('importlib_metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@given(st.text(min_size=1), st.lists(st.text(min_size=1)))
def test_a_suggestion_is_always_a_known_word(word: str, known: list[str]) -> None:
    assert nearest(word, known) in {None, *known}


@given(st.sampled_from(["tool-policy", "redact", "budget"]))
def test_case_and_underscores_do_not_hide_the_right_word(name: str) -> None:
    assert nearest(name.upper().replace("-", "_"), ["redact", "tool-policy", "budget"]) == name
