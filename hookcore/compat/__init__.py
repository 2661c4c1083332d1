"""Other systems' own hook APIs, each a thin adapter over the one dispatcher."""
