"""A first Code Character bot: change it until it wins."""

from codecharacter import Game, Orders, play


class Bot:
    """Each soldier attacks the enemy soldier that is nearest to it, and no money is spent."""

    def update(self, game: Game, orders: Orders) -> None:
        """The orders of one turn. (What could the money build, on `game.free_tiles()`?)"""
        enemies = game.enemies()
        for soldier in game.my_soldiers():
            if enemies:
                nearest = min(enemies, key=lambda enemy: (soldier.distance2(enemy), enemy.id))
                orders.attack(soldier, nearest)


play(Bot())
