"""Runs of one message, with so many calls of a tool, on somebody else's runtimes."""
