"""The program `arena`, which ``python -m arena`` runs too."""

import gc


def main() -> None:
    """The entry point of the program `arena`."""
    gc.set_threshold(100_000, 50)  # two runs per start: imported objects stay alive
    from arena.cli.main import main

    main()


if __name__ == "__main__":  # not in worker processes, which import this file too
    main()
