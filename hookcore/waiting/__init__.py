"""Waits of a dispatch: coroutines, threads, the loop in the background, a person."""
