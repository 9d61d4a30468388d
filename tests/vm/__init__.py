"""The arena on a machine as users have it: systemd, control groups v2, an ordinary user."""
