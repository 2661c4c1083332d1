"""Puts hookctl into the configuration of coding agents, and takes it out again."""
