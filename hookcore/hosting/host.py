"""The declaration of a host, said once: for ``declare``, for its page, for ``hookctl hosts``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final, Literal, cast, get_args

from hookcore_specs import STANDARD_SPECS, Kind

from ..hooks.points import PointTable, read_specs
from ..manager import HookManager
from ..process import get_manager

__all__ = [
    "CHANNEL_POINTS",
    "GROUP",
    "MODEL_POINTS",
    "RUN_POINTS",
    "STAGE_POINTS",
    "STEP_POINTS",
    "TOOL_POINTS",
    "Answer",
    "Host",
    "Mode",
    "heeds",
]

GROUP: Final = "hookcore.hosts"
"""The entry-point group in which adapters offer their :class:`Host`."""

RUN_POINTS: Final = (
    "execution_start",
    "input",
    "pre_run",
    "post_run",
    "output",
    "execution_end",
    "run_finished",
)
"""The points of ``manager.run()``."""
MODEL_POINTS: Final = (
    "pre_model_call",
    "wrap_model_call",
    "model_input",
    "post_model_call",
    "model_output",
    "model_finished",
)
"""The points of a model call's boundary."""
TOOL_POINTS: Final = ("pre_tool_call", "wrap_tool_call", "post_tool_call", "tool_finished")
"""The points of a tool call's boundary."""
CHANNEL_POINTS: Final = (
    "gateway_start",
    "gateway_stop",
    "heartbeat_tick",
    "session_start",
    "session_end",
    "message_received",
    "message_sending",
    "message_sent",
)
"""The points of gateways, sessions and messages, which most agent runtimes do not have."""
STEP_POINTS: Final = ("pre_step", "post_step", "step_finished")
"""The points of a step's boundary."""
STAGE_POINTS: Final = (
    "setup_state",
    "setup_message",
    "pre_turn",
    "post_turn",
    "turn_finished",
    *STEP_POINTS,
    "model_resolve",
    "prompt_build",
)
"""The points of set-ups, turns, steps and of what becomes a prompt, which few runtimes have apart
from the run and its model calls."""

Mode = Literal["sync", "async", "stream"]
"""The way a host carries an operation out."""
Answer = Literal["change", "replace", "abort", "wrap", "answer"]
"""The answers that a host heeds: edits in place, a payload, an abort, a wrap, a collected yes."""

_MODES: Final[tuple[Mode, ...]] = get_args(Mode)
_ANSWERS: Final[tuple[Answer, ...]] = get_args(Answer)
_OF_KIND: Final[Mapping[Kind, tuple[Answer, ...]]] = {
    Kind.INTERCEPT: ("change", "replace", "abort"),
    Kind.WRAP: ("wrap",),
    Kind.OBSERVE: (),
    Kind.COLLECT: ("answer",),
}


def heeds(
    points: Iterable[str],
    modes: Iterable[Mode] = ("async",),
    answers: Iterable[Answer] | None = None,
) -> dict[str, dict[Mode, tuple[Answer, ...]]]:
    """Return what a host heeds at points that are alike, for ``Host(points=...)``.

    Args:
        points: the points.
        modes: the modes in which they fire there.
        answers: what is heeded; when None, all that there can be at a point of its kind.

    Raises:
        UnknownPointError: there is no such standard point, and ``answers`` is not given.
        ValueError: a mode or an answer means nothing.
    """
    given = None if answers is None else tuple(answers)
    found: dict[str, dict[Mode, tuple[Answer, ...]]] = {}
    for point in points:
        name = str(point)
        heeded = _OF_KIND[_standard().find(name).kind] if given is None else given
        found[name] = dict.fromkeys(modes, heeded)
        _check(name, found[name])
    return found


@dataclass(frozen=True, kw_only=True)
class Host:
    """A host: the runtime that it governs, and what it heeds at which point.

    An adapter offers its own under the entry-point group ``hookcore.hosts``, in a module that
    imports nothing of the runtime; ``hookctl hosts`` shows it.

    Args:
        name: the host's name.
        runtime: the distribution that it adapts; its own where it is a runtime itself.
        tested: the first version of that which it was tested with, and the first that it was not;
            None where it is a runtime itself.
        points: what it heeds at each point that it fires, by mode; see :func:`heeds`.
        without: the points of operations that the runtime does not have.
        is_part: it is a part of other runtimes, such as a model's client: what it does not dispatch
            may be dispatched by what stands on it, so that no policy is refused for that, and
            async wraps are refused by its sync calls alone.
        modules: the runtime's modules whose import makes ``hookctl run`` install the adapter.
        installer: the function that governs the runtime in the whole process, as
            ``"module:function"``; it is called with the manager, any number of times, and takes
            ``accept_untested=True`` where it refuses versions. None for a host that needs none.

    Raises:
        ValueError: a mode or an answer means nothing, a point is in ``points`` and ``without``, or
            ``installer`` names no function.
    """

    name: str
    runtime: str
    tested: tuple[str, str] | None = None
    points: Mapping[str, Mapping[Mode, tuple[Answer, ...]]]
    without: tuple[str, ...] = ()
    is_part: bool = False
    modules: tuple[str, ...] = ()
    installer: str | None = None

    def __post_init__(self) -> None:
        """Check what was given."""
        for point, support in self.points.items():
            _check(point, support)
        both = sorted(set(map(str, self.without)) & set(map(str, self.points)))
        if both:
            raise ValueError(f"{', '.join(both)} cannot be in points and in without")
        if self.installer is not None and not all(self.installer.partition(":")[::2]):
            raise ValueError(f"an installer is written 'module:function', not {self.installer!r}")

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes in which anything fires."""
        return tuple(mode for mode in _MODES if any(mode in s for s in self.points.values()))

    def declare(self, manager: HookManager, modes: Iterable[Mode] | None = None) -> None:
        """Say to a manager what the host dispatches and heeds, and refuse what it cannot serve.

        Args:
            manager: the hooks.
            modes: the modes that the program uses, all of the host's when None. In a program that
                is async throughout, leaving out "sync" lets async wraps be registered.

        Raises:
            PluginLoadError: a required plugin needs what the host does not do.
            RegistrationError: an async wrap is registered that would be called without a loop.
        """
        used = set(self.modes if modes is None else modes)
        fires = {
            point: [support[mode] for mode in support if mode in used]
            for point, support in self.points.items()
            if used.intersection(support)
        }
        supports = {
            point: [word for word, answer in _WORDS if all(answer in each for each in heeded)]
            for point, heeded in fires.items()
        }
        loopless = [
            point
            for point, support in self.points.items()
            if "sync" in used and "wrap" in support.get("sync", ())
        ]
        with manager.changing():
            # A part may be used in one of its modes only: its calls refuse what they cannot serve.
            if loopless and not self.is_part:
                manager.refuse_async_wraps(loopless, host=self.name)
            manager.declare(
                fires, supports, without=self.without, host=self.name, part=self.is_part
            )

    def install(
        self, manager: HookManager | None = None, *, accept_untested: bool = False
    ) -> HookManager:
        """Let a manager govern the runtime in the whole process; a second call changes the manager.

        Args:
            manager: the hooks; the process-wide manager when None.
            accept_untested: whether a version of the runtime will do that was not tested.

        Returns:
            The manager.

        Raises:
            RuntimeVersionError: the runtime's version is none that the adapter governs.
            PluginLoadError: a required plugin needs what the host does not do.
        """
        hooks = get_manager() if manager is None else manager
        if self.installer is None:
            self.declare(hooks)
            return hooks
        module, _, name = self.installer.partition(":")
        function = getattr(import_module(module), name)
        options = {"accept_untested": True} if accept_untested and self.tested else {}
        return cast("HookManager", function(hooks, **options))


_WORDS: Final[tuple[tuple[str, Answer], ...]] = (("modify", "replace"), ("abort", "abort"))
"""The names of the answers in a declaration."""


def _check(point: str, support: Mapping[Mode, tuple[Answer, ...]]) -> None:
    wrong = sorted({*support} - {*_MODES} | {a for s in support.values() for a in s} - {*_ANSWERS})
    if wrong:
        raise ValueError(
            f"{point}: a host's modes are {', '.join(_MODES)} and its answers "
            f"{', '.join(_ANSWERS)}, not {', '.join(wrong)}"
        )


@cache
def _standard() -> PointTable:
    table = PointTable()
    for namespace in STANDARD_SPECS:
        table.add(read_specs(namespace, table))
    return table
