"""The conformance kit: what a host has to do so that no policy is passed by, as tests.

The author of a host writes a :class:`Driver`, which leads a conversation in the runtime with a fake
:class:`Provider`, and a test class with nothing in it::

    class TestConformance(Conformance):
        driver = MyDriver

Each check is a test for each way to start a conversation; what the runtime does not have is left
out. ``pytest --conformance-report FILE`` writes down what holds.
"""

from __future__ import annotations

from . import checks
from .case import Case, Result, call
from .driver import FEATURES, Driver, Job, Left, Provider, ProviderFailedError, Request, Step
from .registry import CHECKS, Check
from .suite import Conformance, run_check

__all__ = [
    "CHECKS",
    "FEATURES",
    "Case",
    "Check",
    "Conformance",
    "Driver",
    "Job",
    "Left",
    "Provider",
    "ProviderFailedError",
    "Request",
    "Result",
    "Step",
    "call",
    "checks",
    "run_check",
]
