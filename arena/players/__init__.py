"""Entrants (who plays), and the players opened from them."""
