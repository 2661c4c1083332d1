"""A hook, its point and its options, and the checks that come before it may run.

Nothing here dispatches: what is registered is compiled into plans one room further up.
"""
