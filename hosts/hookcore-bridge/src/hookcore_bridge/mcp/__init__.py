"""A proxy in front of any server of the Model Context Protocol, on its raw messages.

What it judges is in :mod:`.exchanges`; what it does not know it passes on as it came.
"""
