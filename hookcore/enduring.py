"""Getting along with distributions whose metadata is broken."""

from __future__ import annotations

import contextlib

__all__ = ["let_pydantic_look"]


def let_pydantic_look() -> None:
    """Let pydantic look for its own plugins, and survive what it finds.

    The first model of a process looks through all distributions, and fails at one whose entry
    points are broken; those that follow do not look again. ``discover`` names the distribution.
    """
    from pydantic import create_model

    with contextlib.suppress(Exception):
        create_model("Probe", value=(int, 0))
