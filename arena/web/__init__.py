"""Serve pages of a match in progress on a local address."""
