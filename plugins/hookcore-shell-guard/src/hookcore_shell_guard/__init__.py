"""hookcore's shell guard: judge the commands that an agent runs in a shell."""

from __future__ import annotations

from .commands import Redirection, Segment, Word, segments

__all__ = ["Redirection", "Segment", "Word", "segments"]
