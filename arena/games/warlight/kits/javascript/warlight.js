// Warlight as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
"use strict";

const NEUTRAL = "neutral";

/** Regions that earn `bonus` armies a round for the player that has all of them. */
class SuperRegion {
  constructor(id, bonus) {
    this.id = id;
    this.bonus = bonus;
    /** @type {Region[]} */
    this.regions = [];
  }
}

/** A region of the map. `owner` and `armies` are as you last saw them; "" means never seen. */
class Region {
  constructor(id, superRegion) {
    this.id = id;
    /** @type {SuperRegion} */
    this.superRegion = superRegion;
    /** @type {Region[]} */
    this.neighbours = [];
    this.wasteland = false;
    this.owner = "";
    this.armies = 0;
    this.visible = false;
  }
}

/**
 * New armies for a region of yours.
 * @typedef {{region: Region, armies: number}} Placement
 *
 * Armies that attack a neighbour, or join it when it is yours. One army stays at home.
 * @typedef {{source: Region, target: Region, armies: number}} Move
 */

/** Everything that your bot was told so far. */
class Game {
  /** Every setting by its name, as it came: `settings.get("max_rounds")`. @type {Map<string, string>} */
  settings = new Map();
  me = "player1";
  opponent = "player2";
  /** The armies that you may place in this round. */
  newArmies = 5;
  /** From 1; 0 while regions are picked. */
  round = 0;
  /** Your time bank for this request, in milliseconds. */
  timeBank = 0;
  /** @type {Map<number, SuperRegion>} */
  superRegions = new Map();
  /** @type {Map<number, Region>} */
  regions = new Map();
  /** @type {Region[]} */
  opponentPicks = [];
  /** What you saw of the opponent's last round. @type {Placement[]} */
  opponentPlaced = [];
  /** @type {Move[]} */
  opponentMoved = [];

  /** Your regions. */
  mine() {
    return [...this.regions.values()].filter((region) => region.owner === this.me);
  }

  /** The neighbours of `region` that are not yours. @param {Region} region */
  foreign(region) {
    return region.neighbours.filter((other) => other.owner !== this.me);
  }
}

/**
 * Play one match, until the input ends.
 * @param {{pick(game: Game, choices: Region[]): Region, place(game: Game): Placement[],
 *          move(game: Game): Move[]}} bot what your bot answers: a region to start from; where the
 *   new armies go, `game.newArmies` in all; attacks and transfers, in the order in which they are to
 *   happen
 */
function play(bot) {
  const game = new Game();
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const words = line.split(" ");
    if (words[0] === "pick_starting_region") {
      game.timeBank = Number(words[1]);
      const choices = words.slice(2).map((id) => game.regions.get(Number(id)));
      console.log(String(bot.pick(game, choices).id));
    } else if (words[0] === "go") {
      game.timeBank = Number(words[2]);
      console.log((words[1] === "place_armies" ? placed : moved)(bot, game).join(", ") || "No moves");
    } else {
      hear(game, words);
    }
  });
}

function placed(bot, game) {
  const placements = bot.place(game);
  for (const { region, armies } of placements) region.armies += armies; // your move finds them there
  return placements.map(({ region, armies }) => `${game.me} place_armies ${region.id} ${armies}`);
}

function moved(bot, game) {
  return bot
    .move(game)
    .map(({ source, target, armies }) => `${game.me} attack/transfer ${source.id} ${target.id} ${armies}`);
}

function hear(game, words) {
  const region = (id) => game.regions.get(Number(id));
  if (words[0] === "settings") set(game, words[1], words.slice(2).join(" "));
  else if (words[0] === "update_map") see(game, tuples(words.slice(1), 3));
  else if (words[0] === "opponent_moves") remember(game, words.slice(1));
  else if (words[0] === "setup_map") {
    const rest = words.slice(2);
    if (words[1] === "super_regions") setSuperRegions(game, tuples(rest, 2));
    else if (words[1] === "regions") setRegions(game, tuples(rest, 2));
    else if (words[1] === "neighbors") link(game, tuples(rest, 2));
    else if (words[1] === "wastelands") for (const id of rest) region(id).wasteland = true;
    else if (words[1] === "opponent_starting_regions") game.opponentPicks = rest.map(region);
  }
}

function set(game, key, value) {
  game.settings.set(key, value);
  if (key === "your_bot") game.me = value;
  else if (key === "opponent_bot") game.opponent = value;
  else if (key === "starting_armies") {
    game.newArmies = Number(value); // the first line of a round
    game.round += 1;
  }
}

function setSuperRegions(game, pairs) {
  for (const [id, bonus] of pairs) {
    game.superRegions.set(Number(id), new SuperRegion(Number(id), Number(bonus)));
  }
}

function setRegions(game, pairs) {
  for (const [id, home] of pairs) {
    const region = new Region(Number(id), game.superRegions.get(Number(home)));
    game.regions.set(region.id, region);
    region.superRegion.regions.push(region);
  }
}

function link(game, pairs) {
  for (const [id, others] of pairs) {
    for (const other of others.split(",")) {
      const [one, two] = [game.regions.get(Number(id)), game.regions.get(Number(other))];
      one.neighbours.push(two); // each link is told once: add it on both sides
      two.neighbours.push(one);
    }
  }
}

function see(game, triples) {
  for (const region of game.regions.values()) {
    region.visible = false;
    if (region.owner === game.me) region.owner = game.opponent; // unless it is told now, it was lost
  }
  for (const [id, owner, armies] of triples) {
    Object.assign(game.regions.get(Number(id)), { owner, armies: Number(armies), visible: true });
  }
}

function remember(game, words) {
  game.opponentPlaced = [];
  game.opponentMoved = [];
  for (let i = 0; i < words.length; ) {
    const region = game.regions.get(Number(words[i + 2]));
    if (words[i + 1] === "place_armies") {
      game.opponentPlaced.push({ region, armies: Number(words[i + 3]) });
      i += 4;
    } else {
      const target = game.regions.get(Number(words[i + 3]));
      game.opponentMoved.push({ source: region, target, armies: Number(words[i + 4]) });
      i += 5;
    }
  }
}

function tuples(words, size) {
  const found = [];
  for (let i = 0; i + size <= words.length; i += size) found.push(words.slice(i, i + size));
  return found;
}

module.exports = { NEUTRAL, SuperRegion, Region, Game, play };
