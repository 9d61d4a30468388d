"""Strangers' archives: recognised by their first bytes and unpacked by a walker of our own.

``arena.bots.archives.unpack.unpack`` is the way in; what one archive may hold is in `rules`.
"""
