// A first Toroid Wars bot: change it until it wins.
// A country that has gathered eight units attacks a foreign neighbour; the others build.
"use strict";

const { attack, build, wait, play } = require("./toroid.js");

/** What `country` does. (Would a look at the neighbour first, by `scout`, be better?) */
function act(game, country) {
  if (country.units >= 8) {
    const force = Math.min(country.units - 1, game.maxAttackUnits); // one stays at home
    if (game.left(country).owner !== game.me) return attack("left", force);
    if (game.right(country).owner !== game.me) return attack("right", force);
  }
  return country.units < game.maxResidentUnits ? build() : wait();
}

play({ act });
