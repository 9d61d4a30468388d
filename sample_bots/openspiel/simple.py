"""simple: a bot for any game of OpenSpiel that answers with one of the legal actions at random."""

import random
import sys

legal: list[str] = []
for line in sys.stdin:
    word, *rest = line.split()
    if word == "legal":
        legal = rest
    elif word == "go":
        print(random.choice(legal), flush=True)
