"""Operations of a host with a beginning and an end: calls, streams, messages, runs.

The manager exposes them; what a boundary guarantees (gates judged last, one end) is written here.
"""
