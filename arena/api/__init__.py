"""The functions behind `import arena` and the commands: matches, series and checks."""
