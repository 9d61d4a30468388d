"""A first Hextrategic bot: change it until it wins."""

from hextrategic import Game, Orders, play


class Bot:
    """A cell attacks its weakest foreign neighbour with all its units, if it is stronger."""

    def act(self, game: Game, orders: Orders) -> None:
        """One move for each cell that can win. (What could the cells inside do for the border?)"""
        for cell in game.mine():
            foreign = game.foreign(cell)
            if foreign:
                weakest = min(foreign, key=lambda other: (other.units, other.id))
                if cell.units > weakest.units:
                    orders.move(cell, weakest, cell.units)


play(Bot())
