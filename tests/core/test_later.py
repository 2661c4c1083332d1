from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hookcore import later

PRINT = "print(*[name for name in {names!r} if name in sys.modules])"


def imported(code: str, names: tuple[str, ...], folder: Path) -> list[str]:
    """Return which of some modules a program has imported in the end."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; {code}; {PRINT.format(names=names)}"],
        cwd=folder,
        env={"HOME": str(folder), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_a_host_waits_for_no_event_loop_and_no_log(tmp_path: Path) -> None:
    names = ("asyncio", "logging", "hashlib", "json", "uuid")
    assert imported("from hookcore import HookManager", names, tmp_path) == []


def test_loading_where_nothing_is_configured_reads_no_schema_and_no_distributions(
    tmp_path: Path,
) -> None:
    names = ("asyncio", "importlib_metadata", "pydantic", "tomli", "tomllib", "hookcore.discovery")
    code = "from hookcore import HookManager; HookManager.load()"
    assert imported(code, names, tmp_path) == []


def test_what_is_used_of_a_thing_is_that_things_own() -> None:
    assert later.logger.handlers is logging.getLogger("hookcore").handlers


def test_a_thing_is_fetched_when_it_is_first_used_and_then_no_more() -> None:
    fetched = []

    def fetch() -> SimpleNamespace:
        fetched.append(1)
        return SimpleNamespace(one=1)

    thing = later.Later(fetch)
    assert fetched == []
    assert (thing.one, thing.one, len(fetched)) == (1, 1, 1)


def test_nothing_is_of_a_class_whose_module_nobody_has_imported() -> None:
    assert not isinstance(1, later.stand_in("no_module_of_that_name", "Thing"))


def test_values_of_a_class_and_of_those_derived_from_it_are_of_its_stand_in() -> None:
    path = later.stand_in("pathlib", "PurePath")
    assert isinstance(Path("a"), (path, int))
    assert not isinstance("a", (path, int))


def test_what_a_thing_does_not_have_is_an_error_of_its_own() -> None:
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = later.Later(lambda: sys).nothing_of_that_name
