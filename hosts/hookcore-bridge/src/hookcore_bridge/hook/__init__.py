"""The command that a client's hook is: one event in, the client's own answer out."""
