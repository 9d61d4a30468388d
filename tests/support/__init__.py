"""Shared helpers of tests. (Programs of developers are in `tests/experiments/`.)

* `fake`: programs without processes, on a mock clock
* `live`: matches of the tiny game between real processes
* `forks`: arenas in separate processes, forked from one that has imported everything
* `keepers`: one keeper for many tests
* `groups`: real processes in real control groups
* `tools`: requirements of tests, such as external programs
* `leftovers`: processes, descriptors, folders and groups that matches leave behind
* `kernel_memory`: kernel memory kept for programs that have ended
* `tabs`: reusable tabs of one Chromium
* `firefox`: a headless Firefox
* `wheels`: third-party packages, installed beside the arena
* `deep`: folders nested deeper than Python's stack
"""
