"""Text for people that several commands share."""
