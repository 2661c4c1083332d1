"""Beginning to record a manager's traffic, as the configuration says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hookcore_specs import ToolCallContext

from ..disk.state import make_state_folder
from ..errors import ConfigError
from .traffic import Cleaner, Recorded, Recorder
from .trafficfile import TrafficFile

if TYPE_CHECKING:
    from ..config import RecordConfig

__all__ = ["begin_recording"]

_CLEANED = "post_tool_call"
_MEGABYTE = 1_000_000


class Dispatching(Protocol):
    """An empty manager that has redactors of its own."""

    def register(self, plugin: Any, /) -> str:
        """Register a plugin."""

    def dispatch(self, point: str, ctx: ToolCallContext, /) -> ToolCallContext:
        """Run a point's hooks."""


def begin_recording(
    manager: Recorded,
    config: RecordConfig,
    redactors: list[Any],
    make: Callable[[], Dispatching],
) -> Callable[[], None]:
    """Record a manager's traffic in a file.

    Args:
        manager: the manager.
        config: where, and how much.
        redactors: the enabled plugins that say that they redact.
        make: makes an empty manager.

    Returns:
        A function that ends it, when what waits has been written.

    Raises:
        ConfigError: nothing redacts, and the configuration does not say that it need not be.
        StateError: no file is named, and there is no folder for it.
    """
    if not redactors and not config.raw:
        raise ConfigError(
            "record.enabled = true would record what nobody has redacted: enable the plugin "
            "redact ('hookctl enable redact'), or say record.raw = true",
            key="record.enabled",
        )
    file = config.file or make_state_folder() / "traffic.jsonl"
    out = TrafficFile(
        Path(file), max_bytes=config.max_megabytes * _MEGABYTE, max_files=config.max_files
    )
    detach = Recorder(out.put, None if config.raw else _cleaner(redactors, make())).attach(manager)

    def end() -> None:
        detach()
        out.close()

    return end


def _cleaner(redactors: list[Any], manager: Dispatching) -> Cleaner:
    """Return what lets redactors at a value, as if a tool had returned it."""
    for redactor in redactors:
        manager.register(redactor)

    def clean(value: Any, run: str | None) -> Any:
        ctx = ToolCallContext(tool_name="record", tool_input={}, tool_result=value, run_id=run)
        return manager.dispatch(_CLEANED, ctx).payload

    return clean
