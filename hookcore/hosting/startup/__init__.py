"""The folder that stands on ``PYTHONPATH`` where a Python is to be governed from its start."""
