"""One dispatch of a point: its plan, compiled loops, the engine that knows all rules, records.

A rule of the hook contract is written in the engine first; a loop may only be a faster spelling.
"""
