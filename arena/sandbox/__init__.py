"""Strangers' programs: starting them, walling them in, ending them.

`levels` says which walls there are, `bubblewrap` and `guard` how they are built, `cgroup` what the
kernel keeps count of. The `keeper` is the process that owns all bots; `birth` is what happens
between its fork and the bot's first instruction; `children` is the arena's side of it.
"""
