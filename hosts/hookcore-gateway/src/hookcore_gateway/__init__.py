"""The gateway: the runtime around the reference agent, with channels, sessions and a heartbeat.

>>> channel = InMemoryChannel()
>>> async with Gateway(Agent("clerk", ScriptedModel(["hello"])), channel):
...     outcome = await channel.post("hi").outcome()
>>> outcome.delivered.content
'hello'
"""

from __future__ import annotations

from .channels import Channel, Inlet, InMemoryChannel, Listening, Outcome, Ticket
from .errors import (
    ClientGoneError,
    DeliveryError,
    GatewayClosedError,
    GatewayError,
    MessageTooLargeError,
    QueueFullError,
)
from .gateway import Gateway
from .heartbeat import Prompt
from .http import HttpChannel
from .limits import Limits
from .terminal import TerminalChannel

__all__ = [
    "Channel",
    "ClientGoneError",
    "DeliveryError",
    "Gateway",
    "GatewayClosedError",
    "GatewayError",
    "HttpChannel",
    "InMemoryChannel",
    "Inlet",
    "Limits",
    "Listening",
    "MessageTooLargeError",
    "Outcome",
    "Prompt",
    "QueueFullError",
    "TerminalChannel",
    "Ticket",
]
