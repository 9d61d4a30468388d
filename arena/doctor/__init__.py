"""The doctor: examine which walls and limits this machine really provides for bots.

The keeper starts an escape program (`escape`) behind the walls of a level, as it would start a bot,
and the program tries each wall and each limit once. `walls` runs it and judges its reports,
`machine` looks at the rest of the machine, `repairs` knows causes and commands, and `examine` makes
the diagnosis, whose types are in `capability`.
"""
