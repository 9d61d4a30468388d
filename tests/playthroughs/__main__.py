"""Write all playthroughs anew: ``python -m tests.playthroughs``."""

from tests.playthroughs import ALL

for playthrough in ALL:
    playthrough.write()
    print(playthrough.path)
