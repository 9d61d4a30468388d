"""Pages on a local address: a match while it is played."""
