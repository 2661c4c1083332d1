"""The profiles of Hypothesis and the care for memory that all tests share.

A plain run tries a quarter of what CI does, each time other examples. ``HYPOTHESIS_PROFILE=ci``
repeats what CI tried; ``thorough`` tries ten times as much, ``brief`` a fifth, where the same
properties were tried before. A test that needs more or fewer asks for a multiple of
``settings().max_examples``. No other conftest loads a profile: it would hold everywhere.
"""

from __future__ import annotations

import gc
import os

from hypothesis import settings

# Times mean nothing on a shared machine, and a failure in CI has to be one that can be repeated.
settings.register_profile("dev", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.register_profile("brief", deadline=None, derandomize=True, database=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


def pytest_collection_finish() -> None:
    """Spare each later collection of garbage the objects that the collected tests are made of."""
    gc.freeze()
