"""The guides: Markdown files in this folder, which GitHub shows as well.

`pages` finds them for ``arena guide``; `schema` writes the tables of ``records.md``.
"""
