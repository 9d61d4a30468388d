"""The record of a match: its format, its writer, its reader, and its proof."""
