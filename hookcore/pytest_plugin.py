"""The pytest plugin: a manager for each test, its events, and a process-wide manager put back.

It is active wherever hookcore is installed, so it imports nothing of hookcore until a test needs
it. With ``--conformance-report FILE`` it writes what the tests of the conformance kit have found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .manager import HookManager
    from .testing import EventRecorder

__all__ = ["hook_events", "hook_manager"]


@pytest.fixture
def hook_manager() -> Iterator[HookManager]:
    """An empty :class:`hookcore.HookManager`, closed when the test is over."""
    from .manager import HookManager

    manager = HookManager()
    yield manager
    manager.close()


@pytest.fixture
def hook_events(hook_manager: HookManager) -> Iterator[EventRecorder]:
    """The events of ``hook_manager``: a list, see :class:`hookcore.testing.EventRecorder`."""
    from .testing import recorded

    with recorded(hook_manager) as events:
        yield events


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Keep hookcore's own frames out of the traceback that pytest is about to show.

    ``--full-trace`` shows them, and so does hookcore's own checkout.
    """
    if call.excinfo is None or _is_developed_in(item.config.rootpath):
        return
    for name, module in list(sys.modules.items()):
        if name.startswith(("hookcore.", "hookcore_specs.")):
            vars(module).setdefault("__tracebackhide__", True)


def _is_developed_in(root: Path) -> bool:
    here = Path(__file__).parent
    return here.is_relative_to(root) and "site-packages" not in here.parts


@pytest.fixture(autouse=True)
def _process_manager_restored() -> Iterator[None]:
    """Undo what a test did with ``@on``, ``get_manager()`` and ``clear_all_hooks()``.

    What modules did at their import, and fixtures of a wider scope than a function, stays.
    """
    from .testing import process_manager_restored

    with process_manager_restored():
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the report of the conformance kit."""
    parser.getgroup("hookcore").addoption(
        "--conformance-report",
        metavar="FILE",
        help="write to FILE, as JSON, which checks of hookcore's conformance kit hold",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Listen to the tests where a report is wanted, and not in the workers of xdist."""
    file = config.getoption("--conformance-report")
    if file is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Report(Path(file)))


class _Report:
    """Collects what the tests of the conformance kit have found."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._hosts: dict[str, Any] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note down what one test has found."""
        for name, told in report.user_properties if report.when == "call" else ():
            if name == "conformance" and isinstance(told, dict):
                host = self._hosts.setdefault(told["host"], {"ways": {}, "checks": {}})
                host["ways"][told["way"]] = told["mode"]
                host["checks"].setdefault(told["check"], {})[told["way"]] = told["known"]

    def pytest_sessionfinish(self) -> None:
        """Write the report."""
        text = json.dumps(self._hosts, indent=1, sort_keys=True)
        self._file.write_text(f"{text}\n", encoding="utf-8")
