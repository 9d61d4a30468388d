"""The input test of a bot: what is seen of it in matches against random partners, and what it
means."""
