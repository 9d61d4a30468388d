// Trade and War (TNCC) as typed state. `play` reads the lines of the protocol and asks your bot.
//
// You need not change this file. Lines that it does not know are ignored: a later arena may send more.
"use strict";

const RESOURCES = ["gold", "food", "population", "military", "land"];

/** What a player has. Nothing is hidden. */
class Country {
  constructor(name) {
    this.name = name;
    this.gold = 0;
    this.food = 0;
    this.population = 0;
    this.military = 0;
    this.land = 0;
    this.alive = true;
  }
}

/**
 * A trade that another country proposes: you get the first amount, and give the second.
 * @typedef {{country: Country, youGet: string, getAmount: number, youGive: string,
 *            giveAmount: number}} Offer
 *
 * The soldiers on the three flanks of a war: left, middle, right.
 * @typedef {[number, number, number]} Flanks
 */

/** Everything that your bot was told so far. */
class Game {
  /** Every setting by its name, as it came: `settings.get("max_cycles")`. @type {Map<string, string>} */
  settings = new Map();
  me = "player1";
  /** All countries by their names, in the order of their turns. @type {Map<string, Country>} */
  countries = new Map();
  goldForWar = 1600;
  /** The cycle, from 1. */
  round = 0;
  /** Your time bank for this request, in milliseconds. */
  timeBank = 0;
  /** What others did since your last request: `["player1", "recruit", "100"]`. @type {string[][]} */
  news = [];
  /** All news of the match, each with its cycle. @type {{round: number, words: string[]}[]} */
  chronicle = [];
  /** The words of your last result: `["trade", "yes"]`, `["illegal", "funds"]`. @type {string[]} */
  result = [];
  /** Your rank, once the match is over for you. */
  rank = 0;

  /** Your country. */
  mine() {
    return this.countries.get(this.me);
  }

  /** The countries that still live, but for yours. */
  others() {
    return [...this.countries.values()].filter((one) => one.alive && one.name !== this.me);
  }
}

/** Do nothing. */
const wait = () => "wait";
/** Make soldiers of citizens; a negative number makes citizens of soldiers. */
const recruit = (citizens) => `recruit ${citizens}`;
/** Offer `amount` of the resource `give` for `price` of `take`; one of the two is gold. */
const trade = (country, give, amount, take, price) =>
  `trade ${country.name} ${give} ${amount} ${take} ${price}`;
/** Attack a country. It costs `game.goldForWar`. */
const war = (country, flanks) => `war ${country.name} ${flanks.join(" ")}`;
/** As many soldiers on each flank, the rest in the middle and on the right. @returns {Flanks} */
const thirds = (soldiers) => [0, 1, 2].map((more) => Math.floor((soldiers + more) / 3));

/**
 * Play one match, until the input ends.
 * @param {{act(game: Game): string, accept(game: Game, offer: Offer): boolean,
 *          defend(game: Game, attacker: Country, soldiers: number): Flanks}} bot what your bot
 *   answers: its action of this cycle, made by `wait`, `recruit`, `trade` or `war`; whether it takes
 *   the offer of another country; how its soldiers stand when `attacker` comes with so many in all
 */
function play(bot) {
  const game = new Game();
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const words = line.split(" ");
    if (words[0] === "go") {
      game.timeBank = Number(words[2]);
      console.log(answer(bot, game, words[1], words.slice(3)));
    } else {
      hear(game, words);
    }
  });
}

function answer(bot, game, request, words) {
  if (request === "action") return bot.act(game);
  const country = game.countries.get(words[0]);
  if (request === "trade") {
    const [, youGet, getAmount, youGive, giveAmount] = words;
    const amounts = { getAmount: Number(getAmount), giveAmount: Number(giveAmount) };
    return bot.accept(game, { country, youGet, youGive, ...amounts }) ? "yes" : "no";
  }
  return bot.defend(game, country, Number(words[1])).join(" ");
}

function hear(game, words) {
  const [kind, ...rest] = words;
  if (kind === "settings") set(game, rest[0], rest.slice(1));
  else if (kind === "round") game.round = Number(rest[0]);
  else if (kind === "update_map") see(game, rest);
  else if (kind === "result") game.result = rest;
  else if (kind === "game_over") game.rank = Number(rest[0]);
  else if (kind === "opponent_moves") {
    game.news = sentences(game, rest);
    for (const words of game.news) game.chronicle.push({ round: game.round, words });
  }
}

function set(game, key, values) {
  game.settings.set(key, values.join(" "));
  if (key === "your_bot") game.me = values[0];
  else if (key === "players") for (const name of values) game.countries.set(name, new Country(name));
  else if (key === "gold_for_war") game.goldForWar = Math.trunc(Number(values[0]));
}

function see(game, words) {
  for (let i = 0; i + 6 < words.length; i += 7) {
    const country = game.countries.get(words[i]);
    RESOURCES.forEach((resource, k) => (country[resource] = Number(words[i + 1 + k])));
    country.alive = words[i + 6] === "alive";
  }
}

/** The words cut where an action begins: at a name behind which one of the four verbs stands. */
function sentences(game, words) {
  const verbs = ["wait", "recruit", "trade", "war"];
  const found = [];
  words.forEach((word, i) => {
    if (game.countries.has(word) && verbs.includes(words[i + 1])) found.push([]);
    found[found.length - 1].push(word);
  });
  return found;
}

module.exports = { RESOURCES, Country, Game, wait, recruit, trade, war, thirds, play };
