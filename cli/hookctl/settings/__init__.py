"""A plugin's settings as its package's JSON Schema tells them: shown, checked and changed."""
