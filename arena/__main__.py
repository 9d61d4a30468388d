"""The program `arena`; ``python -m arena`` is the same."""

import gc


def main() -> None:
    """The entry point of the program `arena`."""
    gc.set_threshold(100_000, 50)  # twice a start: what is imported stays, to search it is in vain
    from arena.cli.main import main

    main()


if __name__ == "__main__":  # worker processes import this file under another name
    main()
