"""The fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def checkout() -> Path:
    """Return the folder that holds README.md, examples/ and tests/."""
    return Path(__file__).resolve().parents[1]
