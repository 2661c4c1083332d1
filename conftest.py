"""The profiles of Hypothesis, for the tests of the core, the hosts and the plugins alike.

``HYPOTHESIS_PROFILE=ci`` repeats what CI tried; ``thorough`` tries ten times as much, ``brief`` a
fifth, where the same properties were tried before.
"""

from __future__ import annotations

import os

from hypothesis import settings

# Times mean nothing on a shared machine, and a failure in CI has to be one that can be repeated.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.register_profile("brief", deadline=None, derandomize=True, database=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)
