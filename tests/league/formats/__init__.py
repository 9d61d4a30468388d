"""Leagues of all formats that `arena league upgrade` reads: ``4.tar.gz`` holds those of format 4.

Before a release raises the format, ``python -m tests.league.formats`` writes the file of the format
that it still has; the file is then kept for ever. In each are two leagues:

``cup.league``  a small one with rows in nearly all tables, those of a site included
``book.league``  one whose matches begin at the positions of a book
"""
