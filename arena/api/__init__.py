"""What `import arena` offers, and what the commands do: matches, series, checks from Python."""
