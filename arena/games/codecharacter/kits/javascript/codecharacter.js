// Code Character as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You see your own base in the upper left, whichever player you are. You need not change this file.
// Lines that it does not know are ignored: a later arena may send more.
"use strict";

/** A soldier at `x`, `y`, in units from the upper left corner. */
class Soldier {
  constructor([id, owner, x, y, hp, state, immune]) {
    this.id = Number(id);
    this.owner = owner;
    this.x = Number(x);
    this.y = Number(y);
    this.hp = Number(hp);
    /** idle, move, pursuit, attack or dead. */
    this.state = state;
    this.immune = immune === "1";
  }

  /** Whether it can be ordered and attacked. */
  get alive() {
    return this.state !== "dead";
  }

  /** The square of the distance: enough to find what is nearest. @param {Soldier | Tower} other */
  distance2(other) {
    return (this.x - other.x) ** 2 + (this.y - other.y) ** 2;
  }
}

/** A tower whose middle is at `x`, `y`. The base is one, and cannot be attacked. */
class Tower {
  constructor([id, owner, x, y, hp, level, base]) {
    this.id = Number(id);
    this.owner = owner;
    this.x = Number(x);
    this.y = Number(y);
    this.hp = Number(hp);
    this.level = Number(level);
    this.base = base === "1";
  }
}

/** Everything that your bot was told so far. */
class Game {
  /** Every setting by its name, as it came: `settings.get("num_turns")`. @type {Map<string, string>} */
  settings = new Map();
  me = "player1";
  /** The turn, from 1. */
  round = 0;
  /** Your time bank for this request, in milliseconds. */
  timeBank = 0;
  money = 0;
  tileSize = 50;
  /** What a tower costs, and each further level. @type {number[]} */
  towerCosts = [];
  maxTowers = 15;
  maxLevel = 3;
  /** All soldiers by their number, your own first. @type {Map<number, Soldier>} */
  soldiers = new Map();
  /** @type {Map<number, Tower>} */
  towers = new Map();
  /** A text for each row, from above: `.` no player's tile, `m` yours, `e` the enemy's, `b` of both.
   * @type {string[]} */
  territory = [];
  /** Of your last answer: the orders that did not count, by number from 1, and why.
   * @type {{number: number, why: string}[]} */
  refused = [];
  /** Your rank, once the match is over. */
  rank = 0;

  /** Your living soldiers. */
  mySoldiers() {
    return [...this.soldiers.values()].filter((one) => one.owner === this.me && one.alive);
  }

  /** The enemy's living soldiers. */
  enemies() {
    return [...this.soldiers.values()].filter((one) => one.owner !== this.me && one.alive);
  }

  /** Your towers, the base among them. */
  myTowers() {
    return [...this.towers.values()].filter((one) => one.owner === this.me);
  }

  /** The tiles on which you may build, row by row: yours alone, without a tower. */
  freeTiles() {
    const taken = new Set(this.myTowers().map((tower) => this.tile(tower.x, tower.y).join()));
    return this.territory.flatMap((row, y) =>
      [...row]
        .map((mark, x) => ({ mark, x, y }))
        .filter(({ mark, x }) => mark === "m" && !taken.has([x, y].join()))
        .map(({ x }) => ({ x, y }))
    );
  }

  /** The tile that has this place: `[x, y]`. */
  tile(x, y) {
    return [Math.floor(x / this.tileSize), Math.floor(y / this.tileSize)];
  }
}

/** The orders of one turn. */
class Orders {
  /** @type {string[]} */
  lines = [];

  /** Walk to a place. */
  move(soldier, x, y) {
    this.lines.push(`move ${soldier.id} ${Number(x.toFixed(3))} ${Number(y.toFixed(3))}`);
  }

  /** Follow an enemy and attack it, also in the turns to come. */
  attack(soldier, target) {
    this.lines.push(`attack ${soldier.id} ${target.id}`);
  }

  /** A new tower on a tile. */
  build(x, y) {
    this.lines.push(`build ${x} ${y}`);
  }

  /** The next level of a tower. */
  upgrade(tower) {
    this.lines.push(`upgrade ${tower.id}`);
  }

  /** Give a tower up, for a part of its price. */
  suicide(tower) {
    this.lines.push(`suicide ${tower.id}`);
  }

  /** The line to send. */
  text() {
    return this.lines.join(", ") || "No moves";
  }
}

/**
 * Play one match, until the input ends.
 * @param {{update(game: Game, orders: Orders): void}} bot it gives the orders of a turn. Soldiers
 *   without a new order go on with their old one.
 */
function play(bot) {
  const game = new Game();
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const words = line.split(" ");
    if (words[0] === "go") {
      game.timeBank = Number(words[2]);
      const orders = new Orders();
      bot.update(game, orders);
      game.refused = [];
      console.log(orders.text());
    } else {
      hear(game, words);
    }
  });
}

function hear(game, [kind, ...words]) {
  if (kind === "settings") set(game, words[0], words.slice(1));
  else if (kind === "round") game.round = Number(words[0]);
  else if (kind === "result") game.refused.push({ number: Number(words[0]), why: words[2] });
  else if (kind === "game_over") game.rank = Number(words[0]);
  else if (kind === "update_map" && words[0] === "soldiers") game.soldiers = read(Soldier, words);
  else if (kind === "update_map" && words[0] === "towers") game.towers = read(Tower, words);
  else if (kind === "update_map" && words[0] === "territory") game.territory = words.slice(1);
}

const NUMBERS = { money: "money", tile_size: "tileSize", max_towers: "maxTowers", max_level: "maxLevel" };

function set(game, key, values) {
  game.settings.set(key, values.join(" "));
  if (key === "your_bot") game.me = values[0];
  else if (key === "tower_costs") game.towerCosts = values.map(Number);
  else if (key in NUMBERS) game[NUMBERS[key]] = Number(values[0]);
}

/** Soldiers or towers by their number: seven words each, behind the first. */
function read(Kind, words) {
  const found = new Map();
  for (let i = 1; i + 6 < words.length; i += 7) {
    const one = new Kind(words.slice(i, i + 7));
    found.set(one.id, one);
  }
  return found;
}

module.exports = { Soldier, Tower, Game, Orders, play };
