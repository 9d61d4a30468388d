// A first Warlight bot: change it until it wins.
// It strengthens its borders in turn, and attacks where it is three times as strong.
"use strict";

const { play } = require("./warlight.js");

/** The first one on the list. (Would one in a small super region be better?) */
function pick(game, choices) {
  return choices[0];
}

/** All new armies go to one region that has a foreign neighbour, another one each round. */
function place(game) {
  const border = game.mine().filter((region) => game.foreign(region).length > 0);
  if (border.length === 0) return [];
  return [{ region: border[game.round % border.length], armies: game.newArmies }];
}

/** Each region sends three armies for each army of its weakest foreign neighbour. */
function move(game) {
  const moves = [];
  for (const region of game.mine()) {
    const [weakest] = game.foreign(region).sort((a, b) => a.armies - b.armies || a.id - b.id);
    if (weakest && 3 * weakest.armies < region.armies) { // one army stays at home
      moves.push({ source: region, target: weakest, armies: 3 * weakest.armies });
    }
  }
  return moves;
}

play({ pick, place, move });
