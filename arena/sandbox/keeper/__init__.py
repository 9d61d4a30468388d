"""The keeper: the process that starts, reaps and ends all bots. Standard library only."""
