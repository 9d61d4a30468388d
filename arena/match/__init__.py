"""One match: who sits where, the referee, and the report."""
