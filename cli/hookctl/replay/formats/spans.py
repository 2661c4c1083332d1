"""Spans of a trace, of whatever library: a run for each agent in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..model import RecordedRun
from .talk import turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .source import TranscriptSource
    from .talk import ModelCall, ToolCall


@dataclass(slots=True)
class Span:
    """One span that counts: an agent, or a call of a model or a tool."""

    where: str
    start: str
    """The time at which it began, in a form that sorts as text."""
    call: ModelCall | ToolCall | None = None
    """The operation; None for an agent."""
    agent: str | None = None
    """An agent's name, empty where it has none; None for a call."""
    session: str | None = None


@dataclass(slots=True)
class Trace:
    """The spans of one trace, in the order in which they were read."""

    spans: dict[str, Span] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    """Each span's parent, also of those that do not count."""

    def runs(
        self,
        name: str,
        source: TranscriptSource,
        session: str | None = None,
        attributes: Mapping[str, object] | None = None,
    ) -> Iterator[RecordedRun]:
        """Make the runs.

        Args:
            name: the trace's identifier.
            source: the input that it comes from.
            session: the session of all spans that name none.
            attributes: what else is known of all runs.

        Yields:
            The run of the first agent, then one for each agent that was invoked inside of it or
            after it.
        """
        groups = self._groups()
        names: dict[str, str] = {}
        for agent in sorted(groups, key=lambda one: self.spans[one].start if one else ""):
            spans = sorted(groups[agent], key=lambda span: span.start)
            if not spans:
                continue
            known = self.spans[agent].agent if agent else None
            above = names.get(self._above(agent)) if agent else None
            if above is None and names:
                above = next(iter(names.values()))
            names[agent] = source.names.unique(known or "agent" if above else name, above)
            own = [self.spans[agent]] if agent else []
            sessions = (span.session for span in [*own, *spans] if span.session)
            yield RecordedRun(
                id=names[agent],
                where=spans[0].where,
                turns=turns([span.call for span in spans if span.call is not None], source),
                agent=known or None,
                session_id=next(sessions, session),
                parent_run_id=above,
                attributes={"trace_id": name, **(attributes or {})},
            )

    def _groups(self) -> dict[str, list[Span]]:
        """Give each call to its agent; those of no agent have the empty one."""
        groups: dict[str, list[Span]] = {}
        for identity, span in self.spans.items():
            agent = identity if span.call is None else self._above(identity)
            groups.setdefault(agent, [])
            if span.call is not None:
                groups[agent].append(span)
        return groups

    def _above(self, identity: str) -> str:
        """Find the nearest agent above a span; damaged traces may go round in a circle."""
        seen = {identity}
        at = self.parents.get(identity, "")
        while at and not self._is_agent(at) and at not in seen:
            seen.add(at)
            at = self.parents.get(at, "")
        return at if self._is_agent(at) and at != identity else ""

    def _is_agent(self, identity: str) -> bool:
        span = self.spans.get(identity)
        return span is not None and span.call is None
