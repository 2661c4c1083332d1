from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _without_log_lines() -> Iterator[None]:
    """Keep thousands of expected failures of hooks out of the reports."""
    logger = logging.getLogger("hookcore")
    logger.disabled = True
    yield
    logger.disabled = False
