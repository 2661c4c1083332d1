"""Tools of the authors of policies: a new distribution, checks of one, and its cases."""
