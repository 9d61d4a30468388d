"""Playing one match: its seats, the referee, and the report."""
