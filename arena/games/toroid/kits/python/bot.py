"""A first Toroid Wars bot: change it until it wins."""

from toroid import Country, Game, attack, build, play, wait


class Bot:
    """A country that has gathered eight units attacks a foreign neighbour; the others build."""

    def act(self, game: Game, country: Country) -> str:
        """What `country` does. (Would a look at the neighbour first, by `scout`, be better?)"""
        if country.units >= 8:
            force = min(country.units - 1, game.max_attack_units)  # one stays at home
            if game.left(country).owner != game.me:
                return attack("left", force)
            if game.right(country).owner != game.me:
                return attack("right", force)
        if country.units < game.max_resident_units:
            return build()
        return wait()


play(Bot())
