"""The daemon that clients ask: policies are loaded once, and many requests are answered at once."""
