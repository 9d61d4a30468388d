"""Starting programs of strangers, putting them behind walls, and ending them.

`levels` says which walls there are. On the way from a bot to its exec, `placement` makes a
`SpawnRequest` (`keeper.request`), with `bubblewrap` for the walls of a sandbox; `children` sends it
to the `keeper`, the process that starts and ends all programs, and hears what became of it
(`keeper.messages`).
`probe` finds out which level a machine has, `session` runs all of it from ordinary code, and
`usage` measures what a program uses.
"""
