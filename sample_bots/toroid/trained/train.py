"""trained/train.py - learns the weights of this bot against simple.py, by the cross-entropy method.

    python sample_bots/toroid/trained/train.py --jobs 2

Each generation draws vectors of weights around a mean, lets each play the same matches, and moves
the mean and the spread to those of the best. It needs the extra `train`.
"""

import argparse
import json
import time
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from policy import SIZE, choose

from arena.train import SeatEnv


class Simple:
    """simple.py as a Python player: it attacks whenever it can."""

    def __call__(self, lines: list[str]) -> str:
        for line in lines:
            match line.split():
                case ["settings", "your_bot", name]:
                    self.me = name
                case ["setup_map", "ring", *countries]:
                    self.ring = len(countries)
                case ["update_map", *triples]:
                    self.owner = dict(zip(triples[::3], triples[1::3], strict=True))
                    self.units = dict(zip(triples[::3], map(int, triples[2::3]), strict=True))
        country = lines[-1].split()[-1]
        spare = min(self.units[country] - 1, 10)
        for side, step in (("left", -1), ("right", 1)):
            if self.owner[f"{(int(country) + step) % self.ring}"] != self.me and spare > 0:
                return f"attack {side} {spare}"
        return "build" if self.units[country] < 20 else "No moves"


def fitness(weights: list[float], seeds: range) -> float:
    """The mean reward in the matches of these seeds: by rank, and a little by countries."""
    env = SeatEnv("toroid", Simple, seat=None, actions="text", shaping=0.2)
    total = 0.0
    for seed in seeds:
        seen, _ = env.reset(seed=seed)
        done = False
        while not done:
            rows, scalars = seen["observation"].tolist(), seen["scalars"].tolist()
            seen, reward, ended, cut, _ = env.step(choose(rows, scalars, 2, weights))
            total, done = total + float(reward), ended or cut
    return total / len(seeds)


def train(generations: int, population: int, matches: int, jobs: int) -> list[float]:
    """The mean weights after so many generations."""
    rng, mean, spread = np.random.default_rng(1), np.zeros(SIZE), np.ones(SIZE)
    with Pool(jobs) as pool:
        for number in range(generations):
            drawn = mean + spread * rng.standard_normal((population, SIZE))
            seeds = range(number * matches, (number + 1) * matches)
            found = np.array(pool.map(partial(fitness, seeds=seeds), drawn.tolist(), chunksize=1))
            best = drawn[np.argsort(found)[-population // 4 :]]
            mean, spread = best.mean(axis=0), best.std(axis=0) + 0.1
            print(
                f"generation {number + 1}: {found.mean():.2f}, the best {found.max():.2f}",
                flush=True,
            )
    return [round(float(weight), 3) for weight in mean]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name, preset in (("generations", 10), ("population", 24), ("matches", 8), ("jobs", 2)):
        parser.add_argument(f"--{name}", type=int, default=preset)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("weights.json"))
    options = vars(parser.parse_args())
    out, began = options.pop("out"), time.time()
    out.write_text(json.dumps({"trained": train(**options)}) + "\n")
    print(f"{out} written after {time.time() - began:.0f} s")
