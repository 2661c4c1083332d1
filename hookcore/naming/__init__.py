"""Names of tools, agents and settings: how they are spelt, matched, and what they tell.

The one dialect of filters and policies; it needs no compiled dependency.
"""
