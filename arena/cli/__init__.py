"""The command line: ``arena COMMAND``, one file a command, imported when it is called."""
