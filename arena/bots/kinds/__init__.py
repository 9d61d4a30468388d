"""The table of languages, by what runs their programs."""
