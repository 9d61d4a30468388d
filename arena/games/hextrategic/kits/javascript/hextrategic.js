// Hextrategic as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
"use strict";

const NEUTRAL = "neutral";
const KINDS = ["normal", "bronze", "silver", "gold"];

/** A hexagon of the board, at `q` and `r`. Nothing is hidden: `owner` and `units` are exact. */
class Cell {
  constructor(id, q, r, kind) {
    this.id = id;
    this.q = q;
    this.r = r;
    /** normal, bronze, silver or gold. */
    this.kind = kind;
    /** @type {Cell[]} */
    this.neighbours = [];
    this.owner = NEUTRAL;
    this.units = 0;
    /** Where your standing order sends all units of this cell. @type {Cell | null} */
    this.auto = null;
  }
}

/**
 * What another player's units did in the last round.
 * @typedef {{player: string, source: Cell, target: Cell, units: number}} Move
 */

/** Everything that your bot was told so far. */
class Game {
  /** Every setting by its name, as it came: `settings.get("max_rounds")`. @type {Map<string, string>} */
  settings = new Map();
  me = "player1";
  /** @type {string[]} */
  players = [];
  /** The units that a cell earns in a round, by its kind. @type {Map<string, number>} */
  income = new Map();
  /** From 1. */
  round = 0;
  /** Your time bank for this request, in milliseconds. */
  timeBank = 0;
  /** All cells, by their number. @type {Cell[]} */
  cells = [];
  /** @type {Move[]} */
  opponentMoves = [];
  /** Of your last answer: the orders that were dropped, by number from 1, and why.
   * @type {{number: number, why: string}[]} */
  dropped = [];
  /** Your position, once the match is over for you. */
  rank = 0;

  /** Your cells, ascending. */
  mine() {
    return this.cells.filter((cell) => cell.owner === this.me);
  }

  /** The neighbours of `cell` that are not yours. @param {Cell} cell */
  foreign(cell) {
    return cell.neighbours.filter((other) => other.owner !== this.me);
  }
}

/** The orders of one round, in the order in which you give them. */
class Orders {
  /** @type {string[]} */
  lines = [];

  /** Send units to a neighbour, in this round. */
  move(source, target, units) {
    this.lines.push(`move ${source.id} ${target.id} ${units}`);
  }

  /** From now on, send what is left in `source` to a neighbour in every round. */
  auto(source, target) {
    source.auto = target;
    this.lines.push(`auto ${source.id} ${target.id}`);
  }

  /** End the standing order of `source`. */
  stop(source) {
    source.auto = null;
    this.lines.push(`stop ${source.id}`);
  }

  /** Leave the match. */
  surrender() {
    this.lines.push("surrender");
  }

  /** The line to send. */
  text() {
    return this.lines.join(", ") || "No moves";
  }
}

/**
 * Play one match, until the input ends.
 * @param {{act(game: Game, orders: Orders): void}} bot it gives the orders of a round
 */
function play(bot) {
  const game = new Game();
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const words = line.split(" ");
    if (words[0] === "go") {
      game.timeBank = Number(words[2]);
      const orders = new Orders();
      bot.act(game, orders);
      game.dropped = [];
      console.log(orders.text());
    } else {
      hear(game, words);
    }
  });
}

function hear(game, words) {
  const [kind, ...rest] = words;
  if (kind === "settings") set(game, rest[0], rest.slice(1));
  else if (kind === "setup_map" && rest[0] === "cells") setCells(game, rest.slice(1));
  else if (kind === "setup_map" && rest[0] === "neighbors") link(game, rest.slice(1));
  else if (kind === "round") game.round = Number(rest[0]);
  else if (kind === "update_map") for (const triple of tuples(rest, 3)) see(game, ...triple);
  else if (kind === "opponent_moves") game.opponentMoves = moves(game, rest);
  else if (kind === "result") game.dropped.push({ number: Number(rest[0]), why: rest[2] });
  else if (kind === "game_over") game.rank = Number(rest[0]);
}

function set(game, key, values) {
  game.settings.set(key, values.join(" "));
  if (key === "your_bot") game.me = values[0];
  else if (key === "players") game.players = values;
  else if (key === "income") KINDS.forEach((kind, i) => game.income.set(kind, Number(values[i])));
}

function setCells(game, words) {
  for (const [id, q, r, kind] of tuples(words, 4)) {
    game.cells.push(new Cell(Number(id), Number(q), Number(r), kind));
  }
}

function link(game, words) {
  for (const [id, others] of tuples(words, 2)) {
    for (const other of others.split(",")) {
      const [one, two] = [game.cells[Number(id)], game.cells[Number(other)]];
      one.neighbours.push(two); // each link is told once: add it on both sides
      two.neighbours.push(one);
    }
  }
}

function see(game, id, owner, units) {
  const cell = game.cells[Number(id)];
  cell.owner = owner;
  cell.units = Number(units);
  if (owner !== game.me) cell.auto = null; // a standing order ends with the loss of its cell
}

function moves(game, words) {
  return tuples(words, 5).map(([player, , source, target, units]) => {
    const [from, to] = [game.cells[Number(source)], game.cells[Number(target)]];
    return { player, source: from, target: to, units: Number(units) };
  });
}

function tuples(words, size) {
  const found = [];
  for (let i = 0; i + size <= words.length; i += size) found.push(words.slice(i, i + size));
  return found;
}

module.exports = { NEUTRAL, KINDS, Cell, Game, Orders, play };
