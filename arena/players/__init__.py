"""Who plays: entrants, and the players that are opened from them."""
