// A first bot for Trade and War: change it until it wins.
// It keeps one soldier for every ten citizens, never trades, and begins no war.
"use strict";

const { recruit, thirds, wait, play } = require("./tncc.js");

/** Recruit when there are too few soldiers. (What could the gold buy?) */
function act(game) {
  const { military, population } = game.mine();
  if (military < Math.floor(population / 10)) return recruit(Math.floor(population / 20));
  return wait();
}

/** Accept presents. */
function accept(game, offer) {
  return offer.giveAmount === 0;
}

/** All soldiers, a third on each flank. */
function defend(game, attacker, soldiers) {
  return thirds(game.mine().military);
}

play({ act, accept, defend });
