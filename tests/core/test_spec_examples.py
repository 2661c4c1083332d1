"""The documentation of every standard point: it says what the point is, and its example runs."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hookcore_specs import STANDARD_SPECS, InterceptionPoint, hookspec, spec_options

_MARK = re.compile(r"^Example::\n", re.MULTILINE)


def points() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield each standard point's name and specification."""
    for namespace in STANDARD_SPECS:
        for name, function in vars(namespace).items():
            if inspect.isfunction(function):
                yield name, function


POINTS = dict(points())
every_point = pytest.mark.parametrize("name", POINTS)


def examples(function: Callable[..., Any]) -> list[str]:
    """Return the code blocks that a docstring announces with ``Example::``."""
    text = inspect.getdoc(function) or ""
    return [_block(text[match.end() :]) for match in _MARK.finditer(text)]


def _block(text: str) -> str:
    lines: list[str] = []
    for line in text.splitlines():
        if line.strip() and not line.startswith(" "):
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines)).strip()


def test_the_specifications_are_the_points_of_the_enum() -> None:
    assert list(POINTS) == [str(point) for point in InterceptionPoint]


@every_point
def test_every_point_is_a_hookspec(name: str) -> None:
    function = POINTS[name]

    assert hasattr(function, "hookcore_spec"), hookspec
    assert spec_options(function).context is not None


@every_point
@pytest.mark.usefixtures("no_leaks")
def test_the_example_of_every_point_runs(name: str) -> None:
    found = examples(POINTS[name])
    assert found, f"the docstring of {name} has no 'Example::' block"

    for number, code in enumerate(found, 1):
        place = f"<example {number} of {name}>"
        exec(compile(code, place, "exec"), {"__name__": "example"})


@every_point
def test_the_example_of_every_point_asserts_something_and_uses_the_point(name: str) -> None:
    code = "\n".join(examples(POINTS[name]))

    assert "assert " in code
    assert name in code


@every_point
def test_every_point_says_when_it_fires_before_its_example(name: str) -> None:
    text = inspect.getdoc(POINTS[name]) or ""

    assert len(text.split("Example::")[0].split()) >= 8
