"""Runtimes that dispatch the points: the reference agent, and adapters to other people's."""
