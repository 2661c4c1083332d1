"""hookcore for agents that are no Python programs: their hooks are answered by policies.

The package and :mod:`hookcore_bridge.dialects` import the standard library only, since the thin
client that the agents call has nothing else.
"""
