"""The standard interception points and the kinds of point there are."""

from __future__ import annotations

from enum import Enum

__all__ = ["InterceptionPoint", "Kind"]


class Kind(str, Enum):
    """The kinds of points, by what their hooks may do."""

    INTERCEPT = "intercept"
    """A chain: each hook may mutate, replace or abort."""
    OBSERVE = "observe"
    """Hooks are told; they can change and stop nothing."""
    WRAP = "wrap"
    """Hooks stand around the operation like the skins of an onion."""
    COLLECT = "collect"
    """All hooks are asked and the answers are gathered."""

    __str__ = str.__str__


class InterceptionPoint(str, Enum):
    """The standard points of an agent's life; members equal their names as strings."""

    GATEWAY_START = "gateway_start"
    GATEWAY_STOP = "gateway_stop"
    HEARTBEAT_TICK = "heartbeat_tick"
    SESSION_START = "session_start"
    SESSION_END = "session_end"
    MESSAGE_RECEIVED = "message_received"
    MESSAGE_SENDING = "message_sending"
    MESSAGE_SENT = "message_sent"
    SETUP_TOOLS = "setup_tools"
    SETUP_STATE = "setup_state"
    SETUP_MESSAGE = "setup_message"
    EXECUTION_START = "execution_start"
    INPUT = "input"
    PRE_RUN = "pre_run"
    POST_RUN = "post_run"
    OUTPUT = "output"
    EXECUTION_END = "execution_end"
    RUN_FINISHED = "run_finished"
    PRE_TURN = "pre_turn"
    POST_TURN = "post_turn"
    TURN_FINISHED = "turn_finished"
    PRE_STEP = "pre_step"
    POST_STEP = "post_step"
    STEP_FINISHED = "step_finished"
    MODEL_RESOLVE = "model_resolve"
    PROMPT_BUILD = "prompt_build"
    PRE_MODEL_CALL = "pre_model_call"
    WRAP_MODEL_CALL = "wrap_model_call"
    MODEL_INPUT = "model_input"
    POST_MODEL_CALL = "post_model_call"
    MODEL_OUTPUT = "model_output"
    MODEL_FINISHED = "model_finished"
    PRE_TOOL_CALL = "pre_tool_call"
    WRAP_TOOL_CALL = "wrap_tool_call"
    POST_TOOL_CALL = "post_tool_call"
    TOOL_FINISHED = "tool_finished"
    EXTENSION_EVENT = "extension_event"
    ACCEPT_EVENT = "accept_event"
    HOOK_DISPATCHED = "hook_dispatched"

    __str__ = str.__str__
