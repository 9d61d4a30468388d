"""Strangers' archives, recognised by their first bytes and unpacked by our own code.

``arena.bots.archives.unpack.unpack`` is the entry point; `rules` limits what an archive may hold.
"""
