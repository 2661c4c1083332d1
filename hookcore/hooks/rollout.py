"""The runs that a plugin's rollout has reached, told by their ids alone."""

from __future__ import annotations

from ..later import hashlib

__all__ = ["is_chosen"]

_RANGE = 2**64


def is_chosen(plugin: str, run: str | None, percent: float) -> bool:
    """Return whether a run is among those in which a plugin is enforced.

    The answer is the same in each process, and a run that is chosen stays chosen when the
    percentage grows.

    Args:
        plugin: the plugin's name: each has runs of its own.
        run: the run's id, else the session's; without either, the plugin is enforced.
        percent: how many of a hundred runs, 0 to 100.
    """
    if run is None:
        return True
    digest = hashlib.sha256(f"{plugin}\0{run}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") < percent / 100 * _RANGE
