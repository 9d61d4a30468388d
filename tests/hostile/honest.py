"""A program that answers everything with 1, after as many seconds as its argument says."""

import sys
import time

pause = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
for line in sys.stdin:
    if line.startswith(("go", "pick_starting_region")):
        time.sleep(pause)
        print(1, flush=True)
