"""From configuration to a manager with plugins: import, settings, registration, declaration."""
