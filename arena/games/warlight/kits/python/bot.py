"""A first Warlight bot: change it until it wins."""

from warlight import Game, Move, Placement, Region, play


class Bot:
    """It strengthens its borders in turn, and attacks where it is three times as strong."""

    def pick(self, game: Game, choices: list[Region]) -> Region:
        """The first one on the list. (Would one in a small super region be better?)"""
        return choices[0]

    def place(self, game: Game) -> list[Placement]:
        """All new armies go to one region that has a foreign neighbour, another one each round."""
        border = [region for region in game.mine() if game.foreign(region)]
        if not border:
            return []
        return [Placement(border[game.round % len(border)], game.new_armies)]

    def move(self, game: Game) -> list[Move]:
        """Each region sends three armies for each army of its weakest foreign neighbour."""
        moves = []
        for region in game.mine():
            weakest = min(
                game.foreign(region), key=lambda other: (other.armies, other.id), default=region
            )
            force = 3 * weakest.armies
            if weakest is not region and force < region.armies:  # one army stays at home
                moves.append(Move(region, weakest, force))
        return moves


play(Bot())
