from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from hookcore.hosting import when_imported

Make = Callable[[str, str], None]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Return a maker of modules, which are forgotten afterwards."""
    made = []
    monkeypatch.syspath_prepend(tmp_path)

    def write(name: str, code: str) -> None:
        file = tmp_path / f"{name.replace('.', '/')}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(code)
        made.append(name)
        importlib.invalidate_caches()

    yield write
    for name in made:
        sys.modules.pop(name, None)


@pytest.fixture
def told() -> Iterator[Callable[[str], list[ModuleType]]]:
    """Return what waits for a module and lists what it is given."""
    ends = []

    def wait(name: str) -> list[ModuleType]:
        found: list[ModuleType] = []
        ends.append(when_imported(name, found.append))
        return found

    yield wait
    for end in ends:
        end()


def test_a_module_is_told_of_when_it_is_imported(
    make: Make, told: Callable[[str], list[ModuleType]]
) -> None:
    make("watched_one", "value = 1")
    found = told("watched_one")
    assert found == []
    module = importlib.import_module("watched_one")
    assert found == [module]
    assert module.value == 1


def test_a_module_that_is_imported_already_is_told_of_at_once(
    make: Make, told: Callable[[str], list[ModuleType]]
) -> None:
    make("watched_before", "")
    module = importlib.import_module("watched_before")
    assert told("watched_before") == [module]


def test_a_module_has_the_loader_that_it_has_without(
    make: Make, told: Callable[[str], list[ModuleType]]
) -> None:
    make("watched_loader", "there = __loader__, __spec__.loader")
    told("watched_loader")
    module = importlib.import_module("watched_loader")
    loader = module.__loader__
    assert module.there == (loader, loader)
    assert type(loader).__name__ == "SourceFileLoader"


def test_it_is_told_before_the_importer_goes_on(make: Make) -> None:
    make("watched_package.__init__", "def f(): return 'raw'")
    make("watched_importer", "from watched_package import f\nsaid = f()")

    def patch(module: ModuleType) -> None:
        module.__dict__["f"] = lambda: "patched"

    end = when_imported("watched_package", patch)
    assert importlib.import_module("watched_importer").said == "patched"
    end()
    sys.modules.pop("watched_package")


def test_who_waits_during_the_import_is_told_at_its_end(make: Make) -> None:
    found: list[str] = []
    make("watched_during", "import watched_inside\nwhole = True")
    make("watched_inside", "")

    def wait_too(_: ModuleType) -> None:
        ends.append(when_imported("watched_during", lambda module: found.append(str(module.whole))))

    ends = [when_imported("watched_during", lambda _: None)]
    ends.append(when_imported("watched_inside", wait_too))
    importlib.import_module("watched_during")
    assert found == ["True"]
    for end in ends:
        end()


def test_what_the_function_raises_fails_the_import(make: Make) -> None:
    make("watched_failing", "")

    def refuse(_: ModuleType) -> None:
        raise PermissionError("not governed")

    end = when_imported("watched_failing", refuse)
    for _ in range(2):  # and the next one too
        with pytest.raises(PermissionError):
            importlib.import_module("watched_failing")
    end()
    importlib.import_module("watched_failing")


def test_a_module_that_fails_by_itself_is_told_of_to_nobody(
    make: Make, told: Callable[[str], list[ModuleType]]
) -> None:
    make("watched_broken", "1 / 0")
    found = told("watched_broken")
    with pytest.raises(ZeroDivisionError):
        importlib.import_module("watched_broken")
    assert found == []
    assert told("watched_nowhere") == []
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("watched_nowhere")
