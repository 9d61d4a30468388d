"""What tests share. (Programs for developers, as `python -m tests.soak`, lie in `tests/` itself.)

* `fake`: programs without processes, on a mock clock
* `live`: matches of the tiny game between real processes
* `forks`: arenas in processes of their own, forked from one that has imported all
* `keepers`: one keeper for many tests
* `groups`: real processes in real control groups
* `tools`: programs that are not part of Python, and whether this machine has them
* `leftovers`: processes, descriptors, folders and groups that matches leave behind
* `kernel_memory`: what the kernel keeps for programs that are gone
* `tabs`: tabs of one Chromium for all its tests
* `firefox`: a Firefox without a window
* `wheels`: distributions of others, installed beside the arena
* `deep`: folders nested deeper than Python's stack
"""
