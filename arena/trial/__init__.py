"""The input test of a bot: observations in matches against random partners, and a diagnosis."""
