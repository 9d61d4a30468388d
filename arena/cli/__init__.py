"""The command line: ``arena COMMAND``, with one module per command, imported on use."""
