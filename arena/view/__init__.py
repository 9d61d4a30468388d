"""Turn replays into pages for browsers, each a single file."""
