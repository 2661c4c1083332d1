"""Replaced functions of a runtime, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hookcore.hosting import Replacements


class Base:
    def run(self) -> str:
        """Run it."""
        return "old"


class Agent(Base):
    @staticmethod
    def stop() -> str:
        return "stopped"


def louder(old: Callable[..., str]) -> Callable[..., str]:
    def new(*args: Any) -> str:
        return old(*args).upper()

    return new


@pytest.fixture
def replaced() -> Replacements:
    return Replacements()


def test_a_function_is_replaced_and_put_back(replaced: Replacements) -> None:
    before = vars(Base)["run"]
    replaced.put(Base, "run", louder)
    assert (Base().run(), Base.run.__doc__) == ("OLD", "Run it.")
    replaced.undo()
    assert vars(Base)["run"] is before


def test_an_inherited_function_is_inherited_again(replaced: Replacements) -> None:
    replaced.put(Agent, "run", louder)
    assert (Agent().run(), Base().run()) == ("OLD", "old")
    replaced.undo()
    assert "run" not in vars(Agent)


def test_a_static_method_is_one_again(replaced: Replacements) -> None:
    before = vars(Agent)["stop"]
    replaced.put(Agent, "stop", louder)
    replaced.undo()
    assert vars(Agent)["stop"] is before


def test_the_last_one_is_undone_first(replaced: Replacements) -> None:
    undone: list[str] = []
    for name in ("first", "second"):
        replaced.at_end(lambda name=name: undone.append(name))  # type: ignore[misc]
    assert replaced
    replaced.undo()
    assert (undone, bool(replaced)) == (["second", "first"], False)


def test_what_is_not_there_is_not_replaced(replaced: Replacements) -> None:
    with pytest.raises(AttributeError):
        replaced.put(Base, "walk", louder)
    assert not replaced
