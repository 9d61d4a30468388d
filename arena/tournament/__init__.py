"""Pure functions for events of many matches: pairings, schedules, results, ratings and tables."""
