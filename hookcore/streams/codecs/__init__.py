"""Codecs for the stream events of libraries, which are known by their types' names alone."""
