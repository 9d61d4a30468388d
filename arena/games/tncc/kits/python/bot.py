"""A first bot for Trade and War: change it until it wins."""

from tncc import Country, Flanks, Game, Offer, play, recruit, thirds, wait


class Bot:
    """It keeps one soldier for every ten citizens, never trades, and begins no war."""

    def act(self, game: Game) -> str:
        """Recruit when there are too few soldiers. (What could the gold buy?)"""
        mine = game.mine()
        if mine.military < mine.population // 10:
            return recruit(mine.population // 20)
        return wait()

    def accept(self, game: Game, offer: Offer) -> bool:
        """Accept presents."""
        return offer.give_amount == 0

    def defend(self, game: Game, attacker: Country, soldiers: int) -> Flanks:
        """All soldiers, a third on each flank."""
        return thirds(game.mine().military)


play(Bot())
