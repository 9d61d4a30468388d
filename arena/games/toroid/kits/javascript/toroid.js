// Toroid Wars as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
"use strict";

/** The units of a country that you do not see. */
const UNKNOWN = -1;

/** A country of the ring. `owner` and `units` are as last told; "" means never told. */
class Country {
  constructor(id) {
    this.id = id;
    this.owner = "";
    this.units = UNKNOWN;
    this.visible = false;
  }
}

/**
 * What an opponent did to one of your countries: `kind` is attack or transfer; `outcome`, of an
 * attack, is conquer, victory or defeat.
 * @typedef {{player: string, kind: string, source: Country, target: Country, units: number,
 *            outcome: string}} Deed
 */

/** Everything that your bot was told so far. */
class Game {
  /** Every setting by its name, as it came: `settings.get("visibility")`. @type {Map<string, string>} */
  settings = new Map();
  me = "player1";
  /** @type {string[]} */
  players = [];
  /** @type {string[]} */
  turnOrder = [];
  maxGameTurns = 40;
  maxAttackUnits = 10;
  maxTransferUnits = 10;
  maxResidentUnits = 20;
  /** The game turn, from 1. */
  round = 0;
  /** Your time bank for this request, in milliseconds. */
  timeBank = 0;
  /** All countries, by their number; the last and the first are neighbours. @type {Country[]} */
  ring = [];
  /** What was done to your countries since your last turn. @type {Deed[]} */
  opponentsDid = [];
  /** The words of the last answer's result: `["2", "illegal", "few_units"]`. @type {string[]} */
  result = [];
  /** Your rank, once the match is over. */
  rank = 0;

  /** The neighbour with the next lower number. @param {Country} country */
  left(country) {
    return this.ring[(country.id + this.ring.length - 1) % this.ring.length];
  }

  /** The neighbour with the next higher number. @param {Country} country */
  right(country) {
    return this.ring[(country.id + 1) % this.ring.length];
  }

  /** Your countries, ascending. */
  mine() {
    return this.ring.filter((country) => country.owner === this.me);
  }
}

/** Attack the neighbour on `side`, left or right. One unit must stay at home. */
const attack = (side, units) => `attack ${side} ${units}`;
/** Learn whose the neighbour is, and how many units it has. */
const scout = (side) => `scout ${side}`;
/** Send units to your own neighbour. */
const transfer = (side, units) => `transfer ${side} ${units}`;
/** One more unit at the end of your turn. */
const build = () => "build";
/** Do nothing. */
const wait = () => "No moves";

/**
 * Play one match, until the input ends.
 * @param {{act(game: Game, country: Country): string}} bot what your bot answers: the action of
 *   `country`, which is yours. After an illegal answer the same country is asked once more.
 */
function play(bot) {
  const game = new Game();
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const words = line.split(" ");
    if (words[0] === "go") {
      game.timeBank = Number(words[2]);
      console.log(bot.act(game, game.ring[Number(words[3])]));
    } else {
      hear(game, words);
    }
  });
}

function hear(game, words) {
  const rest = words.slice(1);
  if (words[0] === "settings") set(game, words[1], words.slice(2));
  else if (words[0] === "setup_map") game.ring = words.slice(2).map((id) => new Country(Number(id)));
  else if (words[0] === "round") game.round = Number(words[1]);
  else if (words[0] === "update_map") see(game, rest);
  else if (words[0] === "opponent_moves") game.opponentsDid = deeds(game, rest);
  else if (words[0] === "result") learn(game, rest);
  else if (words[0] === "game_over") game.rank = Number(words[1]);
}

const NUMBERS = {
  max_game_turns: "maxGameTurns",
  max_attack_units: "maxAttackUnits",
  max_transfer_units: "maxTransferUnits",
  max_resident_units: "maxResidentUnits",
};

function set(game, key, values) {
  game.settings.set(key, values.join(" "));
  if (key === "your_bot") game.me = values[0];
  else if (key === "players") game.players = values;
  else if (key === "turn_order") game.turnOrder = values;
  else if (key in NUMBERS) game[NUMBERS[key]] = Number(values[0]);
}

function see(game, words) {
  for (const country of game.ring) {
    country.visible = false;
    if (country.owner === game.me) country.owner = ""; // unless it is told now, it was lost
  }
  for (let i = 0; i + 2 < words.length; i += 3) {
    const seen = { owner: words[i + 1], units: Number(words[i + 2]), visible: true };
    Object.assign(game.ring[Number(words[i])], seen);
  }
}

function deeds(game, words) {
  const found = [];
  for (let i = 0; i < words.length; ) {
    const [player, kind, source, target, units] = words.slice(i, i + 5);
    const outcome = kind === "attack" ? words[i + 5] : "";
    const [from, to] = [game.ring[Number(source)], game.ring[Number(target)]];
    found.push({ player, kind, source: from, target: to, units: Number(units), outcome });
    i += kind === "attack" ? 6 : 5;
  }
  return found;
}

function learn(game, result) {
  game.result = result;
  if (result[1] === "scout") game.ring[Number(result[3])].units = Number(result[4]);
}

module.exports = { UNKNOWN, Country, Game, attack, scout, transfer, build, wait, play };
