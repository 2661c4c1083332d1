"""The agents and channels of a gateway, and the agent that a message is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hookcore_agent import Agent
from hookcore_specs import ChannelMessage

from .channels import Channel
from .errors import GatewayError
from .shown import shown

if TYPE_CHECKING:
    from hookcore import HookManager

__all__ = ["Route", "agents_by_name", "channels_by_name", "router"]

Route = Callable[[ChannelMessage], str]
"""Names the agent that a message is for."""


def agents_by_name(agents: Any, manager: HookManager) -> dict[str, Agent]:
    """Return a gateway's agents by their names.

    Args:
        agents: an agent, or several.
        manager: the gateway's hooks, which all of them have to run under.

    Raises:
        GatewayError: there is none, two have one name, or one has other hooks.
    """
    given = [agents] if isinstance(agents, Agent) else list(agents)
    found = {agent.name: agent for agent in given}
    if not found or len(found) < len(given):
        raise GatewayError("a gateway needs one or more agents, each with a name of its own")
    for agent in given:
        if agent._hooks is not None and agent._hooks is not manager:
            raise GatewayError(
                f"agent {agent.name} was given other hooks than its gateway: leave out its hooks="
            )
    return found


def channels_by_name(channels: Any) -> dict[str, Channel]:
    """Return a gateway's channels by their names.

    Raises:
        GatewayError: there is none, or two have one name.
    """
    given: list[Channel] = [channels] if isinstance(channels, Channel) else list(channels)
    found = {channel.name: channel for channel in given}
    if not found or len(found) < len(given):
        raise GatewayError("a gateway needs one or more channels, each with a name of its own")
    return found


def router(agents: dict[str, Agent], route: Route | None) -> Callable[[ChannelMessage], Agent]:
    """Return what finds a message's agent: its recipient when that is one, else the first.

    Args:
        agents: the agents by name.
        route: the operator's own rule.
    """
    first = next(iter(agents.values()))

    def choose(message: ChannelMessage) -> Agent:
        if route is None:
            return agents.get(message.recipient, first)
        name = route(message)
        if name not in agents:
            known = ", ".join(agents)
            chosen = shown(name)
            raise GatewayError(f"route= chose the agent {chosen}, which is not one of: {known}")
        return agents[name]

    return choose
