"""The checks as tests of pytest's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from .case import Case
from .driver import FEATURES, Driver
from .registry import CHECKS, Check

__all__ = ["Conformance"]

_LONGEST = 60.0
"""The seconds after which a check that hangs has failed."""


class Conformance:
    """A test class: a subclass of it names the driver, and has a test for each check and way."""

    driver: ClassVar[type[Driver]]
    """The class that leads conversations in the runtime."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test of each check that there is something to do for."""
        kind = self.driver
        unknown = sorted(set(kind.features) - set(FEATURES))
        names = {check.name for check in CHECKS}
        unknown += sorted({_check_of(key) for key in kind.known} - names)
        if unknown:
            raise pytest.UsageError(f"{kind.__name__} names what the kit has not: {unknown}")
        wanted = [
            pytest.param(check, way, id=f"{way}: {check.name}")
            for check in CHECKS
            for way in kind.ways
            if check.lack(kind, way) is None
        ]
        metafunc.parametrize(("check", "way"), wanted)

    def test_the_host(
        self, check: Check, way: str, record_property: Callable[[str, object], None]
    ) -> None:
        """Hold the host to one check."""
        kind = self.driver
        told = {"host": kind.host.name, "check": check.name, "way": way, "mode": kind.ways[way]}
        known = kind.known.get(f"{way}: {check.name}", kind.known.get(check.name))
        try:
            run_check(kind, check, way)
        except BaseException:
            if known is None:
                raise
            record_property("conformance", {**told, "known": known})
            pytest.xfail(known)
        if known is not None:
            pytest.fail("it is among the driver's known, and holds", pytrace=False)
        record_property("conformance", {**told, "known": None})


def run_check(kind: type[Driver], check: Check, way: str) -> None:
    """Hold a host to one check.

    Args:
        kind: the driver's class.
        check: the check.
        way: the way.

    Raises:
        AssertionError: it does not hold.
    """

    async def limited() -> None:
        case: Any = None
        try:
            case = Case(kind, way)
            await asyncio.wait_for(check.body(case), _LONGEST)
        finally:
            if case is not None:
                case.close()

    asyncio.run(limited())


def _check_of(key: str) -> str:
    return key.rpartition(": ")[2]
