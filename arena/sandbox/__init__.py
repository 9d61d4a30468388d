"""Run untrusted programs behind walls, measure them and end them.

`levels` lists the walls of each level. To start a bot, `placement` builds a `SpawnRequest`
(`keeper.messages`), with the sandbox options from `bubblewrap`; `children` sends it to the
`keeper`, the process that starts and ends all programs, and receives the keeper's messages.
`probe` finds the level that a machine supports, `session` runs everything from synchronous code,
and `usage` measures what a program uses.
"""
