// A first Code Character bot: change it until it wins.
// Each soldier attacks the enemy soldier that is nearest to it, and no money is spent.
"use strict";

const { play } = require("./codecharacter.js");

/** The orders of one turn. (What could the money build, on `game.freeTiles()`?) */
function update(game, orders) {
  const enemies = game.enemies();
  for (const soldier of game.mySoldiers()) {
    const far = (enemy) => soldier.distance2(enemy);
    const [nearest] = [...enemies].sort((a, b) => far(a) - far(b) || a.id - b.id);
    if (nearest) orders.attack(soldier, nearest);
  }
}

play({ update });
