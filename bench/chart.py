"""A chart of what limited ratios came to, as SVG that follows the reader's light or dark mode."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .race import Verdict

__all__ = ["chart"]

WIDTH, LABELS, ROW, HEAD = 860, 400, 22, 34
MOST = 1.5
"""Bars end here: further to the right is only missed by more."""
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.kept { fill: #2f7d4f }
.missed { fill: #c4432b }
.limit { stroke: #57606a; stroke-dasharray: 3 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .kept { fill: #4cb377 }
  .missed { fill: #f0715b }
  .limit { stroke: #9aa4af }
}
"""


def chart(verdicts: Sequence[Verdict]) -> str:
    """Return an SVG with a bar for each limit: how much of it was used up.

    Args:
        verdicts: what was measured; those without a limit are left out.
    """
    limited = [verdict for verdict in verdicts if verdict.limit]
    height = HEAD + ROW * len(limited) + 8
    scale = (WIDTH - LABELS - 90) / MOST
    at_limit = LABELS + scale
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>How much of each limit is used up</title>",
        f"<style>{STYLE}</style>",
        f'<text x="{at_limit:.0f}" y="18" text-anchor="middle">the limit</text>',
        f'<line class="limit" x1="{at_limit:.0f}" x2="{at_limit:.0f}" y1="24" y2="{height - 4}"/>',
    ]
    for row, verdict in enumerate(limited):
        y = HEAD + ROW * row
        used, kind = _used(verdict), "kept" if verdict.kept else "missed"
        length = max(scale * min(used, MOST), 1.0)
        lines += [
            f'<text x="{LABELS - 8}" y="{y + 13}" text-anchor="end">{escape(verdict.name)}</text>',
            f'<rect class="{kind}" x="{LABELS}" y="{y + 2}" width="{length:.1f}" height="14"/>',
            f'<text x="{LABELS + length + 6:.1f}" y="{y + 13}">{used:.0%}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def _used(verdict: Verdict) -> float:
    limit = verdict.limit or 1.0
    if verdict.sense == "<=":
        return max(verdict.value, 0.0) / limit
    return limit / max(verdict.value, 1e-9)
