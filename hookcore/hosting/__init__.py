"""For the authors of hosts: all that a runtime's adapter needs beyond :class:`HookManager`.

Everything here is public. What a host imports from hookcore comes from here or from ``hookcore``.
"""

from __future__ import annotations

from hookcore_specs import HookOptions, Kind, hook_options
from hookcore_specs._runtime import running_frame
from hookcore_specs.texts import MessageCodec, TextPart, UnreadableError, register_message_codec

from ..boundaries.boundary import denied_value
from ..boundaries.failed import BodyFailed
from ..boundaries.ids import new_call_id
from ..boundaries.inside import inside_model, inside_tool, is_inside_model, is_inside_tool
from ..boundaries.judging import Judging
from ..disk.atomic import alone, replace_file
from ..disk.state import StateError, make_state_folder, state_folder
from ..dispatch.carrying import StartedIn
from ..dispatch.contexts import clone, fields_of, view_of
from ..dispatch.copying import Snapshot, copy_payload, digest
from ..dispatch.current import Current, current_run
from ..dispatch.parts import Parts
from ..dispatch.plan import Chain, Plan
from ..dispatch.plans import Plans
from ..dispatch.records import source_name
from ..dispatch.scopes import Scopes
from ..dispatch.scoping import Scoping
from ..dispatch.services import Services
from ..dispatch.stepping import closing, source_of, stepped, stepped_sync
from ..dispatch.stops import is_policy_failure
from ..dispatch.unfinished import ALL, Loop, Unfinished
from ..errors import describe_failure
from ..hooks.dialect import Dialect, Registration
from ..hooks.hook import Hook
from ..hooks.marks import OnMark, marks_of
from ..hooks.options import OperatorOptions
from ..hooks.points import PointSpec
from ..hooks.registry import Registry
from ..hooks.validation import is_async
from ..registering import stands_in_a_class
from ..streaming import (
    DEFAULT_CODEC,
    DefaultCodec,
    PartsCodec,
    StreamCall,
    StreamCodec,
    StreamEnd,
    StreamText,
)
from ..streaming.neutral import neutral_response
from ..trust.watched import watched_files
from ..waiting.asking import HumanInput
from ..waiting.requests import Steps, adrive, drive
from .adapting import Adapter, has_any_hooks, put_all
from .defaults import with_defaults
from .denials import PolicyDenied, denials_outside, outside
from .halves import Answered, SplitCalls, UnknownCallError
from .handles import Handle
from .host import (
    CHANNEL_POINTS,
    MODEL_POINTS,
    RUN_POINTS,
    STAGE_POINTS,
    STEP_POINTS,
    TOOL_POINTS,
    Answer,
    Host,
    Mode,
    heeds,
)
from .host import GROUP as HOSTS_GROUP
from .installed import InstalledHost, installed_hosts
from .opening import ChangedError, OutsideError, open_place, open_verified, resolve_beneath
from .replacing import Replacements
from .runs import arun_stream, run_stream
from .stopping import Raised, stop_if_failed, stoppable, stopping
from .versions import RuntimeVersionError, require_runtime
from .watching import when_imported

__all__ = [
    "ALL",
    "CHANNEL_POINTS",
    "DEFAULT_CODEC",
    "HOSTS_GROUP",
    "MODEL_POINTS",
    "RUN_POINTS",
    "STAGE_POINTS",
    "STEP_POINTS",
    "TOOL_POINTS",
    "Adapter",
    "Answer",
    "Answered",
    "BodyFailed",
    "Chain",
    "ChangedError",
    "Current",
    "DefaultCodec",
    "Dialect",
    "Handle",
    "Hook",
    "HookOptions",
    "Host",
    "HumanInput",
    "InstalledHost",
    "Judging",
    "Kind",
    "Loop",
    "MessageCodec",
    "Mode",
    "OnMark",
    "OperatorOptions",
    "OutsideError",
    "Parts",
    "PartsCodec",
    "Plan",
    "Plans",
    "PointSpec",
    "PolicyDenied",
    "Raised",
    "Registration",
    "Registry",
    "Replacements",
    "RuntimeVersionError",
    "Scopes",
    "Scoping",
    "Services",
    "Snapshot",
    "SplitCalls",
    "StartedIn",
    "StateError",
    "Steps",
    "StreamCall",
    "StreamCodec",
    "StreamEnd",
    "StreamText",
    "TextPart",
    "Unfinished",
    "UnknownCallError",
    "UnreadableError",
    "adrive",
    "alone",
    "arun_stream",
    "clone",
    "closing",
    "copy_payload",
    "current_run",
    "denials_outside",
    "denied_value",
    "describe_failure",
    "digest",
    "drive",
    "fields_of",
    "has_any_hooks",
    "heeds",
    "hook_options",
    "inside_model",
    "inside_tool",
    "installed_hosts",
    "is_async",
    "is_inside_model",
    "is_inside_tool",
    "is_policy_failure",
    "make_state_folder",
    "marks_of",
    "neutral_response",
    "new_call_id",
    "open_place",
    "open_verified",
    "outside",
    "put_all",
    "register_message_codec",
    "replace_file",
    "require_runtime",
    "resolve_beneath",
    "run_stream",
    "running_frame",
    "source_name",
    "source_of",
    "stands_in_a_class",
    "state_folder",
    "stepped",
    "stepped_sync",
    "stop_if_failed",
    "stoppable",
    "stopping",
    "view_of",
    "watched_files",
    "when_imported",
    "with_defaults",
]
