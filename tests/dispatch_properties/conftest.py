from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Times mean nothing on a shared machine, and a failure in CI has to be one that can be repeated.
settings.register_profile("hookcore", deadline=None)
settings.register_profile("hookcore-ci", deadline=None, derandomize=True, database=None)
settings.load_profile("hookcore-ci" if os.environ.get("CI") else "hookcore")


@pytest.fixture(autouse=True, scope="module")
def _without_log_lines() -> Iterator[None]:
    """Keep thousands of expected failures of hooks out of the reports."""
    logger = logging.getLogger("hookcore")
    logger.disabled = True
    yield
    logger.disabled = False
