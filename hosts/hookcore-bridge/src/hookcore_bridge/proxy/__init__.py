"""A proxy for the traffic between any client and a model's address."""
