"""Many matches between the same bots: the pairings, and the table that comes out. Pure."""
