"""The standard points as pluggy hookspecs, one class for each boundary."""

from __future__ import annotations

from typing import Final

from .event import EventSpecs
from .gateway import GatewaySpecs
from .message import MessageSpecs
from .model import ModelSpecs
from .run import RunSpecs
from .session import SessionSpecs
from .setup import SetupSpecs
from .step import StepSpecs
from .telemetry import TelemetrySpecs
from .tool import ToolSpecs
from .turn import TurnSpecs

__all__ = [
    "STANDARD_SPECS",
    "EventSpecs",
    "GatewaySpecs",
    "MessageSpecs",
    "ModelSpecs",
    "RunSpecs",
    "SessionSpecs",
    "SetupSpecs",
    "StepSpecs",
    "TelemetrySpecs",
    "ToolSpecs",
    "TurnSpecs",
]

STANDARD_SPECS: Final[tuple[type, ...]] = (
    GatewaySpecs,
    SessionSpecs,
    MessageSpecs,
    SetupSpecs,
    RunSpecs,
    TurnSpecs,
    StepSpecs,
    ModelSpecs,
    ToolSpecs,
    EventSpecs,
    TelemetrySpecs,
)
