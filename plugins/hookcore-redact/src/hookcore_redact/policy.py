"""The plugin: redacts payloads at the points that carry content."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Any, ClassVar, Final, Literal

from hookcore import HookContext, ModelCallContext, NamePatterns, hookimpl, joint_key

from ._allow import AllowList
from ._giver import Giver
from ._history import History
from ._memory import Memory
from ._placeholders import placeholder_pattern
from ._restore import Restorer
from ._scanner import Scanner
from ._text import TextRedactor
from ._vault import Vault
from ._walk import walk
from ._window import WindowRedactor
from .kinds import PII, SECRETS
from .settings import POINTS, Point, RedactSettings

__all__ = ["Redact"]

_INWARD: Final = frozenset(
    {
        "message_received",
        "setup_message",
        "execution_start",
        "input",
        "pre_run",
        "pre_turn",
        "pre_step",
        "post_model_call",
        "post_tool_call",
    }
)
"""Points at which content comes in: other plugins are to see it redacted. At the others it goes
out, with whatever they have put into it."""

_RESPONSES: Final = frozenset({"post_model_call", "post_turn"})
"""Points whose payload may ask for tool calls; what is in these is a tool's input already."""


_SHORTEST_HISTORY: Final = 8
_SAID_BY_NEIGHBOURS: Final = frozenset({str, list, tuple})
"""Types of items that are no messages: what stands before one may say what it is."""


class Redact:
    """Replaces secrets and personal data by placeholders.

    Args:
        settings: what is redacted, where, and what takes its place; the defaults when None.
    """

    Settings: ClassVar[type[RedactSettings]] = RedactSettings
    on_error: ClassVar[Literal["deny"]] = "deny"
    redacts: ClassVar[bool] = True
    """Tells ``hookctl replay`` to show nothing of what this plugin replaced."""

    def __init__(self, settings: RedactSettings | None = None) -> None:
        self._settings = settings = settings or RedactSettings()
        self._key = _hash_key(settings)
        self._mark = secrets.token_hex(4)
        self._custom = settings.compiled_patterns()
        self._placeholders = placeholder_pattern(
            settings.placeholders, {*SECRETS, *PII, *self._custom}
        )
        self._allow = AllowList(settings.allow)
        self._scanners: dict[frozenset[str], Scanner] = {}
        self._at_point = {point: self._scanners_of(settings.kinds_at(point)) for point in POINTS}
        self._in_calls = self._scanners_of(settings.kinds_in_tool_inputs)
        self._restorable = settings.restorable_kinds
        self._restore_tools = NamePatterns(settings.restore_tools)
        self._window = WindowRedactor(
            self._at_point["post_model_call"][0],
            self._placeholders,
            settings.window,
            steady=bool(self._custom),
        )
        # A hook's options are fixed where it is marked, but settings choose the points and the
        # treatment of streams: so each object has hooks of its own.
        for point, (scanner, _) in self._at_point.items():
            if not scanner.idle or (point == "pre_tool_call" and self._restorable):
                setattr(self, point, self._hook(point))
        if settings.stream == "window" and hasattr(self, "post_model_call"):
            self.model_finished = hookimpl(_forget_stream)

    def _hook(self, point: Point) -> Callable[[HookContext], Any]:
        options: dict[str, Any] = {"tryfirst" if point in _INWARD else "trylast": True}
        call = self._at
        if point == "post_model_call":
            options["stream"] = self._settings.stream
            if self._settings.stream == "window":
                options["window"] = self._window.first_hold
                call = self._streamed
        elif point == "pre_tool_call" and self._restorable:
            call = self._tool_input

        def hook(ctx: HookContext) -> Any:
            return call(point, ctx)

        hook.__name__ = point
        marked: Callable[[HookContext], Any] = hookimpl(**options)(hook)
        return marked

    def redact(self, payload: Any, point: Point = "output") -> Any:
        """Redact one payload without a host, for example in a test of your settings.

        Args:
            payload: any value.
            point: the point whose kinds count.

        Returns:
            The redacted payload; the same object when there is nothing to redact.
        """
        vault = self._new_vault()
        return self._redacted(point, payload, lambda: vault)

    def _at(self, point: Point, ctx: HookContext) -> Any:
        payload = ctx.payload
        if type(payload) is list and len(payload) >= _SHORTEST_HISTORY and point not in _RESPONSES:
            redacted = self._of_history(point, ctx, payload)
        else:
            redacted = self._redacted(point, payload, lambda: self._vault(ctx))
        return None if redacted is payload else redacted

    def _of_history(self, point: Point, ctx: HookContext, messages: list[Any]) -> list[Any]:
        """Redact a list of messages; those that were redacted before in the run are known."""
        scanners = self._at_point[point]
        history = self._history(ctx, scanners[0])
        result, places = history.known(messages)
        if not places:
            return result
        unknown = messages if len(places) == len(messages) else [messages[at] for at in places]
        if any(type(message) in _SAID_BY_NEIGHBOURS for message in unknown):
            return self._redacted(point, messages, lambda: self._vault(ctx))  # type: ignore[no-any-return]
        giver = Giver(lambda: self._vault(ctx), unknown, self._placeholders, history.numbers)
        redacted = walk(unknown, TextRedactor(*scanners, giver, Memory(history, self._key)))
        for at, message in zip(places, redacted, strict=True):
            history.remember(at, message, messages[at])
        if redacted is unknown:
            return result
        result = list(result)
        for at, message in zip(places, redacted, strict=True):
            result[at] = message
        return result

    def _history(self, ctx: HookContext, scanner: Scanner) -> History:
        key = f"history {self._mark} {list(self._scanners.values()).index(scanner)}"
        history: History | None = ctx.state.get(key)
        return history or ctx.state.setdefault(key, History(self._placeholders, self._key))

    def _redacted(self, point: Point, payload: Any, vault: Callable[[], Vault]) -> Any:
        giver = Giver(vault, payload, self._placeholders)
        redactor = TextRedactor(*self._at_point[point], giver)
        if point not in _RESPONSES:
            return walk(payload, redactor)
        return walk(payload, redactor, tool_calls=TextRedactor(*self._in_calls, giver))

    def _tool_input(self, point: Point, ctx: HookContext) -> Any:
        vault = self._vault(ctx)
        payload = self._redacted(point, ctx.payload, lambda: vault)
        tool = str(getattr(ctx, "tool_name", None) or "")
        # What permits counts case and separators.
        if self._restore_tools.matches(tool, as_written=True):
            restorer = Restorer(self._placeholders, vault, self._restorable)
            payload = walk(payload, restorer)
        return None if payload is ctx.payload else payload

    def _streamed(self, point: Point, ctx: HookContext) -> Any:
        text = ctx.payload
        if type(text) is not str:
            return self._at(point, ctx)
        tails = ctx.state.setdefault(_tails_key(ctx), [])
        redacted, hold = self._window.step(text, tails, lambda: self._vault(ctx))
        if isinstance(ctx, ModelCallContext):
            ctx.hold = hold
        return None if redacted == text else redacted

    def _scanners_of(self, kinds: frozenset[str]) -> tuple[Scanner, Scanner]:
        """Return what scans texts for some kinds, and what scans bytes that are no text."""
        return self._scanner(kinds), self._scanner(kinds & frozenset(SECRETS))

    def _scanner(self, kinds: frozenset[str]) -> Scanner:
        scanner = self._scanners.get(kinds)
        if scanner is None:
            scanner = Scanner(
                kinds,
                self._custom,
                self._allow,
                self._placeholders,
                self._settings.labels,
                decode=self._settings.decode,
            )
            self._scanners[kinds] = scanner
        return scanner

    def _vault(self, ctx: HookContext) -> Vault:
        state = ctx.state
        vault: Vault | None = state.get("vault")
        return vault or state.setdefault("vault", self._new_vault())

    def _new_vault(self) -> Vault:
        settings = self._settings
        return Vault(settings.placeholders, self._key, restores=settings.restore)

    def __repr__(self) -> str:
        return f"<Redact {', '.join(sorted(self._settings.all_kinds))}>"


def _tails_key(ctx: HookContext) -> str:
    return f"tails {ctx.call_id}"


def _forget_stream(ctx: HookContext) -> None:
    """Forget what was held of a stream that is over; without ids it may be another's."""
    if ctx.call_id is not None:
        ctx.state.pop(_tails_key(ctx), None)


def _hash_key(settings: RedactSettings) -> bytes:
    """Return what values are hashed with; the operator's key itself is not kept."""
    if settings.hash_key is None:
        return joint_key()
    return hashlib.blake2b(settings.hash_key.get_secret_value().encode()).digest()
