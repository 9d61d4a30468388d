// A first Hextrategic bot: change it until it wins.
// A cell attacks its weakest foreign neighbour with all its units, if it is stronger.
"use strict";

const { play } = require("./hextrategic.js");

/** One move for each cell that can win. (What could the cells inside do for the border?) */
function act(game, orders) {
  for (const cell of game.mine()) {
    const [weakest] = game.foreign(cell).sort((a, b) => a.units - b.units || a.id - b.id);
    if (weakest && cell.units > weakest.units) orders.move(cell, weakest, cell.units);
  }
}

play({ act });
